"""Moving a state forward by some time: by compiled steps, or by an adaptive method.

The state is one array: positions, velocities, states of subsystems, work done by the drives, loss
in the joints, what is known of the passage of singular postures, time. All advances share one
signature, ``advance(x, dt, inputs) -> x``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, final

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import NDArray

from phalanx.equations import normalized, position_rate
from phalanx.equations.expression import identifier
from phalanx.equations.tree.model import Model
from phalanx.errors import InvalidInput, PhalanxError
from phalanx.kernel import Kernel
from phalanx.kernel import compile as compile_kernel
from phalanx.kernel.interrupts.insistent import insistent
from phalanx.kernel.loops.loop import LoopKernel, compile_loop
from phalanx.simulation.drive_friction import Stiction
from phalanx.simulation.integrators import Cvodes, DormandPrince, FixedStep, Integrator
from phalanx.simulation.passage import Passage, is_near, landed
from phalanx.simulation.plant import Plant, scalar_shapes

Array = NDArray[np.float64]

EXTRAS = ("work", "loss")
_PIECES = 16  # halves of a period in which a failure is looked for


class IntegrationFailed(PhalanxError):
    """An adaptive method could not go on.

    Attributes:
        x: The state that it had reached.
        is_singular: Whether that is next to a singular posture.
    """

    def __init__(self, message: str, plant: Plant, x: Array) -> None:
        """Look at where it failed."""
        self.x = x
        self.is_singular = is_near(plant.mechanism, x[: plant.mechanism.nq])
        super().__init__(f"{message} at t = {x[-1]:.6g} s")


def power_and_loss(model: Model, t: SX, q: SX, v: SX, tau: SX, own: SX) -> SX:
    """Power of the drives, and power that the joints' own forces take out [W]."""
    return ca.vertcat(ca.dot(tau, v), -ca.dot(own, v))


class Advance(ABC):
    """Moves a state forward in time."""

    def __init__(self, plant: Plant, rates: bool = False) -> None:
        """Compile what every method needs: a state as a row of a recording, with rates if asked."""
        self.plant, self.with_rates = plant, rates
        self.field, self.symbols = plant.passing_field(power_and_loss)
        m, count = plant.mechanism, plant.beside.size
        end = m.nq + m.nv + count + len(EXTRAS)
        self.x = SX.sym("x", end + plant.passage + 1)
        self.q, self.v = self.x[: m.nq], self.x[m.nq : m.nq + m.nv]
        self.z, self.p, self.t = self.x[m.nq + m.nv : end], self.x[end:-1, 0], self.x[-1]
        self.s = self.z[:count, 0]
        # what the field is told of before, where there are loops
        self.known = (Passage.of(self.p).before,) if plant.passage else ()
        self.observe = self.compiled("observe", row=self.row()).call

    def row(self) -> SX:
        """The state as a recording keeps it, in the order of ``channels.run_channels``."""
        plant = self.plant
        state = self.t, self.q, self.v
        s = plant.sampled(*state, self.s, self.symbols)
        a, dz, tau, command = self.field(*state, s, *self.symbols.values(), *self.known)
        E = plant.energy(*state, s, self.symbols)
        commanded = command if plant.actuation else SX(0, 1)
        row = ca.vertcat(*state, tau, E, self.z[self.s.numel() :, 0], commanded, s)
        if not self.with_rates:
            return row
        count = self.s.numel()
        memory = count - sum(quantity.size for quantity in plant.integrated)
        return ca.vertcat(row, a, dz[memory:count, 0])

    def compiled(self, name: str, more: Mapping[str, SX] | None = None, **outputs: SX) -> Kernel:
        """Machine code for expressions of the state, more symbols, what acts from outside."""
        more = more or {}
        function = ca.Function(
            identifier(name),
            [self.x, *more.values(), *self.symbols.values()],
            ca.cse(list(outputs.values())),
            ["x", *more, *(identifier(symbol) for symbol in self.symbols)],
            list(outputs),
        )
        return compile_kernel(function, shapes=scalar_shapes(function, self.symbols))

    @abstractmethod
    def advance(self, x: Array, dt: float, inputs: Sequence[Any]) -> Array:
        """The state ``dt`` later."""


