"""Time integration of long machines."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, final

import numpy as np

from phalanx.mechanism.pose import Array
from phalanx.simulation.integrators.integrators import DormandPrince, FixedStep
from phalanx.simulation.record.selection import Places
from phalanx.simulation.run.adaptive import IntegrationFailed
from phalanx.simulation.run.advance import EXTRAS, Advance
from phalanx.simulation.traversed.field import TraversedField, Workspace, power_and_loss
from phalanx.simulation.traversed.stepping import step_of


class TraversedAdvance(Advance):
    """Base of advances by traversal: a state as a row of a recording."""

    def __init__(self, field: TraversedField, rates: bool) -> None:
        """Of what is compiled; every thread gets arrays of its own."""
        self.mechanism, self.field, self.rates = field.mechanism, field, rates
        self.lines = field.lines
        self._own = threading.local()

    @property
    def work(self) -> Workspace:
        """The arrays of this thread."""
        made: Workspace | None = getattr(self._own, "work", None)
        if made is None:
            made = self._own.work = Workspace(self.field, 1, power_and_loss)
        return made

    def places(self, bodies: tuple[str, ...]) -> Places:
        return self.field.places(bodies)

    def observe(self, x: Array, *inputs: Any) -> Array:
        """The state as a recording keeps it, in the order of ``channels.run_channels``."""
        work, layout = self.work, self.field.layout
        work.hold(inputs)
        y = work.begun(x[-1], x[None, :-1])
        with np.errstate(all="ignore"):
            tau, _, rate, command = work.forces(x[-1], y)
            start, end = work.nq + work.nv, work.nq + work.nv + work.subsystem_size
            parts = [x[-1:], x[: work.nq], x[work.nq : start], tau[0]]
            stored = self.field.stored_energies(work.q, work.v)[0]
            passed = end + len(EXTRAS) + len(self.lines)
            parts += [stored.sum(keepdims=True), x[end:passed], stored]
            if work.stored:
                parts.append(work.stored(1, work.q, np.zeros(work.nq))[0][0])
            else:
                parts.append(np.zeros(len(self.field.storing)))
            parts += [command[0] if layout.setup.actuation else np.zeros(0), y[0, start:end]]
            if self.rates:
                work.solve()
                memory = work.subsystem_size - sum(quantity.size for quantity in layout.integrated)
                parts += [work.a[0], np.zeros(0) if rate is None else rate[0, memory:]]
        return np.concatenate(parts)


@final
class TraversedFixedAdvance(TraversedAdvance):
    """Steps of one length."""

    takes_single_steps = True

    def __init__(
        self, field: TraversedField, integrator: FixedStep, step: float, rates: bool = False
    ) -> None:
        super().__init__(field, rates)
        self.step, self._step = step, step_of(integrator)

    def advance(self, x: Array, dt: float, inputs: Sequence[Any]) -> Array:
        work, h = self.work, self.step
        work.hold(inputs)
        t, y = x[-1], x[None, :-1]
        with np.errstate(all="ignore"):  # numbers that are not finite are found afterwards
            for _ in range(round(dt / h)):
                y = self._step(work, t, y, h)
                t = t + h
        return np.append(y[0], t)


@final
class TraversedSciPyAdvance(TraversedAdvance):
    """Dormand-Prince with error control, by SciPy."""

    def __init__(self, field: TraversedField, method: DormandPrince, rates: bool = False) -> None:
        super().__init__(field, rates)
        self.method = method

    def advance(self, x: Array, dt: float, inputs: Sequence[Any]) -> Array:
        from scipy.integrate import solve_ivp

        work = self.work
        work.hold(inputs)

        def flow(_: float, state: Array) -> Array:
            return np.append(work.rates(state[-1], state[None, :-1])[0], 1.0)

        # time is part of the state, as in compiled code, so that errors are weighed alike
        solution = solve_ivp(
            flow,
            (0.0, dt),
            np.append(work.begun(x[-1], x[None, :-1])[0], x[-1]),
            method=self.method.method,
            rtol=self.method.relative,
            atol=self.method.absolute,
        )
        end = np.ascontiguousarray(solution.y[:, -1])
        if not solution.success:
            raise IntegrationFailed(f"{self.method}: {solution.message}", self.mechanism, end)
        return np.append(work.ended(end[None, :-1])[0], end[-1])
