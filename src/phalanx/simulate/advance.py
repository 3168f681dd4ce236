"""Moving a state forward by some time: by compiled steps, or by an adaptive method.

The state is one array: positions, velocities, work done by the drives, loss in the joints, time.
All advances share one signature, ``advance(x, dt, inputs) -> x``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, final

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import NDArray

from phalanx.equations import energy, normalized, position_rate
from phalanx.equations.expression import identifier
from phalanx.equations.loops.manifold import closed
from phalanx.equations.model import Model
from phalanx.errors import InvalidInput, PhalanxError
from phalanx.kernel import Kernel
from phalanx.kernel import compile as compile_kernel
from phalanx.simulate.drive_friction import Stiction
from phalanx.simulate.integrators import Cvodes, DormandPrince, FixedStep, Integrator
from phalanx.simulate.plant import Plant, scalar_shapes

Array = NDArray[np.float64]

EXTRAS = ("work", "loss")


class IntegrationFailed(PhalanxError):
    """An adaptive method could not go on."""


def power_and_loss(model: Model, t: SX, q: SX, v: SX, tau: SX, own: SX) -> SX:
    """Power of the drives, and power that the joints' own forces take out [W]."""
    return ca.vertcat(ca.dot(tau, v), -ca.dot(own, v))


class Advance(ABC):
    """Moves a state forward in time."""

    def __init__(self, plant: Plant) -> None:
        """Compile what every method needs: a state as a row of a recording."""
        self.plant = plant
        self.field, self.symbols = plant.field(power_and_loss)
        m = plant.mechanism
        self.x = SX.sym("x", m.nq + m.nv + len(EXTRAS) + 1)
        self.q, self.v = self.x[: m.nq], self.x[m.nq : m.nq + m.nv]
        self.z, self.t = self.x[m.nq + m.nv : -1], self.x[-1]
        tau = self.field(self.t, self.q, self.v, *self.symbols.values())[2]
        E = energy(plant.model, self.q, self.v)
        # in the order of channels.run_channels
        row = ca.vertcat(self.t, self.q, self.v, tau, E, self.z)
        self.observe = self.compiled("observe", row=row).call

    def compiled(self, name: str, **outputs: SX) -> Kernel:
        """Machine code for expressions of the state and what acts from outside."""
        function = ca.Function(
            identifier(name),
            [self.x, *self.symbols.values()],
            ca.cse(list(outputs.values())),
            ["x", *(identifier(symbol) for symbol in self.symbols)],
            list(outputs),
        )
        return compile_kernel(function, shapes=scalar_shapes(function, self.symbols))

    @abstractmethod
    def advance(self, x: Array, dt: float, inputs: Sequence[Any]) -> Array:
        """The state ``dt`` later."""


@final
class FixedAdvance(Advance):
    """Steps of one length, each one call of machine code."""

    def __init__(self, plant: Plant, integrator: FixedStep, step: float) -> None:
        """Compile a step."""
        super().__init__(plant)
        function, _ = plant.step(integrator, step, power_and_loss)
        after = function(self.q, self.v, self.z, self.t, *self.symbols.values())
        self.step = step
        x_next = SX(ca.vertcat(*after[:4]))
        self.take = self.compiled(f"{plant.mechanism.name}_step", x_next=x_next).call

    def advance(self, x: Array, dt: float, inputs: Sequence[Any]) -> Array:
        """See :class:`Advance`."""
        for _ in range(round(dt / self.step)):
            x = self.take(x, *inputs)
        return x


class _Adaptive(Advance):
    """The rates of the packed state, and how to bring it back to the manifold."""

    def __init__(self, plant: Plant) -> None:
        if isinstance(plant.friction, Stiction):
            raise InvalidInput(
                "stiction takes steps of one length: use RungeKutta4() or another fixed-step "
                "integrator, or DriveFriction, which is smooth."
            )
        super().__init__(plant)
        a, dz, _ = self.field(self.t, self.q, self.v, *self.symbols.values())
        self.rate = ca.vertcat(position_rate(plant.model, self.q, self.v), a, dz, 1)
        q, v = closed(plant.model, normalized(plant.model, self.q), self.v)
        self.on_manifold = ca.Function("landed", [self.x], [ca.vertcat(q, v)])

    def landed(self, x: Array) -> Array:
        """The state with unit quaternions and closed loops."""
        m = self.plant.mechanism
        if m.nq == m.nv and not m.loops:
            return x
        return np.concatenate([np.asarray(self.on_manifold(x)).ravel(), x[m.nq + m.nv :]])


@final
class SciPyAdvance(_Adaptive):
    """Dormand-Prince with error control, by SciPy; the rates are compiled."""

    def __init__(self, plant: Plant, method: DormandPrince) -> None:
        """Compile the rates."""
        super().__init__(plant)
        self.method = method
        self.rates = self.compiled("rates", dx=self.rate).call

    def advance(self, x: Array, dt: float, inputs: Sequence[Any]) -> Array:
        """See :class:`Advance`."""
        from scipy.integrate import solve_ivp

        solution = solve_ivp(
            lambda _, state: self.rates(state, *inputs),
            (0.0, dt),
            x,
            method=self.method.method,
            rtol=self.method.relative,
            atol=self.method.absolute,
        )
        if not solution.success:
            reached = f"t = {solution.y[-1, -1]:.6g} s"
            raise IntegrationFailed(f"{self.method} at {reached}: {solution.message}")
        return self.landed(np.ascontiguousarray(solution.y[:, -1]))


@final
class CvodesAdvance(_Adaptive):
    """Backward differentiation formulas for stiff machines, by SUNDIALS."""

    def __init__(self, plant: Plant, method: Cvodes) -> None:
        """Describe the problem to CasADi."""
        super().__init__(plant)
        self.method = method
        outside = ca.vertcat(*(ca.vec(symbol) for symbol in self.symbols.values()))
        self.problem = {"x": self.x, "p": outside, "ode": self.rate}
        self.solvers: dict[float, ca.Function] = {}

    def advance(self, x: Array, dt: float, inputs: Sequence[Any]) -> Array:
        """See :class:`Advance`."""
        solver = self.solvers.get(dt)
        if solver is None:
            options = {"abstol": self.method.absolute, "reltol": self.method.relative}
            solver = ca.integrator("flow", "cvodes", self.problem, 0.0, dt, options)
            self.solvers[dt] = solver
        outside = np.concatenate([np.zeros(0), *(np.ravel(value) for value in inputs)])
        try:
            end = solver(x0=x, p=outside)["xf"]
        except RuntimeError as error:
            reason = str(error).strip().splitlines()[-1]
            raise IntegrationFailed(f"{self.method} at t = {x[-1]:.6g} s: {reason}") from error
        return self.landed(np.asarray(end).ravel())


def advance_by(plant: Plant, integrator: Integrator, step: float) -> Advance:
    """The advance that an integrator stands for."""
    match integrator:
        case FixedStep():
            return FixedAdvance(plant, integrator, step)
        case DormandPrince():
            return SciPyAdvance(plant, integrator)
        case Cvodes():
            return CvodesAdvance(plant, integrator)
