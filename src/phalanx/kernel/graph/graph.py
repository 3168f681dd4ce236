"""Expression graph of a kernel: scalar operations in static single assignment (SSA) order.

A node is one scalar operation; its number is its place in ``Graph.nodes``; its arguments are
numbers of earlier nodes. Inputs and outputs are matrices, whose elements are counted in row-major
order, the order of a C-contiguous NumPy array.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import NamedTuple

# arity of every operation a graph may hold
UNARY = frozenset(
    "neg sqrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp expm1 log log1p "
    "fabs sign floor ceil erf not sincos sin_of cos_of".split()
)
BINARY = frozenset(
    "add sub mul div pow atan2 fmod remainder fmin fmax copysign hypot "
    "lt le eq ne and or if_else_zero".split()
)
TERNARY = frozenset(["fma"])
LEAVES = frozenset(["const", "input"])
ARITY = (
    dict.fromkeys(LEAVES, 0)
    | dict.fromkeys(UNARY, 1)
    | dict.fromkeys(BINARY, 2)
    | dict.fromkeys(TERNARY, 3)
)


class Element(NamedTuple):
    """One element of one input: which input, and where in its row-major order."""

    port: int
    place: int


class Node(NamedTuple):
    """One scalar operation.

    ``value`` belongs to a ``const``, ``element`` to an ``input``. ``fma(a, b, c)`` is a*b + c
    with one rounding. ``sincos`` holds a pair, read by ``sin_of`` and ``cos_of``.
    """

    op: str
    args: tuple[int, ...] = ()
    value: float = 0.0
    element: Element | None = None


@dataclass(frozen=True)
class Port:
    """An input or output: a matrix, and the trailing shape its arrays have."""

    name: str
    rows: int
    columns: int
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        """How many elements one sample has."""
        return self.rows * self.columns


@dataclass(frozen=True)
class Graph:
    """Everything a kernel computes from one sample.

    Attributes:
        name: A C identifier.
        inputs: The matrices read.
        outputs: The matrices written.
        nodes: The operations, each after its arguments.
        results: For each output, the node of each element in row-major order.
    """

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    nodes: tuple[Node, ...]
    results: tuple[tuple[int, ...], ...]


def verify(graph: Graph) -> Graph:
    """Check that a graph is well formed and return it; every pass ends here."""
    nodes = graph.nodes
    for number, node in enumerate(nodes):
        op, args, _, element = node
        assert len(args) == ARITY.get(op), f"node {number} is no operation: {node}"
        for a in args:
            assert 0 <= a < number, f"node {number} reads {a}, which comes later"
            paired = nodes[a].op == "sincos"
            assert paired == (op in ("sin_of", "cos_of")), f"node {number} misreads a pair: {node}"
        if op == "input":
            assert element is not None, f"node {number} reads nothing"
            size = graph.inputs[element[0]].size
            assert 0 <= element[1] < size, f"node {number} reads beyond its input"
    assert len(graph.results) == len(graph.outputs), "an output without results"
    for port_out, result in zip(graph.outputs, graph.results, strict=True):
        assert len(result) == port_out.size, f"output {port_out.name} has the wrong size"
        assert all(0 <= number < len(graph.nodes) for number in result)
    return graph


@dataclass
class Builder:
    """Appends nodes, giving equal nodes one number (value numbering)."""

    nodes: list[Node] = field(default_factory=list)
    _numbers: dict[tuple[object, ...], int] = field(default_factory=dict)

    def add(self, op: str, *args: int, value: float = 0.0, element: Element | None = None) -> int:
        """The number of this node, new or known."""
        key: tuple[object, ...] = (op, args, element)
        if op == "const":
            # 0.0 == -0.0 and NaN != NaN, so the bits decide
            key = (op, struct.pack("<d", value))
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.nodes)
            self.nodes.append(Node(op, args, value, element))
        return number

    def find(self, op: str, *args: int) -> int | None:
        """The number of this node, if it is there."""
        return self._numbers.get((op, args, None))

    def constant(self, value: float) -> int:
        """The number of a constant."""
        return self.add("const", value=value)
