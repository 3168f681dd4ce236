"""Builder of vector tasks: scalar nodes straight into a program, a task for each operation.

No number of the machine makes an operation fall away, not even 0 or 1: every operator does its full
work, as hardware does. A vector is the numbers of three nodes, a matrix those of nine by rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from phalanx.equations.inverse_dynamics.vector_forms.operators import PassDirection
from phalanx.kernel.graph.graph import Node
from phalanx.multiprocessor.tasks.task_graph import Task
from phalanx.multiprocessor.tasks.vector_operators.kinds import Kind
from phalanx.multiprocessor.tasks.vector_operators.place import TaskPlace
from phalanx.multiprocessor.tasks.vector_operators.sine import Sine, cosine_and_sine

Vector = tuple[int, int, int]
Matrix = tuple[int, ...]  # nine, by rows
_CYCLES = ((1, 2), (2, 0), (0, 1))


@dataclass
class VectorTaskWriter:
    """The program so far and its tasks.

    Attributes:
        nodes: Scalar operations; to begin with, what is given.
        joined: Whether segments are joined, or links taken one after another.
        matrix_products: Whether a product of matrices is one task, or one for each column.
        links: Name of the body of each joint, from joint 1.
        groups: Nodes of each task, by its name.
        described: Its kind, label and link.
        places: Where it belongs.
    """

    nodes: list[Node]
    joined: bool
    matrix_products: bool
    links: tuple[str, ...]
    groups: dict[str, list[int]] = field(default_factory=dict)
    described: dict[str, Task] = field(default_factory=dict)
    places: list[TaskPlace] = field(default_factory=list)
    _numbers: dict[float, int] = field(default_factory=dict)

    def at(self, direction: PassDirection, level: int, first: int, last: int) -> OperatorsAt:
        """Operators for joints ``first`` to ``last`` at a level."""
        return OperatorsAt(self, direction, level, first, last)

    def number(self, value: float) -> int:
        """The node of a number."""
        if value not in self._numbers:
            self._numbers[value] = self._add("const", value=value)
        return self._numbers[value]

    def add(self, op: str, *args: int) -> int:
        """A further operation; its number."""
        return self._add(op, args)

    def _add(self, op: str, args: tuple[int, ...] = (), value: float = 0.0) -> int:
        self.nodes.append(Node(op, args, value))
        return len(self.nodes) - 1

    def close(self, place: TaskPlace, kind: Kind, begin: int) -> None:
        """The operations from ``begin`` on are a task."""
        name = _name(place, self.joined)
        assert name not in self.groups, f"two tasks are called {name}"
        self.groups[name] = [
            n for n in range(begin, len(self.nodes)) if self.nodes[n].op != "const"
        ]
        # of a segment, the link that keeps the result
        link = self.links[place.index - 1] if place.index else "base"
        self.described[name] = Task(name, label=place.role, link=link, kind=kind.value)
        self.places.append(place)


@dataclass(frozen=True)
class OperatorsAt:
    """Vector operators at one place; see :class:`VectorOperators`."""

    writer: VectorTaskWriter
    direction: PassDirection
    level: int
    first: int
    last: int

    @property
    def two(self) -> int:
        """The number 2."""
        return self.writer.number(2.0)

    @property
    def zero(self) -> Vector:
        """The zero vector."""
        return (self.writer.number(0.0),) * 3

    @property
    def unit(self) -> Matrix:
        """The unit matrix."""
        one, none = self.writer.number(1.0), self.writer.number(0.0)
        return tuple(one if i == j else none for i in range(3) for j in range(3))

    def sum(self, role: str, x: Vector, y: Vector) -> Vector:
        """Sum x + y."""
        begin = len(self.writer.nodes)
        add = self.writer.add
        result = (add("add", x[0], y[0]), add("add", x[1], y[1]), add("add", x[2], y[2]))
        return self._task(role, Kind.VA, begin, result)

    def difference(self, role: str, x: Vector, y: Vector) -> Vector:
        """Difference x - y."""
        begin = len(self.writer.nodes)
        add = self.writer.add
        result = (add("sub", x[0], y[0]), add("sub", x[1], y[1]), add("sub", x[2], y[2]))
        return self._task(role, Kind.VA, begin, result)

    def scaled(self, role: str, s: int, x: Vector) -> Vector:
        """Multiple s x."""
        begin = len(self.writer.nodes)
        add = self.writer.add
        result = (add("mul", s, x[0]), add("mul", s, x[1]), add("mul", s, x[2]))
        return self._task(role, Kind.SV, begin, result)

    def cross(self, role: str, x: Vector, y: Vector) -> Vector:
        """Cross product x × y."""
        begin = len(self.writer.nodes)
        add = self.writer.add
        a, b, c = (add("sub", add("mul", x[i], y[j]), add("mul", x[j], y[i])) for i, j in _CYCLES)
        return self._task(role, Kind.VC, begin, (a, b, c))

    def dot(self, role: str, x: Vector, y: Vector) -> int:
        """Dot product x · y."""
        begin = len(self.writer.nodes)
        result = self._dot(x, y)
        self.writer.close(self._place(role), Kind.VD, begin)
        return result

    def added(self, role: str, x: int, y: int) -> int:
        """Sum of two numbers, by one adder."""
        return self._scalar(role, Kind.VA, "add", x, y)

    def subtracted(self, role: str, x: int, y: int) -> int:
        """Difference of two numbers, by one adder."""
        return self._scalar(role, Kind.VA, "sub", x, y)

    def multiplied(self, role: str, x: int, y: int) -> int:
        """Product of two numbers, by one multiplier."""
        return self._scalar(role, Kind.SV, "mul", x, y)

    def reciprocal(self, role: str, x: int) -> int:
        """One over a number."""
        return self._scalar(role, Kind.RC, "div", self.writer.number(1.0), x)

    def turn(self, role: str, method: Sine, angle: int) -> Matrix:
        """Matrix of a rotation about z, from its angle."""
        begin = len(self.writer.nodes)
        c, s = cosine_and_sine(self.writer, method, angle)
        back = self.writer.add("neg", s)
        self.writer.close(self._place(role), method.kind, begin)
        one, none = self.writer.number(1.0), self.writer.number(0.0)
        return (c, back, none, s, c, none, none, none, one)

    def turned(self, role: str, A: Matrix, x: Vector) -> Vector:
        """A x."""
        return self._task(role, Kind.MV, len(self.writer.nodes), self._rows_times(A, x))

    def turned_back(self, role: str, A: Matrix, x: Vector) -> Vector:
        """Aᵀ x."""
        return self._task(role, Kind.MV, len(self.writer.nodes), self._rows_times(_flipped(A), x))

    def product(self, role: str, A: Matrix, B: Matrix) -> Matrix:
        """A B, column by column."""
        begin = len(self.writer.nodes)
        columns = []
        for k in range(3):
            column = self._rows_times(A, (B[k], B[k + 3], B[k + 6]))
            columns.append(column)
            if not self.writer.matrix_products:
                self._task(f"{role}{k + 1}", Kind.MV, begin, column)
                begin = len(self.writer.nodes)
        if self.writer.matrix_products:
            self.writer.close(self._place(role), Kind.MM, begin)
        return self.matrix(columns)

    def entry(self, x: Vector, k: int) -> int:
        """Component k of a vector, from 0."""
        return x[k]

    def columns(self, A: Matrix) -> tuple[Vector, Vector, Vector]:
        """Columns of a matrix."""
        x, y, z = ((A[k], A[k + 3], A[k + 6]) for k in range(3))
        return x, y, z

    def matrix(self, columns: Sequence[Vector]) -> Matrix:
        """A matrix of three columns."""
        return tuple(column[i] for i in range(3) for column in columns)

    def transposed(self, A: Matrix) -> Matrix:
        """Aᵀ."""
        return _flipped(A)

    def _scalar(self, role: str, kind: Kind, op: str, x: int, y: int) -> int:
        result = self.writer.add(op, x, y)
        self.writer.close(self._place(role), kind, result)
        return result

    def _rows_times(self, A: Matrix, x: Vector) -> Vector:
        return self._dot(A[0:3], x), self._dot(A[3:6], x), self._dot(A[6:9], x)

    def _dot(self, x: tuple[int, ...], y: tuple[int, ...]) -> int:
        add = self.writer.add
        pair = add("add", add("mul", x[2], y[2]), add("mul", x[1], y[1]))
        return add("add", pair, add("mul", x[0], y[0]))

    def _task(self, role: str, kind: Kind, begin: int, result: Vector) -> Vector:
        self.writer.close(self._place(role), kind, begin)
        return result

    def _place(self, role: str) -> TaskPlace:
        keeps = self.first if self.direction is PassDirection.INWARD else self.last
        return TaskPlace(self.direction.value, self.level, keeps, role, self.first, self.last)


def _flipped(A: Matrix) -> Matrix:
    return tuple(A[3 * j + i] for i in range(3) for j in range(3))


def _name(place: TaskPlace, joined: bool) -> str:
    """As ``3.T4`` of link 3, ``0:5.T7`` of the motion of a segment, ``5:2.T19`` of its load.

    Where segments are joined, leaves outward have the names of segments, ``3:3.w``: some of their
    roles are also those of what the link does by itself.
    """
    if place.direction == PassDirection.OUTWARD and joined:
        return f"{place.first}:{place.last}.{place.role}"
    if place.level:
        return f"{place.last}:{place.first}.{place.role}"
    return f"{place.index}.{place.role}"
