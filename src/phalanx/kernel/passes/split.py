"""Cut a graph into pieces that become functions, and give values that cross a cut a row in
scratch memory.

Policy: pieces are runs of the given order, cut where the fewest values are alive. A row holds one
scalar for every sample of a block. Rows come in this order: inputs, outputs, values that cross a
cut; a row of the last kind is given to another value after the last piece that reads it.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

from phalanx.kernel.graph import Graph


@dataclass(frozen=True)
class Program:
    """A graph, cut into pieces.

    Attributes:
        graph: What is computed.
        pieces: Node numbers of each piece, consecutive.
        row: The scratch row of each input node and of each node that another piece reads.
        rows: How many rows the scratch memory has.
    """

    graph: Graph
    pieces: tuple[range, ...]
    row: dict[int, int]
    rows: int


def first_output_row(graph: Graph) -> int:
    """Where the rows of the outputs start: after those of the inputs."""
    return sum(port.size for port in graph.inputs)


def split(graph: Graph, largest: int) -> Program:
    """``graph`` as pieces of at most about ``largest`` nodes."""
    last_use = _last_uses(graph)
    pieces = _cut(graph, last_use, largest)
    piece_of = [0] * len(graph.nodes)
    for p, piece in enumerate(pieces):
        for n in piece:
            piece_of[n] = p

    row: dict[int, int] = {}
    start_of_port = []
    rows = 0
    for port in graph.inputs:
        start_of_port.append(rows)
        rows += port.size
    for n, node in enumerate(graph.nodes):
        if node.element is not None:
            row[n] = start_of_port[node.element.port] + node.element.place
    for result in graph.results:
        for n in result:
            row.setdefault(n, rows)
            rows += 1

    # values that cross a cut; a row is free again once its last reading piece is done
    last_piece = [0] * len(graph.nodes)
    for n, node in enumerate(graph.nodes):
        for a in node.args:
            last_piece[a] = max(last_piece[a], piece_of[n])
    free: list[int] = []
    busy: list[tuple[int, int]] = []
    for p, piece in enumerate(pieces):
        while busy and busy[0][0] < p:
            heapq.heappush(free, heapq.heappop(busy)[1])
        for n in piece:
            if last_piece[n] <= p or n in row or graph.nodes[n].op == "const":
                continue
            if free:
                row[n] = heapq.heappop(free)
            else:
                row[n] = rows
                rows += 1
            heapq.heappush(busy, (last_piece[n], row[n]))
    return Program(graph, pieces, row, rows)


def _last_uses(graph: Graph) -> list[int]:
    """For each node the last node that reads it."""
    last = list(range(len(graph.nodes)))
    for n, node in enumerate(graph.nodes):
        for a in node.args:
            last[a] = n
    return last


def _cut(graph: Graph, last_use: list[int], largest: int) -> tuple[range, ...]:
    count = len(graph.nodes)
    if count <= largest:
        return (range(count),)
    # alive[i]: values computed before node i and read at or after it, which a cut there must store
    change = [0] * (count + 2)
    for n, node in enumerate(graph.nodes):
        if node.op not in ("const", "input"):
            change[n + 1] += 1
            change[last_use[n] + 1] -= 1
    alive = [0] * (count + 1)
    running = 0
    for i in range(count + 1):
        running += change[i]
        alive[i] = running
    pieces = []
    start = 0
    while count - start > largest:
        candidates = (
            i
            for i in range(start + largest // 2, start + largest + 1)
            # a pair of sine and cosine stays with its readers
            if graph.nodes[i].op not in ("sin_of", "cos_of")
        )
        end = min(candidates, key=lambda i: (alive[i], -i))
        pieces.append(range(start, end))
        start = end
    pieces.append(range(start, count))
    return tuple(pieces)
