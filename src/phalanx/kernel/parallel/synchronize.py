"""Synchronization of processors that share one graph: the waits that are needed (vector clocks).

Every processor takes its steps in order; a step is a list of nodes. A step that reads a node of
another processor waits until that processor has taken the step which computes it.

Policy: no wait is emitted that an earlier one covers. Who has waited for a step of another
processor knows all its earlier steps, and all that *it* had waited for by then, since an
acquire that meets a release sees everything before that release, its own acquires included. State:
for each processor the last step it knows of every other one (a vector clock).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from phalanx.base.errors import CompileError
from phalanx.kernel.graph.graph import LEAVES, Graph

Steps = Sequence[Sequence[Sequence[int]]]


class Wait(NamedTuple):
    """For the end of a step of another processor."""

    processor: int
    step: int


@dataclass(frozen=True)
class ProcessorScript:
    """Steps and waits of one processor.

    Attributes:
        steps: Nodes of each step, in order.
        waits: Before each step, what has to be over.
        publishes: Steps whose end another processor waits for.
        shown: Nodes that other processors read.
    """

    steps: tuple[tuple[int, ...], ...]
    waits: tuple[tuple[Wait, ...], ...]
    publishes: frozenset[int]
    shown: frozenset[int]


def synchronize(graph: Graph, steps: Steps) -> tuple[ProcessorScript, ...]:
    """A script for each processor.

    Args:
        graph: Scalar operations.
        steps: For each processor its steps, each a list of nodes in order. A node may be computed
            by several processors; each then reads its own.

    Raises:
        CompileError: A node is read that is not computed before, or processors wait for each other
            in a circle.
    """
    count = len(steps)
    own = [{n: s for s, nodes in enumerate(mine) for n in nodes} for mine in steps]
    home: dict[int, Wait] = {}
    for p in reversed(range(count)):
        home |= {n: Wait(p, s) for n, s in own[p].items()}
    shown: list[set[int]] = [set() for _ in range(count)]
    needs = [_needs(graph, mine, own[p], home, shown) for p, mine in enumerate(steps)]

    waits: list[list[tuple[Wait, ...]]] = [[] for _ in range(count)]
    clock = [[-1] * count for _ in range(count)]
    known_after: dict[Wait, list[int]] = {}  # what who waits for this step learns
    asked = {wait for mine in needs for step in mine for wait in step}
    held: dict[Wait, list[int]] = {}  # processors that cannot go on before this step
    active = list(range(count))
    while active:
        p = active.pop()
        while (s := len(waits[p])) < len(steps[p]):
            late = [w for w in needs[p][s] if len(waits[w.processor]) <= w.step]
            if late:
                held.setdefault(late[0], []).append(p)
                break
            waits[p].append(_uncovered(needs[p][s], clock[p], known_after))
            for wait in waits[p][s]:
                clock[p] = [max(a, b) for a, b in zip(clock[p], known_after[wait], strict=True)]
            clock[p][p] = s
            if Wait(p, s) in asked:
                known_after[Wait(p, s)] = list(clock[p])
                active += held.pop(Wait(p, s), [])
    if held:
        circle = ", ".join(f"{p} for {w.processor}" for w, ps in held.items() for p in ps)
        raise CompileError(f"'{graph.name}': processors wait in a circle: {circle}.")
    awaited = {wait for mine in waits for step in mine for wait in step}
    return tuple(
        ProcessorScript(
            tuple(tuple(nodes) for nodes in steps[p]),
            tuple(waits[p]),
            frozenset(w.step for w in awaited if w.processor == p),
            frozenset(shown[p]),
        )
        for p in range(count)
    )


def _needs(
    graph: Graph,
    mine: Sequence[Sequence[int]],
    own: dict[int, int],
    home: dict[int, Wait],
    shown: list[set[int]],
) -> list[list[Wait]]:
    """For each step of one processor the last step it needs of each other one."""
    needs = []
    done: set[int] = set()
    for nodes in mine:
        latest: dict[int, int] = {}
        for n in nodes:
            for a in graph.nodes[n].args:
                if a in done or graph.nodes[a].op in LEAVES:
                    continue
                if a in own or a not in home:
                    raise CompileError(f"'{graph.name}': node {n} is before node {a} it reads.")
                processor, step = home[a]
                latest[processor] = max(step, latest.get(processor, -1))
                shown[processor].add(a)
            done.add(n)
        needs.append([Wait(*item) for item in sorted(latest.items())])
    return needs


def _uncovered(
    needs: Sequence[Wait], clock: Sequence[int], known_after: dict[Wait, list[int]]
) -> tuple[Wait, ...]:
    """Those that neither an earlier wait nor another one of these covers."""
    new = [w for w in needs if w.step > clock[w.processor]]
    return tuple(
        w
        for w in new
        if not any(known_after[other][w.processor] >= w.step for other in new if other != w)
    )
