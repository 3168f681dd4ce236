"""Forward dynamics by factorizing the mass matrix."""

from __future__ import annotations

from collections.abc import Mapping

from casadi import SX

from phalanx.equations.equation import equation
from phalanx.equations.inverse_dynamics.recursive import recursive
from phalanx.equations.mass_matrix.composite_body import composite_body
from phalanx.equations.mass_matrix.factorization import factorize
from phalanx.equations.model_of import tree_of
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.motion import BaseMotion
from phalanx.mechanism import Mechanism


@equation("a")
def factorized(
    mechanism: Mechanism | Model,
    q: SX,
    v: SX,
    tau: SX,
    *,
    wrenches: Mapping[str, SX] | None = None,
    base: BaseMotion | None = None,
) -> SX:
    """Accelerations under joint forces ``tau``: solve M(q) a = tau - c(q, v).

    M comes from composite bodies and is factorized along the tree without fill-in; the cheapest way
    for arms of a few joints and the one that allows mimic joints.

    Args:
        mechanism: The machine.
        q: Positions [m or rad], shape (nq,).
        v: Velocities [m/s or rad/s], shape (nv,).
        tau: Joint forces [N or N·m], shape (nv,).
        wrenches: Frame name to external wrench, as for inverse dynamics.
        base: Motion of the root; still when not given.

    Returns:
        Accelerations [m/s² or rad/s²], shape (nv,).

    Reference:
        Featherstone (2008), ch. 6.
    """
    model = tree_of(mechanism, "factorized")
    bias = recursive(model, q, v, SX(model.nv, 1), wrenches=wrenches, base=base)
    return factorize(composite_body(model, q)).solve(tau - bias)
