"""A repeated plan carried out on the simulated computer: values go through the buffers themselves.

A buffer knows no sets. It takes values as they come and gives each reader the oldest that this
reader has not had; a value leaves when all have had it, and one that comes to a full buffer is
lost. Who finds nothing reads NaN. A processor that is busy starts no task, and a wire that is busy
takes no message, so that whoever waits for them reads what belongs to another set, or nothing. At
one moment values arrive first, then they are read, then buffers are full or not.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from phalanx.errors import InvalidInput
from phalanx.kernel.graph.graph import Graph
from phalanx.multiprocessor.computers.costs import task_times
from phalanx.multiprocessor.computers.placement import has_happened
from phalanx.multiprocessor.plans.buffers import (
    Buffer,
    Place,
    Reader,
    first_placements,
    sound_messages,
    stays,
)
from phalanx.multiprocessor.plans.evaluate import evaluate_nodes, given_values, output_arrays
from phalanx.multiprocessor.plans.schedule import Schedule

Values = Mapping[int, Any]  # by node of the program


class _Fifo:
    """Values on a processor, the oldest first, each with the readers that have not had it."""

    def __init__(self, readers: Iterable[Reader], depth: int) -> None:
        self._readers = frozenset(readers)
        self._depth = depth
        self._waiting: deque[tuple[Values, set[Reader]]] = deque()

    def put(self, values: Values) -> None:
        self._waiting.append((values, set(self._readers)))

    def take(self, reader: Reader) -> Values:
        for k, (values, left) in enumerate(self._waiting):
            if reader in left:
                left.remove(reader)
                if not left:
                    del self._waiting[k]
                return values
        return {}

    def settle(self) -> None:
        """Lose what has no room."""
        while len(self._waiting) > self._depth:
            self._waiting.pop()


class _Start(NamedTuple):
    """A task, or a message on one of its wires, that is to start in a set."""

    moment: float
    order: tuple[bool, int, int]  # in one moment: what takes no time first, then by what it reads
    who: Reader
    set: int


def execute_sets(
    plan: Schedule, interval: float, there: Iterable[Buffer], inputs: Sequence[Any]
) -> Any:
    """The outputs of every set when a plan is repeated (see ``Periodic.execute``)."""
    program = _program(plan)
    values = execute_nodes(plan, interval, there, inputs)
    outputs = [output_arrays(program, one) for one in values]
    stacked = tuple(np.array(arrays) for arrays in zip(*outputs, strict=True))
    return stacked[0] if len(stacked) == 1 else stacked


def execute_nodes(
    plan: Schedule, interval: float, there: Iterable[Buffer], inputs: Sequence[Any]
) -> list[Mapping[int, Any]]:
    """For every set the numbers that its tasks hand on, and those that are given, by node."""
    program = _program(plan)
    sets = _sets(program, inputs)
    with np.errstate(all="ignore"):  # a NaN that was read too early is a result, not an accident
        given = [given_values(program, one, plan.graph.owner) for one in sets]
        machine = _Machine(plan, interval, given, there)
        machine.run()
    return list(machine.values)


def _program(plan: Schedule) -> Graph:
    if plan.graph.program is None:
        raise InvalidInput(
            f"task graph '{plan.graph.name}' has costs but no program, so there is nothing to "
            "compute."
        )
    return plan.graph.program


def _sets(program: Graph, inputs: Sequence[Any]) -> list[list[Any]]:
    """The inputs of each set, from arrays whose first axis counts sets."""
    arrays = [np.asarray(array, dtype=np.float64) for array in inputs]
    counts = {array.shape[0] if array.ndim else 0 for array in arrays}
    if len(counts) != 1 or 0 in counts:
        shapes = ", ".join(str(array.shape) for array in arrays) or "nothing"
        raise InvalidInput(
            f"the inputs of '{program.name}' are {shapes}; the first axis of each counts the "
            "sets, at least one."
        )
    return [[array[k] for array in arrays] for k in range(counts.pop())]


class _Machine:
    """The computer at work: who is busy until when, what is on the way and in every buffer."""

    def __init__(
        self, plan: Schedule, interval: float, given: Sequence[Values], there: Iterable[Buffer]
    ) -> None:
        """Everything is idle and empty."""
        self.values = [dict(one) for one in given]
        self._plan = plan
        self._interval = interval
        self._given = given
        self._times = task_times(plan.graph, plan.computer)
        self._placed = first_placements(plan)
        self._busy: dict[tuple[str, int], float] = defaultdict(float)
        self._coming: list[tuple[float, int, Place, Values]] = []
        self._count = itertools.count()  # values that arrive together do so in order
        self._touched: set[Place] = set()
        self._fifos: dict[Place, _Fifo] = {}
        self._brought: dict[tuple[int, int] | int, list[Place]] = defaultdict(list)
        self._taken: dict[Reader, list[Place]] = defaultdict(list)
        depths = {buffer[:3]: buffer.depth for buffer in there}
        for place, stay in stays(plan).items():
            task, where, to = place
            depth = depths.get((plan.graph.tasks[task].name, where, to), 0)
            self._fifos[place] = _Fifo(stay.reads, depth)
            self._brought[task if stay.bringer is None else stay.bringer].append(place)
            for reader in stay.reads:
                self._taken[reader].append(place)

    def run(self) -> None:
        """From the first start of set 0 to the last of the last set."""
        for together in _moments(sorted(self._starts())):
            now = together[0].moment
            self._arrive_until(now)
            for start in sorted(together, key=lambda start: start.order):
                if start.who.message is None:
                    self._start_task(start)
                else:
                    self._start_message(start, start.who.message)
            self._settle()

    def _starts(self) -> Iterator[_Start]:
        position = {task: k for k, task in enumerate(self._plan.graph.order)}
        for k in range(len(self._given)):
            begin = k * self._interval
            for task, at in self._placed.items():
                order = self._times[at.processor][task] > 0, position[task], 0
                yield _Start(at.start + begin, order, Reader(task), k)
            for number, message in sound_messages(self._plan, self._placed):
                for h, hop in enumerate(message.hops):
                    order = hop.end > hop.start, position[message.task], h + 1
                    who = Reader(message.task, number, h)
                    yield _Start(hop.start + begin, order, who, k)

    def _arrive_until(self, now: float) -> None:
        """Put what has arrived by now into its buffers, one moment after the other."""
        while self._coming and has_happened(self._coming[0][0], now):
            moment, _, place, values = heapq.heappop(self._coming)
            self._put(place, values)
            following = min(now, self._coming[0][0]) if self._coming else now
            if not has_happened(following, moment):
                self._settle()

    def _start_task(self, start: _Start) -> None:
        graph, task = self._plan.graph, start.who.task
        at = self._placed[task]
        time = self._times[at.processor][task]
        if math.isinf(time) or not self._is_free(("processor", at.processor), start.moment):
            return
        needed, planned = start.moment + time, at.end + start.set * self._interval
        end = planned if has_happened(needed, planned) else needed
        self._busy["processor", at.processor] = end
        given = self._given[start.set]
        values = {n: given[n] for n in graph.reads(task) if n in given}
        for place in self._taken[start.who]:
            values |= self._fifos[place].take(start.who)
        assert graph.program is not None
        evaluate_nodes(graph.program, graph.tasks[task].nodes, values)
        results = {n: values[n] for n in graph.writes(task)}
        self.values[start.set] |= results
        words = graph.tasks[task].words
        for place in self._brought[task]:
            delay = self._plan.computer.delay(words, at.processor, place[1])
            self._send(place, end + delay, results, start.moment)

    def _start_message(self, start: _Start, number: int) -> None:
        hop = self._plan.messages[number].hops[start.who.hop]
        if not self._is_free(("wire", hop.link), start.moment):
            return
        end = self._busy["wire", hop.link] = hop.end + start.set * self._interval
        (place,) = self._taken[start.who]
        values = self._fifos[place].take(start.who)
        for onward in self._brought[number, start.who.hop]:
            self._send(onward, end, values, start.moment)

    def _is_free(self, who: tuple[str, int], now: float) -> bool:
        return has_happened(self._busy[who], now)

    def _send(self, place: Place, moment: float, values: Values, now: float) -> None:
        if has_happened(moment, now):
            self._put(place, values)
        else:
            heapq.heappush(self._coming, (moment, next(self._count), place, values))

    def _put(self, place: Place, values: Values) -> None:
        self._fifos[place].put(values)
        self._touched.add(place)

    def _settle(self) -> None:
        """A moment is over: what found no room is lost."""
        for place in self._touched:
            self._fifos[place].settle()
        self._touched.clear()


def _moments(starts: Sequence[_Start]) -> Iterator[list[_Start]]:
    """Starts in groups that are of one moment, but for rounding."""
    together: list[_Start] = []
    for start in starts:
        if together and not has_happened(start.moment, together[0].moment):
            yield together
            together = []
        together.append(start)
    if together:
        yield together
