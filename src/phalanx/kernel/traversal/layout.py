"""Memory layout that a traversal's machine code and its caller share.

It is a few passes over the nodes of a tree. Every node has a row of 32-bit integers in the node
table (`ROW`, then a column for each kind of array index), which say which code it runs and where
its numbers are. What nodes hand on lies in slots, as few as are alive at a time; slot 0 holds
zeros.
"""

from __future__ import annotations

from dataclasses import dataclass

from phalanx.kernel.graph.graph import Graph

# integers of a node: its kind; slots to read from and to write to, outward and inward, the one to
# add what is there; where its own numbers and what passes keep for it begin
ROW = ("kind", "out_from", "out_to", "in_from", "in_to", "in_plus", "numbers", "kept")

# words of the table that a call passes
HEADER = (
    "nodes",  # how many
    "table",  # address of the node table
    "numbers",  # address of the nodes' own numbers
    "numbers_stride",  # bytes from lane to lane there
    "kept_words",  # numbers that passes keep for all nodes, of one sample
    "kept",  # address for these, or 0: then memory is taken for the call
    "kept_stride",  # bytes from pack to pack there
    "slots",  # how many
    "samples",  # how many
    "first",  # pass to begin with
    "last",  # pass to end before
)
# then for every pass: what the root hands on or gets
PASS = ("begin", "begin_stride", "begin_slot", "end", "end_stride", "end_slot")
# then for every array
ARRAY = ("address", "stride")


# the slot that holds zeros, and the one slot of a chain
ZEROS, IN_PLACE = 0, 1


@dataclass(frozen=True)
class ArrayPort:
    """An array that steps read or write.

    Attributes:
        name: Of the ports of steps.
        column: Of the node table: where a node's numbers begin; or how many each node has, one
            after the other.
    """

    name: str
    column: str | int


@dataclass(frozen=True)
class TraversalPass:
    """One pass: its direction, how much is handed on, and a graph for every kind of node."""

    inward: bool
    carried: int
    steps: tuple[Graph, ...]


@dataclass(frozen=True)
class TraversalLayout:
    """All that is known when code is made.

    Attributes:
        passes: In order.
        arrays: That steps read and write.
        columns: Of the node table beyond `ROW`.
        kept: For every kind, where each kept port begins among what is kept for a node.
        shared_numbers: Whether all lanes are the same nodes, of several samples; else lanes are
            other nodes of the same kinds.
        in_place: Whether every node reads and writes the slot of the root, as in a chain: then what
            is handed on unchanged is not written.
    """

    passes: tuple[TraversalPass, ...]
    arrays: tuple[ArrayPort, ...]
    columns: tuple[str, ...]
    kept: tuple[dict[str, int], ...]
    shared_numbers: bool
    in_place: bool

    @property
    def row(self) -> int:
        """Integers of a node."""
        return len(ROW) + len(self.columns)

    @property
    def slot(self) -> int:
        """Numbers of a slot, of one lane."""
        return max(each.carried for each in self.passes)
