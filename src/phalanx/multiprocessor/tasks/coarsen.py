"""Task clustering: fewer and larger tasks, for less communication.

Policy: tasks that exchange numbers become one, pair by pair, in rounds, until none can without
exceeding the size asked for. In a round every task is on its earliest layer; only a task of an even
layer and one of the next join (in the following round: of an odd layer), those first that exchange
most for their size. Between such two there is no third task, so two that join never enclose one
that waits for the first and that the second waits for; only several pairs of the same two layers
can close a circle, and those are looked for. When no such pair is left, tasks of one layer that
read from the same task join, which never closes a circle. State: tasks as sets of operations.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from phalanx.base.errors import InvalidInput
from phalanx.multiprocessor.tasks.cut import cut
from phalanx.multiprocessor.tasks.task_graph import Task, TaskGraph

Pair = tuple[int, int]


def coarsen(graph: TaskGraph, operations: int) -> TaskGraph:
    """The same work in tasks of up to so many operations.

    Args:
        graph: Tasks with a program.
        operations: The most a joined task has; larger tasks stay as they are.

    Returns:
        A graph of the same program. A joined task has the name of its first member.
    """
    if operations < 1:
        raise InvalidInput(f"tasks of up to {operations} operations; at least one is needed.")
    if graph.program is None:
        raise InvalidInput(
            f"task graph '{graph.name}' has costs but no program, so its tasks cannot be joined."
        )
    if not graph.tasks:
        return graph
    size = [task.operations.total for task in graph.tasks]
    member = list(range(len(graph)))  # the joined task of each task
    parity, idle = 0, 0
    while idle < 2:
        count = max(member) + 1
        traffic = _traffic(graph, member)
        layers = _layers(count, traffic)
        chosen = _neighbours(traffic, layers, size, operations, parity)
        idle = idle + 1 if not chosen else 0
        if idle == 2:
            chosen = _siblings(traffic, layers, size, operations)
            idle = 0 if chosen else 2
        parity = 1 - parity
        member, size = _join(member, size, chosen)
    return _joined(graph, member)


def _traffic(graph: TaskGraph, member: list[int]) -> dict[Pair, int]:
    """How many tasks' results go from one joined task to another."""
    traffic: dict[Pair, int] = defaultdict(int)
    for i, before in enumerate(graph.predecessors):
        for p in before:
            if member[p] != member[i]:
                traffic[member[p], member[i]] += graph.tasks[p].words
    return dict(traffic)


def _layers(count: int, traffic: Iterable[Pair]) -> list[int]:
    """The earliest layer of each joined task, from 0."""
    after: list[list[int]] = [[] for _ in range(count)]
    missing = [0] * count
    for a, b in traffic:
        after[a].append(b)
        missing[b] += 1
    layer = [0] * count
    ready = [i for i in range(count) if not missing[i]]
    for i in ready:
        for s in after[i]:
            layer[s] = max(layer[s], layer[i] + 1)
            missing[s] -= 1
            if not missing[s]:
                ready.append(s)
    assert len(ready) == count, "joined tasks wait for each other"
    return layer


def _neighbours(
    traffic: dict[Pair, int], layers: list[int], size: list[int], most: int, parity: int
) -> list[Pair]:
    """Pairs of adjacent layers that join in this round."""
    adjacent = {
        (a, b): words
        for (a, b), words in traffic.items()
        if layers[a] % 2 == parity and layers[b] == layers[a] + 1
    }
    after: dict[int, list[int]] = defaultdict(list)
    for a, b in adjacent:
        after[a].append(b)
    partner: dict[int, int] = {}

    def closes_circle(a: int, b: int) -> bool:
        """Whether b is reached from a by way of pairs that have joined."""
        seen, todo = {a}, [a]
        while todo:
            here = todo.pop()
            for below in after[here]:
                if below == b and here != a:
                    return True
                above = partner.get(below)
                if above is not None and above not in seen:
                    seen.add(above)
                    todo.append(above)
        return False

    def gain(pair: Pair) -> tuple[float, Pair]:
        a, b = pair
        return -(adjacent[pair] ** 2) / ((1 + size[a]) * (1 + size[b])), pair

    chosen = []
    for a, b in sorted(adjacent, key=gain):
        fits = size[a] + size[b] <= most
        if fits and a not in partner and b not in partner and not closes_circle(a, b):
            partner[a], partner[b] = b, a
            chosen.append((a, b))
    return chosen


def _siblings(
    traffic: dict[Pair, int], layers: list[int], size: list[int], most: int
) -> list[Pair]:
    """Pairs of one layer that read from, or are read by, the same task."""
    families: dict[tuple[int, str, int], list[int]] = defaultdict(list)
    for a, b in traffic:
        families[layers[b], "of", a].append(b)
        families[layers[a], "for", b].append(a)
    taken: set[int] = set()
    chosen = []
    for family in families.values():
        left = sorted((i for i in family if i not in taken), key=lambda i: (size[i], i))
        for a, b in zip(left[::2], left[1::2], strict=False):
            if size[a] + size[b] <= most:
                taken |= {a, b}
                chosen.append((a, b))
    return chosen


def _join(member: list[int], size: list[int], pairs: list[Pair]) -> tuple[list[int], list[int]]:
    """Members and sizes after pairs have joined, numbered anew."""
    into = {b: a for a, b in pairs}
    kept = [i for i in range(len(size)) if i not in into]
    number = {old: new for new, old in enumerate(kept)}
    joined = [0] * len(kept)
    for old, operations in enumerate(size):
        joined[number[into.get(old, old)]] += operations
    return [number[into.get(m, m)] for m in member], joined


def _joined(graph: TaskGraph, member: list[int]) -> TaskGraph:
    """The graph of joined tasks."""
    assert graph.program is not None
    parts: dict[int, list[Task]] = defaultdict(list)
    for i in graph.order:
        parts[member[i]].append(graph.tasks[i])
    described = {}
    for tasks in parts.values():
        links = {task.link for task in tasks}
        link = links.pop() if len(links) == 1 else ""
        kind = tasks[0].kind if len(tasks) == 1 else ""
        described[tasks[0].name] = Task(
            tasks[0].name, label=f"{len(tasks)} tasks", link=link, kind=kind
        )
    groups = {tasks[0].name: [n for task in tasks for n in task.nodes] for tasks in parts.values()}
    return cut(graph.program, groups, describe=described, name=graph.name)
