"""Initiation interval: how soon the next sample may enter a repeated plan.

Sample k of a plan begins k intervals after sample 0, and does the same on the same processors and
wires. A processor is free for this when no two of its tasks overlap modulo the interval. A task
occupies its processor until that can start another: to its end, or in a pipelined processor for its
occupancy alone. Let task i of sample m start at s_i + m T, and let task j of sample 0 occupy its
processor from s_j to e_j. They meet for an interval T with

    (s_j - e_i) / m  <  T  <  (e_j - s_i) / m,

so every pair and every m forbids an open range of intervals. The smallest interval is found from
below: it begins with the time of the busiest processor or wire, and as long as some tasks meet, it
moves to the end of what they forbid. Nothing between is possible, so nothing is missed. A longer
interval may again be impossible; one as long as the plan never is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from phalanx.base.errors import InvalidInput
from phalanx.multiprocessor.computers.placement import Violation, has_happened
from phalanx.multiprocessor.plans.schedule import Schedule


class Booking(NamedTuple):
    """Time of a processor or a wire that a task occupies in sample 0."""

    task: int
    start: float
    end: float


class Meeting(NamedTuple):
    """Two bookings that overlap; the lower of their samples is sample 0."""

    before: Booking
    before_set: int
    after: Booking
    after_set: int

    @property
    def forbidden_until(self) -> float:
        """The shortest longer interval at which the two do not meet like this."""
        if self.before_set < self.after_set:
            return (self.before.end - self.after.start) / self.after_set
        return (self.after.end - self.before.start) / self.before_set


def initiation_interval(plan: Schedule) -> float:
    """The smallest interval at which a plan can be repeated, in the computer's unit.

    At least the time of the busiest processor or wire, at most the length of the plan; 0 when no
    task takes time.

    Raises:
        InvalidInput: When the plan itself cannot be carried out, or is for lock-step.
    """
    check_can_repeat(plan)
    if plan.violations:
        raise InvalidInput(
            f"a plan that cannot be carried out once cannot be repeated: {plan.violations[0].text}"
        )
    queues = list(bookings(plan).values())
    interval = max((sum(b.end - b.start for b in queue) for queue in queues), default=0.0)
    while interval > 0.0:
        meetings = chain.from_iterable(meetings_of(queue, interval) for queue in queues)
        longer = max((meeting.forbidden_until for meeting in meetings), default=0.0)
        if not longer:
            return interval
        assert longer > interval, "what overlaps forbids somewhat longer intervals too"
        interval = longer
    return interval


def check_can_repeat(plan: Schedule) -> None:
    """InvalidInput where plans are not repeated: in lock-step, or messages that hold processors."""
    if plan.computer.in_lock_step:
        raise InvalidInput(
            f"{plan.computer.name} in lock-step work on one set at a time; take processors or "
            "operators that begin a set each at its own moment."
        )
    if plan.computer.holds_processors:
        raise InvalidInput(
            f"messages of {plan.computer.name} take time of the processors that send them; only "
            "plans whose messages overlap with work are repeated. Take a computer without overhead "
            "and blocking sends."
        )


def interval_violations(plan: Schedule, interval: float) -> Iterator[Violation]:
    """Tasks and messages of different samples that want a processor or a wire at the same time."""
    tasks = plan.graph.tasks
    for owner, queue in bookings(plan).items():
        for before, before_set, after, after_set in meetings_of(queue, interval):
            names = tasks[before.task].name, tasks[after.task].name
            text = (
                f"{owner} is still at {names[0]} of set {before_set} until "
                f"{before.end + before_set * interval:g} when {names[1]} of set {after_set} "
                f"starts at {after.start + after_set * interval:g}."
            )
            yield Violation("interval", names, text)


def bookings(plan: Schedule) -> dict[str, list[Booking]]:
    """Bookings of each processor and wire in one sample, by name."""
    queues: dict[str, list[Booking]] = defaultdict(list)
    for (task, processor, start, _), free in zip(plan.placements, plan.released, strict=True):
        if 0 <= processor < plan.computer.processors:
            queues[plan.computer.processor_name(processor)].append(Booking(task, start, free))
    for message in plan.messages:
        for link, start, end in message.hops:
            queues[f"wire {link}"].append(Booking(message.task, start, end))
    return queues


def meetings_of(queue: Sequence[Booking], interval: float) -> Iterator[Meeting]:
    """Bookings of different samples that overlap; at least one of every group."""
    for booking in queue:
        if not has_happened(booking.end, booking.start + interval):
            yield Meeting(booking, 0, booking, 1)
    # the samples that are at work in one interval, by the moment at which they start in it
    around = sorted((b.start % interval, b.end - b.start, b) for b in queue)
    before: tuple[int, Booking] | None = None
    for lap in (0, 1):  # the first only tells who is still at work when the second begins
        for _, _, booking in around:
            after = lap - int(booking.start // interval), booking
            if before is None:
                before = after
                continue
            if lap and before[1] is not booking and before[0] != after[0]:
                first = min(before[0], after[0])
                meeting = Meeting(before[1], before[0] - first, booking, after[0] - first)
                if _overlaps(meeting, interval):
                    yield meeting
            before = max(before, after, key=lambda at: at[1].end + at[0] * interval)


def _overlaps(meeting: Meeting, interval: float) -> bool:
    before, before_set, after, after_set = meeting
    here, there = before_set * interval, after_set * interval
    return not (
        has_happened(before.end + here, after.start + there)
        or has_happened(after.end + there, before.start + here)
    )
