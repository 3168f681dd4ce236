"""A program as LLVM assembly: a function per piece, and ``run``, which takes samples through them.

``run(arrays, start, end)``, called through ``share``, reads for every input and output a record
(pointer, bytes from sample to sample, bytes from element to element). It packs a block of samples
into scratch rows, lets every piece loop over the block, and unpacks the outputs. The last vector
of a block may be partly filled; its idle lanes compute, and nobody looks.
"""

from __future__ import annotations

from dataclasses import dataclass

from phalanx.kernel import elementary, exponential, trigonometry
from phalanx.kernel.emit_pack import emit_pack, emit_unpack
from phalanx.kernel.ir_text import Code, Vector
from phalanx.kernel.passes.split import Program

RECORD_BYTES = 24

_INLINE_DOUBLE = {"exp": exponential.exp, "tanh": exponential.tanh}
_CONDITIONS = frozenset(["lt", "le", "eq", "ne", "and", "or", "not"])
# scratch up to this size lives on the stack
_STACK_BYTES = 1 << 17
_SCRATCH_ALIGN = 64


@dataclass(frozen=True)
class Shape:
    """How code is laid out: the vector, how many samples a block has, whether fma exists."""

    kind: Vector
    block: int
    has_fma: bool

    @property
    def has_fast_exp(self) -> bool:
        """Whether exponentials are computed in line rather than by the C library."""
        return self.has_fma and self.kind.scalar == "double"

    @property
    def groups(self) -> int:
        """How many vectors of samples a block has."""
        return self.block // self.kind.lanes


# workers of one call take turns from a shared counter
_SHARE = """define void @share(ptr %arrays, ptr %next, i64 %end, i64 %turn) nounwind {
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
  call void @run(ptr %arrays, i64 %start, i64 %stop)
  br label %head
done:
  ret void
}"""


def emit_llvm(program: Program, shape: Shape) -> str:
    """The whole module."""
    group_bytes = _group_bytes(program, shape)
    parts = [emit_pack(shape.kind, group_bytes), emit_unpack(shape.kind, group_bytes)]
    declarations: dict[str, None] = {}
    stages = {"angles": _emit_angles(program, shape)} if program.angles else {}
    for number in range(len(program.pieces)):
        stages[f"piece{number}"] = _emit_piece(program, number, shape)
    for name, code in stages.items():
        declarations |= code.declarations
        head = f"define internal void @{name}(ptr noalias %scratch, i64 %end) nounwind {{"
        parts.append("\n".join([head, "entry:", *code.lines, "}"]))
    code = _emit_run(program, shape, list(stages))
    declarations |= code.declarations
    head = "define internal void @run(ptr noalias %arrays, i64 %start, i64 %end) nounwind {"
    parts.append("\n".join([head, "entry:", *code.lines, "}"]))
    parts.append(_SHARE)
    return "\n\n".join([*declarations, *parts]) + "\n"


def _emit_angles(program: Program, shape: Shape) -> Code:
    """The loop over inputs that need their sine and cosine."""
    kind = shape.kind
    code = Code()
    with code.loop("0", "%end", _group_bytes(program, shape)) as i:
        group = code.offset("%scratch", i)
        for run in program.angles:
            places = [code.offset(group, r * kind.bytes) for r in (run.first, run.sine, run.cosine)]
            with code.loop("0", str(run.length * kind.bytes), kind.bytes) as r:
                angle, sine, cosine = (code.offset(place, r) for place in places)
                x = code.value(f"load {kind}, ptr {angle}, align {kind.bytes}")
                results = trigonometry.sincos(code, kind, x, has_fma=shape.has_fma)
                for result, place in zip(results, (sine, cosine), strict=True):
                    code.do(f"store {kind} {result}, ptr {place}, align {kind.bytes}")
    code.do("ret void")
    return code


