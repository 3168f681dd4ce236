"""Forward dynamics with loops by Lagrange's multipliers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from casadi import DM, SX

from phalanx.equations.equation import equation
from phalanx.equations.inverse_dynamics.recursive import recursive
from phalanx.equations.loops.assembly.independent import independent_rows
from phalanx.equations.loops.closure.equations import constraint
from phalanx.equations.loops.methods.coupling import coupling
from phalanx.equations.loops.methods.loop_gains import LoopGains, per_equation
from phalanx.equations.loops.methods.reduced_inertia import reduced_inertia
from phalanx.equations.model_of import model_of
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.motion import BaseMotion
from phalanx.mechanism import Mechanism


@dataclass(frozen=True)
class Baumgarte:
    """Pulls open loops together: c'' + 2 alpha c' + beta² c = 0.

    Both are one number, loop name to number, or one for each closure equation.

    Attributes:
        alpha: Damping [1/s].
        beta: Stiffness [1/s]; equal to alpha for the quickest return without overshoot.
    """

    alpha: LoopGains = 10.0
    beta: LoopGains = 10.0


@equation("a", "loop_force")
def constrained(
    mechanism: Mechanism | Model,
    q: SX,
    v: SX,
    tau: SX,
    *,
    wrenches: Mapping[str, SX] | None = None,
    base: BaseMotion | None = None,
    stabilization: Baumgarte | None = None,
    before: SX | None = None,
) -> tuple[SX, SX]:
    """Accelerations with closed loops, and the forces that keep them closed.

    Solves M a + c = tau - Aᵀ lambda together with A a + b = 0. M is factorized along the tree
    without fill-in; what remains is one equation for each freedom the loops take away, in
    A M⁻¹ Aᵀ. Redundant equations are left out (`independent_rows`), and their forces are zero.
    Links without mass that loops hold are moved by these (`reduced_inertia`).

    Args:
        mechanism: The machine.
        q: Positions that close the loops [m or rad], shape (nq,).
        v: Velocities that keep them closed [m/s or rad/s], shape (nv,).
        tau: Joint forces [N or N·m], shape (nv,).
        wrenches: Frame name to external wrench, as for inverse dynamics.
        base: Motion of the root; still when not given.
        stabilization: What to do about loops that are open; nothing when not given.
        before: Accelerations that the machine had shortly before, shape (nv,). Where it is so near
            to a singular posture that an equation says less than rounding, these go on.

    Returns:
        Accelerations [m/s² or rad/s²], shape (nv,), and lambda [N or N·m], one for each closure
        equation, shape (m,); :func:`loop_wrenches` makes forces and moments on bodies of it.

    Reference:
        Khan (2002), eq. 1.3; Featherstone (2008), ch. 8.
    """
    model = model_of(mechanism)
    rows = independent_rows(model.mechanism)
    equations = constraint(model, q, v, rows)
    A = equations.A
    demanded = equations.b
    if stabilization is not None:
        rate = A @ v
        alpha, beta = (
            DM(per_equation(model, f"Baumgarte's {name}", gains)[list(rows)])
            for name, gains in (("alpha", stabilization.alpha), ("beta", stabilization.beta))
        )
        demanded += 2 * alpha * rate + beta**2 * equations.c
    M = reduced_inertia(model, q, A)
    acting = tau - recursive(model, q, v, SX(model.nv, 1), wrenches=wrenches, base=base)
    if M.weight:
        acting -= M.weight * (A.T @ demanded)
    free = M.factors.solve(acting)
    opening = A @ free + demanded
    loops = coupling(model, A, M.factors)
    if before is None:
        force = loops.forces(opening)
    else:
        force = loops.forces_near(opening, A @ before + equations.b)
    forces = SX(constraint(model, q, v).c.numel(), 1)
    for k, row in enumerate(rows):
        forces[row] = force[k]
    return free - loops.response @ force, forces


@equation("a")
def multipliers(
    mechanism: Mechanism | Model,
    q: SX,
    v: SX,
    tau: SX,
    *,
    wrenches: Mapping[str, SX] | None = None,
    base: BaseMotion | None = None,
    stabilization: Baumgarte | None = None,
    before: SX | None = None,
) -> SX:
    """Accelerations of a machine with closed loops (see :func:`constrained`)."""
    return constrained(
        mechanism,
        q,
        v,
        tau,
        wrenches=wrenches,
        base=base,
        stabilization=stabilization,
        before=before,
    )[0]
