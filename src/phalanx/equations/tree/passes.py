"""Outward and inward passes over a tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def outward(parents: Sequence[int], root: T, step: Callable[[int, T], T]) -> list[T]:
    """From the root to the leaves: ``step(i, value of i's parent)`` for every node.

    Args:
        parents: Parent of each node, smaller than the node; -1 is the root.
        root: The value at the root.
        step: Makes the value of node i from its parent's.
    """
    values: list[T] = []
    for i, parent in enumerate(parents):
        values.append(step(i, root if parent < 0 else values[parent]))
    return values


def inward(parents: Sequence[int], own: Sequence[T], carry: Callable[[int, T, T], T]) -> list[T]:
    """From the leaves to the root: each node hands its total to its parent.

    Args:
        parents: Parent of each node.
        own: What each node has by itself.
        carry: ``carry(i, total of the parent so far, total of i)`` gives the parent's new total.
    """
    totals = list(own)
    for i in reversed(range(len(parents))):
        parent = parents[i]
        if parent >= 0:
            totals[parent] = carry(i, totals[parent], totals[i])
    return totals
