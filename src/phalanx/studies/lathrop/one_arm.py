"""Tasks of vector operators for one arm alone: without products with 0 and 1, and sums with 0.

Programs of microprocessors are written for an arm, with its right angles and zero lengths in them.
Here constants go through the tasks' scalar operations, and what remains is counted. Nothing is
shared between operations that compute the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from phalanx.kernel.graph.graph import Graph
from phalanx.kernel.graph.operations import Operations, operations
from phalanx.multiprocessor.tasks.task_graph import TaskGraph

ROUNDING = 1e-12  # of the cosine of a right angle


@dataclass(frozen=True)
class NeededTask:
    """What is left of a task.

    Attributes:
        work: Its operations.
        predecessors: Tasks whose results it reads, from 0.
    """

    work: Operations
    predecessors: tuple[int, ...]


def needed_tasks(graph: TaskGraph) -> list[NeededTask]:
    """What is left of each task of a graph of vector operators."""
    assert graph.program is not None, "vector tasks have a program"
    values = _Values(graph.program)
    needed = []
    for i, task in enumerate(graph.tasks):
        left = [n for n in task.nodes if values.is_computed(n)]
        read = (values.source[a] for n in left for a in graph.program.nodes[n].args)
        owners = dict.fromkeys(graph.owner[n] for n in read if n in graph.owner)
        owners.pop(i, None)
        work = operations(graph.program.nodes[n] for n in left)
        needed.append(NeededTask(work, tuple(owners)))
    return needed


@dataclass
class _Values:
    """What nodes of a program are, where constants go through them.

    Attributes:
        program: The program.
        constant: Values of nodes that are constant.
        source: For each node the one that computes it, but for the sign; itself where it does.
    """

    program: Graph
    constant: dict[int, float] = field(default_factory=dict)
    source: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        for n, node in enumerate(self.program.nodes):
            self.source.append(n)
            a, b = (*node.args, n, n)[:2]
            if node.op == "const":
                self._set(n, node.value)
            elif node.op == "neg":
                self._follow(n, a, -1)
            elif node.op == "mul":
                self._product(n, a, b)
            elif node.op in ("add", "sub"):
                self._sum(n, a, b, 1 if node.op == "add" else -1)

    def is_computed(self, n: int) -> bool:
        """Whether a node is an operation that is left."""
        return n not in self.constant and self.source[n] == n

    def _set(self, n: int, value: float) -> None:
        near = round(value)
        self.constant[n] = near if abs(value - near) < ROUNDING else value

    def _follow(self, n: int, other: int, sign: int = 1) -> None:
        self.source[n] = self.source[other]
        if other in self.constant:
            self._set(n, sign * self.constant[other])

    def _product(self, n: int, a: int, b: int) -> None:
        x, y = self.constant.get(a), self.constant.get(b)
        if x is not None and y is not None:
            self._set(n, x * y)
        elif x == 0 or y == 0:
            self._set(n, 0.0)
        elif x in (1, -1):
            self._follow(n, b)
        elif y in (1, -1):
            self._follow(n, a)

    def _sum(self, n: int, a: int, b: int, sign: int) -> None:
        x, y = self.constant.get(a), self.constant.get(b)
        if x is not None and y is not None:
            self._set(n, x + sign * y)
        elif x == 0:
            self._follow(n, b)
        elif y == 0:
            self._follow(n, a)
