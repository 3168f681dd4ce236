"""The nodes of a triangular mesh and the links between their ports.

Node (k, i) stands in row k and column i. Column i belongs to body i, row k to joint k with k <= i;
row 0 is the pipeline of forces, and (0, 0) the interface to the world. Nodes have four ports:
north, south, east and west join neighbours. The north of (0, i) is joined to the east of node
(n + 1 - i, n), so that row 0 serves as a last column, and the west of (0, 0) to the east of (0, n),
so that row 0 is a ring. Where bodies branch, rows 0 and 1 have a bus each beside these links.

A machine with loops has more bodies than freedoms: its mesh has a column for each body and a row
for each freedom. Above row 0 it has a row for loops and cylinders, joined to row 0 by a fifth port.

Reference:
    Wong (1991), chapter 4, §5.3, §6.4.2 to §6.4.4.
"""

from __future__ import annotations

from dataclasses import dataclass

from phalanx.base.cached import cached_property
from phalanx.base.errors import InvalidInput
from phalanx.multiprocessor.computers.topology import Topology

Node = tuple[int, int]
End = tuple[Node, str]  # a port of a node

NORTH, SOUTH, EAST, WEST, ABOVE = "north", "south", "east", "west", "above"
INTERFACE: Node = (0, 0)
TOP = -1
"""The row above row 0."""


def node_name(node: Node) -> str:
    """``(1,4)``."""
    return f"({node[0]},{node[1]})"


@dataclass(frozen=True)
class Shape:
    """A mesh of so many columns.

    Attributes:
        columns: How many bodies it holds.
        buses: Whether rows 0 and 1 have a bus each.
        rows: How many freedoms it holds, n; as many as there are bodies when not given.
        top: Whether there is a row above row 0.
    """

    columns: int
    buses: bool = False
    rows: int | None = None
    top: bool = False

    def __post_init__(self) -> None:
        if self.columns < 1:
            raise InvalidInput(f"a mesh of {self.columns} columns; there must be at least one.")
        if not 1 <= self.freedoms <= self.columns:
            raise InvalidInput(
                f"a mesh of {self.rows} rows and {self.columns} columns; there must be at least "
                "one row, and no more rows than columns."
            )

    @property
    def freedoms(self) -> int:
        """How many rows there are below row 0, n."""
        return self.columns if self.rows is None else self.rows

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """The interface and, for n columns, n(n+1)/2 + n others, by rows; the top row last."""
        n = self.columns
        row_0 = tuple((0, i) for i in range(n + 1))
        below = tuple((k, i) for k in range(1, self.freedoms + 1) for i in range(k, n + 1))
        return row_0 + below + (tuple((TOP, i) for i in range(n + 1)) if self.top else ())

    @cached_property
    def numbers(self) -> dict[Node, int]:
        """The processor that each node is."""
        return {node: number for number, node in enumerate(self.nodes)}

    @cached_property
    def links(self) -> tuple[tuple[End, End], ...]:
        """The declared links, port to port; each carries both directions at a time."""
        n = self.columns
        along = [((k, i), (k, i + 1)) for k, i in self.nodes if i < n]
        last = self.freedoms
        down = [((k, i), (k + 1, i)) for k, i in self.nodes if 0 <= k < min(i, last)]
        top = [((TOP, i), (0, i)) for k, i in self.nodes if k == TOP]
        return (
            *(((a, EAST), (b, WEST)) for a, b in along),
            *(((a, SOUTH), (b, NORTH)) for a, b in down),
            *((((0, i), NORTH), ((last + 1 - i, n), EAST)) for i in range(1, last + 1)),
            ((INTERFACE, WEST), ((0, n), EAST)),
            *(((a, SOUTH), (b, ABOVE)) for a, b in top),
        )

    @cached_property
    def wires(self) -> dict[End, tuple[int, Node]]:
        """Wire out of each port, and the node that it leads to."""
        out: dict[End, tuple[int, Node]] = {}
        for number, (one, other) in enumerate(self.links):
            out[one] = 2 * number, other[0]
            out[other] = 2 * number + 1, one[0]
        return out

    def bus(self, row: int) -> int:
        """The wire that all nodes of row 0 or 1 share.

        Raises:
            InvalidInput: There is none.
        """
        if not self.buses or row not in (0, 1):
            raise InvalidInput(
                f"row {row} of a mesh of {self.columns} columns has no bus; rows 0 and 1 of a mesh "
                "for branched machines have one each."
            )
        return 2 * len(self.links) + row

    @cached_property
    def topology(self) -> Topology:
        """The links as wires, one for each direction; then the buses."""
        number = self.numbers
        wires: list[tuple[int, ...]] = []
        for (one, _), (other, _) in self.links:
            wires += [(number[one], number[other]), (number[other], number[one])]
        if self.buses:
            rows = [[node for node in self.nodes if node[0] == row and node[1]] for row in (0, 1)]
            wires += [tuple(number[node] for node in row) for row in rows]
        return Topology(
            "triangular mesh",
            len(self.nodes),
            tuple(wires),
            one_way=True,
            names=tuple(map(node_name, self.nodes)),
        )

    def out_of(self, node: Node, port: str) -> tuple[int, Node]:
        """The wire out of a port, and the node that it leads to.

        Raises:
            InvalidInput: Nothing is joined to that port.
        """
        if (node, port) not in self.wires:
            raise InvalidInput(
                f"nothing is joined to the {port} of node {node_name(node)} in a mesh of "
                f"{self.columns} columns; {self._neighbours(node)}"
            )
        return self.wires[node, port]

    def between(self, one: Node, other: Node) -> int:
        """The wire from a node to another; the first where there are two.

        Raises:
            InvalidInput: No link is declared between them.
        """
        for (node, _), (wire, there) in self.wires.items():
            if (node, there) == (one, other):
                return wire
        raise InvalidInput(
            f"no link is declared between nodes {node_name(one)} and {node_name(other)}; "
            f"{self._neighbours(one)}"
        )

    @property
    def positions(self) -> dict[str, tuple[float, float]]:
        """Where nodes are drawn, to the right and down, by name."""
        return {node_name((k, i)): (float(i), float(k)) for k, i in self.nodes}

    def _neighbours(self, node: Node) -> str:
        if node not in self.numbers:
            return f"it has no node {node_name(node)}."
        there = [
            f"{node_name(other)} ({port})"
            for (n, port), (_, other) in self.wires.items()
            if n == node
        ]
        return f"{node_name(node)} is joined to {', '.join(there)}."
