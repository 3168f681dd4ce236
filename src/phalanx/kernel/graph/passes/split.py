"""Pass: partition of a graph into functions, with scratch rows for values that cross them.

Scratch memory has rows, each one scalar of every sample in a group. Policy:

- rows come in this order: inputs, outputs, shifted inputs, sines and cosines, values that cross
  a cut;
- sines and cosines of inputs come first, see `angles`;
- pieces are runs of the remaining nodes, cut where the fewest values are alive;
- a row of a crossing value is given to another one after the last piece that reads it.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

from phalanx.kernel.graph.graph import Graph
from phalanx.kernel.graph.passes.angles import HALVES, AngleOffset, Angles, gather_angles, pair_rows


@dataclass(frozen=True)
class SplitGraph:
    """A graph, cut into pieces.

    Attributes:
        graph: What is computed.
        shifts: Inputs that are gathered before the sines and cosines of them.
        angles: Inputs whose sines and cosines are computed before the first piece.
        pieces: Node numbers of each piece, in order.
        row: Where a value is found that the piece at hand has not computed.
        stores: Where a computed value is written to.
        copies: (node, row): results that no piece computes, such as constants; the last piece
            writes them.
        rows: How many rows the scratch memory has.
    """

    graph: Graph
    shifts: tuple[AngleOffset, ...]
    angles: tuple[Angles, ...]
    pieces: tuple[tuple[int, ...], ...]
    row: dict[int, int]
    stores: dict[int, tuple[int, ...]]
    copies: tuple[tuple[int, int], ...]
    rows: int


def first_output_row(graph: Graph) -> int:
    """Return the first row of the outputs, after those of the inputs."""
    return sum(port.size for port in graph.inputs)


def split(graph: Graph, largest: int) -> SplitGraph:
    """``graph`` as pieces of at most ``largest`` nodes."""
    row = _input_rows(graph)
    rows = first_output_row(graph) + sum(port.size for port in graph.outputs)
    shifts, where, rows = gather_angles(graph, row, rows)
    angles, rows = pair_rows(graph, row, where, rows)
    computed = [
        n
        for n, node in enumerate(graph.nodes)
        if n not in row
        and node.op != "const"
        and not (node.op == "sincos" and node.args[0] in where)
    ]
    pieces = _cut(graph, computed, largest)

    targets: dict[int, list[int]] = {}
    copies = []
    known = set(computed)
    place = first_output_row(graph)
    for n in (n for result in graph.results for n in result):
        if n in known:
            targets.setdefault(n, []).append(place)
            row.setdefault(n, place)
        else:
            copies.append((n, place))
        place += 1
    crossing, rows = _crossing_rows(graph, pieces, row, rows)
    for n, place in crossing.items():
        targets.setdefault(n, []).append(place)
    stores = {n: tuple(places) for n, places in targets.items()}
    return SplitGraph(graph, shifts, angles, pieces, row | crossing, stores, tuple(copies), rows)


def _input_rows(graph: Graph) -> dict[int, int]:
    """The row of every input node."""
    starts = []
    rows = 0
    for port in graph.inputs:
        starts.append(rows)
        rows += port.size
    return {
        n: starts[node.element.port] + node.element.place
        for n, node in enumerate(graph.nodes)
        if node.element is not None
    }


def _cut(graph: Graph, computed: list[int], largest: int) -> tuple[tuple[int, ...], ...]:
    """``computed`` in runs, cut where the fewest values are alive."""
    count = len(computed)
    position = {n: i for i, n in enumerate(computed)}
    last_use = list(range(count))
    for i, n in enumerate(computed):
        for a in graph.nodes[n].args:
            if a in position:
                last_use[position[a]] = i
    # alive[i]: values computed before position i and read there or later
    alive = [0] * (count + 2)
    for i, last in enumerate(last_use):
        alive[i + 1] += 1
        alive[last + 1] -= 1
    for i in range(1, count + 1):
        alive[i] += alive[i - 1]

    pieces = []
    start = 0
    while count - start > largest:
        candidates = (
            i
            for i in range(start + largest // 2, start + largest + 1)
            # a pair of sine and cosine stays with its readers
            if graph.nodes[computed[i]].op not in HALVES
        )
        end = min(candidates, key=lambda i: (alive[i], -i))
        pieces.append(tuple(computed[start:end]))
        start = end
    pieces.append(tuple(computed[start:]))
    return tuple(pieces)


def _crossing_rows(
    graph: Graph, pieces: tuple[tuple[int, ...], ...], row: dict[int, int], rows: int
) -> tuple[dict[int, int], int]:
    """Rows for values that a later piece reads and that have none yet."""
    piece_of = {n: p for p, piece in enumerate(pieces) for n in piece}
    last_piece: dict[int, int] = {}
    for n, p in piece_of.items():
        for a in graph.nodes[n].args:
            last_piece[a] = max(last_piece.get(a, 0), p)
    crossing: dict[int, int] = {}
    free: list[int] = []
    busy: list[tuple[int, int]] = []
    for p, piece in enumerate(pieces):
        while busy and busy[0][0] < p:
            heapq.heappush(free, heapq.heappop(busy)[1])
        for n in piece:
            if last_piece.get(n, p) <= p or n in row:
                continue
            if free:
                crossing[n] = heapq.heappop(free)
            else:
                crossing[n] = rows
                rows += 1
            heapq.heappush(busy, (last_piece[n], crossing[n]))
    return crossing, rows
