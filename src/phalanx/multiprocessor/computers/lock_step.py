"""Lock-step rule (SIMD): tasks at one time are of one kind and start together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from phalanx.multiprocessor.computers.placement import Placement, Violation, has_happened
from phalanx.multiprocessor.tasks.task_graph import TaskGraph


def unlike_at_a_time(
    graph: TaskGraph, placements: Sequence[Placement], released: Sequence[float], row_kind: str
) -> Iterator[Violation]:
    """Tasks that overlap in time and differ in their start or their operations.

    Args:
        graph: The tasks.
        placements: When and where they run.
        released: When the lane of each placement can start another.
        row_kind: What a lane is called.
    """
    pairs = zip(placements, released, strict=True)
    queue = sorted(
        ((p, free) for p, free in pairs if free > p.start), key=lambda one: (one[0].start, one[1])
    )
    if not queue:
        return
    before, until = queue[0]
    for after, free in queue[1:]:
        if not has_happened(until, after.start):
            one, other = graph.tasks[before.task], graph.tasks[after.task]
            together = has_happened(after.start, before.start)
            if not together or one.operations != other.operations:
                text = f"{row_kind}s do {one.name} and {other.name} at a time, which are not alike."
                yield Violation("lock-step", (one.name, other.name), text)
        before, until = max((before, until), (after, free), key=lambda one: one[1])
