"""Batched inverse kinematics: the compiled search, and what follows it.

A preferred posture is approached from the solution (null space), so that it never costs one. Where
nothing was reached, the posture of the least error is looked for near the best one, and its loops
are closed.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, final

import numpy as np

from phalanx.base.cached import cached_property
from phalanx.kernel import Kernel
from phalanx.kernel.interrupts.interruptible import repeated_interrupts
from phalanx.kernel.loops.until import UntilKernel
from phalanx.mechanism.pose import Array
from phalanx.planning.inverse_kinematics.problem import Problem
from phalanx.planning.inverse_kinematics.search import (
    MEMORY,
    NOTHING_YET,
    compile_report,
    compile_search,
    compile_starts,
)
from phalanx.planning.inverse_kinematics.solution import Solution

# steps of a posture that did not reach its target, on the way to the least error near it
_POLISHING = 200
# steps towards a preferred posture, within what the tasks leave free
_SETTLING = 60
# weight of the loops while tasks pull at them: they open by so much less than tasks miss
_FIRM = 1e6
_ENDLESS = 10**9  # steps, more than any search takes
_ONCE = np.zeros(()), 1.0  # from the posture itself, and no other start


@dataclass(frozen=True, eq=False)
class Quest:
    """Inputs of a search; arrays whose leading axes broadcast to those of the targets.

    Attributes:
        target: Numbers of all targets, shape (..., numbers).
        given: The posture to start from, shape (..., nq).
        weights: Of each part, shape (..., parts).
        tolerances: Of each part [m or rad], shape (..., parts).
        shift: Numbers of a seed for the starts, shape (nv,).
        steps: How many a start has.
    """

    target: Array
    given: Array
    weights: Array
    tolerances: Array
    shift: Array
    steps: int


@final
@dataclass(frozen=True, eq=False)
class SearchKernels:
    """The kernels of a problem, compiled on first use.

    Attributes:
        problem: A machine and what is wanted of it.
        threads: For large batches; all cores when None.
        cache: Whether compiled code is kept on disk.
    """

    problem: Problem
    threads: int | None
    cache: bool
    _searches: dict[bool, UntilKernel] = field(default_factory=dict)

    def search(
        self, quest: Quest, first: Array, last: Array, preferred: Array | None = None
    ) -> Solution:
        """Postures from the starts ``first`` on, one after the other, and before ``last``.

        Args:
            quest: What is searched for.
            first: Number of the first start, shape (...).
            last: Number of the start after the last, shape (...).
            preferred: A posture to come near to with what the tasks leave free, shape (..., nq).
        """
        begin = self._starts(first, quest.given, quest.shift)
        found = self._run(quest, begin, first, last)
        q, reached = found.found, found.reached > 0
        if preferred is not None:
            q = self._approached(quest, q, reached, preferred)
        if not reached.all():
            q, reached = self._polished(quest, q, reached)
        reference = quest.given if preferred is None else preferred
        misses, opening, distance = self._report(q, quest.target, reference)
        steps, start = (
            np.asarray(found.memory_next[..., MEMORY.index(name)]).astype(np.int64)
            for name in ("steps", "best_start")
        )
        parts = self.problem.labels
        return Solution(q, reached, misses, parts, start, steps, opening, distance)

    def _approached(self, quest: Quest, q: Array, reached: Array, preferred: Array) -> Array:
        """Postures nearer to the preferred one that reach their targets too."""
        nearer = self._run(replace(quest, steps=_SETTLING), q, *_ONCE, preferred=(preferred,))
        before, after = (
            self._report(x, quest.target, preferred).distance for x in (q, nearer.found)
        )
        is_taken = reached & (nearer.reached > 0) & (after < before)
        return np.where(is_taken[..., None], nearer.found, q)

    def _polished(self, quest: Quest, q: Array, reached: Array) -> tuple[Array, Array]:
        """What is nearly there brought there; the rest to the least error near by, loops closed."""
        patient = replace(quest, steps=_POLISHING)
        for closing, caution in ((1.0, 0.0), (_FIRM, 1.0)):
            more = self._run(patient, q, *_ONCE, closing=closing, caution=caution)
            q = np.where(reached[..., None], q, more.found)
            reached = reached | (more.reached > 0)
        if self.problem.mechanism.loops:
            anywhere = np.full_like(quest.tolerances, np.inf)
            loops_alone = replace(patient, weights=0 * quest.weights, tolerances=anywhere)
            closed = self._run(loops_alone, q, *_ONCE)
            q = np.where(reached[..., None], q, closed.found)
        return q, reached

    def _run(
        self,
        quest: Quest,
        q: Array,
        number: Array,
        last: Any,
        *,
        closing: float = 1.0,
        caution: float = 0.0,
        preferred: tuple[Array, ...] = (),
    ) -> Any:
        """The compiled loop, from postures that have these numbers of starts."""
        memory = np.zeros((*np.shape(number), len(MEMORY)))
        memory[..., MEMORY.index("start")] = number
        memory[..., MEMORY.index("least")] = NOTHING_YET
        numbers = np.broadcast_arrays(last, float(quest.steps), closing, caution)
        arguments = q, q, memory, quest.target, quest.given, quest.shift
        limits = quest.weights, quest.tolerances, np.stack(numbers, axis=-1)
        most = quest.steps * int(np.max(last - number, initial=1.0))
        return self.kernel(bool(preferred))(
            *arguments, *limits, *preferred, steps=min(most, _ENDLESS)
        )

    @repeated_interrupts()
    def kernel(self, preferred: bool = False) -> UntilKernel:
        """The loop, with or without a preferred posture."""
        if preferred not in self._searches:
            made = compile_search(self.problem, preferred, self.threads, self.cache)
            self._searches[preferred] = made
        return self._searches[preferred]

    @cached_property
    def _report(self) -> Kernel:
        return compile_report(self.problem, self.threads, self.cache)

    @cached_property
    def _starts(self) -> Kernel:
        return compile_starts(self.problem, self.threads, self.cache)
