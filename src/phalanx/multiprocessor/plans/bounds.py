"""Lower bounds of a schedule's makespan.

A plan as long as the critical path leaves every task a window, from its earliest start to its
latest end. The work that has to be done between two moments a and b, wherever tasks lie in their
windows, is R(a, b). When p processors cannot do it in b - a, the plan is longer than the critical
path by at least R(a, b)/p - (b - a). Between the first and the last moment this is the p-th part
of the work. Work is what occupies a processor: in a pipelined one, less than the latency that makes
the path.

Reference:
    Fernandez and Bussell, Bounds on the number of processors and time for multiprocessor optimal
    schedules, IEEE Transactions on Computers C-22 (1973).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from phalanx.multiprocessor.computers.computer import Computer
from phalanx.multiprocessor.computers.costs import (
    quickest_occupancies,
    quickest_times,
    task_occupancies,
)
from phalanx.multiprocessor.plans.critical_path import earliest_starts, levels
from phalanx.multiprocessor.tasks.task_graph import TaskGraph

# moments looked at: all of a small graph, evenly spread ones of a large graph
_COMPARISONS = 1e7
_ROUNDING = 1e-9


def lower_bound(graph: TaskGraph, computer: Computer) -> float:
    """No plan is shorter than this, in the computer's unit.

    Valid for every computer: messages, wires and delays only make plans longer, and each task is
    taken at the speed of the processor that is quickest at it.
    """
    if not len(graph):
        return 0.0
    time = np.array(quickest_times(graph, computer))
    work = np.array(quickest_occupancies(graph, computer))
    start = np.array(earliest_starts(graph, computer))
    path = float((start + time).max())
    end = path - np.array(levels(graph, computer)) + work
    bound = path + _excess(work, start, end, computer.processors)
    if not computer.is_uniform:
        bound = max(bound, float(work.sum()) / _quickest_equivalents(graph, computer, work))
    if computer.is_uniform and time.max() == time.min() == work.min() > 0:
        # equal tasks: whole rounds of them
        bound = math.ceil(bound / time[0] - _ROUNDING) * float(time[0])
    return bound


def _quickest_equivalents(
    graph: TaskGraph, computer: Computer, quickest: NDArray[np.float64]
) -> float:
    """How many processors, each the quickest at everything, do at least as much at a time."""
    takes_time = quickest > 0
    if not takes_time.any():
        return float(computer.processors)
    occupied = np.array(task_occupancies(graph, computer))[:, takes_time]
    return float((quickest[takes_time] / occupied).max(axis=1).sum())


def _excess(
    time: NDArray[np.float64],
    start: NDArray[np.float64],
    end: NDArray[np.float64],
    processors: int,
) -> float:
    """The largest R(a, b)/p - (b - a) over moments at which windows open or close; at least 0."""
    moments = np.unique(np.concatenate([start, start + time, end - time, end]))
    count = max(2, int(math.sqrt(2 * _COMPARISONS / len(time))))
    if len(moments) > count:
        moments = moments[np.linspace(0, len(moments) - 1, count).round().astype(int)]
    # how much of a task lies before each b, when it lies as early or as late as it can
    b = moments[:, None]
    early_before = np.clip(b - start, 0.0, time)
    late_before = np.clip(b - (end - time), 0.0, time)
    worst = 0.0
    for k, a in enumerate(moments[:-1]):
        early = np.minimum(early_before[k + 1 :], np.clip(start + time - a, 0.0, time))
        late = np.minimum(late_before[k + 1 :], np.clip(end - a, 0.0, time))
        span = moments[k + 1 :] - a
        work = np.minimum(np.minimum(early, late), span[:, None]).sum(axis=1)
        worst = max(worst, float((work / processors - span).max()))
    return worst
