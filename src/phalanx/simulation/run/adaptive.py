"""Adaptive integration of a run, by SciPy and SUNDIALS."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, final

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.base.errors import InvalidInput, PhalanxError
from phalanx.equations import normalized, position_rate
from phalanx.mechanism import Mechanism
from phalanx.simulation.integrators.integrators import Cvodes, DormandPrince
from phalanx.simulation.run.advance import EXTRAS, Array, CompiledAdvance
from phalanx.simulation.run.energy_lines import load_line
from phalanx.simulation.run.plant import Plant
from phalanx.simulation.run.singularity_handling import SingularityState, is_near, landed
from phalanx.simulation.setup.forces.drive_friction import Stiction

_PIECES = 16  # halves of a period in which a failure is looked for


class IntegrationFailed(PhalanxError):
    """An adaptive method could not go on.

    Attributes:
        x: The state that it had reached.
        is_singular: Whether that is next to a singular posture.
    """

    def __init__(self, message: str, mechanism: Mechanism, x: Array) -> None:
        """Look at where it failed."""
        self.x = x
        self.is_singular = is_near(mechanism, x[: mechanism.nq])
        super().__init__(f"{message} at t = {x[-1]:.6g} s")


class _Adaptive(CompiledAdvance):
    """The rates of the packed state, and how to bring it back to the manifold."""

    def __init__(self, plant: Plant, rates: bool = False) -> None:
        if isinstance(plant.layout.friction, Stiction):
            raise InvalidInput(
                "stiction takes steps of one length: use RungeKutta4() or another fixed-step "
                "integrator, or DriveFriction, which is smooth."
            )
        super().__init__(plant, rates)
        state = self.t, self.q, self.v, self.s
        a, dz, *_ = self.field(*state, *self.symbols.values(), *self.known)
        still = SX.zeros(plant.layout.singularity_states, 1)
        self.rate = ca.vertcat(position_rate(plant.model, self.q, self.v), a, dz, still, 1)
        q, v, p = normalized(plant.model, self.q), self.v, self.p
        # velocities when it began, and how long ago that was
        step = SX.sym("step", plant.model.nv + 1)
        if plant.layout.singularity_states:
            past, began, lasted = SingularityState.of(p), step[:-1], step[-1]
            q, v, now = landed(plant.model, began, q, v, past, self.t, lasted)
            p = now.packed()
        (on_manifold,) = plant.bound([ca.vertcat(q, v, self.z, p, self.t)], *state, self.symbols)
        self.on_manifold = self.compiled("landed", {"the_step": step}, x_landed=on_manifold).call
        begin = plant.sampled(self.t, self.q, self.v, self.s, self.symbols)
        self.sample = self.compiled("sampled", s=begin).call
        self.settle = ca.Function("settled", [self.s], [plant.layout.subsystems.settled(self.s)])
        self.gain: Callable[..., Array] | None = None
        surroundings = plant.setup.surroundings
        if surroundings and surroundings.parameters:
            gain = plant.settling_gain()(*state, *self.symbols.values())
            self.gain = self.compiled("gain", gain=gain).call
            start = plant.mechanism.nq + plant.mechanism.nv + self.count + len(EXTRAS)
            self.book = start + self.lines.index(load_line(plant.layout))

    def begun(self, x: Array, inputs: Sequence[Any]) -> Array:
        """The state after sampled control has looked at it."""
        m, count = self.mechanism, self.count
        if not count:
            return x
        start = m.nq + m.nv
        s = self.sample(x, *inputs)
        return np.concatenate([x[:start], s, x[start + count :]])

    def landed(self, x: Array, x_end: Array, dt: float, inputs: Sequence[Any]) -> Array:
        """The state that x has become: unit quaternions, closed loops, settled subsystems."""
        m, count = self.mechanism, self.count
        start = m.nq + m.nv
        if count:
            s = np.asarray(self.settle(x_end[start : start + count])).ravel()
            gain = self.gain(x_end, *inputs) if self.gain else None
            x_end = np.concatenate([x_end[:start], s, x_end[start + count :]])
            if gain is not None:
                x_end[self.book] += float(gain.item())
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
            raise IntegrationFailed(f"{self.method}: {solution.message}", self.mechanism, x_end)
        return self.landed(x, x_end, dt, inputs)


@final
class CvodesAdvance(_Adaptive):
    """Backward differentiation formulas for stiff machines, by SUNDIALS."""

    def __init__(self, plant: Plant, method: Cvodes, rates: bool = False) -> None:
        """Describe the problem to CasADi."""
        super().__init__(plant, rates)
        self.method = method
        stacked = ca.vertcat(*(ca.vec(symbol) for symbol in self.symbols.values()))
        self.problem = {"x": self.x, "p": stacked, "ode": self.rate}
        self.solvers: dict[float, ca.Function] = {}

    def advance(self, x: Array, dt: float, inputs: Sequence[Any]) -> Array:
        stacked = np.concatenate([np.zeros(0), *(np.ravel(value) for value in inputs)])
        begin = self.begun(x, inputs)
        try:
            return self.landed(x, self._flow(begin, dt, stacked), dt, inputs)
        except RuntimeError as error:
            reason = str(error).strip().splitlines()[-1]
            reached = self._as_far_as_it_goes(begin, dt, stacked)
            raise IntegrationFailed(f"{self.method}: {reason}", self.mechanism, reached) from error

    def _flow(self, x: Array, dt: float, stacked: Array) -> Array:
        """The state ``dt`` later; RuntimeError when SUNDIALS gives up."""
        solver = self.solvers.get(dt)
        if solver is None:
            options = {"abstol": self.method.absolute, "reltol": self.method.relative}
            solver = ca.integrator("flow", "cvodes", self.problem, 0.0, dt, options)
            self.solvers[dt] = solver
        return np.asarray(solver(x0=x, p=stacked)["xf"]).ravel()

    def _as_far_as_it_goes(self, x: Array, dt: float, stacked: Array) -> Array:
        """The last state before it gives up, by ever smaller pieces: SUNDIALS does not tell."""
        for k in range(1, _PIECES + 1):
            try:
                x = self._flow(x, dt / 2**k, stacked)
            except RuntimeError:
                continue
        return x
