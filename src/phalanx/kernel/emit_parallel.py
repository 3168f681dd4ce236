"""Scripts of several processors as LLVM assembly: one function each, in one shared memory.

``processor<p>(memory, first, count)`` takes processor p through ``count`` evaluations, numbered
from ``first``, or fewer when it is told to stop.

Memory, in words of 8 bytes, grouped so that no cache line has two writers:

- how often to look before giving way to other threads, and whether to stop;
- for each processor the number of the last evaluation it has finished;
- the inputs;
- for each processor its letters, then the numbers it keeps for itself between functions and
  those that are results.

A letter is a number that says in which evaluation it was written, followed in the same cache line
by the values it brings, so that whoever waits for it receives both at once. Letters are written
with a release store and awaited with an acquire load.

Nothing is fused or reordered across operations: values do not depend on who computes them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from phalanx.kernel.emit_node import NodeEmitter
from phalanx.kernel.graph import LEAVES, Graph
from phalanx.kernel.ir_text import Code, Vector
from phalanx.kernel.synchronize import Script, Wait
from phalanx.kernel.target import Target

# imported under this name: gives the processor to another thread
YIELD = "phalanx_yield"

PATIENCE_WORD, STOP_WORD = 0, 1
# adjacent lines are fetched in pairs, so two writers stay two lines apart
_LINE_WORDS = 16
_NUMBER = Vector("double", 1)
# nodes of a function: LLVM's time grows faster than its length
_LARGEST_PIECE = 500

# what a processor of each family does while it looks at a line again and again
_PAUSE = {"avx512": "pause", "avx2": "pause", "sse2": "pause", "neon": "yield"}

# Calls that leave all registers alone, since values live in them while a processor waits. Who is
# told to stop goes on with whatever is there, up to the end of the evaluation: a branch at every
# wait would cost LLVM more than all the arithmetic.
_WAIT = """
define internal preserve_allcc void @wait(ptr %flag, i64 %number, ptr %memory) noinline {{
entry:
  %found = load atomic i64, ptr %flag acquire, align 8
  %there = icmp sge i64 %found, %number
  br i1 %there, label %done, label %slow
slow:
  call preserve_allcc void @spin(ptr %flag, i64 %number, ptr %memory)
  br label %done
done:
  ret void
}}

define internal preserve_allcc void @spin(ptr %flag, i64 %number, ptr %memory) noinline cold {{
entry:
  %patience = load i64, ptr %memory
  br label %look
look:
  %looks = phi i64 [ 0, %entry ], [ %more, %rest ], [ 0, %give_way ]
  %found = load atomic i64, ptr %flag acquire, align 8
  %there = icmp sge i64 %found, %number
  br i1 %there, label %done, label %impatient
impatient:
  %tired = icmp sge i64 %looks, %patience
  br i1 %tired, label %ask, label %rest
rest:
  %more = add i64 %looks, 1
  call void asm sideeffect "{pause}", "~{{memory}}"()
  br label %look
ask:
  %stop_at = getelementptr i64, ptr %memory, i64 {stop}
  %stop = load atomic i64, ptr %stop_at monotonic, align 8
  %stopped = icmp ne i64 %stop, 0
  br i1 %stopped, label %done, label %give_way
give_way:
  %ignored = call i32 @{give_way}()
  br label %look
done:
  ret void
}}"""


@dataclass(frozen=True)
class Layout:
    """Where numbers are in the shared memory, in words of 8 bytes.

    Attributes:
        words: Size of the memory.
        inputs: First word of each input.
        results: For each output the word of each element.
        constants: Words that hold results which nobody computes, and their numbers.
    """

    words: int
    inputs: tuple[int, ...]
    results: tuple[tuple[int, ...], ...]
    constants: dict[int, float]


@dataclass(frozen=True)
class _Places:
    """The layout, and what only code needs: words of values, letters and finished evaluations."""

    layout: Layout
    finished: tuple[int, ...]
    letters: dict[Wait, int]
    values: tuple[dict[int, int], ...]


def emit_parallel(graph: Graph, scripts: Sequence[Script], target: Target) -> tuple[str, Layout]:
    """The module's text and the layout of its memory."""
    pieces = [_pieces(script) for script in scripts]
    places = _places(graph, scripts, pieces)
    family = target.name.partition("-")[0]
    wait = _WAIT.strip().format(pause=_PAUSE.get(family, ""), stop=STOP_WORD, give_way=YIELD)
    parts = [f"declare i32 @{YIELD}()", wait]
    declarations: dict[str, None] = {}
    for p, script in enumerate(scripts):
        names = []
        for number, piece in enumerate(pieces[p]):
            code = _emit_piece(graph, script, piece, places, p, target)
            declarations |= code.declarations
            names.append(f"part{p}_{number}")
            head = f"define internal void @{names[-1]}(ptr %memory, i64 %number) nounwind {{"
            parts.append("\n".join([head, "entry:", *code.lines, "}"]))
        code = _emit_evaluations(names, places.finished, p)
        head = f"define void @processor{p}(ptr %memory, i64 %first, i64 %count) nounwind {{"
        parts.append("\n".join([head, "entry:", *code.lines, "}"]))
    return "\n\n".join([*declarations, *parts]) + "\n", places.layout


