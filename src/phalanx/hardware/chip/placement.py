"""Linear placement of chips (spectral ordering by the Fiedler vector), to shorten wires.

Who reads whose results makes a graph. Its second eigenvector (of Fiedler) spreads the graph along a
line without stretching any edge much; chips stand in its order. Then each moves towards the median
of those it talks to, as long as that shortens the ways.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from phalanx.hardware.chip.vector_program import VectorProgram

ROUNDS = 30  # of moves towards medians; more gain little


def placed(program: VectorProgram) -> tuple[int, ...]:
    """A position for the chip of each operation, from 0; what shares nothing stands apart."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    size = len(program)
    pairs = [(s, r) for s, readers in enumerate(program.readers) for r, _ in readers]
    ends = np.array(pairs, dtype=np.intp).reshape(-1, 2)
    both = np.concatenate([ends, ends[:, ::-1]])
    joined = coo_array((np.ones(len(both)), (both[:, 0], both[:, 1])), shape=(size, size)).tocsr()
    joined.data[:] = 1.0  # two operands from one chip are one way
    parts, part = connected_components(joined, directed=False)
    order: list[int] = []
    for k in range(parts):
        members = np.flatnonzero(part == k)
        order += members[_along_a_line(joined[members][:, members])].tolist()
    positions = np.empty(size, dtype=np.intp)
    positions[order] = np.arange(size)
    return _settled(positions, [joined.indices[a:b] for a, b in zip(*_bounds(joined), strict=True)])


def length(program: VectorProgram, positions: Sequence[int]) -> int:
    """All ways from results to readers together, in places."""
    return sum(
        abs(positions[s] - positions[r])
        for s, readers in enumerate(program.readers)
        for r, _ in readers
    )


def _bounds(matrix: object) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    rows = matrix.indptr  # type: ignore[attr-defined]
    return rows[:-1], rows[1:]


def _along_a_line(joined: object) -> NDArray[np.intp]:
    """Members of a connected graph in the order of its second eigenvector."""
    from scipy.sparse.csgraph import laplacian
    from scipy.sparse.linalg import eigsh

    size = joined.shape[0]  # type: ignore[attr-defined]
    if size < 3:
        return np.arange(size)
    # just below zero, so that the smallest eigenvalues are the nearest
    start = np.linspace(-1.0, 1.0, size)
    values, vectors = eigsh(laplacian(joined).tocsc(), k=2, sigma=-1e-4, v0=start)
    vector = vectors[:, np.argmax(values)]
    # an eigenvector has no sign, and equal entries differ in their last digits
    vector = np.round(vector * np.sign(vector[np.argmax(np.abs(vector))]), 9)
    return np.argsort(vector, kind="stable")


def _settled(
    positions: NDArray[np.intp], neighbours: Sequence[NDArray[np.intp]]
) -> tuple[int, ...]:
    """The best of some rounds in which everybody moves half the way to the median of neighbours."""

    def total_length(x: NDArray[np.intp]) -> int:
        return sum(int(np.abs(x[near] - x[k]).sum()) for k, near in enumerate(neighbours))

    best, shortest = positions, total_length(positions)
    for _ in range(ROUNDS):
        aims = [
            np.median(positions[n]) if len(n) else positions[k] for k, n in enumerate(neighbours)
        ]
        order = np.argsort(0.5 * (positions + np.array(aims)), kind="stable")
        positions = np.empty_like(positions)
        positions[order] = np.arange(len(order))
        now = total_length(positions)
        if now < shortest:
            best, shortest = positions, now
    return tuple(int(x) for x in best)
