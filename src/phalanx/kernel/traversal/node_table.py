"""Node table of a tree: the code of each node and the offsets of its numbers.

What a node hands on must lie somewhere until its neighbours have read it. Policy: slots are given
out along the order of the pass and taken back after the last reader, so a chain needs one for any
length, a tree as many as it has branches open at a time. A node may write where it has read:
machine code reads all before it writes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from phalanx.kernel.traversal.layout import ROW, ZEROS

Integers = NDArray[np.int32]


@final
@dataclass(frozen=True, eq=False)
class NodeTable:
    """Rows for machine code, and what it needs beside them.

    Attributes:
        rows: Integers, shape (nodes, columns).
        numbers: Of all nodes, those that are arguments of their kinds' code, one after the other.
        kept_words: How many numbers passes keep for all nodes.
        slots: How many.
        root_out, root_in: Slots of the root, outward and inward.
    """

    rows: Integers
    numbers: NDArray[np.float64]
    kept_words: int
    slots: int
    root_out: int
    root_in: int


def node_table(
    parent: Integers,
    kind: Integers,
    numbers: Sequence[NDArray[Any]],
    kept: Sequence[int],
    columns: Mapping[str, Integers],
) -> NodeTable:
    """The table of a tree.

    Args:
        parent: Of each node, smaller than the node; -1 for the root.
        kind: Of each node.
        numbers: For each kind the arguments of its nodes in rising order, (members, arguments).
        kept: For each kind, how many numbers passes keep for a node.
        columns: Further integers of the nodes.
    """
    count = len(parent)
    rows = np.zeros((count, len(ROW) + len(columns)), np.int32)
    widths = np.array([table.shape[1] for table in numbers], np.int64)[kind]
    starts = np.cumsum(widths) - widths
    flat = np.zeros(int(widths.sum()))
    for k, table in enumerate(numbers):
        members = np.flatnonzero(kind == k)
        flat[starts[members][:, None] + np.arange(table.shape[1])] = table
    kept_widths = np.array(kept, np.int64)[kind]
    named: dict[str, Any] = {
        "kind": kind,
        "numbers": starts,
        "kept": np.cumsum(kept_widths) - kept_widths,
        **columns,
    }
    outward, out_slots, root_out = _outward(parent)
    inward, in_slots, root_in = _inward(parent)
    named |= outward | inward
    for k, name in enumerate((*ROW, *columns)):
        rows[:, k] = named[name]
    slots = max(out_slots, in_slots)
    return NodeTable(rows, flat, int(kept_widths.sum()), slots, root_out, root_in)


def _is_chain(parent: Integers) -> bool:
    return bool(np.array_equal(parent, np.arange(-1, len(parent) - 1)))


def _outward(parent: Integers) -> tuple[dict[str, Any], int, int]:
    """Slots to read from and to write to, how many there are, and the root's."""
    if _is_chain(parent):
        return {"out_from": 1, "out_to": 1}, 2, 1
    left = np.bincount(parent + 1, minlength=len(parent) + 1).tolist()  # children to come
    supply = _Supply()
    slot = {-1: supply.take()}
    source, target = [], []
    for i, above in enumerate(parent.tolist()):
        source.append(slot[above])
        left[above + 1] -= 1
        if not left[above + 1]:
            supply.give_back(slot.pop(above))
        own = supply.take()
        target.append(own)
        if left[i + 1]:
            slot[i] = own
        else:
            supply.give_back(own)
    return {"out_from": source, "out_to": target}, supply.count, source[0] if source else 1


def _inward(parent: Integers) -> tuple[dict[str, Any], int, int]:
    if _is_chain(parent):
        handed = np.ones(len(parent), np.int32)
        handed[-1:] = ZEROS
        return {"in_from": handed, "in_to": 1, "in_plus": ZEROS}, 2, 1
    supply = _Supply()
    slot: dict[int, int] = {}
    source, target, plus = [], [], []
    for i in range(len(parent) - 1, -1, -1):
        above = int(parent[i])
        own = slot.pop(i, ZEROS)
        source.append(own)
        if own:
            supply.give_back(own)
        plus.append(slot.get(above, ZEROS))
        if above not in slot:
            slot[above] = supply.take()
        target.append(slot[above])
    root = slot.get(-1, 1)
    return (
        {"in_from": source[::-1], "in_to": target[::-1], "in_plus": plus[::-1]},
        max(2, supply.count),
        root,
    )


class _Supply:
    """Slots to give out, the one given back last first."""

    def __init__(self) -> None:
        self.count = 1  # slot 0 holds zeros
        self._free: list[int] = []

    def take(self) -> int:
        if self._free:
            return self._free.pop()
        self.count += 1
        return self.count - 1

    def give_back(self, slot: int) -> None:
        self._free.append(slot)
