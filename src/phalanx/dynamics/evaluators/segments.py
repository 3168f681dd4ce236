"""Forward dynamics by segments (divide and conquer): one chain on lanes and threads.

A long run of bodies is cut into segments of equal length and equal kinds of nodes, which lie in the
lanes of vectors and on threads. Each becomes a body with two ends (`segment`); between
them, and over the bodies that belong to no segment, the usual recursion runs on a machine that is
much shorter. Twice the arithmetic of the serial method, on as many lanes and threads as there are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from phalanx.base.cached import ForkSafeLock, cached_property
from phalanx.base.errors import InvalidInput
from phalanx.dynamics.evaluators.bodies import Bodies
from phalanx.dynamics.evaluators.cut import Cut, best_cut, cannot_be_cut
from phalanx.dynamics.evaluators.method import Method, Solver
from phalanx.dynamics.evaluators.node_types import node_types_of
from phalanx.dynamics.evaluators.segment_stages import SegmentStages
from phalanx.dynamics.evaluators.traversal import node_type_numbers
from phalanx.kernel.llvm.target import host_target
from phalanx.mechanism.pose import Array

# segments for each lane of each thread: more would share the work better and cost more between
SEGMENTS_PER_LANE = 1


@final
@dataclass(frozen=True)
class Segments(Method):
    """Divide and conquer: segments of a chain in lanes and on threads, a recursion between them.

    Attributes:
        segments: How many; as lanes and threads ask for when not given.
    """

    name: ClassVar[str] = "segments"
    segments: int | None = None

    def __post_init__(self) -> None:
        if self.segments is not None and self.segments < 1:
            raise InvalidInput(f"segments={self.segments}; a chain is cut into at least one.")

    def solver(self, bodies: Bodies, threads: int) -> SegmentsSolver:
        """See `Method`; the machine needs a run of bodies without branches that repeats itself."""
        return SegmentsSolver(bodies, threads, self.segments)


@final
class SegmentsSolver(Solver):
    """Forward dynamics of a machine by segments.

    Attributes:
        bodies: The machine.
        cut: Where it is cut.
    """

    def __init__(self, bodies: Bodies, threads: int, wanted: int | None) -> None:
        if not len(bodies):
            raise cannot_be_cut(bodies)
        self.bodies, self.threads = bodies, threads
        self.kinds = node_types_of(bodies)
        kind = node_type_numbers(bodies, self.kinds)
        lanes = host_target().lanes(8)
        self.cut: Cut = best_cut(bodies, kind, wanted or SEGMENTS_PER_LANE * lanes * threads)
        self._lock = ForkSafeLock()

    @cached_property
    def depth(self) -> int:
        """Three passes within a segment, three between segments and over what is in none."""
        outside = len(self.bodies) - len(self.cut.nodes)
        return 3 * self.cut.length + 3 * (self.cut.count + outside)

    def accelerations(
        self,
        q: Array,
        v: Array,
        tau: Array,
        root: Array,
        external: Array | None = None,
        out: Array | None = None,
    ) -> Array:
        a = np.empty_like(v) if out is None else out
        stages = self._free if external is None else self._acted_on
        with self._lock:  # what segments leave lies in arrays of the stages
            for k in range(len(q)):
                arrays = {"q": q[k], "v": v[k], "tau": tau[k], "a": a[k]}
                if external is not None:
                    arrays["external"] = external[k]
                stages.run(arrays, root[k % len(root)])
        return a

    def bound(
        self, q: Array, v: Array, tau: Array, root: Array, external: Array | None, out: Array
    ) -> Callable[[], None]:
        def call() -> None:
            self.accelerations(q, v, tau, root, external, out)

        return call

    @cached_property
    def _free(self) -> SegmentStages:
        return SegmentStages(self.bodies, self.kinds, self.cut, self.threads, acted_on=False)

    @cached_property
    def _acted_on(self) -> SegmentStages:
        """With wrenches on nodes."""
        return SegmentStages(self.bodies, self.kinds, self.cut, self.threads, acted_on=True)
