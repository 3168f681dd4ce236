"""Null-space projection: forward dynamics in the directions that loops leave free.

Velocities that keep the loops closed are v = T z with A T = 0. Which of the many T is taken is
fixed by a constant matrix N: z = Nᵀ v, so that [A; Nᵀ] v = [0; z] and T is the last columns of
the inverse. Columns of N that pick joints make z their velocities (coordinate partitioning); any
other N with full rank is as good until [A; Nᵀ] becomes singular. As N is constant, dz/dt is the
rate of z, which a basis taken afresh from a decomposition of A at every posture does not offer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.base.errors import InvalidInput
from phalanx.equations.equation import equation
from phalanx.equations.inverse_dynamics.recursive import recursive
from phalanx.equations.loops.assembly.free_joints import independent_velocities
from phalanx.equations.loops.assembly.independent import independent_rows
from phalanx.equations.loops.closure.equations import constraint, rows_of_loops
from phalanx.equations.loops.methods.elimination import solve_by_loops
from phalanx.equations.mass_matrix.composite_body import composite_body
from phalanx.equations.mass_matrix.factorization import factorize
from phalanx.equations.model_of import model_of
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.motion import BaseMotion
from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import Array


@dataclass(frozen=True)
class Directions:
    """Free directions and the way across them that N allows: [A; Nᵀ]⁻¹ = [R T].

    Attributes:
        T: A T = 0 and Nᵀ T = 1, shape (nv, nv - m).
        across: R times a vector of m numbers, where A R = 1 and Nᵀ R = 0.
    """

    T: SX
    across: Callable[[SX], SX]


@equation("a")
def projection(
    mechanism: Mechanism | Model,
    q: SX,
    v: SX,
    tau: SX,
    *,
    independent: Sequence[str] | None = None,
    basis: Array | None = None,
    wrenches: Mapping[str, SX] | None = None,
    base: BaseMotion | None = None,
) -> SX:
    """Accelerations of a machine with closed loops, without the forces in the loops.

    Solves (Tᵀ M T) dz/dt = Tᵀ (tau - c - M g) and gives a = T dz/dt + g, with the particular
    acceleration g = -R b that closes A g + b = 0 and lies across N, as T's own rate asks for.

    Args:
        mechanism: The machine.
        q: Positions that close the loops [m or rad], shape (nq,).
        v: Velocities that keep them closed [m/s or rad/s], shape (nv,).
        tau: Joint forces [N or N·m], shape (nv,).
        independent: Joints whose velocities determine all others; the machine's motors, or what
            pivoting chooses, when neither this nor a basis is given.
        basis: N, shape (nv, nv - m).
        wrenches: Frame name to external wrench, as for inverse dynamics.
        base: Motion of the root; still when not given.

    Returns:
        Accelerations [m/s² or rad/s²], shape (nv,).

    Raises:
        InvalidInput: Neither joints nor basis determine the motion.

    Reference:
        Khan (2002), eqs. 2.11-2.23 and app. A.2, A.3; Serna et al. (1982); Kim and Vanderploeg
        (1986).
    """
    model = model_of(mechanism)
    equations = constraint(model, q, v, independent_rows(model.mechanism))
    directions = free_directions(model, equations.A, independent, basis)
    across = -directions.across(equations.b)
    rate = _reduced(model, q, v, tau, directions.T, across, wrenches, base)
    return directions.T @ rate + across


@equation("v", "dz")
def embedded(
    mechanism: Mechanism | Model,
    q: SX,
    z: SX,
    tau: SX,
    *,
    independent: Sequence[str] | None = None,
    basis: Array | None = None,
    decay: float = 0.0,
) -> tuple[SX, SX]:
    """Rates of the state (q, z): positions of all joints, velocities of the free directions only.

    Velocities v = T z - decay R c obey dc/dt + decay c = 0: loops that are open close like
    exp(-decay t), and no velocity across the free directions exists that could drift.

    Args:
        mechanism: The machine.
        q: Positions [m or rad], shape (nq,); loops may be open a little.
        z: Nᵀ v, shape (nv - m,).
        tau: Joint forces [N or N·m], shape (nv,).
        independent: As for :func:`projection`.
        basis: As for :func:`projection`.
        decay: Rate at which open loops close [1/s].

    Returns:
        Velocities v, shape (nv,), and the rates of z, shape (nv - m,).

    Reference:
        Khan (2002), eqs. 2.11-2.23, with the particular acceleration that belongs to the basis: the
        printed one, A⁺(-σA - dA/dt)v, is not across N, and z then is not what is integrated.
    """
    model = model_of(mechanism)
    rows = independent_rows(model.mechanism)
    still = constraint(model, q, SX(model.nv, 1), rows)
    directions = free_directions(model, still.A, independent, basis)
    v = directions.T @ z - decay * directions.across(still.c)
    b = constraint(model, q, v, rows).b
    across = -directions.across(b + decay * (still.A @ v))
    return v, _reduced(model, q, v, tau, directions.T, across, None, None)


def free_directions(
    model: Model, A: SX, independent: Sequence[str] | None = None, basis: Array | None = None
) -> Directions:
    """[A; Nᵀ]⁻¹ for joints that are picked, or for a given N."""
    if independent is not None and basis is not None:
        raise InvalidInput("give independent joints or a basis, not both.")
    m, n = A.shape
    if basis is not None:
        N = np.asarray(basis, dtype=np.float64)
        if N.shape != (n, n - m):
            raise InvalidInput(f"the basis has shape {N.shape}; expected {(n, n - m)}.")
        inverse = ca.solve(ca.densify(ca.vertcat(A, ca.DM(N.T))), SX.eye(n))
        return Directions(inverse[:, m:], lambda right: inverse[:, :m] @ right)
    return partitioned(model, A, independent_velocities(model.mechanism, independent))


def partitioned(model: Model, A: SX, picked: Sequence[int]) -> Directions:
    """[A; Nᵀ]⁻¹ with an N that picks velocities by their numbers, in the order given."""
    n = model.nv
    dependent = [k for k in range(n) if k not in picked]
    rows = independent_rows(model.mechanism)
    names = rows_of_loops(model) if rows else []
    loops = [names[row] for row in rows]

    def across(right: SX) -> SX:
        full = SX(n, right.shape[1])
        if dependent:
            full[dependent, :] = solve_by_loops(A[:, dependent], right, loops)
        return full

    T = -across(A[:, picked])
    for column, k in enumerate(picked):
        T[k, column] = 1
    return Directions(T, across)


def _reduced(
    model: Model,
    q: SX,
    v: SX,
    tau: SX,
    T: SX,
    across: SX,
    wrenches: Mapping[str, SX] | None,
    base: BaseMotion | None,
) -> SX:
    """Acceleration along the free directions; ``across`` is the one that loops demand."""
    M = composite_body(model, q)
    needed = recursive(model, q, v, across, wrenches=wrenches, base=base)
    return factorize(ca.densify(T.T @ M @ T)).solve(T.T @ (tau - needed))