def _emit_piece(program: Program, number: int, shape: Shape) -> Code:
    """The loop of one piece over the block."""
    graph, kind = program.graph, shape.kind
    code = Code()
    with code.loop("0", "%end", _group_bytes(program, shape)) as i:
        place = code.offset("%scratch", i)
        values: dict[int, str] = {}
        masks: dict[int, str] = {}
        pairs: dict[int, tuple[str, str]] = {}

        def address(row: int) -> str:
            return code.offset(place, row * kind.bytes)

        def value(n: int) -> str:
            known = values.get(n)
            if known is not None:
                return known
            node = graph.nodes[n]
            if node.op == "const":
                text = kind.splat(node.value)
            else:
                where = address(program.row[n])
                text = code.value(f"load {kind}, ptr {where}, align {kind.bytes}")
            values[n] = text
            return text

        def store(n: int, row: int) -> None:
            code.do(f"store {kind} {value(n)}, ptr {address(row)}, align {kind.bytes}")

        for n in program.pieces[number]:
            node = graph.nodes[n]
            if node.op == "sincos":
                x = value(node.args[0])
                pairs[n] = trigonometry.sincos(code, kind, x, has_fma=shape.has_fma)
                continue
            if node.op == "sin_of":
                values[n] = pairs[node.args[0]][0]
            elif node.op == "cos_of":
                values[n] = pairs[node.args[0]][1]
            elif node.op in _CONDITIONS:
                args = [value(a) for a in node.args]
                masks[n] = elementary.comparison(code, kind, node.op, args)
                values[n] = elementary.number_of_mask(code, kind, masks[n])
            elif node.op == "if_else_zero":
                condition, then = node.args
                mask = masks.get(condition) or elementary.truth(code, kind, value(condition))
                zero = kind.splat(0.0)
                values[n] = elementary.select(code, kind, mask, value(then), zero)
            else:
                args = [value(a) for a in node.args]
                inline = _INLINE_DOUBLE.get(node.op) if shape.has_fast_exp else None
                if inline:
                    values[n] = inline(code, kind, *args)
                else:
                    values[n] = elementary.operation(code, kind, node.op, args)
            for row in program.stores.get(n, ()):
                store(n, row)
        if number == len(program.pieces) - 1:
            for n, row in program.copies:
                store(n, row)
    code.do("ret void")
    return code


def _group_bytes(program: Program, shape: Shape) -> int:
    """Distance of two groups in scratch memory [byte]."""
    return max(1, program.rows) * shape.kind.bytes


def _emit_run(program: Program, shape: Shape, stages: list[str]) -> Code:
    graph = program.graph
    code = Code()
    group_bytes = _group_bytes(program, shape)
    size = shape.groups * group_bytes
    if size <= _STACK_BYTES:
        scratch = code.value(f"alloca [{size} x i8], align {_SCRATCH_ALIGN}")
    else:
        memory = code.call("ptr", "malloc", ("i64", str(size + _SCRATCH_ALIGN)))
        address = code.value(f"ptrtoint ptr {memory} to i64")
        past = code.value(f"add i64 {address}, {_SCRATCH_ALIGN - 1}")
        aligned = code.value(f"and i64 {past}, {-_SCRATCH_ALIGN}")
        scratch = code.value(f"inttoptr i64 {aligned} to ptr")

    ports = [*graph.inputs, *graph.outputs]
    records = []
    for p in range(len(ports)):
        fields = []
        for position, kind in enumerate(("ptr", "i64", "i64")):
            where = code.offset("%arrays", p * RECORD_BYTES + 8 * position)
            fields.append(code.value(f"load {kind}, ptr {where}"))
        records.append(fields)

    with code.loop("%start", "%end", shape.block) as begin:
        left = code.value(f"sub i64 %end, {begin}")
        partial = code.value(f"icmp slt i64 {left}, {shape.block}")
        samples = code.value(f"select i1 {partial}, i64 {left}, i64 {shape.block}")
        started = code.value(f"add i64 {samples}, {shape.kind.lanes - 1}")
        groups = code.value(f"lshr i64 {started}, {shape.kind.lanes.bit_length() - 1}")
        end = code.value(f"mul i64 {groups}, {group_bytes}")

        def move(function: str, p: int, row: int) -> None:
            pointer, sample_stride, element_stride = records[p]
            array = code.offset(pointer, code.value(f"mul i64 {begin}, {sample_stride}"))
            rows = code.offset(scratch, row * shape.kind.bytes)
            code.do(
                f"call void @{function}(ptr {array}, i64 {sample_stride}, i64 {element_stride}, "
                f"i64 {ports[p].size}, i64 {samples}, ptr {rows})"
            )

        row = 0
        for p, port in enumerate(ports):
            if p < len(graph.inputs):
                move("pack", p, row)
                row += port.size
        for stage in stages:
            code.do(f"call void @{stage}(ptr {scratch}, i64 {end})")
        for p in range(len(graph.inputs), len(ports)):
            move("unpack", p, row)
            row += ports[p].size
    if size > _STACK_BYTES:
        code.declarations["declare void @free(ptr)"] = None
        code.do(f"call void @free(ptr {memory})")
    code.do("ret void")
    return code
