"""Lock-step rule (SIMD): tasks at one time are of one kind and start together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from phalanx.multiprocessor.computers.placement import Placement, Violation, has_happened
from phalanx.multiprocessor.tasks.task_graph import TaskGraph


def unlike_at_a_time(
    graph: TaskGraph, placements: Sequence[Placement], row_kind: str
) -> Iterator[Violation]:
    """Tasks that overlap in time and differ in their start or their operations."""
    queue = sorted((p for p in placements if p.end > p.start), key=lambda p: (p.start, p.end))
    if not queue:
        return
    before = queue[0]
    for after in queue[1:]:
        if not has_happened(before.end, after.start):
            one, other = graph.tasks[before.task], graph.tasks[after.task]
            together = has_happened(after.start, before.start)
            if not together or one.operations != other.operations:
                text = f"{row_kind}s do {one.name} and {other.name} at a time, which are not alike."
                yield Violation("lock-step", (one.name, other.name), text)
        before = max(before, after, key=lambda p: p.end)
