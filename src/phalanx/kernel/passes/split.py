"""Cut a graph into pieces that become functions, and give every value that needs one a row.

Scratch memory has rows, each one scalar of every sample in a group. Policy:

- rows come in this order: inputs, outputs, shifted inputs, sines and cosines, values that cross
  a cut;
- sines and cosines of inputs come first, in a loop of their own over adjacent rows, since they
  are most of the code and of the constants of a small kernel when written out; inputs that have a
  constant added to them before are gathered in adjacent rows and take part;
- pieces are runs of the remaining nodes, cut where the fewest values are alive;
- a row of a crossing value is given to another one after the last piece that reads it.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import NamedTuple

from phalanx.kernel.graph import Graph

_LEAVES = ("const", "input")
_HALVES = ("sin_of", "cos_of")


class Shift(NamedTuple):
    """An input with a constant added to it: its row, the constant, the row of the sum."""

    source: int
    constant: float
    target: int


class Angles(NamedTuple):
    """Rows of adjacent angles, of their sines and of their cosines."""

    first: int
    length: int
    sine: int
    cosine: int


@dataclass(frozen=True)
class Program:
    """A graph, cut into pieces.

    Attributes:
        graph: What is computed.
        shifts: Sums that are computed before the sines and cosines of them.
        angles: Inputs whose sines and cosines are computed before the first piece.
        pieces: Node numbers of each piece, in order.
        row: Where a value is found that the piece at hand has not computed.
        stores: Where a computed value is written to.
        copies: (node, row): results that no piece computes, such as constants; the last piece
            writes them.
        rows: How many rows the scratch memory has.
    """

    graph: Graph
    shifts: tuple[Shift, ...]
    angles: tuple[Angles, ...]
    pieces: tuple[tuple[int, ...], ...]
    row: dict[int, int]
    stores: dict[int, tuple[int, ...]]
    copies: tuple[tuple[int, int], ...]
    rows: int


def first_output_row(graph: Graph) -> int:
    """Where the rows of the outputs start: after those of the inputs."""
    return sum(port.size for port in graph.inputs)


def split(graph: Graph, largest: int) -> Program:
    """``graph`` as pieces of at most ``largest`` nodes."""
    row = _input_rows(graph)
    rows = first_output_row(graph) + sum(port.size for port in graph.outputs)
    shifts, rows = _shifts(graph, row, rows)
    angles, rows = _angles(graph, row, rows)
    in_loop = {angle.first + i for angle in angles for i in range(angle.length)}
    computed = [
        n
        for n, node in enumerate(graph.nodes)
        if n not in row
        and node.op != "const"
        and not (node.op == "sincos" and row.get(node.args[0]) in in_loop)
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
    return Program(graph, shifts, angles, pieces, row | crossing, stores, tuple(copies), rows)


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


def _shifts(graph: Graph, row: dict[int, int], rows: int) -> tuple[tuple[Shift, ...], int]:
    """Angles that are an input and a constant; adds their rows to ``row``."""
    shifts = []
    for node in graph.nodes:
        n = node.args[0] if node.op == "sincos" else -1
        if n < 0 or n in row or graph.nodes[n].op not in ("add", "sub"):
            continue
        a, b = graph.nodes[n].args
        if graph.nodes[n].op == "add" and a not in row:
            a, b = b, a
        if a in row and graph.nodes[b].op == "const":
            value = graph.nodes[b].value
            shifts.append(Shift(row[a], value if graph.nodes[n].op == "add" else -value, rows))
            row[n] = rows
            rows += 1
    return tuple(shifts), rows


def _angles(graph: Graph, row: dict[int, int], rows: int) -> tuple[tuple[Angles, ...], int]:
    """Runs of inputs that have a sine or cosine; adds the rows of those to ``row``."""
    pairs = {
        row[node.args[0]]: n
        for n, node in enumerate(graph.nodes)
        if node.op == "sincos" and node.args[0] in row
    }
    runs: list[list[int]] = []
    for place in sorted(pairs):
        # bridging a gap of one input is cheaper than a second loop
        if runs and place - runs[-1][-1] <= 2:
            runs[-1].append(place)
        else:
            runs.append([place])
    angles = []
    for run in runs:
        length = run[-1] - run[0] + 1
        angles.append(Angles(run[0], length, rows, rows + length))
        rows += 2 * length
    run_of = {
        pairs[place]: (a, place) for a, run in zip(angles, runs, strict=True) for place in run
    }
    for n, node in enumerate(graph.nodes):
        if node.op in _HALVES and node.args[0] in run_of:
            angle, place = run_of[node.args[0]]
            start = angle.sine if node.op == "sin_of" else angle.cosine
            row[n] = start + place - angle.first
    return tuple(angles), rows


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
            if graph.nodes[computed[i]].op not in _HALVES
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
