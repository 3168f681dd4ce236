"""Task graph: tasks and their precedence.

A task is some operations of a scalar program (see :mod:`phalanx.kernel.graph.graph`), done without
a break by one processor. Task B waits for task A when it reads a number that A computes. A graph
may also come without a program, as names and costs alone; then it can be scheduled, but not
executed.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from phalanx.base.cached import cached_property
from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.base.short_repr import short_repr
from phalanx.kernel.graph.graph import Graph
from phalanx.kernel.graph.operations import Operations

ONE_ADDITION = Operations(add=1)


class CyclicGraph(InvalidInput):
    """Tasks that wait for each other in a circle."""


@short_repr
@dataclass(frozen=True)
class Task:
    """A piece of work that one processor does without a break.

    Attributes:
        name: Its own name in the graph.
        operations: The arithmetic in it.
        label: Display name: what it computes.
        link: The body it belongs to, empty when it belongs to none.
        layer: Where its source draws it, from 1; None when the source has no drawing.
        nodes: Its operations in the graph's program, in order.
        words: How many numbers it hands on, to other tasks or as results.
        kind: What it does as a whole, for operators that do tasks of some kinds only.
    """

    name: str
    operations: Operations = ONE_ADDITION
    label: str = ""
    link: str = ""
    layer: int | None = None
    nodes: tuple[int, ...] = ()
    words: int = 1
    kind: str = ""


@short_repr
@dataclass(frozen=True)
class TaskGraph:
    """Tasks and their precedence.

    Attributes:
        name: What is computed, of which machine.
        tasks: The tasks; a task's number is its place here.
        predecessors: For each task the numbers of those it waits for.
        program: The scalar operations that tasks refer to; None for a graph of costs alone.
        link_means: What :attr:`Task.link` is in this graph, in a word, for pictures.
    """

    name: str
    tasks: tuple[Task, ...]
    predecessors: tuple[tuple[int, ...], ...]
    program: Graph | None = None
    link_means: str = "link"

    def __post_init__(self) -> None:
        """Check names, numbers and that nothing waits for itself."""
        twice = [name for name, count in Counter(t.name for t in self.tasks).items() if count > 1]
        if twice:
            raise InvalidInput(f"task graph '{self.name}' has two tasks called '{twice[0]}'.")
        if len(self.predecessors) != len(self.tasks):
            raise InvalidInput(
                f"task graph '{self.name}' has {len(self.tasks)} tasks, but precedence for "
                f"{len(self.predecessors)}."
            )
        for task, before in zip(self.tasks, self.predecessors, strict=True):
            for p in before:
                if not 0 <= p < len(self.tasks):
                    raise InvalidInput(
                        f"task '{task.name}' waits for task number {p}; there are "
                        f"{len(self.tasks)}, numbered from 0."
                    )
        self.order  # noqa: B018  a cycle shows here

    @staticmethod
    def of(
        name: str, waits_for: Mapping[str, Sequence[str]], tasks: Sequence[Task] = ()
    ) -> TaskGraph:
        """A graph from names: ``TaskGraph.of("demo", {"a": [], "b": ["a"]})``.

        Args:
            name: Of the graph.
            waits_for: For every task the names of those it waits for.
            tasks: Descriptions of tasks, by name; one operation each where there is none.
        """
        known = {task.name: task for task in tasks}
        number = {task: i for i, task in enumerate(waits_for)}
        for before in waits_for.values():
            for p in before:
                if p not in number:
                    raise UnknownName(f"task graph '{name}'", "task", p, number)
        return TaskGraph(
            name,
            tuple(known.get(task) or Task(task) for task in waits_for),
            tuple(tuple(number[p] for p in before) for before in waits_for.values()),
        )

    def __len__(self) -> int:
        return len(self.tasks)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each task by name."""
        return {task.name: i for i, task in enumerate(self.tasks)}

    def number(self, name: str) -> int:
        """The number of a task, or UnknownName."""
        if name not in self.numbers:
            raise UnknownName(f"task graph '{self.name}'", "task", name, self.numbers)
        return self.numbers[name]

    @cached_property
    def successors(self) -> tuple[tuple[int, ...], ...]:
        """For each task the numbers of those that wait for it."""
        after: list[list[int]] = [[] for _ in self.tasks]
        for i, before in enumerate(self.predecessors):
            for p in before:
                after[p].append(i)
        return tuple(tuple(a) for a in after)

    @cached_property
    def order(self) -> tuple[int, ...]:
        """The tasks, each after all it waits for; those that wait for nothing first, by number.

        Raises:
            CyclicGraph: There is no such order.
        """
        missing = [len(before) for before in self.predecessors]
        order = [i for i, count in enumerate(missing) if count == 0]
        for i in order:
            for s in self.successors[i]:
                missing[s] -= 1
                if missing[s] == 0:
                    order.append(s)
        if len(order) < len(self.tasks):
            names = [self.tasks[i].name for i in _circle(self.predecessors, missing)]
            shown = " → ".join(names[:8]) + (" → …" if len(names) > 8 else f" → {names[0]}")
            raise CyclicGraph(f"task graph '{self.name}' waits for itself: {shown}.")
        return tuple(order)

    @cached_property
    def operations(self) -> Operations:
        """The arithmetic of all tasks together."""
        total = dict.fromkeys(asdict(Operations()), 0)
        for kind, tasks in Counter(task.operations for task in self.tasks).items():
            for operation, count in asdict(kind).items():
                total[operation] += tasks * count
        return Operations(**total)

    @cached_property
    def owner(self) -> dict[int, int]:
        """The task that computes a node of the program, by node; given nodes are not in it."""
        return {n: i for i, task in enumerate(self.tasks) for n in task.nodes}

    def reads(self, task: int | str) -> tuple[int, ...]:
        """Nodes of the program that a task reads and does not compute itself."""
        return self._reads[self._place(task)]

    def writes(self, task: int | str) -> tuple[int, ...]:
        """Nodes of the program that a task hands on, to other tasks or as results."""
        handed_on = self._handed_on
        return tuple(n for n in self.tasks[self._place(task)].nodes if n in handed_on)

    def input_names(self, task: int | str) -> tuple[str, ...]:
        """Elements of the program's inputs that a task reads itself, such as ``q[2]``."""
        if self.program is None:
            return ()
        names = []
        for n in self.reads(task):
            element = self.program.nodes[n].element
            if element is not None:
                port = self.program.inputs[element.port]
                place = np.unravel_index(element.place, port.shape)
                names.append(f"{port.name}[{', '.join(str(k) for k in place)}]")
        return tuple(names)

    def _place(self, task: int | str) -> int:
        return self.number(task) if isinstance(task, str) else task

    @cached_property
    def _reads(self) -> tuple[tuple[int, ...], ...]:
        if self.program is None:
            return ((),) * len(self.tasks)
        nodes, owner = self.program.nodes, self.owner
        return tuple(
            tuple(dict.fromkeys(a for n in task.nodes for a in nodes[n].args if owner.get(a) != i))
            for i, task in enumerate(self.tasks)
        )

    @cached_property
    def _handed_on(self) -> frozenset[int]:
        results = () if self.program is None else self.program.results
        return frozenset(itertools.chain(itertools.chain.from_iterable(self._reads), *results))

    @cached_property
    def layers(self) -> tuple[int, ...]:
        """Layer of each task, from 1: the source's where it has one, else the earliest possible."""
        earliest = self.earliest_layers
        return tuple(
            earliest[i] if task.layer is None else task.layer for i, task in enumerate(self.tasks)
        )

    @cached_property
    def earliest_layers(self) -> tuple[int, ...]:
        """One more than the latest layer among the tasks it waits for."""
        layer = [0] * len(self.tasks)
        for i in self.order:
            layer[i] = 1 + max((layer[p] for p in self.predecessors[i]), default=0)
        return tuple(layer)

    @property
    def widths(self) -> tuple[int, ...]:
        """How many tasks each layer has."""
        count = Counter(self.layers)
        return tuple(count[k] for k in range(1, max(count, default=0) + 1))


def _circle(predecessors: Sequence[Sequence[int]], missing: Sequence[int]) -> list[int]:
    """Tasks of one circle, each waited for by the next, the lowest number first."""
    walk: dict[int, None] = {}
    i = next(i for i, count in enumerate(missing) if count)
    while i not in walk:
        walk[i] = None
        i = next(p for p in predecessors[i] if missing[p])
    path = list(walk)
    circle = path[path.index(i) :][::-1]
    first = circle.index(min(circle))
    return circle[first:] + circle[:first]
