"""Integrators, chosen as values: ``simulate(arm, ..., integrator=RungeKutta4())``.

Fixed-step methods are functions over symbols and are compiled together with the equations of
motion. Positions are integrated in their own numbers (four for a quaternion) and brought back to
unit length at the end of each step, which keeps the order of the method; semi-implicit Euler moves
along the exponential of each joint's group. Adaptive methods come from SciPy and SUNDIALS.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, final

import casadi as ca
from casadi import SX

from phalanx.base.arguments import check_fields
from phalanx.base.errors import InvalidInput
from phalanx.equations import integrate, normalized, position_rate
from phalanx.equations.tree.model import Model
from phalanx.simulation.integrators.runge_kutta import Tableau
from phalanx.simulation.integrators.tableaux import CLASSIC, GILL


@dataclass(frozen=True)
class ErrorControlled:
    """A method that chooses its own step to keep the error below tolerances.

    Attributes:
        relative: Relative tolerance.
        absolute: Absolute tolerance [rad, m and their rates].
    """

    relative: float = 1e-9
    absolute: float = 1e-9

    def __post_init__(self) -> None:
        check_fields(self)
        if not (0 < self.relative < math.inf and 0 < self.absolute < math.inf):
            raise InvalidInput(
                f"tolerances must be positive numbers, got {self.relative} and {self.absolute}."
            )


# acceleration and the rates of whatever else is integrated along, at (time, q, v, z)
Field = Callable[[SX, SX, SX, SX], tuple[SX, SX]]


@dataclass(frozen=True)
class State:
    """A point in time: positions, velocities, and quantities integrated along with them.

    Attributes:
        stiff: Which of ``z`` change so fast that a method may have to look ahead.
    """

    t: SX
    q: SX
    v: SX
    z: SX
    stiff: tuple[int, ...] = ()


class FixedStep(ABC):
    """A method with a step of constant length and no iteration, so that it can be compiled."""

    in_words = "a method such as RungeKutta4()"
    order: int

    @abstractmethod
    def step(self, model: Model, field: Field, state: State, h: SX | float) -> State:
        """The state one step of length ``h`` later."""


@final
@dataclass(frozen=True)
class SemiImplicitEuler(FixedStep):
    """Velocities first, then positions with the new velocities: order 1, one evaluation a step.

    Where the mass matrix is constant (a pendulum, carts, free bodies) it is symplectic: the energy
    breathes and does not drift. Where it changes with the posture, as in an arm, energy drifts in
    proportion to the step.
    """

    order = 1

    def step(self, model: Model, field: Field, state: State, h: SX | float) -> State:
        a, dz = field(state.t, state.q, state.v, state.z)
        v = state.v + h * a
        q = integrate(model, state.q, h * v)
        return replace(state, t=state.t + h, q=q, v=v, z=state.z + h * dz)


class ExplicitRungeKutta(FixedStep):
    """An explicit Runge-Kutta method: what differs is its tableau.

    Runs of machines of any length take it as it is, see ``simulation/traversed/stepping.py``.
    """

    tableau: ClassVar[Tableau]

    def step(self, model: Model, field: Field, state: State, h: SX | float) -> State:
        y = ca.vertcat(state.q, state.v, state.z)
        end = self.tableau.step(_stacked(model, field, state), state.t, y, h)
        return _unstacked(model, state, h, end)


@final
@dataclass(frozen=True)
class RungeKutta4(ExplicitRungeKutta):
    """The classical method of order 4."""

    order = CLASSIC.order
    tableau = CLASSIC


@final
@dataclass(frozen=True)
class RungeKuttaGill(ExplicitRungeKutta):
    """Gill's coefficients of order 4, as the sources used them.

    Reference:
        Gill (1951), A process for the step-by-step integration of differential equations.
    """

    order = GILL.order
    tableau = GILL


@final
@dataclass(frozen=True)
class Rosenbrock2(FixedStep):
    """Linearly implicit method of order 2 for stiff actuators: one small linear solve a step.

    Looks ahead along the stiff quantities (pressures) and the velocities they drive, by their
    derivatives at the begin of the step; all else is explicit. Its order does not depend on
    how good these derivatives are (it is a W-method), and stiff parts decay as they should
    (L-stable), so that a valve at the end of its stroke does not dictate the step.

    Reference:
        Verwer, Spee, Blom, Hundsdorfer, A second-order Rosenbrock method applied to photochemical
        dispersion problems, SIAM J. Sci. Comput. 20 (1999).
    """

    order = 2

    def step(self, model: Model, field: Field, state: State, h: SX | float) -> State:
        gamma = 1 - 0.5**0.5
        y = ca.vertcat(state.q, state.v, state.z)
        f = _stacked(model, field, state)
        damp = _look_ahead(field, state, gamma * h)
        k1 = damp(f(state.t, y))
        k2 = damp(f(state.t + h, y + h * k1) - 2 * k1)
        return _unstacked(model, state, h, y + h / 2 * (3 * k1 + k2))


@final
@dataclass(frozen=True)
class DormandPrince(ErrorControlled):
    """Explicit Runge-Kutta of order 5 (``RK45``) or 8 (``DOP853``) with error control, by SciPy."""

    method: Literal["RK45", "DOP853"] = "DOP853"

    def __post_init__(self) -> None:
        check_fields(self)
        super().__post_init__()
        if self.method not in ("RK45", "DOP853"):
            raise InvalidInput(f"method={self.method!r}; expected 'RK45' or 'DOP853'.")


@final
@dataclass(frozen=True)
class Cvodes(ErrorControlled):
    """Implicit multistep for stiff machines (stops, hydraulics), by SUNDIALS through CasADi."""


# Largest growth within gamma steps that is looked ahead along; 1 would divide by zero.
GROWTH = 0.25

Integrator = FixedStep | DormandPrince | Cvodes


def _stacked(model: Model, field: Field, state: State) -> Callable[[SX, SX], SX]:
    """The field of the stacked state (q, v, z)."""
    nq, nv = state.q.numel(), state.v.numel()

    def f(t: SX, y: SX) -> SX:
        q, v, z = y[:nq], y[nq : nq + nv], y[nq + nv :]
        a, dz = field(t, q, v, z)
        return ca.vertcat(position_rate(model, q, v), a, dz)

    return f


def _unstacked(model: Model, state: State, h: SX | float, y: SX) -> State:
    nq, nv = state.q.numel(), state.v.numel()
    q = normalized(model, y[:nq])
    return replace(state, t=state.t + h, q=q, v=y[nq : nq + nv], z=y[nq + nv :])


def _look_ahead(field: Field, state: State, reach: SX | float) -> Callable[[SX], SX]:
    """Solves (1 - reach A) k = r, where A has the derivatives between velocities and stiff parts.

    A = [0, da/ds; ds'/dv, ds'/ds] over velocities and the stiff quantities s; what velocities do to
    accelerations is not stiff and left out.
    """
    nq, nv, stiff = state.q.numel(), state.v.numel(), list(state.stiff)
    if not stiff:
        return lambda r: r
    t, q, v = SX.sym("t"), SX.sym("q", nq), SX.sym("v", nv)
    s = SX.sym("s", len(stiff))
    z = SX(state.z)
    z[stiff] = s
    a, dz = field(t, q, v, z)
    ds = dz[stiff]
    blocks = [ca.jacobian(a, s), ca.jacobian(ds, v), ca.jacobian(ds, s)]
    here = [state.t, state.q, state.v, state.z[stiff]]
    a_s, s_v, s_s = ca.substitute(blocks, [t, q, v, s], here)
    for k in range(len(stiff)):
        # fast growth (air in oil that is being pressed) would have the solution divide by zero
        s_s[k, k] = ca.fmin(s_s[k, k], GROWTH / reach)
    lower, upper = _factored(SX.eye(len(stiff)) - reach * s_s - reach**2 * (s_v @ a_s))
    where = [nq + nv + k for k in stiff]

    def solve(r: SX) -> SX:
        k = SX(r)
        ahead = ca.solve(upper, ca.solve(lower, r[where] + reach * (s_v @ r[nq : nq + nv])))
        k[where] = ahead
        k[nq : nq + nv] = r[nq : nq + nv] + reach * (a_s @ ahead)
        return k

    return solve


def _factored(A: SX) -> tuple[SX, SX]:
    """Lower and upper triangle whose product is A; no pivots, for matrices near the identity."""
    n = A.size1()
    lower, upper = SX.eye(n), SX(A)
    for j in range(n):
        for i in range(j + 1, n):
            if upper[i, j].is_zero():
                continue
            factor = upper[i, j] / upper[j, j]
            lower[i, j] = factor
            upper[i, j + 1 :] = upper[i, j + 1 :] - factor * upper[j, j + 1 :]
            upper[i, j] = 0
    return ca.sparsify(lower), ca.triu(ca.sparsify(upper))


INTEGRATORS: dict[str, Callable[..., Integrator]] = {
    "rk4": RungeKutta4,
    "gill": RungeKuttaGill,
    "euler": SemiImplicitEuler,
    "dormand-prince": DormandPrince,
    "cvodes": Cvodes,
    "rosenbrock": Rosenbrock2,
}
# those that take steps of one length, which batches need
FIXED_STEP = {
    name: one
    for name, one in INTEGRATORS.items()
    if isinstance(one, type) and issubclass(one, FixedStep)
}
# those that need no derivatives of a machine's equations, and so run machines of any length
OF_ANY_LENGTH = ExplicitRungeKutta | SemiImplicitEuler | DormandPrince


def any_length_text() -> str:
    """Integrators for machines of any length, as calls in a sentence."""
    *first, last = (
        f"{one.__name__}()"
        for one in INTEGRATORS.values()
        if isinstance(one, type) and issubclass(one, OF_ANY_LENGTH)
    )
    return f"{', '.join(first)} or {last}"
