"""Data sources of a repeated plan: which sample's values every task reads.

Moments decide that, not numbers. In a plan that is right each sample reads its own values; where an
interval is too short or a buffer too shallow, a task reads those of another sample, or nothing.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from phalanx.base.cached import cached_property
from phalanx.multiprocessor.computers.costs import task_tails, task_times
from phalanx.multiprocessor.computers.placement import have_happened
from phalanx.multiprocessor.plans.buffers import (
    Buffer,
    Place,
    Reader,
    first_placements,
    hopping_messages,
    stays,
)
from phalanx.multiprocessor.plans.fifo import NOTHING, Deliveries, Origins, taken
from phalanx.multiprocessor.plans.schedule import Schedule
from phalanx.multiprocessor.plans.start_times import Starts, grouped, one_at_a_time


class ValueRoute:
    """Route of values through the computer, for so many samples.

    Attributes:
        own: The origins of who reads the values of its own sample every time.
    """

    def __init__(self, plan: Schedule, interval: float, there: Iterable[Buffer], sets: int) -> None:
        """Note who starts when; what each gets is found when it is asked for."""
        self._plan = plan
        self._stays = stays(plan)
        self._depths = {buffer[:3]: buffer.depth for buffer in there}
        self.own = np.arange(sets)
        self._begins: NDArray[np.float64] = np.arange(sets, dtype=np.float64) * interval
        self._placed = first_placements(plan)
        self._starts = self._one_at_a_time()
        self._taken: dict[Place, dict[Reader, Origins]] = {}

    def runs(self, task: int) -> NDArray[np.bool_]:
        """In which samples a task is done."""
        start = self._starts.get(Reader(task))
        return np.zeros(self.own.size, dtype=bool) if start is None else start.runs

    def origins(self, task: int, source: int) -> Origins:
        """The sample whose results of ``source`` a task reads in each sample, or NOTHING."""
        at = self._placed.get(task)
        place = (source, at.processor, at.processor) if at else None
        if place is None or place not in self._stays:
            return np.full(self.own.size, NOTHING)
        return self._taken_from(place)[Reader(task)]

    def _taken_from(self, place: Place) -> dict[Reader, Origins]:
        """What each of its readers takes out of a place."""
        if place not in self._taken:
            task, where, to = place
            readers = self._stays[place].reads
            depth = self._depths.get((self._plan.graph.tasks[task].name, where, to), 0)
            starts = [self._starts[reader] for reader in readers]
            origins = taken(self._deliveries(place), starts, depth, self._groups)
            self._taken[place] = dict(zip(readers, origins, strict=True))
        return self._taken[place]

    def _deliveries(self, place: Place) -> Deliveries:
        """What is brought to a place: by the task itself, or by a message."""
        task, where, _ = place
        bringer = self._stays[place].bringer
        if bringer is None:
            starts = self._starts[Reader(task)]
            words = self._plan.graph.tasks[task].words
            delay = self._plan.computer.delay(words, self._placed[task].processor, where)
            return Deliveries(starts, starts.ends + delay, self.own)
        number, hop = bringer
        carrier = Reader(task, number, hop)
        (source,) = self._read_by[carrier]
        starts = self._starts[carrier]
        return Deliveries(starts, starts.ends, self._taken_from(source)[carrier])

    @cached_property
    def _read_by(self) -> dict[Reader, list[Place]]:
        """Where each message takes values."""
        places: dict[Reader, list[Place]] = defaultdict(list)
        for place, stay in self._stays.items():
            for reader in stay.reads:
                if reader.message is not None:
                    places[reader].append(place)
        return places

    @cached_property
    def _planned(self) -> dict[Reader, tuple[tuple[str, int], Starts]]:
        """Who is to start where and when, in each sample."""
        graph = self._plan.graph
        position = {task: k for k, task in enumerate(graph.order)}
        computer = self._plan.computer
        times, tails = task_times(graph, computer), task_tails(graph, computer)
        planned = {}
        for task, at in self._placed.items():
            time = times[at.processor][task]
            start_times = at.start + self._begins
            order = time > 0, position[task], 0
            ends = _ends(start_times + time, at.end + self._begins)
            tail = tails[at.processor][task]
            runs = np.full(start_times.size, not math.isinf(time))
            planned[Reader(task)] = (
                ("processor", at.processor),
                Starts(start_times, ends, runs, order, tail=tail),
            )
        for number, message in hopping_messages(self._plan, self._placed):
            for h, hop in enumerate(message.hops):
                order = hop.end > hop.start, position[message.task], h + 1
                start_times, ends = hop.start + self._begins, hop.end + self._begins
                runs = np.full(start_times.size, True)
                start = Starts(start_times, ends, runs, order, number)
                planned[Reader(message.task, number, h)] = ("wire", hop.link), start
        return planned

    @cached_property
    def _groups(self) -> NDArray[np.float64]:
        return grouped([start for _, start in self._planned.values()])

    def _one_at_a_time(self) -> dict[Reader, Starts]:
        """Who really starts: one at a time on each processor and each wire."""
        queues: dict[tuple[str, int], list[Reader]] = defaultdict(list)
        starts = {}
        for who, (where, start) in self._planned.items():
            starts[who] = start
            if start.all_run:
                queues[where].append(who)
        for queue in queues.values():
            done = one_at_a_time([starts[who] for who in queue], self._groups)
            starts |= dict(zip(queue, done, strict=True))
        return starts


def _ends(needed: NDArray[np.float64], planned: NDArray[np.float64]) -> NDArray[np.float64]:
    """When tasks end: as planned, or later where they take longer."""
    return np.where(have_happened(needed, planned), planned, needed)
