"""Automatic choice of the forward-dynamics method, by size, threads and number of samples.

Policy: lanes and threads are best filled with samples, each of which the serial method takes. Where
there are too few, and a run of bodies is long enough, its segments fill them.

Segments are watched: of the first evaluation and of every hundredth after it, inverse dynamics says
what joint forces the accelerations need. Where these are not the ones that were given, the serial
method answers as well; if it comes closer by far, the solver takes nothing else from then on. A
hundred evaluations are 25 steps of Runge-Kutta, over which a posture changes little, and a check
costs as much as a few of them.
"""

from __future__ import annotations

import itertools
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from phalanx.base.cached import cached_property
from phalanx.base.errors import InvalidModel
from phalanx.dynamics.evaluators.bodies import Bodies
from phalanx.dynamics.evaluators.choice import SEGMENTED_FROM
from phalanx.dynamics.evaluators.cut import best_cut
from phalanx.dynamics.evaluators.method import Method, Solver
from phalanx.dynamics.evaluators.node_types import node_types_of
from phalanx.dynamics.evaluators.quantities.inverse_dynamics import (
    INVERSE_DYNAMICS,
    INVERSE_DYNAMICS_ACTED_ON,
)
from phalanx.dynamics.evaluators.segments import Segments
from phalanx.dynamics.evaluators.serial import Serial, SerialSolver
from phalanx.dynamics.evaluators.traversal import Traversal, node_type_numbers
from phalanx.mechanism.pose import Array

# evaluations by segments from one check to the next
CHECKED_EVERY = 100
# joint forces that may be missing, of the largest that are given or that rest would need: a longer
# chain rounds more, and beyond this the serial method is tried whether it does better
MISSING = 1e-10
# how much closer it has to come
CLOSER = 10.0

_log = logging.getLogger(__name__)


@final
@dataclass(frozen=True)
class Automatic(Method):
    """Segments for a few states of a long run of bodies, the serial method for all others."""

    name: ClassVar[str] = "automatic"

    def solver(self, bodies: Bodies, threads: int) -> AutomaticSolver:
        return AutomaticSolver(bodies, threads)


@final
class AutomaticSolver(Solver):
    """Forward dynamics by the method that fits the number of samples."""

    def __init__(self, bodies: Bodies, threads: int) -> None:
        self.bodies, self.threads = bodies, threads
        self._by_segments = True
        self._evaluation = itertools.count()  # threads that call at once get a number each

    @cached_property
    def _longest(self) -> int:
        """Nodes that could be shared out."""
        try:
            kind = node_type_numbers(self.bodies, node_types_of(self.bodies))
            return len(best_cut(self.bodies, kind, 1).nodes)
        except InvalidModel:
            return 0

    @cached_property
    def _serial(self) -> SerialSolver:
        return Serial().solver(self.bodies, self.threads)

    @cached_property
    def _segments(self) -> Solver:
        many = self._longest >= SEGMENTED_FROM["threads"]
        return Segments().solver(self.bodies, self.threads if many else 1)

    @cached_property
    def depth(self) -> int:
        """Of the method for one sample."""
        return self.chosen(1).depth

    def chosen(self, samples: int) -> Solver:
        """The solver for so many samples."""
        long = self._longest >= SEGMENTED_FROM["lanes"]
        if samples == 1 and long and self._by_segments:
            return self._segments
        return self._serial

    def accelerations(
        self, q: Array, v: Array, tau: Array, root: Array, external: Array | None = None
    ) -> Array:
        a = np.empty_like(v)
        self.bound(q, v, tau, root, external, a)()
        return a

    def bound(
        self, q: Array, v: Array, tau: Array, root: Array, external: Array | None, out: Array
    ) -> Callable[[], None]:
        chosen = self.chosen(len(q))
        solve = chosen.bound(q, v, tau, root, external, out)
        if chosen is self._serial:
            return solve

        def call() -> None:
            if not self._by_segments:  # found wanting since
                self._serial.accelerations(q, v, tau, root, external, out)
                return
            solve()
            if next(self._evaluation) % CHECKED_EVERY == 0:
                self._check(q, v, tau, root, external, out)

        return call

    def _check(
        self, q: Array, v: Array, tau: Array, root: Array, external: Array | None, a: Array
    ) -> None:
        """Replace accelerations by segments with the serial method's where they are wrong."""
        state = q, v, tau, root, external
        missing, at_rest = self._missing(*state, a), self._missing(*state, np.zeros_like(a))
        if missing <= MISSING * max(np.abs(tau).max(), at_rest):
            return
        other = self._serial.accelerations(*state)
        if np.isfinite(other).all() and not missing <= CLOSER * self._missing(*state, other):
            _log.warning(
                "'%s': accelerations by segments miss joint forces by %.1g; the serial sweep, "
                "which does not, is taken from here on.",
                self.bodies.mechanism.name,
                missing,
            )
            self._by_segments = False
            a[...] = other

    def _missing(
        self, q: Array, v: Array, tau: Array, root: Array, external: Array | None, a: Array
    ) -> float:
        """The largest difference of joint forces and those that accelerations need."""
        arrays, passes = {"q": q, "v": v, "a": a}, self._inverse
        if external is not None:
            arrays["external"], passes = external.reshape(len(external), -1), self._inverse_acted_on
        needed = passes(len(q), arrays, [root, None], ends=False).results["tau"]
        return float(np.abs(tau - needed).max())

    @cached_property
    def _inverse(self) -> Traversal:
        return Traversal(INVERSE_DYNAMICS, self.bodies, 1)

    @cached_property
    def _inverse_acted_on(self) -> Traversal:
        return Traversal(INVERSE_DYNAMICS_ACTED_ON, self.bodies, 1)
