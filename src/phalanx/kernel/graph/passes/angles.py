"""Pass: sines and cosines of inputs are computed first, in a vectorized loop of their own.

They run in a loop of their own over adjacent rows, since they are most of the code and of the
constants of a small kernel when written out; inputs that lie apart or have a constant added to them
are gathered in adjacent rows first.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

from phalanx.kernel.graph.graph import Graph

HALVES = ("sin_of", "cos_of")
# bridging a gap of one input is cheaper than a second loop
_GAP = 2


class AngleOffset(NamedTuple):
    """An input that is moved, with a constant added to it unless that is 0: rows and constant."""

    source: int
    constant: float
    target: int


class Angles(NamedTuple):
    """Rows of adjacent angles, of their sines and of their cosines."""

    first: int
    length: int
    sine: int
    cosine: int


def gather_angles(
    graph: Graph, row: dict[int, int], rows: int
) -> tuple[tuple[AngleOffset, ...], dict[int, int], int]:
    """Where the angles lie that need sine and cosine, and which of them are put there first.

    Inputs stay where they are if they lie together; else all angles are gathered, so that one loop
    takes them all. Adds the rows of shifted inputs to ``row``.
    """
    angles: dict[int, tuple[int, float]] = {}  # node to row of its input and what is added
    for node in graph.nodes:
        if node.op == "sincos":
            found = _input_and_constant(graph, node.args[0], row)
            if found is not None:
                angles[node.args[0]] = found
    places = sorted(source for source, _ in angles.values())
    apart = any(b - a > _GAP for a, b in itertools.pairwise(places))
    if not apart and all(constant == 0.0 for _, constant in angles.values()):
        return (), {n: source for n, (source, _) in angles.items()}, rows
    shifts, where = [], {}
    for n, (source, constant) in angles.items():
        shifts.append(AngleOffset(source, constant, rows))
        where[n] = rows
        row.setdefault(n, rows)
        rows += 1
    return tuple(shifts), where, rows


def _input_and_constant(graph: Graph, n: int, row: dict[int, int]) -> tuple[int, float] | None:
    """The row of an input and what is added to it to make node n; None for any other node."""
    if n in row:
        return row[n], 0.0
    node = graph.nodes[n]
    if node.op not in ("add", "sub"):
        return None
    a, b = node.args
    if node.op == "add" and a not in row:
        a, b = b, a
    if a not in row or graph.nodes[b].op != "const":
        return None
    constant = graph.nodes[b].value
    return row[a], constant if node.op == "add" else -constant


def pair_rows(
    graph: Graph, row: dict[int, int], where: dict[int, int], rows: int
) -> tuple[tuple[Angles, ...], int]:
    """Runs of angles; adds the rows of their sines and cosines to ``row``."""
    pairs = {
        where[node.args[0]]: n
        for n, node in enumerate(graph.nodes)
        if node.op == "sincos" and node.args[0] in where
    }
    runs: list[list[int]] = []
    for place in sorted(pairs):
        if runs and place - runs[-1][-1] <= _GAP:
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
        if node.op in HALVES and node.args[0] in run_of:
            angle, place = run_of[node.args[0]]
            start = angle.sine if node.op == "sin_of" else angle.cosine
            row[n] = start + place - angle.first
    return tuple(angles), rows
