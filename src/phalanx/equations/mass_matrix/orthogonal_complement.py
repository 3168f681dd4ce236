"""The mass matrix from an orthogonal complement."""

from __future__ import annotations

from casadi import SX

from phalanx.equations.equation import equation
from phalanx.equations.model_of import model_of
from phalanx.equations.orthogonal_complement.bodies import centred_bodies
from phalanx.equations.orthogonal_complement.recursion import complement, inertia_blocks
from phalanx.equations.tree.model import Model
from phalanx.mechanism import Mechanism


@equation("M")
def orthogonal_complement(mechanism: Mechanism | Model, q: SX) -> SX:
    """Mass matrix M(q) = Hᵀ diag(J, m) H, H the motions of all centres of mass (NESS).

    Every term is a product of two vectors that bodies hold for themselves, so that processors can
    form it with little talk; on one processor composite bodies need fewer operations.

    Args:
        mechanism: The machine.
        q: Positions [m or rad], shape (nq,).

    Returns:
        Symmetric M [kg, kg·m or kg·m²], shape (nv, nv), sparse.

    Reference:
        Wong (1991), §3.2; Hemami (1982); Angeles and Ma (1988).
    """
    model = model_of(mechanism)
    bodies = centred_bodies(model, q)
    return model.assemble(inertia_blocks(bodies, complement(bodies)))
