"""Solutions of A f = b: forces, iterations, residual, or an error without convergence."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray

from phalanx.base.errors import InvalidInput, PhalanxError
from phalanx.dynamics.evaluators.constraint_forces.stopping import Stopping
from phalanx.dynamics.evaluators.constraint_forces.structure import Structure
from phalanx.dynamics.evaluators.constraint_forces.system import ConstraintSystem
from phalanx.mechanism.pose import Array

# forces that grow beyond all numbers end an iteration, which says so itself
may_diverge = np.errstate(over="ignore", invalid="ignore")


class DidNotConverge(PhalanxError):
    """An iteration that reached its largest number of steps, or numbers that are none.

    Attributes:
        iterations: How many steps it took.
        residual: How far it is from a solution: |b - A f| / |b| in the norm of D⁻¹.
        f: What it has reached, all samples, shape (samples, joints, width).
    """

    def __init__(
        self, name: str, sample: int, iterations: int, change: float, residual: float, f: Array
    ) -> None:
        """Say where it stands and what helps."""
        super().__init__(
            f"{name} did not converge in {iterations} iterations (sample {sample}): the last "
            f"changed f by {change:.2g} of its size, the residual is {residual:.2g} of b. Allow "
            "more iterations or a larger tolerance, start nearer, choose ConjugateGradientJacobi "
            "or a direct method, or give fallback=BlockElimination()."
        )
        self.iterations, self.residual, self.f = iterations, residual, f


@final
@dataclass(frozen=True, eq=False)
class ForceSolution:
    """Forces that solve A f = b.

    Attributes:
        f: Constraint forces, shape (samples, joints, width).
        iterations: Steps that each sample took, shape (samples,); 0 for a direct solution.
        residual: |b - A f| / |b| in the norm of D⁻¹, formed from f itself, shape (samples,).
        changes: Relative change of f in each step, shape (steps, samples); NaN after the last.
        residuals: Relative residual after each step, by its recurrence; NaN where not formed.
        fell_back: Samples that the fallback solved, shape (samples,).
    """

    f: Array
    iterations: NDArray[np.intp]
    residual: Array
    changes: Array
    residuals: Array
    fell_back: NDArray[np.bool_]


class LinearSolver(ABC):
    """A way to solve A f = b."""

    name: ClassVar[str]

    @abstractmethod
    def solve(
        self,
        system: ConstraintSystem,
        start: Array | None = None,
        *,
        stopping: Stopping | None = None,
        fallback: LinearSolver | None = None,
    ) -> ForceSolution:
        """Constraint forces.

        Args:
            system: A and b, for one or more samples.
            start: Where an iteration begins, shape (samples, joints, width); zero if not given.
            stopping: When it ends; `Stopping()` if not given.
            fallback: What solves for the samples that did not converge; none if not given.

        Raises:
            DidNotConverge: A sample did not converge and there is no fallback.
            InvalidInput: ``start`` has another shape, or has numbers that are not finite.
        """

    def depth(self, structure: Structure) -> int:
        """Joint steps that follow each other, beyond those that all joints take at once."""
        return 0


class DirectSolver(LinearSolver):
    """A way that ends by itself: it needs no start, no stopping and no fallback."""

    @abstractmethod
    def forces(self, system: ConstraintSystem) -> Array:
        """Constraint forces."""

    @final
    def solve(
        self,
        system: ConstraintSystem,
        start: Array | None = None,
        *,
        stopping: Stopping | None = None,
        fallback: LinearSolver | None = None,
    ) -> ForceSolution:
        f, count = self.forces(system), system.samples
        none = np.empty((0, count))
        at_once, never = np.zeros(count, np.intp), np.zeros(count, bool)
        return ForceSolution(f, at_once, system.residual(f), none, none, never)


def checked_start(system: ConstraintSystem, start: Array | None) -> Array:
    """A copy of the start, or zeros; rows that joints have not are zero."""
    if start is None:
        return np.zeros_like(system.b)
    given = np.array(start, float)
    if given.shape != system.b.shape:
        raise InvalidInput(
            f"start of the iteration has shape {given.shape}; expected {system.b.shape}: samples, "
            "joints, forces of a joint."
        )
    if not np.isfinite(given).all():
        raise InvalidInput("start of the iteration has numbers that are not finite.")
    return np.where(system.structure.present, given, 0.0)


@final
@dataclass(eq=False)
class IterationProgress:
    """Samples that iterate, those that have ended, and what each step did.

    Attributes:
        running: Samples that iterate, by their number in the system.
        ended: Whether each of these has ended.
    """

    name: str
    system: ConstraintSystem
    f: Array
    iterations: NDArray[np.intp]
    running: NDArray[np.intp]
    ended: NDArray[np.bool_]
    converged: NDArray[np.bool_]
    changes: list[Array] = field(default_factory=list)
    residuals: list[Array] = field(default_factory=list)

    @staticmethod
    def of(name: str, system: ConstraintSystem, start: Array) -> IterationProgress:
        """Nothing has happened yet."""
        count = system.samples
        return IterationProgress(
            name,
            system,
            start.copy(),
            np.zeros(count, np.intp),
            np.arange(count),
            np.zeros(count, bool),
            np.zeros(count, bool),
        )

    @property
    def is_over(self) -> bool:
        """Whether every sample has ended."""
        return bool(self.ended.all())

    def at_start(self, met: NDArray[np.bool_]) -> None:
        """Samples whose start is good enough."""
        self.converged[met] = True
        self.ended = met.copy()

    def record(self, f: Array, change: Array, residual: Array, met: NDArray[np.bool_]) -> None:
        """Keep what a step of the running samples gave; ``met`` are those that may stop."""
        going = ~self.ended
        at = self.running[going]
        for kept, numbers in ((self.changes, change), (self.residuals, residual)):
            row = np.full(self.system.samples, np.nan)
            row[at] = numbers[going]
            kept.append(row)
        self.iterations[at] += 1
        lost = going & ~np.isfinite(change)
        done = going & met & ~lost
        self.f[self.running[done]] = f[done]
        self.converged[self.running[done]] = True
        self.ended = self.ended | done | lost

    def narrowed(self) -> NDArray[np.intp] | None:
        """Which of the running samples to go on with, once half of them have ended; else None."""
        if 2 * self.ended.sum() < len(self.ended):
            return None
        kept = np.flatnonzero(~self.ended)
        self.running, self.ended = self.running[kept], self.ended[kept]
        return kept

    def solution(self, f: Array, fallback: LinearSolver | None) -> ForceSolution:
        """The end: ``f`` of those that still run is what they have reached."""
        going = ~self.ended
        self.f[self.running[going]] = f[going]
        failed = np.flatnonzero(~self.converged)
        if len(failed) and fallback is None:
            worst = int(failed[0])
            raise DidNotConverge(
                self.name,
                worst,
                int(self.iterations[worst]),
                _last(self.changes, worst),
                float(self.system.take(np.array([worst])).residual(self.f[[worst]])[0]),
                self.f,
            )
        if len(failed) and fallback is not None:
            self.f[failed] = fallback.solve(self.system.take(failed)).f
        fell_back = np.zeros(self.system.samples, bool)
        fell_back[failed] = True
        shape = len(self.changes), self.system.samples
        return ForceSolution(
            self.f,
            self.iterations,
            self.system.residual(self.f),
            np.array(self.changes).reshape(shape),
            np.array(self.residuals).reshape(shape),
            fell_back,
        )


def _last(rows: Sequence[Array], sample: int) -> float:
    numbers = [row[sample] for row in rows if not np.isnan(row[sample])]
    return float(numbers[-1]) if numbers else float("nan")