Item = tuple[str, int]  # ("step" | "node" | "end", number)


def _pieces(script: Script) -> list[list[Item]]:
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


def _places(
    graph: Graph, scripts: Sequence[Script], pieces: Sequence[Sequence[Sequence[Item]]]
) -> _Places:
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

    letters: dict[Wait, int] = {}
    values: list[dict[int, int]] = []
    kept_results = {
        n for result in graph.results for n in result if graph.nodes[n].op not in LEAVES
    }
    for p, script in enumerate(scripts):
        place: dict[int, int] = {}
        for step, nodes in _letters(script):
            new_line()
            letters[Wait(p, step)] = words
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
    layout = Layout(words, tuple(inputs), tuple(results), constants)
    return _Places(layout, finished, letters, tuple(values))


def _letters(script: Script) -> Iterator[tuple[int, list[int]]]:
    """Steps after which a letter goes out, and the nodes it brings."""
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


def _emit_piece(
    graph: Graph,
    script: Script,
    piece: Sequence[Item],
    places: _Places,
    processor: int,
    target: Target,
) -> Code:
    """One function of a processor."""
    code = Code()
    mine = places.values[processor]

    def address(word: int) -> str:
        return code.offset("%memory", 8 * word)

    def load(n: int) -> str:
        element = graph.nodes[n].element
        if element is not None:
            word = places.layout.inputs[element.port] + element.place
        elif n in mine:
            word = mine[n]
        else:
            word = next(place[n] for place in places.values if n in place)
        return code.value(f"load {_NUMBER}, ptr {address(word)}, align 8")

    nodes = NodeEmitter(graph, code, _NUMBER, target.has_fma, load)
    for kind, n in piece:
        if kind == "step":
            for wait in script.waits[n]:
                _emit_wait(code, address(places.letters[wait]), "%number")
        elif kind == "node":
            nodes.emit(n)
            if n in mine:
                code.do(f"store {_NUMBER} {nodes.value(n)}, ptr {address(mine[n])}, align 8")
        elif n in script.publishes:
            letter = address(places.letters[Wait(processor, n)])
            code.do(f"store atomic i64 %number, ptr {letter} release, align 8")
    code.do("ret void")
    return code


def _emit_wait(code: Code, flag: str, number: str) -> None:
    """Go on when the number at ``flag`` has come up to ``number``, or when told to stop."""
    code.do(f"call preserve_allcc void @wait(ptr {flag}, i64 {number}, ptr %memory)")


def _emit_evaluations(pieces: Sequence[str], finished: Sequence[int], processor: int) -> Code:
    """The loop over evaluations, with a barrier after each.

    The fence keeps a processor from starting an evaluation before the last one is in memory, as it
    would for a single processor otherwise: then evaluations would overlap, which they cannot do
    when each depends on the last.
    """
    code = Code()
    past = code.value("add i64 %first, %count")
    with code.loop("%first", past, 1) as number:
        for piece in pieces:
            code.do(f"call void @{piece}(ptr %memory, i64 {number})")
        own = code.offset("%memory", 8 * finished[processor])
        code.do(f"store atomic i64 {number}, ptr {own} release, align 8")
        code.do("fence seq_cst")
        for other, word in enumerate(finished):
            if other != processor:
                _emit_wait(code, code.offset("%memory", 8 * word), number)
        stop = code.value(
            f"load atomic i64, ptr {code.offset('%memory', 8 * STOP_WORD)} monotonic, align 8"
        )
        stopped = code.value(f"icmp ne i64 {stop}, 0")
        leave, stay = code.label("leave"), code.label("stay")
        code.do(f"br i1 {stopped}, label %{leave}, label %{stay}")
        code.place(leave)
        code.do("ret void")
        code.place(stay)
    code.do("ret void")
    return code
