"""Loads of a machine's drives during a motion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

import casadi as ca
from casadi import SX

from phalanx.actuators.drive import Drives, SingleAxis, check_drives
from phalanx.equations.inverse_dynamics.recursive import carried_wrenches
from phalanx.equations.quantities.reactions import joint_reaction
from phalanx.equations.tree.model import Model
from phalanx.mechanism.motion import frame_on_axis


@final
@dataclass(frozen=True)
class Loads:
    """Forces in the joints of a machine.

    Attributes:
        tau: What the links need along each freedom, without rotors [N·m or N], shape (nv,).
        rotor: What the rotors need, on the joint's side, shape (nv,).
        force: Force [N] in each driven joint, in axes whose z is the joint's axis.
        moment: Moment [N·m] about its origin, in the same axes.
    """

    tau: SX
    rotor: SX
    force: dict[str, SX]
    moment: dict[str, SX]

    def packed(self) -> SX:
        """All numbers in one column."""
        return ca.vertcat(self.tau, self.rotor, *self.force.values(), *self.moment.values())

    def unpacked(self, numbers: SX) -> Loads:
        """Loads like these with other numbers."""
        n, joints = self.tau.numel(), len(self.force)
        sizes = [n, n, *[3] * joints, *[3] * joints]
        ends = [sum(sizes[:k]) for k in range(len(sizes) + 1)]
        parts = ca.vertsplit(numbers, ends)
        forces, moments = parts[2 : 2 + joints], parts[2 + joints :]
        return Loads(
            parts[0],
            parts[1],
            dict(zip(self.force, forces, strict=True)),
            dict(zip(self.moment, moments, strict=True)),
        )


def joint_loads(
    model: Model, q: SX, v: SX, a: SX, drives: Drives, wrenches: Mapping[str, SX] | None = None
) -> Loads:
    """Loads of a motion: those of the machine without friction (see :func:`reactions`)."""
    carried = carried_wrenches(model, q, v, a, wrenches=wrenches)
    force, moment = {}, {}
    for name, (joint, _) in check_drives(model.mechanism, drives).items():
        F = joint_reaction(model, joint, carried)
        assert isinstance(joint.motion, SingleAxis)
        axes = SX(ca.DM(frame_on_axis(joint.motion.axis)))
        force[name], moment[name] = axes.T @ F.force, axes.T @ F.moment
    along = [node.along(F) for node, F in zip(model.nodes, carried, strict=True)]
    return Loads(
        model.gather(along),
        model.gather([node.armature * node.rate(a) for node in model.nodes]),
        force,
        moment,
    )
