"""A scalar program written task by task.

An expression handed to :meth:`TaskWriter.task` becomes operations of that task alone. What comes
back are symbols for its results, so that later expressions read them and never repeat them. What
needs no operation (a constant, a symbol, its negative) comes back as it is, and a task without
operations does not come to be: special cases take care of themselves.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import casadi as ca
from casadi import SX

from phalanx.kernel.graph.graph import Element, Graph, Node, Port, verify
from phalanx.kernel.graph.passes.simplify import drop_unused
from phalanx.multiprocessor.tasks.cut import cut
from phalanx.multiprocessor.tasks.piece import Piece, operations_of
from phalanx.multiprocessor.tasks.sharing import shared_out
from phalanx.multiprocessor.tasks.task_graph import Task, TaskGraph

OPERATIONS_OF_A_TASK = 3


@dataclass
class TaskWriter:
    """The program so far, its tasks, and where the value of every symbol stands in it.

    Attributes:
        name: Of the graph.
        dense: Whether values that could have a task each share one where it has room.
        nodes: Operations so far.
        groups: Operations of each task, by its name.
        described: Label, link and layer of each task, by its name.
    """

    name: str
    dense: bool = False
    nodes: list[Node] = field(default_factory=list)
    groups: dict[str, list[int]] = field(default_factory=dict)
    described: dict[str, Task] = field(default_factory=dict)
    _ports: list[Port] = field(default_factory=list)
    _place: dict[int, int] = field(default_factory=dict)  # node of a symbol, by its hash
    _bound: list[SX] = field(default_factory=list)

    def input(self, name: str, size: int) -> SX:
        """A vector that the program reads, shape (size,)."""
        port = len(self._ports)
        self._ports.append(Port(name, size, 1, (size,)))
        elements = (Element(port, k) for k in range(size))
        return ca.vertcat(*(self._symbol(Node("input", element=e)) for e in elements))

    def number(self, value: SX | float) -> SX:
        """A symbol for a number: operations with it are done, whatever it is."""
        return self._symbol(Node("const", value=float(value)))

    def general(self, values: SX) -> SX:
        """A matrix with symbols in place of its numbers."""
        entries = [x if not x.is_constant() else self.number(x) for x in _entries(values)]
        return ca.reshape(ca.vertcat(*entries), *values.shape)

    def given(self, values: SX) -> SX:
        """Symbols for what is there before the work starts: functions of inputs alone."""
        return self._splice(values, None)

    def task(self, task: Task, values: SX) -> SX:
        """Symbols for values that a task computes.

        More than three operations are spread over tasks that bear a letter after the name.
        """
        return self._splice(values, task)

    def each(self, tasks: Sequence[Task], values: SX) -> SX:
        """Symbols for values computed by a task each."""
        if self.dense:
            return self.packed(tasks, values)
        pairs = zip(tasks, _entries(values), strict=True)
        return ca.vertcat(*(self.task(task, value) for task, value in pairs))

    def packed(self, tasks: Sequence[Task], values: SX) -> SX:
        """Symbols for values computed by the last few of some tasks.

        Each value goes whole into the first task that has room for its operations.
        """
        entries = _entries(values)
        rooms: list[list[int]] = []
        filled: list[int] = []
        for k, entry in enumerate(entries):
            count = operations_of(entry)
            if not count:
                continue
            most = OPERATIONS_OF_A_TASK - count
            r = next((r for r, used in enumerate(filled) if used <= most), len(rooms))
            if r == len(rooms):
                rooms.append([])
                filled.append(0)
            rooms[r].append(k)
            filled[r] += count
        for task, room in zip(tasks[len(tasks) - len(rooms) :], rooms, strict=True):
            results = self.task(task, ca.vertcat(*(entries[k] for k in room)))
            for k, result in zip(room, _entries(results), strict=True):
                entries[k] = result
        return ca.vertcat(*entries)

    def graph(self, outputs: dict[str, SX], *, needed_only: bool) -> TaskGraph:
        """The tasks, by name in order of number.

        Args:
            outputs: Names and values of the results, which may cost no operations.
            needed_only: Whether operations that no result needs are left out.
        """
        ports, results = [], []
        for name, values in outputs.items():
            results.append(tuple(self._result(x) for x in _entries(values)))
            ports.append(Port(name, len(results[-1]), 1, (len(results[-1]),)))
        identifier = re.sub(r"\W", "_", self.name)
        program = Graph(
            identifier, tuple(self._ports), tuple(ports), tuple(self.nodes), tuple(results)
        )
        groups = {name: self.groups[name] for name in sorted(self.groups, key=_by_number)}
        if needed_only:
            program, groups = _needed(program, groups)
        return cut(verify(program), groups, describe=self.described, name=self.name)

    def _splice(self, values: SX, task: Task | None) -> SX:
        """Append the operations of values; symbols for them."""
        piece = Piece.of(values)
        nodes = piece.program.nodes
        owner = {} if task is None else self._share_out(task, piece.program)
        read = {a for node in nodes for a in node.args}
        place: dict[int, int] = {}
        for n, node in enumerate(nodes):
            if node.element is not None:
                place[n] = self._place[piece.symbol(node).element_hash()]
            elif node.op != "const" or n in read:
                place[n] = len(self.nodes)
                self.nodes.append(node._replace(args=tuple(place[a] for a in node.args)))
            if n in owner:
                self.groups[owner[n]].append(place[n])
        results = []
        for n, negative in zip(piece.program.results[0], piece.negative, strict=True):
            if nodes[n].op == "const":
                value = SX(nodes[n].value)
            elif nodes[n].element is not None:
                value = piece.symbol(nodes[n])
            else:
                value = self._bind(place[n])
            results.append(-value if negative else value)
        return ca.vertcat(*results)

    def _share_out(self, task: Task, program: Graph) -> dict[int, str]:
        """The name of the task that each operation goes to."""
        parts = shared_out(program, OPERATIONS_OF_A_TASK)
        owner: dict[int, str] = {}
        for k, part in enumerate(parts):
            name = task.name if len(parts) == 1 else f"{task.name}{_letters(k)}"
            self.groups[name] = []
            self.described[name] = replace(task, name=name)
            owner.update(dict.fromkeys(part, name))
        return owner

    def _symbol(self, leaf: Node) -> SX:
        self.nodes.append(leaf)
        return self._bind(len(self.nodes) - 1)

    def _bind(self, n: int) -> SX:
        """A new symbol for node ``n``."""
        symbol = SX.sym(f"x{n}")
        self._place[symbol.element_hash()] = n
        self._bound.append(symbol)  # alive, so that no other symbol gets its hash
        return symbol

    def _result(self, value: SX) -> int:
        """The node of a value that costs nothing."""
        piece = Piece.of(value)
        node = piece.program.nodes[piece.program.results[0][0]]
        assert node.op in ("const", "input"), "a result is computed by a task"
        symbol = self.number(node.value) if node.op == "const" else piece.symbol(node)
        n = self._place[symbol.element_hash()]
        if not piece.negative[0]:
            return n
        self.nodes.append(Node("neg", (n,)))
        task = next((name for name, members in self.groups.items() if n in members), None)
        if task is not None:
            self.groups[task].append(len(self.nodes) - 1)
        return len(self.nodes) - 1


def _needed(program: Graph, groups: dict[str, list[int]]) -> tuple[Graph, dict[str, list[int]]]:
    """The operations that results need, in the tasks that are left."""
    used = set(itertools.chain.from_iterable(program.results))
    for n in reversed(range(len(program.nodes))):
        if n in used:
            used.update(program.nodes[n].args)
    number = {old: new for new, old in enumerate(sorted(used))}
    left = {name: [number[n] for n in members if n in used] for name, members in groups.items()}
    return drop_unused(program), {name: members for name, members in left.items() if members}


def _entries(values: SX) -> list[SX]:
    """The entries of a matrix, by columns."""
    dense = ca.densify(values)
    return [dense[k] for k in range(dense.numel())]


def _letters(k: int) -> str:
    """A, b, …, z, ba, bb, …: the k-th part of a task."""
    return (_letters(k // 26) if k >= 26 else "") + "abcdefghijklmnopqrstuvwxyz"[k % 26]


def _by_number(name: str) -> tuple[int, int, str]:
    digits = name.rstrip("abcdefghijklmnopqrstuvwxyz")
    return int(digits), len(name), name
