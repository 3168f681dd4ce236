"""Back to where loops are closed: the end of every step."""

from __future__ import annotations

from casadi import SX

from phalanx.equations.configuration import integrate
from phalanx.equations.loops.closure import closure, closure_rate, constraint
from phalanx.equations.loops.independent import independent_rows
from phalanx.equations.mass_matrix.composite_body import composite_body
from phalanx.equations.mass_matrix.factorization import factorize
from phalanx.equations.model import Model


def closed(model: Model, q: SX, v: SX) -> tuple[SX, SX]:
    """The state nearest to one that a step has left slightly open.

    Positions take two steps of Newton's method with one factorization: an opening e becomes of the
    order of e³. Velocities are projected. Near is measured with the mass matrix, so that the change
    of velocities is the one that an impulse in the loops would make: it can only take energy, and
    as little as possible.
    """
    rows = independent_rows(model.mechanism)
    if not rows:
        return q, v
    A = constraint(model, q, v, rows).A
    response = factorize(composite_body(model, q)).solve(A.T)
    stiffness = factorize(A @ response)

    def impulse(jump: SX) -> SX:
        """The smallest motion that makes a jump of the loops: M⁻¹ Aᵀ (A M⁻¹ Aᵀ)⁻¹ jump."""
        return response @ stiffness.solve(jump)

    for _ in range(2):
        q = integrate(model, q, -impulse(closure(model, q)[list(rows)]))
    return q, v - impulse(closure_rate(model, q, v)[list(rows)])