@final
class FixedAdvance(Advance):
    """Steps of one length, each one call of machine code."""

    def __init__(
        self, plant: Plant, integrator: FixedStep, step: float, rates: bool = False
    ) -> None:
        """Compile a step."""
        super().__init__(plant, rates)
        function, _ = plant.step(integrator, step, power_and_loss)
        after = function(self.q, self.v, self.z, self.t, self.p, *self.symbols.values())
        self.step = step
        q, v, z, t, p, *_ = after
        x_next = SX(ca.vertcat(q, v, z, p, t))
        self.name = f"{plant.mechanism.name}_step"
        self.x_next = x_next
        self.kernel = self.compiled(self.name, x_next=x_next)
        self.take = self.kernel.call
        self.loops: dict[tuple[bool, ...], LoopKernel] = {}

    def advance(self, x: Array, dt: float, inputs: Sequence[Any]) -> Array:
        """See :class:`Advance`."""
        for _ in range(round(dt / self.step)):
            x = self.take(x, *inputs)
        return x

    def stretch(self, x: Array, steps: int, inputs: Sequence[Array]) -> tuple[Array, Array]:
        """Many steps in one native loop.

        Args:
            x: The state.
            steps: How many.
            inputs: What acts from outside: one row a step, shape (steps, n), or (n,) for all.

        Returns:
            The state afterwards, and a row of a recording for the begin of each step.
        """
        moving = tuple(value.ndim == 2 for value in inputs)
        result = self.loop(moving)(steps, x, *inputs)
        return result.final.x_next, result.recorded.row

    def loop(self, moving: tuple[bool, ...]) -> LoopKernel:
        """The native loop over steps in which these inputs are read anew in each."""
        if moving not in self.loops:
            self.loops[moving] = self._compiled_loop(moving)
        return self.loops[moving]

    @insistent()
    def _compiled_loop(self, moving: tuple[bool, ...]) -> LoopKernel:
        names = [identifier(symbol) for symbol in self.symbols]
        function = ca.Function(
            identifier(self.name),
            [self.x, *self.symbols.values()],
            ca.cse([self.x_next, self.row()]),
            ["x", *names],
            ["x_next", "row"],
        )
        streamed = [name for name, moves in zip(names, moving, strict=True) if moves]
        return compile_loop(
            function,
            1,
            streamed=streamed,
            recorded=["row"],
            shapes=scalar_shapes(function, self.symbols),
            threads=1,
        )


class _Adaptive(Advance):
    """The rates of the packed state, and how to bring it back to the manifold."""

    def __init__(self, plant: Plant, rates: bool = False) -> None:
        if isinstance(plant.friction, Stiction):
            raise InvalidInput(
                "stiction takes steps of one length: use RungeKutta4() or another fixed-step "
                "integrator, or DriveFriction, which is smooth."
            )
        super().__init__(plant, rates)
        state = self.t, self.q, self.v, self.s
        a, dz, *_ = self.field(*state, *self.symbols.values(), *self.known)
        still = SX.zeros(plant.passage, 1)
        self.rate = ca.vertcat(position_rate(plant.model, self.q, self.v), a, dz, still, 1)
        q, v, p = normalized(plant.model, self.q), self.v, self.p
        # velocities when it began, and how long ago that was
        step = SX.sym("step", plant.model.nv + 1)
        if plant.passage:
            past, began, lasted = Passage.of(p), step[:-1], step[-1]
            q, v, now = landed(plant.model, began, q, v, past, self.t, lasted)
            p = now.packed()
        (on_manifold,) = plant.bound([ca.vertcat(q, v, self.z, p, self.t)], *state, self.symbols)
        self.on_manifold = self.compiled("landed", {"the_step": step}, x_landed=on_manifold).call
        begin = plant.sampled(self.t, self.q, self.v, self.s, self.symbols)
        self.sample = self.compiled("sampled", s=begin).call
        self.settle = ca.Function("settled", [self.s], [plant.beside.settled(self.s)])

    def begun(self, x: Array, inputs: Sequence[Any]) -> Array:
        """The state after sampled control has looked at it."""
        m, count = self.plant.mechanism, self.plant.beside.size
        if not count:
            return x
        start = m.nq + m.nv
        s = self.sample(x, *inputs)
        return np.concatenate([x[:start], s, x[start + count :]])

    def landed(self, x: Array, x_end: Array, dt: float, inputs: Sequence[Any]) -> Array:
        """The state that x has become: unit quaternions, closed loops, settled subsystems."""
        m, count = self.plant.mechanism, self.plant.beside.size
        start = m.nq + m.nv
        if count:
            s = np.asarray(self.settle(x_end[start : start + count])).ravel()
            x_end = np.concatenate([x_end[:start], s, x_end[start + count :]])
        if m.nq == m.nv and not m.loops:
            return x_end
        return self.on_manifold(x_end, np.append(x[m.nq : start], dt), *inputs)


