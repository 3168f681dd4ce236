"""Shared-memory layout of a parallel graph, without false sharing of cache lines.

Words have 8 bytes, and are grouped so that no cache line has two writers:

- how often to look before giving way to other threads, and whether to stop;
- for each processor the number of the last evaluation it has finished;
- the inputs;
- for each processor its messages, then the numbers it keeps for itself between functions and
  those that are results.

A message is a number that says in which evaluation it was written, followed in the same cache line
by the values it brings, so that a processor that waits for it receives both at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from phalanx.kernel.graph.graph import LEAVES, Graph
from phalanx.kernel.parallel.synchronize import ProcessorScript, Wait

PATIENCE_WORD, STOP_WORD = 0, 1
LINE_BYTES = 128  # adjacent lines are fetched in pairs, so two writers stay two lines apart
_LINE_WORDS = LINE_BYTES // 8
# nodes of a function: LLVM's time grows faster than its length
_LARGEST_PIECE = 500

Item = tuple[str, int]  # ("step" | "node" | "end", number)


@dataclass(frozen=True)
class SharedMemoryLayout:
    """Addresses of numbers in the shared memory, in words of 8 bytes.

    Attributes:
        words: Size of the memory.
        inputs: First word of each input.
        results: For each output the word of each element.
        constants: Words that hold results that no processor computes, and their numbers.
    """

    words: int
    inputs: tuple[int, ...]
    results: tuple[tuple[int, ...], ...]
    constants: dict[int, float]


@dataclass(frozen=True)
class Places:
    """The layout, and what only code needs: words of values, messages and finished evaluations."""

    layout: SharedMemoryLayout
    finished: tuple[int, ...]
    messages: dict[Wait, int]
    values: tuple[dict[int, int], ...]


def pieces_of(script: ProcessorScript) -> list[list[Item]]:
    """What a processor does, cut into functions: begin a step, compute a node, end a step."""
    pieces: list[list[Item]] = [[]]
    nodes = 0
    for s, members in enumerate(script.steps):
        pieces[-1].append(("step", s))
        for n in members:
            if nodes == _LARGEST_PIECE:
                pieces.append([])
                nodes = 0
            pieces[-1].append(("node", n))
            nodes += 1
        pieces[-1].append(("end", s))
    return pieces


def places_of(
    graph: Graph, scripts: Sequence[ProcessorScript], pieces: Sequence[Sequence[Sequence[Item]]]
) -> Places:
    """Give every number that needs it a place in memory."""
    words = _LINE_WORDS

    def new_line() -> None:
        nonlocal words
        words = -(-words // _LINE_WORDS) * _LINE_WORDS

    finished = tuple(words + p * _LINE_WORDS for p in range(len(scripts)))
    words += len(scripts) * _LINE_WORDS
    inputs = []
    for port in graph.inputs:
        inputs.append(words)
        words += port.size

    messages: dict[Wait, int] = {}
    values: list[dict[int, int]] = []
    kept_results = {
        n for result in graph.results for n in result if graph.nodes[n].op not in LEAVES
    }
    for p, script in enumerate(scripts):
        place: dict[int, int] = {}
        for step, nodes in _messages(script):
            new_line()
            messages[Wait(p, step)] = words
            place |= {n: words + 1 + k for k, n in enumerate(nodes)}
            words += 1 + len(nodes)
        new_line()
        for n in _crossing(graph, pieces[p]):
            if n not in place:
                place[n] = words
                words += 1
        mine = kept_results & {n for members in script.steps for n in members}
        kept_results -= mine
        for n in sorted(mine.difference(place)):
            place[n] = words
            words += 1
        values.append(place)
    new_line()

    constants: dict[int, float] = {}
    results = []
    for result in graph.results:
        where = []
        for n in result:
            node = graph.nodes[n]
            if node.element is not None:
                where.append(inputs[node.element.port] + node.element.place)
            elif node.op == "const":
                constants[words] = node.value
                where.append(words)
                words += 1
            else:
                where.append(next(place[n] for place in values if n in place))
        results.append(tuple(where))
    layout = SharedMemoryLayout(words, tuple(inputs), tuple(results), constants)
    return Places(layout, finished, messages, tuple(values))


def _messages(script: ProcessorScript) -> Iterator[tuple[int, list[int]]]:
    """Steps after which a message goes out, and the nodes it brings."""
    nodes: list[int] = []
    for s, members in enumerate(script.steps):
        nodes += [n for n in members if n in script.shown]
        if s in script.publishes:
            yield s, nodes
            nodes = []


def _crossing(graph: Graph, pieces: Sequence[Sequence[Item]]) -> list[int]:
    """Nodes that one function of a processor computes and another one reads."""
    home = {n: k for k, piece in enumerate(pieces) for kind, n in piece if kind == "node"}
    crossing: dict[int, None] = {}
    for k, piece in enumerate(pieces):
        for kind, n in piece:
            if kind == "node":
                args = graph.nodes[n].args
                crossing |= dict.fromkeys(a for a in args if home.get(a, k) != k)
    return list(crossing)
