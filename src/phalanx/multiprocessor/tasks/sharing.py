"""Bin packing (first fit) of operations into tasks of a given size.

Policy of :func:`shared_out`: operations are taken in order. One joins the task whose result it
waits for longest, if that has room and everything else it reads is there when that task starts;
otherwise it joins a task of the next level that has room, or opens one. Tasks of a level do not
wait for each other, so the levels are the longest chain.

Policy of :func:`fitted`: each lot goes into the first task that has room for it.
"""

from __future__ import annotations

from collections.abc import Sequence

from phalanx.kernel.graph.graph import Graph

FREE = ("const", "input", "neg")


def shared_out(program: Graph, size: int) -> list[list[int]]:
    """Nodes of each task, level by level; a negation goes with what it negates or who reads it."""
    nodes = program.nodes
    tasks: list[list[int]] = []
    work: list[int] = []  # operations in each task, negations not counted
    level: list[int] = []
    home: dict[int, int] = {}  # task of each operation

    for n, node in enumerate(nodes):
        if node.op in FREE:
            continue
        sources = {home[s] for a in node.args if (s := _unsigned(program, a)) in home}
        latest = max((level[t] for t in sources), default=-1)
        last = [t for t in sources if level[t] == latest]
        if len(last) == 1 and work[last[0]] < size:
            task = last[0]
        else:
            open_tasks = (t for t in range(len(tasks)) if level[t] == latest + 1 and work[t] < size)
            task = next(open_tasks, len(tasks))
        if task == len(tasks):
            tasks.append([])
            work.append(0)
            level.append(latest + 1)
        home[n] = task
        work[task] += 1
        tasks[task].append(n)

    for n, node in enumerate(nodes):
        for a in node.args:
            if n in home and nodes[a].op == "neg" and a not in home:
                home[a] = home.get(nodes[a].args[0], home[n])
                tasks[home[a]].append(a)
    return [tasks[t] for t in sorted(range(len(tasks)), key=lambda t: (level[t], t))]


def fitted(lots: Sequence[int], size: int) -> list[list[int]]:
    """Numbers of the lots in each task.

    Args:
        lots: How many operations each has; one without any needs no task.
        size: The most that lots of one task have together. A larger lot is alone.
    """
    tasks: list[list[int]] = []
    filled: list[int] = []
    for k, count in enumerate(lots):
        if not count:
            continue
        task = next((t for t, used in enumerate(filled) if used + count <= size), len(tasks))
        if task == len(tasks):
            tasks.append([])
            filled.append(0)
        tasks[task].append(k)
        filled[task] += count
    return tasks


def _unsigned(program: Graph, n: int) -> int:
    node = program.nodes[n]
    return node.args[0] if node.op == "neg" else n
