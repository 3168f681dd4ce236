"""Parallel schedule as LLVM assembly: a function for each thread, in one shared memory.

``processor<p>(memory, first, count)`` takes processor p through ``count`` evaluations, numbered
from ``first``, or fewer when it is told to stop.

Messages (see :mod:`phalanx.kernel.parallel.shared_memory`) are written with a release store and
awaited with an acquire load.

Nothing is fused or reordered across operations: values do not depend on who computes them.
"""

from __future__ import annotations

from collections.abc import Sequence

from phalanx.kernel.graph.graph import Graph
from phalanx.kernel.llvm.emit_piece import NodeEmitter
from phalanx.kernel.llvm.ir_text import Code, Vector
from phalanx.kernel.llvm.target import Target
from phalanx.kernel.parallel.shared_memory import (
    STOP_WORD,
    Item,
    Places,
    SharedMemoryLayout,
    pieces_of,
    places_of,
)
from phalanx.kernel.parallel.synchronize import ProcessorScript, Wait
from phalanx.kernel.parallel.yield_processor import PAUSE, YIELD

_NUMBER = Vector("double", 1)

# Calls that leave all registers alone, since values live in them while a processor waits. Who is
# told to stop goes on with whatever is there, up to the end of the evaluation: with a branch at
# every wait LLVM would take half as long again.
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


def emit_parallel(
    graph: Graph, scripts: Sequence[ProcessorScript], target: Target
) -> tuple[str, SharedMemoryLayout]:
    """The module's text and the layout of its memory."""
    pieces = [pieces_of(script) for script in scripts]
    places = places_of(graph, scripts, pieces)
    family = target.name.partition("-")[0]
    wait = _WAIT.strip().format(pause=PAUSE.get(family, ""), stop=STOP_WORD, give_way=YIELD)
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


def _emit_piece(
    graph: Graph,
    script: ProcessorScript,
    piece: Sequence[Item],
    places: Places,
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
                _emit_wait(code, address(places.messages[wait]), "%number")
        elif kind == "node":
            nodes.emit(n)
            if n in mine:
                code.do(f"store {_NUMBER} {nodes.value(n)}, ptr {address(mine[n])}, align 8")
        elif n in script.publishes:
            message = address(places.messages[Wait(processor, n)])
            code.do(f"store atomic i64 %number, ptr {message} release, align 8")
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
