"""Back to where loops are closed: the end of every step."""

from __future__ import annotations

from casadi import SX

from phalanx.equations.configuration import integrate
from phalanx.equations.loops.closure import constraint
from phalanx.equations.loops.independent import independent_rows
from phalanx.equations.mass_matrix.composite_body import composite_body
from phalanx.equations.mass_matrix.factorization import Factorization, factorize
from phalanx.equations.model import Model


def closed(model: Model, q: SX, v: SX) -> tuple[SX, SX]:
    """The state nearest to one that a step has left slightly open.

    Positions take one step of Newton's method, which squares an opening that is small already;
    velocities are projected exactly. Near is measured with the mass matrix, so that the change of
    velocities is the one that an impulse in the loops would make: it can only take energy, and as
    little as possible.
    """
    rows = independent_rows(model.mechanism)
    if not rows:
        return q, v
    equations = constraint(model, q, v, rows)
    q = integrate(model, q, -_impulse(model, q, equations.A, equations.c))
    A = constraint(model, q, v, rows).A
    return q, v - _impulse(model, q, A, A @ v)


def _impulse(model: Model, q: SX, A: SX, jump: SX) -> SX:
    """M⁻¹ Aᵀ (A M⁻¹ Aᵀ)⁻¹ jump: the smallest motion that makes a jump."""
    M: Factorization = factorize(composite_body(model, q))
    response = M.solve(A.T)
    return response @ factorize(A @ response).solve(jump)
