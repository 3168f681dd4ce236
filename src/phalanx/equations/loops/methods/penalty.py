"""Penalty method: forward dynamics with loops held by springs and dampers."""

from __future__ import annotations

import math
from collections.abc import Mapping

from casadi import DM, SX

from phalanx.base.errors import InvalidInput
from phalanx.equations.equation import equation
from phalanx.equations.inverse_dynamics.recursive import recursive
from phalanx.equations.loops.assembly.independent import independent_rows
from phalanx.equations.loops.closure.equations import constraint
from phalanx.equations.loops.methods.loop_gains import LoopGains, per_equation
from phalanx.equations.mass_matrix.composite_body import composite_body
from phalanx.equations.mass_matrix.factorization import factorize
from phalanx.equations.model_of import model_of
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.motion import BaseMotion
from phalanx.mechanism import Mechanism

STIFFNESS = 1e5  # [N/m or N·m/rad]


@equation("a", "loop_force")
def sprung(
    mechanism: Mechanism | Model,
    q: SX,
    v: SX,
    tau: SX,
    *,
    stiffness: LoopGains = STIFFNESS,
    damping: LoopGains | None = None,
    wrenches: Mapping[str, SX] | None = None,
    base: BaseMotion | None = None,
) -> tuple[SX, SX]:
    """Accelerations of a machine whose loops are held by springs, and the forces of the springs.

    Solves M a + c = tau - Aᵀ lambda with lambda = k c(q) + d A v instead of the lambda that would
    keep the loops closed. Branches of the tree couple through lambda alone, which costs nothing to
    find; the price is equations as stiff as the springs, and loops that open by lambda / k. On a
    state that is exactly closed the springs bear no load yet and the loops do not act at all.

    Args:
        mechanism: The machine.
        q: Positions [m or rad], shape (nq,); loops need not be closed.
        v: Velocities [m/s or rad/s], shape (nv,).
        tau: Joint forces [N or N·m], shape (nv,).
        stiffness: k of the closure equations [N/m or N·m/rad]: one number, loop name to number, or
            one for each equation, shape (m,).
        damping: d likewise [N·s/m or N·m·s/rad]; 2 √k of each equation when not given.
        wrenches: Frame name to external wrench, as for inverse dynamics.
        base: Motion of the root; still when not given.

    Returns:
        Accelerations [m/s² or rad/s²], shape (nv,), and lambda [N or N·m], one for each closure
        equation; zero for redundant ones.

    Reference:
        Khan (2002), eqs. 2.7, 2.9 and 2.10; Wang, Gosselin and Cheng (2000).
    """
    model = model_of(mechanism)
    rows = independent_rows(model.mechanism)
    equations = constraint(model, q, v, rows)
    k, d = springs_and_dampers(model, stiffness, damping)
    force = k[list(rows)] * equations.c + d[list(rows)] * (equations.A @ v)
    bias = recursive(model, q, v, SX(model.nv, 1), wrenches=wrenches, base=base)
    a = factorize(composite_body(model, q)).solve(tau - bias - equations.A.T @ force)
    forces = SX(constraint(model, q, v).c.numel(), 1)
    for i, row in enumerate(rows):
        forces[row] = force[i]
    return a, forces


@equation("a")
def penalty(
    mechanism: Mechanism | Model,
    q: SX,
    v: SX,
    tau: SX,
    *,
    stiffness: LoopGains = STIFFNESS,
    damping: LoopGains | None = None,
    wrenches: Mapping[str, SX] | None = None,
    base: BaseMotion | None = None,
) -> SX:
    """Accelerations of a machine whose loops are held by springs (see :func:`sprung`)."""
    return sprung(
        mechanism,
        q,
        v,
        tau,
        stiffness=stiffness,
        damping=damping,
        wrenches=wrenches,
        base=base,
    )[0]


def springs_and_dampers(
    model: Model, stiffness: LoopGains, damping: LoopGains | None = None
) -> tuple[DM, DM]:
    """Checked k and d of each closure equation, shape (m,)."""
    ks = per_equation(model, "stiffness", stiffness)
    ds = [None] * len(ks) if damping is None else per_equation(model, "damping", damping)
    both = [spring_and_damper(k, d) for k, d in zip(ks, ds, strict=True)]
    return DM([k for k, _ in both]), DM([d for _, d in both])


def spring_and_damper(stiffness: float, damping: float | None = None) -> tuple[float, float]:
    """Checked k and d, with d = 2 √k where it is not given."""
    if not 0 < stiffness < math.inf:
        raise InvalidInput(f"stiffness={stiffness}; expected a positive number [N/m or N·m/rad].")
    d = 2 * math.sqrt(stiffness) if damping is None else damping
    if not 0 <= d < math.inf:
        raise InvalidInput(f"damping={damping}; expected a number that is not negative.")
    return stiffness, d
