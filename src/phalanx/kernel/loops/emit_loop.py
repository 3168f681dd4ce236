"""Fixed-step loop as LLVM assembly: the state stays in scratch memory between steps.

``run`` reads a table: the number of steps, how many steps lie between two recordings, then for
every input, every final state and every recording a record (pointer, bytes from sample to sample,
from element to element, from step to step). A block of samples is packed once, goes through all
steps, and is unpacked once; only what changes with time is read, and only what is recorded
written, in between. A look at the counter before each step tells whether to go on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from phalanx.kernel.graph.graph import Graph
from phalanx.kernel.graph.passes.split import SplitGraph, first_output_row
from phalanx.kernel.llvm.emit_llvm import (
    STOPPED,
    emit_extent,
    emit_module,
    load_records,
    move_arguments,
)
from phalanx.kernel.llvm.emit_piece import BlockShape, group_bytes
from phalanx.kernel.llvm.ir_text import Code

HEADER_FIELDS = 2
LOOP_FIELDS = 4


@dataclass(frozen=True)
class LoopPorts:
    """How the ports of a step's graph take part in the loop.

    Attributes:
        carried: So many first inputs are, from the second step on, the first outputs.
        streamed: Numbers of the inputs that are read anew in every step.
        recorded: Numbers of the outputs that are written every few steps.
    """

    carried: int
    streamed: tuple[int, ...]
    recorded: tuple[int, ...]


def emit_loop(program: SplitGraph, shape: BlockShape, loop: LoopPorts) -> str:
    """The text of a module that takes a step many times."""

    def body(
        code: Code, program: SplitGraph, shape: BlockShape, stages: Sequence[str], scratch: str
    ) -> None:
        _emit_blocks(code, program, shape, stages, scratch, loop)

    return emit_module(program, shape, body)


def _emit_blocks(
    code: Code,
    program: SplitGraph,
    shape: BlockShape,
    stages: Sequence[str],
    scratch: str,
    loop: LoopPorts,
) -> None:
    graph = program.graph
    steps, every = (
        code.value(f"load i64, ptr {code.offset('%arrays', 8 * k)}") for k in range(HEADER_FIELDS)
    )
    table = code.offset("%arrays", 8 * HEADER_FIELDS)
    count = len(graph.inputs) + loop.carried + len(loop.recorded)
    records = load_records(code, table, count, LOOP_FIELDS)
    finals = records[len(graph.inputs) : len(graph.inputs) + loop.carried]
    recordings = records[len(graph.inputs) + loop.carried :]
    input_rows, output_rows = _first_rows(graph)

    with code.loop("%start", "%end", shape.block) as begin:
        samples, end = emit_extent(code, program, shape, begin)

        def move(function: str, record: list[str], time: str | None, output: bool, p: int) -> None:
            pointer, sample_stride, element_stride, step_stride = record
            array = code.offset(pointer, code.value(f"mul i64 {begin}, {sample_stride}"))
            if time is not None:
                array = code.offset(array, code.value(f"mul i64 {time}, {step_stride}"))
            port = (graph.outputs if output else graph.inputs)[p]
            row = (output_rows if output else input_rows)[p]
            rows = code.offset(scratch, row * shape.kind.bytes)
            arguments = move_arguments(array, sample_stride, element_stride, port, samples, rows)
            code.do(f"call void @{function}{arguments}")

        for p in range(len(graph.inputs)):
            if p not in loop.streamed:
                move("pack", records[p], None, False, p)
        with code.loop("0", steps, 1, also=lambda: emit_going_on(code)) as time:
            for p in loop.streamed:
                move("pack", records[p], time, False, p)
            for stage in stages:
                code.do(f"call void @{stage}(ptr {scratch}, i64 {end})")
            emit_carry(code, program, shape, scratch, end, loop.carried)
            if loop.recorded:
                taken = code.value(f"add i64 {time}, 1")
                rest = code.value(f"urem i64 {taken}, {every}")
                due = code.value(f"icmp eq i64 {rest}, 0")
                write, done = code.label("write"), code.label("done")
                code.do(f"br i1 {due}, label %{write}, label %{done}")
                code.place(write)
                number = code.value(f"udiv i64 {time}, {every}")
                for p, record in zip(loop.recorded, recordings, strict=True):
                    move("unpack", record, number, True, p)
                code.do(f"br label %{done}")
                code.place(done)
        for p, record in enumerate(finals):
            move("unpack", record, None, True, p)


def emit_going_on(code: Code) -> str:
    """Emit the check whether the call was stopped."""
    counter = code.value("load atomic i64, ptr %next monotonic, align 8")
    return code.value(f"icmp slt i64 {counter}, {STOPPED}")


def emit_carry(
    code: Code, program: SplitGraph, shape: BlockShape, scratch: str, end: str, carried: int
) -> None:
    """Make the first outputs the first inputs, in every group."""
    carried_rows = sum(port.size for port in program.graph.inputs[:carried])
    distance = first_output_row(program.graph) * shape.kind.bytes
    copy = "llvm.memcpy.p0.p0.i64"
    code.declarations[f"declare void @{copy}(ptr, ptr, i64, i1)"] = None
    with code.loop("0", end, group_bytes(program, shape)) as i:
        target = code.offset(scratch, i)
        source = code.offset(target, distance)
        size = carried_rows * shape.kind.bytes
        code.do(f"call void @{copy}(ptr {target}, ptr {source}, i64 {size}, i1 false)")


def _first_rows(graph: Graph) -> tuple[list[int], list[int]]:
    """Where the rows of each input and of each output start."""
    rows = [0]
    for port in (*graph.inputs, *graph.outputs):
        rows.append(rows[-1] + port.size)
    return rows[: len(graph.inputs)], rows[len(graph.inputs) : -1]
