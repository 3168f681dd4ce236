"""Heavy-path decomposition of a tree: rows of nodes, each on the one before.

Policy: every node goes on to the child that carries most nodes, and its other children begin paths
of their own (heavy paths). Then a way from a node to the root changes paths at most log2(n) times,
because each change at least doubles what is carried.
"""

from __future__ import annotations

from collections.abc import Sequence


def heavy_paths(parents: Sequence[int]) -> list[list[int]]:
    """The nodes of a tree in rows, those nearest the root first.

    Args:
        parents: Parent of each node, smaller than the node; -1 is the root.

    Returns:
        Paths from the root outward; a path comes after the one that it hangs on.
    """
    heaviest = heaviest_children(parents)
    paths = []
    for i, parent in enumerate(parents):
        if parent >= 0 and heaviest[parent] == i:
            continue  # on its parent's path
        path = [i]
        while path[-1] in heaviest:
            path.append(heaviest[path[-1]])
        paths.append(path)
    return paths


def heaviest_children(parents: Sequence[int]) -> dict[int, int]:
    """For every node that has children, and the root -1, the child that carries most nodes."""
    carried = [1] * len(parents)
    for i in reversed(range(len(parents))):
        if parents[i] >= 0:
            carried[parents[i]] += carried[i]
    heaviest: dict[int, int] = {}
    for i, parent in enumerate(parents):
        known = heaviest.get(parent)
        if known is None or carried[i] > carried[known]:
            heaviest[parent] = i
    return heaviest
