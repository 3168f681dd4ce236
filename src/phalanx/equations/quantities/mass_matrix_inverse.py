"""The inverse of the mass matrix."""

from __future__ import annotations

from casadi import SX

from phalanx.equations.equation import equation
from phalanx.equations.mass_matrix.composite_body import composite_body
from phalanx.equations.mass_matrix.factorization import factorize
from phalanx.equations.model_of import model_of
from phalanx.equations.tree.model import Model
from phalanx.mechanism import Mechanism


@equation("M_inverse")
def mass_matrix_inverse(mechanism: Mechanism | Model, q: SX) -> SX:
    """M(q)⁻¹, from composite bodies and the sparse factorization of M.

    Products with it are cheaper by :func:`mass_solve`. Of the spanning tree where there are loops.

    Args:
        mechanism: The machine.
        q: Positions [m or rad], shape (nq,).

    Returns:
        Symmetric M⁻¹ [1/kg, 1/(kg·m) or 1/(kg·m²)], shape (nv, nv), sparse.
    """
    return factorize(composite_body(model_of(mechanism), q)).inverse()
