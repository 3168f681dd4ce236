"""Derivatives of forward dynamics, analytically."""

from __future__ import annotations

from casadi import SX

from phalanx.equations.equation import equation
from phalanx.equations.forward_dynamics.factorized import factorized
from phalanx.equations.inverse_dynamics.derivatives import derivatives as inverse_derivatives
from phalanx.equations.mass_matrix.factorization import factorize
from phalanx.equations.model_of import model_of
from phalanx.equations.tree.model import Model
from phalanx.mechanism import Mechanism


@equation("da_dq", "da_dv", "da_dtau")
def derivatives(mechanism: Mechanism | Model, q: SX, v: SX, tau: SX) -> tuple[SX, SX, SX]:
    """Derivatives of the accelerations by position, velocity and joint force.

    Position derivatives are along velocities, as for inverse dynamics, whose derivatives at the
    resulting acceleration give these: da/dq = -M⁻¹ dtau/dq, da/dv = -M⁻¹ dtau/dv, da/dtau = M⁻¹.

    Args:
        mechanism: The machine.
        q: Positions, shape (nq,).
        v: Velocities, shape (nv,).
        tau: Joint forces, shape (nv,).

    Returns:
        Three matrices of shape (nv, nv).

    Reference:
        Carpentier and Mansard (2018), Analytical derivatives of rigid body dynamics algorithms.
    """
    model = model_of(mechanism)
    a = factorized(model, q, v, tau)
    by_q, by_v, M = inverse_derivatives(model, q, v, a)
    solver = factorize(M)
    return -solver.solve(by_q), -solver.solve(by_v), solver.solve(SX.eye(model.nv))
