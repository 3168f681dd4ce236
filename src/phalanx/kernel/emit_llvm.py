"""A program as LLVM assembly: one function per piece, and ``run``, which takes blocks of samples
through them.

``run(arrays, start, end)`` reads for every input and output a record (pointer, bytes from sample
to sample, bytes from element to element). It packs a block of samples into scratch rows, lets
every piece loop over the block, and unpacks the outputs. The last vector of a block may be partly
filled; its idle lanes compute, and nobody looks.
"""

from __future__ import annotations

from dataclasses import dataclass

from phalanx.kernel import elementary
from phalanx.kernel.emit_pack import emit_pack, emit_unpack
from phalanx.kernel.ir_text import Code, Vector
from phalanx.kernel.passes.split import Program, first_output_row

RECORD_BYTES = 24

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
    def row_bytes(self) -> int:
        """Distance of two scratch rows [byte]."""
        return self.block * self.kind.item_bytes


def emit_llvm(program: Program, shape: Shape) -> str:
    """The whole module."""
    parts = [emit_pack(shape.kind, shape.row_bytes), emit_unpack(shape.kind, shape.row_bytes)]
    declarations: dict[str, None] = {}
    for number in range(len(program.pieces)):
        code = _emit_piece(program, number, shape)
        declarations |= code.declarations
        head = f"define internal void @piece{number}(ptr noalias %scratch, i64 %bytes) nounwind {{"
        parts.append("\n".join([head, "entry:", *code.lines, "}"]))
    code = _emit_run(program, shape)
    declarations |= code.declarations
    head = "define void @run(ptr noalias %arrays, i64 %start, i64 %end) nounwind {"
    parts.append("\n".join([head, "entry:", *code.lines, "}"]))
    return "\n\n".join([*declarations, *parts]) + "\n"


def _emit_piece(program: Program, number: int, shape: Shape) -> Code:
    """The loop of one piece over the block."""
    graph, kind = program.graph, shape.kind
    code = Code()
    with code.loop("0", "%bytes", kind.bytes) as i:
        place = code.offset("%scratch", i)
        values: dict[int, str] = {}
        masks: dict[int, str] = {}
        pairs: dict[int, tuple[str, str]] = {}

        def address(row: int) -> str:
            return code.offset(place, row * shape.row_bytes)

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

        stores = _rows_to_store(program)
        for n in program.pieces[number]:
            node = graph.nodes[n]
            if node.op == "sincos":
                x = value(node.args[0])
                pairs[n] = elementary.sincos(code, kind, x, has_fma=shape.has_fma)
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
            elif node.op not in ("const", "input"):
                args = [value(a) for a in node.args]
                values[n] = elementary.operation(code, kind, node.op, args)
            for row in stores.get(n, ()):
                code.do(f"store {kind} {value(n)}, ptr {address(row)}, align {kind.bytes}")
    code.do("ret void")
    return code


def _rows_to_store(program: Program) -> dict[int, list[int]]:
    """The rows each node is written to: its own, if other pieces read it, and its outputs'."""
    graph = program.graph
    stores: dict[int, list[int]] = {}
    row = first_output_row(graph)
    for result in graph.results:
        for n in result:
            stores.setdefault(n, []).append(row)
            row += 1
    for n, own in program.row.items():
        if graph.nodes[n].op != "input" and own not in stores.setdefault(n, []):
            stores[n].append(own)
    return stores


def _emit_run(program: Program, shape: Shape) -> Code:
    graph = program.graph
    code = Code()
    size = max(1, program.rows) * shape.row_bytes
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
        size_text = code.value(f"mul i64 {samples}, {shape.kind.item_bytes}")

        def move(function: str, p: int, row: int) -> None:
            pointer, sample_stride, element_stride = records[p]
            array = code.offset(pointer, code.value(f"mul i64 {begin}, {sample_stride}"))
            rows = code.offset(scratch, row * shape.row_bytes)
            code.do(
                f"call void @{function}(ptr {array}, i64 {sample_stride}, i64 {element_stride}, "
                f"i64 {ports[p].size}, i64 {samples}, ptr {rows})"
            )

        row = 0
        for p, port in enumerate(ports):
            if p < len(graph.inputs):
                move("pack", p, row)
                row += port.size
        for number in range(len(program.pieces)):
            code.do(f"call void @piece{number}(ptr {scratch}, i64 {size_text})")
        for p in range(len(graph.inputs), len(ports)):
            move("unpack", p, row)
            row += ports[p].size
    if size > _STACK_BYTES:
        code.declarations["declare void @free(ptr)"] = None
        code.do(f"call void @free(ptr {memory})")
    code.do("ret void")
    return code
