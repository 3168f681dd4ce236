"""Comparison of forward-dynamics methods on one chain: time, depth, iterations, error, residual."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, final

import numpy as np

from phalanx.base.cached import cached_property
from phalanx.base.errors import PhalanxError
from phalanx.base.facts import Facts, Part, Styled, TextTable, duration
from phalanx.bench.chains import extended
from phalanx.bench.chains.extended import relative_error
from phalanx.bench.chains.methods import METHODS
from phalanx.bench.chains.states import ChainStates
from phalanx.bench.clock import Call, EvaluationTime, TimingEffort, take_turns
from phalanx.dynamics.evaluators.bodies import Bodies
from phalanx.dynamics.evaluators.constraint_forces.methods import ConstraintForceSolver
from phalanx.dynamics.evaluators.method import Method, Solver
from phalanx.dynamics.evaluators.quantities.inverse_dynamics import INVERSE_DYNAMICS
from phalanx.dynamics.evaluators.traversal import Traversal
from phalanx.mechanism.pose import Array

# nodes up to which the reference is decimal: half a millisecond each; beyond, it is the sweep
DECIMAL_NODES = 1024
SLOW = 0.2  # of a call [s]
EFFORT = TimingEffort(turn=2e-3, rounds=5)


@final
@dataclass(frozen=True)
class ChainMeasurement:
    """One method on one chain.

    Attributes:
        method: Its name.
        refused: Why it has no numbers: what the method said.
        first: The first call, with what it compiles or takes from the cache [s].
        timing: One call for all samples [ns].
        depth: Body steps that have to follow each other.
        iterations: How many it took, at the last call, where it iterates.
        error: Largest difference from the reference's accelerations, relative to the largest one,
            of the first sample.
        residual: Largest |tau - ID(a)|, relative to the largest of joint forces and bias, of the
            first sample.
    """

    method: str
    refused: str | None = None
    first: float | None = None
    timing: EvaluationTime | None = None
    depth: int | None = None
    iterations: int | None = None
    error: float | None = None
    residual: float | None = None

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return asdict(self)

    def cells_of_table(self, evaluated: int) -> list[str]:
        """Its texts in a table; so many bodies are in a call."""
        if self.timing is None or self.first is None:
            return [self.method, *6 * (" –",), " refused"]
        return [
            self.method,
            f" {duration(self.first)}",
            f" {duration(1e-9 * self.timing.best)}",
            f" {duration(1e-9 * self.timing.best / evaluated)}",
            f" {self.depth}",
            "" if self.iterations is None else f" {self.iterations}",
            f" {self.error:.0e}",
            f" {self.residual:.0e}",
        ]


@final
class ChainComparison:
    """A chain, states, and what methods are held against there."""

    def __init__(self, bodies: Bodies, states: ChainStates, threads: int) -> None:
        self.bodies, self.states, self.threads = bodies, states, threads

    @property
    def is_decimal(self) -> bool:
        """Whether the reference has fifty digits; else it is the serial sweep."""
        return len(self.bodies) <= DECIMAL_NODES

    @cached_property
    def reference(self) -> extended.Decimals:
        """Accelerations of the first sample."""
        first = tuple(x[0] for x in self.states.arguments)
        if self.is_decimal:
            return extended.forward_dynamics(self.bodies, *first)
        serial = METHODS["serial"].solver(self.bodies, 1)
        one = serial.accelerations(*(x[:1] for x in self.states.arguments))
        return extended.exact(one[0])

    def facts(self, rows: Sequence[ChainMeasurement]) -> Facts:
        """Return a row for each method, and notes."""
        machine, samples = self.bodies.mechanism, len(self.states)
        bodies = len(machine.bodies) - 1
        against = "a reference of fifty digits" if self.is_decimal else "the serial method"
        table = TextTable(
            f"forward dynamics of {bodies} bodies, nv = {machine.nv}, "
            f"{_counted(samples, 'state')}, {_counted(self.threads, 'thread')}",
            ["method"],
            [" first", " time", " per body", " depth", " steps", " error", " residual"],
            [row.cells_of_table(samples * bodies) for row in rows],
            "first: time of the first call, which compiles unless cached; time: later "
            f"calls; steps: iterations; error: difference from {against}",
            values={"methods": {row.method: row.as_json() for row in rows}},
        )
        refused: list[Part] = [
            (Styled(row.method, "yellow"), f": {row.refused}")
            for row in rows
            if row.refused is not None
        ]
        busy = [row.method for row in rows if row.timing and row.timing.processors < 0.85]
        said = f"{', '.join(busy)}: times are not valid, other programs were running."
        return Facts(
            [table, "", *refused, *([Styled(said, "yellow")] if busy else [])],
            {
                "bodies": bodies,
                "freedoms": machine.nv,
                "samples": samples,
                "threads": self.threads,
                "reference": "decimal" if self.is_decimal else "serial",
            },
        )

    def residual(self, a: Array) -> float:
        """How far accelerations of the first sample are from the joint forces."""
        q, v, tau, root = (x[0] for x in self.states.arguments)
        if self.is_decimal:
            needed = extended.inverse_dynamics(self.bodies, q, v, a, root)
            bias = extended.inverse_dynamics(self.bodies, q, v, 0 * a, root).astype(float)
            off = (needed - extended.exact(tau)).astype(float)
        else:
            bias, off = self._needed(0 * a), self._needed(a) - tau
        return float(np.abs(off).max() / max(np.abs(tau).max(), np.abs(bias).max()))

    def _needed(self, a: Array) -> Array:
        """Joint forces of the first sample's motion, by two passes."""
        q, v, _, root = (x[:1] for x in self.states.arguments)
        arrays = {"q": q, "v": v, "a": a[None]}
        return self._inverse_dynamics(1, arrays, [root, None]).results["tau"][0]

    @cached_property
    def _inverse_dynamics(self) -> Traversal:
        return Traversal(INVERSE_DYNAMICS, self.bodies, 1)

    def measure(
        self,
        chosen: Mapping[str, Method],
        effort: TimingEffort = EFFORT,
        progress: Callable[[str], None] = lambda what: None,
    ) -> list[ChainMeasurement]:
        """Numbers first, then times in turns.

        A method that refuses the machine has a row that says so.
        """
        solvers: dict[str, Solver] = {}
        firsts: dict[str, tuple[float, Array]] = {}
        refused: dict[str, str] = {}
        for name, method in chosen.items():
            progress(f"{name}, first call")
            begin = time.perf_counter()
            try:
                solver = method.solver(self.bodies, self.threads)
                a = solver.accelerations(*self.states.arguments)
            except PhalanxError as error:
                refused[name] = str(error)
                continue
            solvers[name] = solver
            firsts[name] = time.perf_counter() - begin, a[0]
        if solvers:
            progress("the reference")
            self.reference  # noqa: B018
        progress("times, in turns")
        calls = {name: self._call(solver) for name, solver in solvers.items()}
        timings = self._timed(calls, effort, {name: first for name, (first, _) in firsts.items()})
        rows = []
        for name in chosen:
            if name in refused:
                rows.append(ChainMeasurement(name, refused=refused[name]))
                continue
            progress(f"{name}, its error")
            first, a = firsts[name]
            rows.append(
                ChainMeasurement(
                    name,
                    first=first,
                    timing=timings[name],
                    depth=solvers[name].depth,
                    iterations=self._iterations(solvers[name]),
                    error=relative_error(a, self.reference),
                    residual=self.residual(a),
                )
            )
        return rows

    def _timed(
        self, calls: Mapping[str, Call], effort: TimingEffort, firsts: Mapping[str, float]
    ) -> dict[str, EvaluationTime]:
        """Times in turns; methods that are slow beside others get one turn, by themselves."""
        slow = {name: call for name, call in calls.items() if firsts[name] > SLOW}
        again = {name: _seconds(call) for name, call in slow.items()}
        slow = {name: call for name, call in slow.items() if again[name] > SLOW}
        quick = {name: call for name, call in calls.items() if name not in slow}
        return take_turns(quick, effort) | take_turns(slow, replace(effort, rounds=1))

    def _iterations(self, solver: Solver) -> int | None:
        """Of the first sample."""
        if not isinstance(solver, ConstraintForceSolver):
            return None
        posed = solver.equations.pose(*(x[:1] for x in self.states.arguments))
        found = solver.linear.solve(
            posed.system, stopping=solver.stopping, fallback=solver.fallback
        )
        return int(found.iterations.max()) or None

    def _call(self, solver: Solver) -> Call:
        return lambda: solver.accelerations(*self.states.arguments)


def _seconds(call: Call) -> float:
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
