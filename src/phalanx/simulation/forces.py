"""Forces that joints make by themselves: damping, stops at limits, dry friction.

A choice is a value: ``simulate(arm, ..., forces=(Damping(), Stops(stiffness=1e4)))``. Each is a
function of the state over symbols and becomes part of the compiled step.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import casadi as ca
import numpy as np
from casadi import DM, SX

from phalanx.arguments import check_fields
from phalanx.errors import InvalidInput
from phalanx.mechanism import Joint, Mechanism, Mimic, Planar


class JointForce(ABC):
    """A force of the joints on themselves."""

    @abstractmethod
    def force(self, mechanism: Mechanism, q: SX, v: SX) -> SX:
        """Joint forces [N or N·m] at a state, shape (nv,)."""


@final
@dataclass(frozen=True)
class Damping(JointForce):
    """Viscous friction from the joints' own ``damping``: -d v."""

    def force(self, mechanism: Mechanism, q: SX, v: SX) -> SX:
        """See :class:`JointForce`."""
        return _by_joint(mechanism, q, v, lambda joint, x, u: -DM(np.asarray(joint.damping)) * u)


@final
@dataclass(frozen=True)
class Friction(JointForce):
    """Dry friction from the joints' own ``friction``, smooth through zero velocity.

    Attributes:
        slip: Velocity at which 76 % of the full force is reached [rad/s or m/s].
    """

    slip: float = 1e-2

    def __post_init__(self) -> None:
        """Check the slip velocity."""
        check_fields(self)
        if not 0 < self.slip < np.inf:
            raise InvalidInput(f"the slip velocity of friction must be positive, got {self.slip}.")

    def force(self, mechanism: Mechanism, q: SX, v: SX) -> SX:
        """See :class:`JointForce`."""
        return _by_joint(
            mechanism,
            q,
            v,
            lambda joint, x, u: -DM(np.asarray(joint.friction)) * ca.tanh(u / self.slip),
        )


@final
@dataclass(frozen=True)
class Stops(JointForce):
    """Compliant stops at the position limits: a spring and a damper that only push back.

    Attributes:
        stiffness: [N·m/rad or N/m] beyond a limit.
        damping: [N·m·s/rad or N·s/m] while moving further in; it never pulls.
    """

    stiffness: float = 1e4
    damping: float = 1e2

    def __post_init__(self) -> None:
        """Check the numbers."""
        check_fields(self)
        if not (0 < self.stiffness < np.inf and 0 <= self.damping < np.inf):
            raise InvalidInput(
                "stops need a positive stiffness and no negative damping, got "
                f"{self.stiffness} and {self.damping}."
            )

    def force(self, mechanism: Mechanism, q: SX, v: SX) -> SX:
        """See :class:`JointForce`."""
        return _by_joint(mechanism, q, v, self._joint_force)

    def _joint_force(self, joint: Joint, x: SX, u: SX) -> SX:
        if joint.motion.nq != joint.motion.nv:
            return SX(joint.motion.nv, 1)  # limits of quaternions mean nothing
        R = _plane_axes(x[2]) if isinstance(joint.motion, Planar) else SX.eye(joint.motion.nv)
        rate, rows = R @ u, []
        for k, (lower, upper) in enumerate(
            zip(np.asarray(joint.lower), np.asarray(joint.upper), strict=True)
        ):
            push = SX(0)
            if np.isfinite(upper):
                push -= self._push(x[k] - upper, rate[k])
            if np.isfinite(lower):
                push += self._push(lower - x[k], -rate[k])
            rows.append(push)
        return R.T @ ca.vertcat(*rows)

    def _push(self, depth: SX, speed: SX) -> SX:
        """Force of a stop that is pressed in by ``depth``, growing at ``speed``."""
        pressed = self.stiffness * depth + self.damping * speed
        return ca.if_else(depth > 0, ca.fmax(pressed, 0), 0)


def _by_joint(mechanism: Mechanism, q: SX, v: SX, own: Callable[[Joint, SX, SX], SX]) -> SX:
    """Forces of all joints, each from its position and velocity; a mimic's act on its leader."""
    total = SX.zeros(mechanism.nv, 1)
    for joint in mechanism.joints:
        if not joint.motion.nv:
            continue
        follows = joint.mimic or Mimic(joint.name)
        where = mechanism.v_slices[follows.leader]
        x = follows.multiplier * q[mechanism.q_slices[follows.leader]] + follows.offset
        u = follows.multiplier * v[where]
        total[where] += follows.multiplier * own(joint, x, u)
    return total


def _plane_axes(angle: SX) -> SX:
    """From the axes of a body that has turned in its plane to those of the plane."""
    c, s = ca.cos(angle), ca.sin(angle)
    return ca.blockcat([[c, -s, SX(0)], [s, c, SX(0)], [SX(0), SX(0), SX(1)]])
