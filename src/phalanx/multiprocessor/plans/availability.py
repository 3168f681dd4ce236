"""Difference constraints: when variables of a recurrence become available on a chain of nodes.

A chain of equal nodes computes variables X, Y, …; node i makes X_i from those of the node before,
and from others of its own. In step with each other, X_i is available at x + i T, the same period
T for all. If a way from Y of ``steps`` nodes before to X takes ``delay``, then

    x  >=  y + delay - steps T,

a difference constraint for the offsets x, y, …. The smallest offsets are longest ways, found by
relaxation; a circle of ways that gains time has no solution, and the shortest period is the one at
which no circle does.

Reference:
    Lathrop, MIT AI-TR-754 (1983), appendices A and C, which states the inequalities one by one and
    solves them in his head.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from phalanx.base.errors import InvalidInput
from phalanx.multiprocessor.computers.computer import Computer
from phalanx.multiprocessor.computers.costs import quickest_times
from phalanx.multiprocessor.tasks.task_graph import TaskGraph

ROUNDING = 1e-12  # of the largest delay: sums of a few delays differ by less


class Unsatisfiable(InvalidInput):
    """Inequalities that ask a variable to be later than itself."""


@dataclass(frozen=True)
class AtLeast:
    """One variable is available at least so long after another.

    Attributes:
        later: The one.
        earlier: The other.
        delay: How long; negative where it may even come before.
    """

    later: str
    earlier: str
    delay: float


@dataclass(frozen=True)
class Way:
    """How a variable comes from another.

    Attributes:
        to: What is computed.
        source: What it is computed from.
        delay: From when the source is available until the result is.
        steps: How many nodes the source comes before: 1 from the node before, 0 within a node.
    """

    to: str
    source: str
    delay: float
    steps: int = 1


def offset_inequalities(ways: Iterable[Way], period: float) -> list[AtLeast]:
    """Difference constraints on the offsets when every variable advances one node in a period."""
    return [AtLeast(way.to, way.source, _gain(way, period)) for way in ways]


def smallest_offsets(
    conditions: Sequence[AtLeast], starts: Mapping[str, float] | None = None
) -> dict[str, float]:
    """The earliest times at which all conditions hold, for each variable the smallest possible.

    Args:
        conditions: Inequalities between variables.
        starts: From when on variables are available at the first node; 0 where none is given.

    Raises:
        Unsatisfiable: With a circle of variables, each later than the next, and by how much.
    """
    offsets, found = _relaxed(conditions, starts or {})
    if found:
        circle = [conditions[k] for k in found]
        names = " ≥ ".join(c.later for c in circle)
        gain = sum(c.delay for c in circle)
        raise Unsatisfiable(
            f"{names} ≥ {circle[0].later} would have to be later than itself by {gain:g}; "
            "lengthen the period or shorten one of these ways."
        )
    return offsets


def shortest_period(ways: Sequence[Way]) -> float:
    """The shortest period at which offsets exist: the largest delay per step of any circle.

    Raises:
        Unsatisfiable: A circle of ways stays within a node, so that no period helps.
    """
    period = 0.0
    while True:
        _, circle = _relaxed(offset_inequalities(ways, period), {})
        if not circle:
            return period
        around = [ways[k] for k in circle]
        steps = sum(way.steps for way in around)
        if not steps:
            names = " → ".join(way.source for way in around)
            raise Unsatisfiable(f"{names} → {around[0].source} is a circle within one node.")
        longer = sum(way.delay for way in around) / steps
        assert longer > period, "a circle gains time only below its own period"
        period = longer


def recurrence_ways(
    graph: TaskGraph,
    computer: Computer,
    before: Mapping[str, Sequence[int]],
    after: Mapping[str, int],
) -> list[Way]:
    """The ways of one node of a task graph: what its variables wait for, and how long.

    Args:
        graph: Tasks.
        computer: Says how long each takes, on the processor that is quickest at it.
        before: For every variable the tasks that make it for this node to read.
        after: For every variable the task that makes it in this node.

    Returns:
        The longest way to each variable from each one, which leads through no other.
    """
    times = quickest_times(graph, computer)
    made = {task: name for name, task in after.items()}
    read = {task: name for name, tasks in before.items() for task in tasks}
    ways = []
    for name, task in after.items():
        for source, delay in _reach(graph, times, task, frozenset({*made, *read})).items():
            if source in read:
                ways.append(Way(name, read[source], delay))
            else:
                ways.append(Way(name, made[source], delay, steps=0))
    return _longest(ways)


def _reach(
    graph: TaskGraph, times: Sequence[float], target: int, ends: frozenset[int]
) -> dict[int, float]:
    """For each of ``ends`` that a task waits for, the longest time from its end to the task's."""
    through = {target: times[target]}  # from the start of a task to the end of the target
    found: dict[int, float] = {}
    rank = {task: k for k, task in enumerate(graph.order)}
    open_tasks = {target}
    while open_tasks:
        task = max(open_tasks, key=rank.__getitem__)  # all that wait for it are done
        open_tasks.remove(task)
        for p in graph.predecessors[task]:
            if p in ends:
                found[p] = max(found.get(p, 0.0), through[task])
            else:
                through[p] = max(through.get(p, 0.0), through[task] + times[p])
                open_tasks.add(p)
    return found


def _gain(way: Way, period: float) -> float:
    """By how much a way is longer than the periods it has; zero where rounding alone differs."""
    given = way.steps * period
    gain = way.delay - given
    return 0.0 if abs(gain) <= ROUNDING * max(abs(way.delay), abs(given)) else gain


def _longest(ways: Iterable[Way]) -> list[Way]:
    """One way for each pair of variables."""
    kept: dict[tuple[str, str, int], Way] = {}
    for way in ways:
        key = way.to, way.source, way.steps
        if key not in kept or way.delay > kept[key].delay:
            kept[key] = way
    return list(kept.values())


def _relaxed(
    conditions: Sequence[AtLeast], starts: Mapping[str, float]
) -> tuple[dict[str, float], list[int]]:
    """Offsets, and numbers of conditions in a circle that cannot all hold, if there is one."""
    names = dict.fromkeys([*starts, *(x for c in conditions for x in (c.earlier, c.later))])
    offsets = {name: float(starts.get(name, 0.0)) for name in names}
    sizes = [abs(c.delay) for c in conditions] + [abs(start) for start in starts.values()]
    slack = ROUNDING * max(sizes, default=0.0)
    set_by: dict[str, int] = {}
    changed = ""
    for _ in range(len(offsets) + 1):
        changed = ""
        for k, c in enumerate(conditions):
            needed = offsets[c.earlier] + c.delay
            if needed > offsets[c.later] + slack:
                offsets[c.later], set_by[c.later], changed = needed, k, c.later
        if not changed:
            return offsets, []
    # longer than any way without a circle: what set the last one goes round
    walk: list[str] = []
    while changed not in walk:
        walk.append(changed)
        changed = conditions[set_by[changed]].earlier
    return offsets, [set_by[name] for name in walk[walk.index(changed) :]]
