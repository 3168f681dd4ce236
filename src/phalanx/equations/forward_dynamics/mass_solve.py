"""Products with the inverse of the mass matrix, M⁻¹ f, without forming it."""

from __future__ import annotations

from casadi import SX

from phalanx.equations.equation import equation
from phalanx.equations.forward_dynamics.articulated_body import accelerate_from_rest
from phalanx.equations.mass_matrix.composite_body import composite_body
from phalanx.equations.mass_matrix.factorization import factorize
from phalanx.equations.model_of import model_of
from phalanx.equations.tree.model import Model
from phalanx.mechanism import Mechanism


@equation("x")
def mass_solve(mechanism: Mechanism | Model, q: SX, f: SX) -> SX:
    """M(q)⁻¹ f: the accelerations of a resting machine without gravity under joint forces ``f``.

    By articulated bodies in linear time; where joints follow others, which tie branches together,
    by factorizing M. Of the spanning tree where there are loops.

    Args:
        mechanism: The machine.
        q: Positions [m or rad], shape (nq,).
        f: Joint forces or impulses, shape (nv,).

    Returns:
        Shape (nv,).
    """
    model = model_of(mechanism)
    if model.has_mimics:
        return factorize(composite_body(model, q)).solve(f)
    model = model.regrouped
    return accelerate_from_rest(model, model.transforms(q), f)
