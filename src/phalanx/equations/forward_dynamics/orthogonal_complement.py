"""Forward dynamics by an orthogonal complement."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from casadi import SX

from phalanx.equations.equation import equation
from phalanx.equations.mass_matrix.factorization import factorize
from phalanx.equations.model_of import tree_of
from phalanx.equations.orthogonal_complement.bodies import centred_bodies
from phalanx.equations.orthogonal_complement.loads import body_loads, felt
from phalanx.equations.orthogonal_complement.recursion import complement, inertia_blocks
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.motion import BaseMotion
from phalanx.mechanism import Mechanism


def along_the_tree(M: SX, b: SX) -> SX:
    """X with M x = b by the factorization that makes no new entries."""
    return factorize(M).solve(b)


@equation("a")
def orthogonal_complement(
    mechanism: Mechanism | Model,
    q: SX,
    v: SX,
    tau: SX,
    *,
    wrenches: Mapping[str, SX] | None = None,
    base: BaseMotion | None = None,
    solve: Callable[[SX, SX], SX] = along_the_tree,
) -> SX:
    """Accelerations under joint forces ``tau``: solve Hᵀ diag(J, m) H a = tau - Hᵀ [dL/dt; m p''].

    H, the motions of all centres of mass, is formed once and used on both sides.

    Args:
        mechanism: The machine.
        q: Positions [m or rad], shape (nq,).
        v: Velocities [m/s or rad/s], shape (nv,).
        tau: Joint forces [N or N·m], shape (nv,).
        wrenches: Frame name to external wrench, as for inverse dynamics.
        base: Motion of the root; still when not given.
        solve: What solves M a = b; also ``mass_matrix.dense_solvers.cholesky`` and ``lu``, with
            which the source counted and computed.

    Returns:
        Accelerations [m/s² or rad/s²], shape (nv,).

    Reference:
        Wong (1991), §3.1-3.4; its eq. 4.1 adds the force vector where it is to be taken away.
    """
    model = tree_of(mechanism, "orthogonal_complement")
    bodies = centred_bodies(model, q)
    H = complement(bodies)
    loads = body_loads(model, bodies, v, SX(model.nv, 1), wrenches=wrenches, base=base)
    M = model.assemble(inertia_blocks(bodies, H))
    return solve(M, tau - model.gather(felt(bodies, H, loads)))
