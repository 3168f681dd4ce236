"""The method that is taken when nobody chooses one, by size, threads and number of samples.

Policy: lanes and threads are best filled with samples, each of which the serial sweep takes. Where
there are too few, and a run of bodies is long enough, its segments fill them. Sizes are measured:
``python benchmarks/chains.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, final

from phalanx.chains.bodies import Bodies
from phalanx.chains.cut import best_cut
from phalanx.chains.kinds import kinds_of
from phalanx.chains.method import Method, Solver
from phalanx.chains.segments import Segments
from phalanx.chains.serial import Serial, SerialSolver
from phalanx.chains.swept import kind_numbers
from phalanx.errors import InvalidModel
from phalanx.mechanism.pose import Array

# nodes of a run from which on segments are quicker in the lanes of one thread
LONG_ENOUGH_FOR_LANES = 600
# and on several threads, which take time to wake
LONG_ENOUGH_FOR_THREADS = 2000


@final
@dataclass(frozen=True)
class Automatic(Method):
    """Segments for a few states of a long run of bodies, the serial sweep for all others."""

    name: ClassVar[str] = "automatic"

    def solver(self, bodies: Bodies, threads: int) -> AutomaticSolver:
        """See `Method`."""
        return AutomaticSolver(bodies, threads)


@final
class AutomaticSolver(Solver):
    """Forward dynamics by the method that fits the number of samples."""

    def __init__(self, bodies: Bodies, threads: int) -> None:
        """Compile nothing yet."""
        self.bodies, self.threads = bodies, threads

    @cached_property
    def _longest(self) -> int:
        """Nodes that could be shared out."""
        try:
            kind = kind_numbers(self.bodies, kinds_of(self.bodies))
            return len(best_cut(self.bodies, kind, 1).nodes)
        except InvalidModel:
            return 0

    @cached_property
    def _serial(self) -> SerialSolver:
        return Serial().solver(self.bodies, self.threads)

    @cached_property
    def _segments(self) -> Solver:
        many = self._longest >= LONG_ENOUGH_FOR_THREADS
        return Segments().solver(self.bodies, self.threads if many else 1)

    @cached_property
    def depth(self) -> int:  # type: ignore[override]
        """Of the method for one sample."""
        return self.chosen(1).depth

    def chosen(self, samples: int) -> Solver:
        """The solver for so many samples."""
        if samples == 1 and self._longest >= LONG_ENOUGH_FOR_LANES:
            return self._segments
        return self._serial

    def accelerations(
        self, q: Array, v: Array, tau: Array, root: Array, external: Array | None = None
    ) -> Array:
        """See `Solver`."""
        return self.chosen(len(q)).accelerations(q, v, tau, root, external)

    def bound(
        self, q: Array, v: Array, tau: Array, root: Array, external: Array | None, out: Array
    ) -> Callable[[], None]:
        """See `Solver`."""
        return self.chosen(len(q)).bound(q, v, tau, root, external, out)
