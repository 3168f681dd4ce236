"""LLVM module of a kernel: the function ``run``, a loop over blocks of samples.

``run(arrays, start, end)`` reads for every input and output a record (pointer, bytes from sample
to sample, bytes from element to element). It packs a block of samples into scratch rows, lets
every piece loop over the block, and unpacks the outputs. The last vector of a block may be partly
filled; its idle lanes compute what is ignored. ``share`` is ``run`` for several threads, which
take their turns from a counter; setting it to `STOPPED` ends all of them after the block, or
the step of a loop, that they are at. Both return 0, or 1 if there is no memory for scratch rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from phalanx.kernel.graph.graph import Port
from phalanx.kernel.graph.passes.split import SplitGraph
from phalanx.kernel.llvm.emit_pack import emit_pack, emit_unpack
from phalanx.kernel.llvm.emit_piece import BlockShape, emit_angles, emit_piece, group_bytes
from phalanx.kernel.llvm.ir_text import Code

RECORD_FIELDS = 3
RECORD_BYTES = 8 * RECORD_FIELDS

# a counter beyond the samples of any batch
STOPPED = 1 << 62

# scratch up to this size lives on the stack
_STACK_BYTES = 1 << 17
_SCRATCH_ALIGN = 64

# workers of one call take turns from a shared counter
SHARE = """define i32 @share(ptr %arrays, ptr %next, i64 %end, i64 %turn) nounwind {
entry:
  br label %head
head:
  %start = atomicrmw add ptr %next, i64 %turn monotonic
  %more = icmp slt i64 %start, %end
  br i1 %more, label %body, label %done
body:
  %past = add i64 %start, %turn
  %short = icmp slt i64 %past, %end
  %stop = select i1 %short, i64 %past, i64 %end
  %failed = call i32 @run(ptr %arrays, i64 %start, i64 %stop, ptr %next)
  %good = icmp eq i32 %failed, 0
  br i1 %good, label %head, label %done
done:
  %result = phi i32 [ 0, %head ], [ %failed, %body ]
  ret i32 %result
}"""


# writes what happens to the samples, given the stages' names and where scratch memory starts
Body = Callable[[Code, SplitGraph, BlockShape, Sequence[str], str], None]


def emit_llvm(program: SplitGraph, shape: BlockShape) -> str:
    """The module's text."""
    return emit_module(program, shape, _emit_blocks)


def emit_module(program: SplitGraph, shape: BlockShape, body: Body) -> str:
    """The text of a module whose ``run`` is ``body``."""
    distance = group_bytes(program, shape)
    parts = [emit_pack(shape.kind, distance), emit_unpack(shape.kind, distance)]
    stages = {"angles": emit_angles(program, shape)} if program.angles else {}
    for number in range(len(program.pieces)):
        stages[f"piece{number}"] = emit_piece(program, number, shape)
    declarations: dict[str, None] = {}
    for name, code in stages.items():
        declarations |= code.declarations
        head = f"define internal void @{name}(ptr noalias %scratch, i64 %end) nounwind {{"
        parts.append("\n".join([head, "entry:", *code.lines, "}"]))
    code = _emit_run(program, shape, list(stages), body)
    declarations |= code.declarations
    arguments = "ptr noalias %arrays, i64 %start, i64 %end, ptr %next"
    head = f"define internal i32 @run({arguments}) nounwind {{"
    parts.append("\n".join([head, "entry:", *code.lines, "}"]))
    return "\n\n".join([*declarations, *parts, SHARE]) + "\n"


def _emit_run(program: SplitGraph, shape: BlockShape, stages: Sequence[str], body: Body) -> Code:
    code = Code()
    size = shape.groups * group_bytes(program, shape)
    if size <= _STACK_BYTES:
        scratch = code.value(f"alloca [{size} x i8], align {_SCRATCH_ALIGN}")
        body(code, program, shape, stages, scratch)
    else:
        memory = code.call("ptr", "malloc", ("i64", str(size + _SCRATCH_ALIGN)))
        there, missing = code.label("there"), code.label("missing")
        none = code.value(f"icmp eq ptr {memory}, null")
        code.do(f"br i1 {none}, label %{missing}, label %{there}")
        code.place(missing)
        code.do("ret i32 1")
        code.place(there)
        address = code.value(f"ptrtoint ptr {memory} to i64")
        past = code.value(f"add i64 {address}, {_SCRATCH_ALIGN - 1}")
        aligned = code.value(f"and i64 {past}, {-_SCRATCH_ALIGN}")
        scratch = code.value(f"inttoptr i64 {aligned} to ptr")
        body(code, program, shape, stages, scratch)
        code.declarations["declare void @free(ptr)"] = None
        code.do(f"call void @free(ptr {memory})")
    code.do("ret i32 0")
    return code


def _emit_blocks(
    code: Code, program: SplitGraph, shape: BlockShape, stages: Sequence[str], scratch: str
) -> None:
    """The loop over blocks: pack, every stage, unpack."""
    graph = program.graph
    ports = (*graph.inputs, *graph.outputs)
    records = load_records(code, "%arrays", len(ports), RECORD_FIELDS)
    with code.loop("%start", "%end", shape.block) as begin:
        samples, end = emit_extent(code, program, shape, begin)
        moves = []
        row = 0
        for port, (pointer, sample_stride, element_stride) in zip(ports, records, strict=True):
            array = code.offset(pointer, code.value(f"mul i64 {begin}, {sample_stride}"))
            rows = code.offset(scratch, row * shape.kind.bytes)
            moves.append(move_arguments(array, sample_stride, element_stride, port, samples, rows))
            row += port.size
        for arguments in moves[: len(graph.inputs)]:
            code.do(f"call void @pack{arguments}")
        for stage in stages:
            code.do(f"call void @{stage}(ptr {scratch}, i64 {end})")
        for arguments in moves[len(graph.inputs) :]:
            code.do(f"call void @unpack{arguments}")


def emit_extent(code: Code, program: SplitGraph, shape: BlockShape, begin: str) -> tuple[str, str]:
    """How many samples the block at ``begin`` has, and where its last group ends [byte]."""
    lanes = shape.kind.lanes
    left = code.value(f"sub i64 %end, {begin}")
    partial = code.value(f"icmp slt i64 {left}, {shape.block}")
    samples = code.value(f"select i1 {partial}, i64 {left}, i64 {shape.block}")
    started = code.value(f"add i64 {samples}, {lanes - 1}")
    groups = code.value(f"lshr i64 {started}, {lanes.bit_length() - 1}")
    return samples, code.value(f"mul i64 {groups}, {group_bytes(program, shape)}")


def move_arguments(
    array: str, sample_stride: str, element_stride: str, port: Port, samples: str, rows: str
) -> str:
    """The arguments of a call to ``@pack`` or ``@unpack``."""
    return (
        f"(ptr {array}, i64 {sample_stride}, i64 {element_stride}, "
        f"i64 {port.size}, i64 {samples}, ptr {rows})"
    )


def load_records(code: Code, table: str, count: int, fields: int) -> list[list[str]]:
    """The records in a table: a pointer, then strides, 8 bytes each."""
    records = []
    for r in range(count):
        record = []
        for position in range(fields):
            where = code.offset(table, 8 * (r * fields + position))
            record.append(code.value(f"load {'i64' if position else 'ptr'}, ptr {where}"))
        records.append(record)
    return records
