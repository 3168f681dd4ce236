"""Loads in joints: what bearings hold and what drives give, for whoever designs them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from phalanx.chains.constraint_forces.equations import ConstraintEquations, Posed
from phalanx.chains.constraint_forces.joint_steps import load_step
from phalanx.errors import UnknownName
from phalanx.kernel import compile
from phalanx.mechanism.pose import Array


@final
@dataclass(frozen=True, eq=False)
class JointLoads:
    """The wrench that every joint passes to the body it carries, in two parts.

    Six numbers each: force [N], then moment [N·m] about the joint's origin, in the axes of the body
    that the joint carries. The opposite acts on the body that it stands on.

    Attributes:
        joints: Names, those that are not fixed.
        constraint: What the joint's bearings hold, square to its freedoms,
            shape (samples, joints, 6).
        drive: What acts along its freedoms: the joint force less what the drive's rotor takes; same
            shape.
    """

    joints: tuple[str, ...]
    constraint: Array
    drive: Array

    @property
    def force(self) -> Array:
        """Force in every joint [N], shape (samples, joints, 3)."""
        return np.asarray((self.constraint + self.drive)[..., :3])

    @property
    def moment(self) -> Array:
        """Moment in every joint [N·m], shape (samples, joints, 3)."""
        return np.asarray((self.constraint + self.drive)[..., 3:])

    def of(self, joint: str) -> tuple[Array, Array]:
        """Force and moment in one joint, shape (samples, 3) each.

        Raises:
            UnknownName: There is no such joint.
        """
        if joint not in self.joints:
            raise UnknownName("the machine", "moving joint", joint, self.joints)
        k = self.joints.index(joint)
        return self.force[:, k], self.moment[:, k]


def joint_loads(equations: ConstraintEquations, posed: Posed, f: Array) -> JointLoads:
    """Loads under constraint forces ``f``, which solve ``posed.system``."""
    jointed = equations.jointed
    constraint, drive = np.empty((2, len(posed.q), len(jointed), 6))
    for kind in jointed.kinds:
        own, (q, v) = kind.members, jointed.columns(kind)
        kernel = compile(load_step(kind, jointed.structure.width), threads=equations.threads)
        numbers = np.concatenate(kind.numbers, axis=1)
        constraint[:, own], drive[:, own] = kernel(
            posed.q[:, q], posed.tau[:, v], f[:, own], numbers
        )
    R, p = _bodies(equations)
    return JointLoads(jointed.names, _turned(R, p, constraint), _turned(R, p, drive))


def _bodies(equations: ConstraintEquations) -> tuple[Array, Array]:
    """Pose of each joint's body in its node: rotations (n, 3, 3) and translations (n, 3)."""
    bodies = equations.jointed.bodies
    m = bodies.mechanism
    at = [m.body_index(m.joints[k].child) for k in bodies.joint[equations.jointed.node]]
    return bodies.body_rotation[at], bodies.body_translation[at]


def _turned(R: Array, p: Array, wrench: Array) -> Array:
    """Wrenches on nodes, in the axes of their bodies and about their origins."""
    force, moment = wrench[..., :3], wrench[..., 3:]
    moment = moment - np.cross(p, force)
    parts = [np.einsum("nji,snj->sni", R, part) for part in (force, moment)]
    return np.concatenate(parts, axis=-1)
