"""Times of inverse dynamics on an 8086 multiprocessor: the source's, and of those before it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from phalanx.multiprocessor import Schedule, highest_level_first, intel_8086, schedule
from phalanx.multiprocessor.tasks.task_graph import TaskGraph

# Table 4.8 [s] by processors: the Stanford arm. Luh and Lin's speed-up is 2.56 by these times,
# where the text says 2.64.
PRINTED_TIMES: dict[str, dict[int, float]] = {
    "Luh, Lin 1982": {1: 24.8e-3, 6: 9.67e-3},
    "Kasahara, Narita 1985": {
        **{1: 24.83e-3, 2: 12.42e-3, 3: 8.43e-3, 4: 6.59e-3, 5: 5.86e-3, 6: 5.73e-3, 7: 5.60e-3}
    },
    "Chen, Lee, Hou 1988": {
        **{1: 24.83e-3, 2: 12.42e-3, 3: 8.44e-3, 4: 6.59e-3, 5: 5.72e-3, 6: 5.70e-3}
    },
    "Dhanaraj 1990": {
        **{1: 21.06e-3, 2: 10.67e-3, 3: 7.02e-3, 4: 5.26e-3},
        **{5: 4.32e-3, 6: 3.92e-3, 7: 3.65e-3, 8: 3.65e-3},
    },
}
"""Table 4.8: times of the Stanford arm by author and processors [s]."""

GENERAL_LEVELS = {1: 231, 2: 116, 3: 78, 4: 58, 5: 47, 6: 39, 7: 34, 8: 31, 9: 30, 13: 27}
"""Levels of the printed schedules of a general arm, by processors (tables C.1 to C.8)."""
STANFORD_LEVELS = {1: 156, 2: 79, 3: 52, 4: 39, 5: 32, 6: 29, 7: 27, 8: 27}
"""Levels of the printed schedules of the Stanford arm, by processors (tables C.9 to C.15)."""


def compare_times(
    graph: TaskGraph, policy: Callable[..., Schedule] = highest_level_first
) -> list[dict[str, Any]]:
    """Printed times beside those of a graph of tasks on the same 8086s.

    Args:
        graph: Tasks of three operations, such as those of
            :func:`phalanx.multiprocessor.streamlined_tasks`.
        policy: Who plans.

    Returns:
        A row for 1 to 8 processors: ``processors``, every printed name, and ``phalanx`` [s];
        None where nothing was published.

    Reference:
        Dhanaraj (1990), sec. 4.5, table 4.8 and fig. 4.13.
    """
    return [
        {
            "processors": p,
            **{name: times.get(p) for name, times in PRINTED_TIMES.items()},
            "phalanx": schedule(graph, intel_8086(p), policy).makespan,
        }
        for p in range(1, 9)
    ]