@final
class SciPyAdvance(_Adaptive):
    """Dormand-Prince with error control, by SciPy; the rates are compiled."""

    def __init__(self, plant: Plant, method: DormandPrince, rates: bool = False) -> None:
        """Compile the rates."""
        super().__init__(plant, rates)
        self.method = method
        self.rates = self.compiled("rates", dx=self.rate).call

    def advance(self, x: Array, dt: float, inputs: Sequence[Any]) -> Array:
        """See :class:`Advance`."""
        from scipy.integrate import solve_ivp

        solution = solve_ivp(
            lambda _, state: self.rates(state, *inputs),
            (0.0, dt),
            self.begun(x, inputs),
            method=self.method.method,
            rtol=self.method.relative,
            atol=self.method.absolute,
        )
        x_end = np.ascontiguousarray(solution.y[:, -1])
        if not solution.success:
            raise IntegrationFailed(f"{self.method}: {solution.message}", self.plant, x_end)
        return self.landed(x, x_end, dt, inputs)


@final
class CvodesAdvance(_Adaptive):
    """Backward differentiation formulas for stiff machines, by SUNDIALS."""

    def __init__(self, plant: Plant, method: Cvodes, rates: bool = False) -> None:
        """Describe the problem to CasADi."""
        super().__init__(plant, rates)
        self.method = method
        outside = ca.vertcat(*(ca.vec(symbol) for symbol in self.symbols.values()))
        self.problem = {"x": self.x, "p": outside, "ode": self.rate}
        self.solvers: dict[float, ca.Function] = {}

    def advance(self, x: Array, dt: float, inputs: Sequence[Any]) -> Array:
        """See :class:`Advance`."""
        outside = np.concatenate([np.zeros(0), *(np.ravel(value) for value in inputs)])
        begin = self.begun(x, inputs)
        try:
            return self.landed(x, self._flow(begin, dt, outside), dt, inputs)
        except RuntimeError as error:
            reason = str(error).strip().splitlines()[-1]
            reached = self._as_far_as_it_goes(begin, dt, outside)
            raise IntegrationFailed(f"{self.method}: {reason}", self.plant, reached) from error

    def _flow(self, x: Array, dt: float, outside: Array) -> Array:
        """The state ``dt`` later; RuntimeError when SUNDIALS gives up."""
        solver = self.solvers.get(dt)
        if solver is None:
            options = {"abstol": self.method.absolute, "reltol": self.method.relative}
            solver = ca.integrator("flow", "cvodes", self.problem, 0.0, dt, options)
            self.solvers[dt] = solver
        return np.asarray(solver(x0=x, p=outside)["xf"]).ravel()

    def _as_far_as_it_goes(self, x: Array, dt: float, outside: Array) -> Array:
        """The last state before it gives up, by ever smaller pieces: SUNDIALS does not tell."""
        for k in range(1, _PIECES + 1):
            try:
                x = self._flow(x, dt / 2**k, outside)
            except RuntimeError:
                continue
        return x


def advance_by(plant: Plant, integrator: Integrator, step: float, rates: bool = False) -> Advance:
    """The advance that an integrator stands for; ``rates`` are for what it records."""
    match integrator:
        case FixedStep():
            return FixedAdvance(plant, integrator, step, rates)
        case DormandPrince():
            return SciPyAdvance(plant, integrator, rates)
        case Cvodes():
            return CvodesAdvance(plant, integrator, rates)
