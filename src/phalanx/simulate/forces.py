"""Forces that joints make by themselves: damping, stops at limits, dry friction.

A choice is a value: ``simulate(arm, ..., forces=(Damping(), Stops(stiffness=1e4)))``. Each is a
function of the state over symbols and becomes part of the compiled step.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

import casadi as ca
import numpy as np
from casadi import DM, SX

from phalanx.errors import InvalidInput
from phalanx.mechanism import Mechanism


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
        return -DM(mechanism.per_freedom("damping")) * v


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
        if not self.slip > 0:
            raise InvalidInput(f"the slip velocity of friction must be positive, got {self.slip}.")

    def force(self, mechanism: Mechanism, q: SX, v: SX) -> SX:
        """See :class:`JointForce`."""
        return -DM(mechanism.per_freedom("friction")) * ca.tanh(v / self.slip)


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
        if not (self.stiffness > 0 and self.damping >= 0):
            raise InvalidInput("stops need a positive stiffness and no negative damping.")

    def force(self, mechanism: Mechanism, q: SX, v: SX) -> SX:
        """See :class:`JointForce`."""
        rows = [SX(0)] * mechanism.nv
        for joint in mechanism.moving_joints:
            if joint.motion.nq != joint.motion.nv:
                continue  # limits of quaternions mean nothing
            lower, upper = np.asarray(joint.lower), np.asarray(joint.upper)
            q0, v0 = mechanism.q_slices[joint.name].start, mechanism.v_slices[joint.name].start
            for k in range(joint.motion.nv):
                x, u = q[q0 + k], v[v0 + k]
                if np.isfinite(upper[k]):
                    rows[v0 + k] -= self._push(x - upper[k], u)
                if np.isfinite(lower[k]):
                    rows[v0 + k] += self._push(lower[k] - x, -u)
        return ca.vertcat(*rows)

    def _push(self, depth: SX, speed: SX) -> SX:
        """Force of a stop that is pressed in by ``depth``, growing at ``speed``."""
        pressed = self.stiffness * depth + self.damping * speed
        return ca.if_else(depth > 0, ca.fmax(pressed, 0), 0)
