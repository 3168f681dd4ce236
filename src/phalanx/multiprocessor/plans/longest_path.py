"""Longest path of a plan: the tasks and messages that determine its length.

From the last event back: a task began when its processor became free, or when a message brought the
last of what it reads; a message began when its sender had what it sends, or when its wire became
free, or a processor whose time it takes. What is on this path is exposed; all else is hidden beside
it. Where a task waited for both, its processor is named, since the message alone would not have
held it up. A pipelined processor is free before the task in it has its results: if only that was
waited for, the task's part of the path ends there.
"""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import pairwise
from typing import NamedTuple

from phalanx.multiprocessor.computers.placement import Message, Placement, has_happened
from phalanx.multiprocessor.plans.held_time import holds
from phalanx.multiprocessor.plans.route import tapped_hop
from phalanx.multiprocessor.plans.schedule import Schedule


class PathSegment(NamedTuple):
    """A segment of the longest path.

    Attributes:
        task: Number of the task that is done, or whose results are sent.
        is_message: Whether it is sent.
        start: When the leg begins; what was before it may have ended earlier.
        end: When it ends: when its results are there, or its pipelined processor was free again.
    """

    task: int
    is_message: bool
    start: float
    end: float


def critical_chain(plan: Schedule) -> tuple[PathSegment, ...]:
    """The legs, first to last; the last is the task or message that ends last."""
    return tuple(reversed(list(_BackwardSearch(plan).legs())))


def exposed(plan: Schedule) -> dict[tuple[str, bool], float]:
    """Time on the longest course, by kind of task and whether it is spent on messages."""
    total: dict[tuple[str, bool], float] = defaultdict(float)
    for leg in critical_chain(plan):
        total[plan.graph.tasks[leg.task].kind, leg.is_message] += leg.end - leg.start
    return dict(total)


Cause = Placement | tuple[Message, int]  # a task, or a message on one of its wires


class _Busy(NamedTuple):
    """What takes a processor's time."""

    start: float
    end: float
    what: Cause


class _BackwardSearch:
    """A plan seen from its end."""

    def __init__(self, plan: Schedule) -> None:
        """Note who ends where, and what brings what."""
        self.plan = plan
        self.placed = {p.task: p for p in plan.placements}
        queues: dict[int, list[_Busy]] = defaultdict(list)
        for p, free in zip(plan.placements, plan.released, strict=True):
            queues[p.processor].append(_Busy(p.start, free, p))
        for hold in holds(plan.computer, plan.messages):
            message = plan.messages[hold.message]
            h = next(h for h, hop in enumerate(message.hops) if hop.link == hold.link)
            queues[hold.processor].append(_Busy(hold.start, hold.end, (message, h)))
        # on each processor whose time it takes: what was before, and when its own begins
        self.before: dict[Cause, list[tuple[_Busy, float]]] = defaultdict(list)
        for queue in queues.values():
            queue.sort(key=lambda busy: busy[:2])
            for one, other in pairwise(queue):
                self.before[other.what].append((one, other.start))
        self.bringers: dict[tuple[int, int], tuple[Message, int]] = {}
        self.on_wire: dict[int, list[tuple[Message, int]]] = defaultdict(list)
        for message in plan.messages:
            for h, hop in enumerate(message.hops):
                self.on_wire[hop.link].append((message, h))
            if message.hops:
                self._note(message, message.destination, len(message.hops) - 1)
            for tap in message.taps:
                hop_there = tapped_hop(plan.computer, message, tap)
                if hop_there is not None:
                    self._note(message, tap, hop_there)

    def _note(self, message: Message, processor: int, hop: int) -> None:
        known = self.bringers.get((message.task, processor))
        if known is None or message.hops[hop].end < known[0].hops[known[1]].end:
            self.bringers[message.task, processor] = message, hop

    def legs(self) -> list[PathSegment]:
        found: list[PathSegment] = []
        now: Cause | None = self._last()
        until = now.end if isinstance(now, Placement) else math.inf
        while now is not None:
            if isinstance(now, Placement):
                found.append(PathSegment(now.task, False, now.start, until))
                now, until = self._before_task(now)
            else:
                message, h = now
                found.append(
                    PathSegment(message.task, True, message.hops[h].start, message.hops[h].end)
                )
                now, until = self._before_hop(message, h)
        return found

    def _last(self) -> Cause | None:
        ends: list[tuple[float, Cause]] = [(p.end, p) for p in self.plan.placements]
        ends += [(m.arrival, (m, len(m.hops) - 1)) for m in self.plan.messages if m.hops]
        return max(ends, key=lambda one: one[0])[1] if ends else None

    def _before_task(self, here: Placement) -> tuple[Cause | None, float]:
        """What the task waited for, the last of it, and until when."""
        latest: Cause | None = None
        moment = -1.0
        for busy, _ in self.before.get(here, ()):
            latest, moment = busy.what, busy.end
        for source in self.plan.graph.predecessors[here.task]:
            ran = self.placed.get(source)
            if ran is None:
                continue
            own = ran.processor == here.processor
            if own and not has_happened(ran.end, here.start):
                continue  # a wrong plan
            bringer = None if own else self.bringers.get((source, here.processor))
            there = ran.end if bringer is None else bringer[0].hops[bringer[1]].end
            if there > moment and not has_happened(there, moment):
                moment, latest = there, bringer or ran
        return latest, moment

    def _before_hop(self, message: Message, h: int) -> tuple[Cause | None, float]:
        """What the message waited for on one of its wires, and until when."""
        start, _ = self.plan.computer.sending(message.hops[h])
        ran = self.placed.get(message.task)
        had: Cause | None
        if h:
            had = message, h - 1
            moment = message.hops[h - 1].end
        elif ran is not None and ran.processor == message.source:
            had, moment = ran, ran.end
        else:
            had = self.bringers.get((message.task, message.source))
            moment = had[0].hops[had[1]].end if had else start
        if not has_happened(start, moment):  # it had to wait for the wire, or for a processor
            for other, g in self.on_wire[message.hops[h].link]:
                end = other.hops[g].end
                if other is not message and has_happened(end, start) and has_happened(start, end):
                    return (other, g), end
            for busy, own in self.before.get((message, h), ()):
                if has_happened(busy.end, own) and has_happened(own, busy.end):
                    return busy.what, busy.end
        return had, moment
