"""Conversion of vector-operation tasks into a straight-line program for chips.

A task holds scalar operations. From them and its kind follows which scalars are its operands; who
computes these says where a chip's wires lead. What no task computes is given by the host: constants
of the machine, its motion, and the sines and cosines of its angles, which no chip can take.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from phalanx.base.errors import InvalidInput
from phalanx.hardware.chip.by_numpy import Array
from phalanx.hardware.chip.vector_program import (
    BEYOND,
    KINDS,
    NotOnChip,
    Operand,
    Operation,
    Output,
    Source,
    VectorProgram,
)
from phalanx.kernel.graph.graph import Graph
from phalanx.multiprocessor.plans.evaluate import given_values
from phalanx.multiprocessor.tasks.task_graph import TaskGraph

Scalars = tuple[int | None, ...]  # nodes of a program; None is a component that is not read
Term = tuple[bool, tuple[int, ...]]  # whether it is added, and one or two factors


@dataclass(frozen=True)
class ChipTasks:
    """A task graph as a program for chips.

    Attributes:
        graph: The tasks.
        program: The same for chips.
        given: The scalars of each port, as nodes of the graph's program.
    """

    graph: TaskGraph
    program: VectorProgram
    given: tuple[Scalars, ...]

    def host_values(self, *inputs: Any) -> Array:
        """What the host writes for some samples, shape (samples, ports, 3).

        Args:
            inputs: For each input of the graph's program an array, shape (samples, size).
        """
        scalars = self.graph.program
        assert scalars is not None, "it was read from a program"
        rows = []
        for one in zip(*(np.asarray(x, dtype=np.float64) for x in inputs), strict=True):
            values = given_values(scalars, one, self.graph.owner)
            rows.append([[0.0 if n is None else float(values[n]) for n in p] for p in self.given])
        return np.array(rows).reshape(len(rows), len(self.given), 3)


def read_tasks(graph: TaskGraph, *, needed_only: bool = True) -> ChipTasks:
    """A task graph of vector operations as a program for chips.

    Args:
        graph: The tasks.
        needed_only: Whether operations that no output needs are left out.

    Raises:
        NotOnChip: A task is of a kind, or does something, that chips cannot do.
        InvalidInput: An operand is neither what one task computes nor what is given.
    """
    if graph.program is None:
        raise InvalidInput(f"task graph '{graph.name}' has costs but no program for chips to run.")
    whole = _TaskReader(graph, graph.program).read()
    if not needed_only:
        return whole
    needed = whole.program.needed()
    kept = set(needed.ports)
    pairs = zip(whole.program.ports, whole.given, strict=True)
    return ChipTasks(graph, needed, tuple(given for name, given in pairs if name in kept))


@dataclass
class _TaskReader:
    graph: TaskGraph
    scalars: Graph
    place: dict[int, tuple[int, int]] = field(default_factory=dict)  # node to operation, component
    ports: dict[Scalars, int] = field(default_factory=dict)
    operations: list[Operation] = field(default_factory=list)

    def read(self) -> ChipTasks:
        for i in self.graph.order:
            self._take(i)
        outputs = []
        for port, nodes in zip(self.scalars.outputs, self.scalars.results, strict=True):
            for k, n in enumerate(nodes):
                name = f"{port.name}[{k}]"
                if n not in self.place:
                    raise InvalidInput(
                        f"output {name} of '{self.graph.name}' is computed by no task of its own."
                    )
                operation, component = self.place[n]
                outputs.append(Output(name, operation, component + 1))
        program = VectorProgram(
            self.graph.name, self._port_names(), tuple(self.operations), tuple(outputs)
        )
        return ChipTasks(self.graph, program, tuple(self.ports))

    def _take(self, i: int) -> None:
        task = self.graph.tasks[i]
        if task.kind not in KINDS:
            more = " Write products of matrices column by column." if task.kind == "MM" else ""
            raise NotOnChip(
                f"task '{task.name}' is of kind '{task.kind or 'none'}', which no chip has. Chips "
                f"have {', '.join(KINDS)}; {BEYOND}.{more}"
            )
        own = set(task.nodes)
        inside = {a for n in task.nodes for a in self.scalars.nodes[n].args if a in own}
        results = [n for n in task.nodes if n not in inside]
        terms = [self._terms(task.name, n, own) for n in results]
        number = len(self.operations)
        try:
            a, b = _OPERANDS[task.kind](terms)
            first = self._matrix(a) if task.kind == "MV" else self._vector(a)
            if first is None:
                raise ValueError
            second = self._vector(b)
        except (ValueError, IndexError):
            raise InvalidInput(
                f"task '{task.name}' is called {task.kind}, {KINDS[task.kind]}, but does something "
                "else, or its operands are not results of one task each."
            ) from None
        self.operations.append(Operation(task.name, task.kind, first, second))
        for component, n in enumerate(results):
            self.place[n] = (number, component)

    def _terms(self, name: str, n: int, own: set[int], added: bool = True) -> list[Term]:
        """A result as a sum of products of what its task reads."""
        if n not in own:
            return [(added, (n,))]
        node = self.scalars.nodes[n]
        if node.op in ("add", "sub"):
            left, right = node.args
            second = added if node.op == "add" else not added
            return self._terms(name, left, own, added) + self._terms(name, right, own, second)
        if node.op == "mul" and not own & set(node.args):
            return [(added, node.args)]
        raise NotOnChip(f"task '{name}' has the operation '{node.op}'; {BEYOND}.")

    def _vector(self, nodes: Scalars) -> Operand:
        return Operand((self._source(nodes),))

    def _matrix(self, rows: Scalars) -> Operand:
        """Nine scalars by rows, as three rows or three columns that come from somewhere."""
        for shape, lines in (
            ("rows", [rows[k : k + 3] for k in (0, 3, 6)]),
            ("columns", [rows[k::3] for k in range(3)]),
        ):
            if all(self._is_vector(line) for line in lines):
                return Operand(tuple(self._source(line) for line in lines), shape)
        raise ValueError

    def _is_vector(self, nodes: Scalars) -> bool:
        known = [n for n in nodes if n is not None]
        places = [self.place[n] for n in known if n in self.place]
        if not places:
            return True
        whole = [(places[0][0], k) for k in range(len(known))]
        return len(places) == len(known) and places == whole

    def _source(self, nodes: Scalars) -> Source:
        if not self._is_vector(nodes):
            raise ValueError
        first = nodes[0]
        if first in self.place and first is not None:
            return Source(self.place[first][0])
        return Source(self.ports.setdefault(nodes, len(self.ports)), from_host=True)

    def _port_names(self) -> tuple[str, ...]:
        """Display name: the operation that reads a port first, and which operand it is."""
        names: dict[int, str] = {}
        for operation in self.operations:
            for operand, letter in ((operation.a, "A"), (operation.b, "B")):
                for k, source in enumerate(operand.sources, start=1):
                    if source.from_host:
                        line = f"{letter}{k}" if len(operand.sources) > 1 else letter
                        names.setdefault(source.place, f"{operation.name}.{line}")
        return tuple(names[k] for k in range(len(self.ports)))


def _sum(terms: Sequence[Sequence[Term]]) -> tuple[Scalars, Scalars]:
    _signs(terms, (True, True), lines=1 if len(terms) == 1 else 3)
    rest = (None,) * (3 - len(terms))  # a sum of two scalars leaves two adders idle
    return _column(terms, 0, 0) + rest, _column(terms, 1, 0) + rest


def _scaled(terms: Sequence[Sequence[Term]]) -> tuple[Scalars, Scalars]:
    _signs(terms, (True,))
    (scalar,) = {line[0][1][0] for line in terms}
    return (scalar, None, None), _column(terms, 0, 1)


def _cross(terms: Sequence[Sequence[Term]]) -> tuple[Scalars, Scalars]:
    _signs(terms, (True, False))
    # component c is x[c+1] y[c+2] - x[c+2] y[c+1]
    x, y = _column(terms, 0, 0), _column(terms, 0, 1)
    x, y = (x[2], x[0], x[1]), (y[1], y[2], y[0])
    again = (x[2], x[0], x[1]), (y[1], y[2], y[0])
    if (_column(terms, 1, 0), _column(terms, 1, 1)) != again:
        raise ValueError
    return x, y


def _dot(terms: Sequence[Sequence[Term]]) -> tuple[Scalars, Scalars]:
    _signs(terms, (True, True, True), lines=1)
    pairs = [factors for _, factors in reversed(terms[0])]
    return tuple(a for a, _ in pairs), tuple(b for _, b in pairs)


def _turned(terms: Sequence[Sequence[Term]]) -> tuple[Scalars, Scalars]:
    _signs(terms, (True, True, True))
    lines = [[factors for _, factors in reversed(line)] for line in terms]
    (vector,) = {tuple(b for _, b in line) for line in lines}
    return tuple(a for line in lines for a, _ in line), vector


_OPERANDS = {"VA": _sum, "SV": _scaled, "VC": _cross, "VD": _dot, "MV": _turned}


def _signs(terms: Sequence[Sequence[Term]], signs: tuple[bool, ...], lines: int = 3) -> None:
    """Check that every component is made of terms with these signs."""
    if len(terms) != lines or any(tuple(added for added, _ in line) != signs for line in terms):
        raise ValueError


def _column(terms: Sequence[Sequence[Term]], term: int, factor: int) -> Scalars:
    return tuple(line[term][1][factor] for line in terms)
