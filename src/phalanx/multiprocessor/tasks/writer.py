"""Builder of task graphs: a scalar program written task by task.

An expression handed to :meth:`TaskWriter.task` becomes operations of that task alone. What comes
back are symbols for its results, so that later expressions read them and never repeat them. What
needs no operation (a constant, a symbol, its negative) comes back as it is, and a task without
operations does not come to be: special cases take care of themselves. A task that would be too
large is spread over several (see :mod:`phalanx.multiprocessor.tasks.sharing`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import casadi as ca
from casadi import SX

from phalanx.base.errors import InvalidInput
from phalanx.base.short_repr import short_repr
from phalanx.kernel.graph.graph import Element, Graph, Node, Port, verify
from phalanx.multiprocessor.tasks.cut import cut, needed
from phalanx.multiprocessor.tasks.piece import Pattern, Piece, operations_of
from phalanx.multiprocessor.tasks.sharing import fitted, shared_out
from phalanx.multiprocessor.tasks.task_graph import Task, TaskGraph


@short_repr
@dataclass
class TaskWriter:
    """The program so far, its tasks, and where the value of every symbol stands in it.

    Attributes:
        name: Of the graph.
        size: The most operations of a task.
        dense: Whether values that could have a task each share one where it has room.
        nodes: Operations so far.
        groups: Operations of each task, by its name.
        described: Label, link and layer of each task, by its name.
    """

    name: str
    size: int
    dense: bool = False
    nodes: list[Node] = field(default_factory=list)
    groups: dict[str, list[int]] = field(default_factory=dict)
    described: dict[str, Task] = field(default_factory=dict)
    _ports: list[Port] = field(default_factory=list)
    _place: dict[int, int] = field(default_factory=dict)  # node of a symbol, by its hash
    _bound: list[SX] = field(default_factory=list)
    _patterns: dict[int, Pattern] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.size < 1:
            raise InvalidInput(f"tasks of up to {self.size} operations; at least one is needed.")

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

        More operations than a task may have are spread over tasks with a letter after the name.

        Raises:
            InvalidInput: There is a task of this name, or the values read a symbol that does not
                come from this writer.
        """
        return self._splice(values, task)

    def repeated(self, task: Task, pattern: ca.Function, arguments: SX) -> SX:
        """Symbols for what a task makes of some symbols, by a pattern that many tasks share.

        The same as ``task(task, pattern(arguments))``, and quicker: the pattern is read once.

        Args:
            task: The task.
            pattern: A function of one vector that gives one vector; it must live as long as this.
            arguments: Symbols for its elements.
        """
        entries = _entries(arguments)
        if not all(entry.is_symbolic() for entry in entries):
            return self.task(task, pattern(arguments))
        if pattern.__hash__() not in self._patterns:
            self._patterns[pattern.__hash__()] = Pattern.of(pattern)
        piece, places = self._patterns[pattern.__hash__()]
        return self._write(piece, [entries[k] for k in places], task)

    def load(self, task: Task, values: SX) -> SX:
        """Symbols for values that a task takes out of its processor's memory as they are.

        It costs no operation, but has a place and a moment, and others get the values from it. A
        value is written as the negative of its negative: negations are free.

        Raises:
            InvalidInput: There is a task of this name, or a value costs operations.
        """
        self._open(task)
        symbols = []
        for value in _entries(values):
            if value.is_constant():
                self.nodes.append(Node("const", value=-float(value)))
            elif value.is_symbolic():
                self.groups[task.name].append(len(self.nodes))
                self.nodes.append(Node("neg", (self._node(value),)))
            elif value.is_op(ca.OP_NEG) and value.dep(0).is_symbolic():
                self.groups[task.name] += [len(self.nodes), len(self.nodes) + 1]
                self.nodes.append(Node("neg", (self._node(value.dep(0)),)))
                self.nodes.append(Node("neg", (len(self.nodes) - 1,)))
            else:
                raise InvalidInput(f"task '{task.name}' only loads; {value} costs operations.")
            self.nodes.append(Node("neg", (len(self.nodes) - 1,)))
            self.groups[task.name].append(len(self.nodes) - 1)
            symbols.append(self._bind(len(self.nodes) - 1))
        return ca.vertcat(*symbols)

    def each(self, tasks: Sequence[Task], values: SX) -> SX:
        """Symbols for values computed by a task each."""
        entries = _entries(values)
        if len(tasks) != len(entries):
            raise InvalidInput(f"{len(entries)} values for {len(tasks)} tasks; give one to each.")
        if self.dense:
            return self.packed(tasks, values)
        pairs = zip(tasks, entries, strict=True)
        return ca.vertcat(*(self.task(task, value) for task, value in pairs))

    def packed(self, tasks: Sequence[Task], values: SX) -> SX:
        """Symbols for values computed by the last few of some tasks.

        Each value goes whole into the first task that has room for its operations; one that is
        too large for any has a task of its own, which is then spread.

        Raises:
            InvalidInput: Too few tasks.
        """
        entries = _entries(values)
        rooms = fitted([operations_of(entry) for entry in entries], self.size)
        if len(rooms) > len(tasks):
            raise InvalidInput(
                f"values that fill {len(rooms)} tasks of up to {self.size} operations; there are "
                f"{len(tasks)} tasks for them."
            )
        for task, room in zip(tasks[len(tasks) - len(rooms) :], rooms, strict=True):
            results = self.task(task, ca.vertcat(*(entries[k] for k in room)))
            for k, result in zip(room, _entries(results), strict=True):
                entries[k] = result
        return ca.vertcat(*entries)

    def graph(
        self,
        outputs: Mapping[str, SX],
        *,
        needed_only: bool = True,
        order: Callable[[str], Any] | None = None,
    ) -> TaskGraph:
        """The tasks that were written.

        Args:
            outputs: Names and values of the results, which may cost no operations.
            needed_only: Whether operations that no result needs are left out.
            order: What to sort tasks by, from their names; as they were written when not given.

        Raises:
            InvalidInput: A result costs operations, or reads a foreign symbol.
        """
        ports, results = [], []
        for name, values in outputs.items():
            results.append(tuple(self._result(name, x) for x in _entries(values)))
            ports.append(Port(name, len(results[-1]), 1, (len(results[-1]),)))
        identifier = re.sub(r"\W", "_", self.name, flags=re.ASCII)
        program = Graph(
            identifier, tuple(self._ports), tuple(ports), tuple(self.nodes), tuple(results)
        )
        groups = {
            name: self.groups[name]
            for name in (self.groups if order is None else sorted(self.groups, key=order))
        }
        if needed_only:
            program, groups = needed(program, groups)
        return cut(verify(program), groups, describe=self.described, name=self.name)

    def _splice(self, values: SX, task: Task | None) -> SX:
        """Append the operations of values; symbols for them."""
        piece = Piece.of(values)
        return self._write(piece, piece.symbols, task)

    def _write(self, piece: Piece, symbols: Sequence[SX], task: Task | None) -> SX:
        """Append the operations of a piece that reads these symbols; symbols for its results."""
        nodes = piece.program.nodes
        owner = {} if task is None else self._share_out(task, piece.program)
        read = {a for node in nodes for a in node.args}
        place: dict[int, int] = {}
        for n, node in enumerate(nodes):
            if node.element is not None:
                place[n] = self._node(_read(node, symbols))
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
                value = _read(nodes[n], symbols)
            else:
                value = self._bind(place[n])
            results.append(-value if negative else value)
        return ca.vertcat(*results)

    def _share_out(self, task: Task, program: Graph) -> dict[int, str]:
        """The name of the task that each operation goes to."""
        parts = shared_out(program, self.size)
        owner: dict[int, str] = {}
        for k, part in enumerate(parts):
            name = task.name if len(parts) == 1 else f"{task.name}{_letters(k)}"
            self._open(replace(task, name=name))
            owner.update(dict.fromkeys(part, name))
        return owner

    def _open(self, task: Task) -> None:
        """Begin a task without operations."""
        if task.name in self.groups:
            raise InvalidInput(f"'{self.name}' has two tasks called '{task.name}'.")
        self.groups[task.name] = []
        self.described[task.name] = task

    def _symbol(self, leaf: Node) -> SX:
        self.nodes.append(leaf)
        return self._bind(len(self.nodes) - 1)

    def _bind(self, n: int) -> SX:
        """A new symbol for node ``n``."""
        symbol = SX.sym(f"x{n}")
        self._place[symbol.element_hash()] = n
        self._bound.append(symbol)  # alive, so that no other symbol gets its hash
        return symbol

    def _node(self, symbol: SX) -> int:
        """The node whose value a symbol stands for."""
        n = self._place.get(symbol.element_hash())
        if n is None:
            raise InvalidInput(
                f"symbol '{symbol.name()}' does not come from the writer of '{self.name}'; take "
                "what input, number, given and task return."
            )
        return n

    def _result(self, output: str, value: SX) -> int:
        """The node of a value that costs nothing."""
        piece = Piece.of(value)
        node = piece.program.nodes[piece.program.results[0][0]]
        if node.op not in ("const", "input"):
            raise InvalidInput(f"result '{output}' costs operations; let a task compute it.")
        symbol = self.number(node.value) if node.op == "const" else piece.symbol(node)
        n = self._node(symbol)
        if not piece.negative[0]:
            return n
        self.nodes.append(Node("neg", (n,)))
        task = next((name for name, members in self.groups.items() if n in members), None)
        if task is not None:
            self.groups[task].append(len(self.nodes) - 1)
        return len(self.nodes) - 1


def _read(node: Node, symbols: Sequence[SX]) -> SX:
    """What an input of a piece stands for."""
    assert node.element is not None, "only inputs stand for symbols"
    return symbols[node.element.place]


def _entries(values: SX) -> list[SX]:
    """The entries of a matrix, by columns."""
    dense = ca.densify(values)
    return [dense[k] for k in range(dense.numel())]


def _letters(k: int) -> str:
    """Of the k-th part of a task: a, b, …, z, ba, bb, …."""
    return (_letters(k // 26) if k >= 26 else "") + "abcdefghijklmnopqrstuvwxyz"[k % 26]
