"""Saturation of drives at the effort limits of joints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.mechanism import Mechanism
from phalanx.simulation.setup.forces.joint_forces import JointForce


@final
@dataclass(frozen=True)
class EffortLimits(JointForce):
    """Joint forces of drives saturate at ± the joints' own ``effort_limit``.

    What a control law, a Python function or ``tau=`` asks for beyond it does not act; ``tau`` of a
    run is what acted. A joint with an effort limit of 0 is passive. Forces that an actuation makes
    (hydraulics), of other joint forces and of the surroundings are left as they are.
    """

    acts: ClassVar[bool] = False

    def force(self, mechanism: Mechanism, q: SX, v: SX) -> SX:
        """None of its own."""
        return SX.zeros(mechanism.nv, 1)

    def limited(self, mechanism: Mechanism, tau: SX) -> SX:
        limits = mechanism.effort_limits
        if not np.isfinite(limits).any():
            return tau
        return ca.vertcat(
            *(
                ca.fmax(ca.fmin(tau[k], limit), -limit) if np.isfinite(limit) else tau[k]
                for k, limit in enumerate(limits.tolist())
            )
        )
