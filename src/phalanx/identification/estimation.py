"""Estimation of a machine's parameters from motions and torques."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from phalanx.base.arguments import checked
from phalanx.dynamics import Dynamics
from phalanx.identification.base import base_parameters
from phalanx.identification.consistent import consistent
from phalanx.identification.estimate import Identification
from phalanx.identification.least_squares import noise_of_joints, solve
from phalanx.identification.measurements import measured_of
from phalanx.identification.parameters import (
    checked_terms,
    columns,
    known_torques,
    with_parameters,
)
from phalanx.mechanism import Mechanism
from phalanx.planning.paths.machine import dynamics_of


@checked
def identify(
    machine: Mechanism | Dynamics,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    tau: ArrayLike,
    *,
    terms: Sequence[str] = (),
    noise: ArrayLike | None = None,
) -> Identification:
    """Parameters of a machine by weighted least squares, with standard errors.

    Args:
        machine: The machine as it is known: its lengths are believed, its masses are not.
        q: Positions [rad or m], shape (..., n).
        v: Velocities [rad/s or m/s], shape (..., n).
        a: Accelerations [rad/s² or m/s²], shape (..., n).
        tau: Joint torques that were measured [N·m or N], shape (..., n).
        terms: Parameters of joints that are estimated too: ``"rotor_inertia"``, ``"damping"``
            (viscous), ``"friction"`` (Coulomb). Those not named are as the machine says.
        noise: Standard deviation of torques [N·m or N], one number or (n,); when not given, it is
            estimated joint by joint, and joints with more of it count less.

    Raises:
        InvalidInput: When shapes differ, a number is none, or rows are too few.
        NotExciting: When the motions do not show all parameters; with the names of those.
        InvalidModel: When the machine has loops, or joints whose positions are no numbers.
    """
    dynamics, chosen = dynamics_of(machine), checked_terms(terms)
    m = dynamics.mechanism
    data = measured_of(m, q, v, a, tau)
    base = base_parameters(dynamics, terms=chosen)
    W = columns(dynamics, data.q, data.v, data.a, chosen)[..., base.independent]
    torque = data.tau - known_torques(dynamics, data.v, data.a, chosen)
    found = solve(W, torque, base.leaders, base.scale, noise_of_joints(noise, m.nv))
    full = consistent(m, base, found, chosen)
    return Identification(
        base,
        found.values,
        np.sqrt(np.diag(found.covariance)),
        found.covariance,
        found.noise,
        found.condition,
        with_parameters(m, full, chosen),
        base.of(full),
        dynamics,
        chosen,
    )
