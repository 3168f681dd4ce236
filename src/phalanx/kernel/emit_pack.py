"""Move samples between the caller's arrays and the rows of scratch memory, as LLVM assembly.

Compute code reads and writes rows: one scalar for every sample of a block, side by side. The
caller's array has a stride from sample to sample and one from element to element [byte]. Four
cases, fastest first:

- one sample for the whole block (broadcast, or a block of one): each element fills its row;
- samples side by side (struct of arrays): rows are copied by vectors;
- elements side by side (the natural ``(batch, n)`` array): 4 x 4 transposes in registers;
- anything else: one element at a time.
"""

from __future__ import annotations

from phalanx.kernel.ir_text import Code, Vector

_TILE = 4


def emit_pack(kind: Vector, row_bytes: int) -> str:
    """``@pack(source, sample_stride, element_stride, elements, samples, rows)``."""
    code = Code()
    item = kind.item_bytes
    scalar = kind.scalar
    one = code.value("icmp eq i64 %samples, 1")
    still = code.value("icmp eq i64 %sample_stride, 0")
    same = code.value(f"or i1 {one}, {still}")
    fill, not_fill = code.label("fill"), code.label("differ")
    code.do(f"br i1 {same}, label %{fill}, label %{not_fill}")

    code.place(fill)
    block_bytes = code.value(f"mul i64 %samples, {item}")
    with code.loop("0", "%elements", 1) as e:
        source = code.offset("%array", code.value(f"mul i64 {e}, %element_stride"))
        number = code.value(f"load {scalar}, ptr {source}")
        single = code.value(f"insertelement {kind} undef, {scalar} {number}, i32 0")
        everywhere = code.value(
            f"shufflevector {kind} {single}, {kind} undef, <{kind.lanes} x i32> zeroinitializer"
        )
        row = code.offset("%rows", code.value(f"mul i64 {e}, {row_bytes}"))
        with code.loop("0", block_bytes, kind.bytes) as i:
            code.do(f"store {kind} {everywhere}, ptr {code.offset(row, i)}, align {kind.bytes}")
    code.do("ret void")

    code.place(not_fill)
    _emit_moves(code, kind, row_bytes, pack=True)
    return _function("pack", code)


def emit_unpack(kind: Vector, row_bytes: int) -> str:
    """``@unpack(destination, sample_stride, element_stride, elements, samples, rows)``."""
    code = Code()
    _emit_moves(code, kind, row_bytes, pack=False)
    return _function("unpack", code)


def _function(name: str, code: Code) -> str:
    head = (
        f"define internal void @{name}(ptr noalias %array, i64 %sample_stride, "
        "i64 %element_stride, i64 %elements, i64 %samples, ptr noalias %rows) nounwind {"
    )
    return "\n".join([head, "entry:", *code.lines, "}"])


def _emit_moves(code: Code, kind: Vector, row_bytes: int, *, pack: bool) -> None:
    """The three cases both directions have."""
    item = kind.item_bytes
    tile = Vector(kind.scalar, _TILE)
    by_rows, not_rows = code.label("rows"), code.label("not_rows")
    tiles, single = code.label("tiles"), code.label("single")

    side_by_side = code.value(f"icmp eq i64 %sample_stride, {item}")
    code.do(f"br i1 {side_by_side}, label %{by_rows}, label %{not_rows}")

    code.place(by_rows)
    whole = code.value(f"and i64 %samples, {-kind.lanes}")
    with code.loop("0", "%elements", 1) as e:
        line = code.offset("%array", code.value(f"mul i64 {e}, %element_stride"))
        row = code.offset("%rows", code.value(f"mul i64 {e}, {row_bytes}"))
        for unit, begin, end in ((str(kind), "0", whole), (kind.scalar, whole, "%samples")):
            with code.loop(begin, end, kind.lanes if unit == str(kind) else 1) as s:
                at = code.value(f"mul i64 {s}, {item}")
                outside, inside = code.offset(line, at), code.offset(row, at)
                _move(code, unit, item, outside, inside, pack=pack)
    code.do("ret void")

    code.place(not_rows)
    adjacent = code.value(f"icmp eq i64 %element_stride, {item}")
    enough = code.value(f"icmp sge i64 %elements, {_TILE}")
    natural = code.value(f"and i1 {adjacent}, {enough}")
    code.do(f"br i1 {natural}, label %{tiles}, label %{single}")

    code.place(tiles)
    tiled = code.value(f"and i64 %samples, {-_TILE}")
    last = code.value(f"sub i64 %elements, {_TILE}")
    with code.loop("0", tiled, _TILE) as s:
        line = code.offset("%array", code.value(f"mul i64 {s}, %sample_stride"))
        row_place = code.offset("%rows", code.value(f"mul i64 {s}, {item}"))
        with code.loop("0", "%elements", _TILE) as e:
            # the last tile overlaps its neighbour rather than reach beyond the array
            over = code.value(f"icmp sgt i64 {e}, {last}")
            first = code.value(f"select i1 {over}, i64 {last}, i64 {e}")
            outside = code.offset(line, code.value(f"mul i64 {first}, {item}"))
            inside = code.offset(row_place, code.value(f"mul i64 {first}, {row_bytes}"))
            places_out, places_in = [outside], [inside]
            for _ in range(1, _TILE):
                places_out.append(code.offset(places_out[-1], "%sample_stride"))
                places_in.append(code.offset(places_in[-1], row_bytes))
            sources, destinations = (places_out, places_in) if pack else (places_in, places_out)
            rows = [code.value(f"load {tile}, ptr {p}, align {item}") for p in sources]
            for column, p in zip(_transpose(code, tile, rows), destinations, strict=True):
                code.do(f"store {tile} {column}, ptr {p}, align {item}")
    code.do(f"br label %{single}")

    code.place(single)
    done = code.value(f"phi i64 [ 0, %{not_rows} ], [ {tiled}, %{_block_before(code)} ]")
    with code.loop(done, "%samples", 1) as s:
        line = code.offset("%array", code.value(f"mul i64 {s}, %sample_stride"))
        place = code.offset("%rows", code.value(f"mul i64 {s}, {item}"))
        with code.loop("0", "%elements", 1) as e:
            outside = code.offset(line, code.value(f"mul i64 {e}, %element_stride"))
            inside = code.offset(place, code.value(f"mul i64 {e}, {row_bytes}"))
            _move(code, kind.scalar, item, outside, inside, pack=pack)
    code.do("ret void")


def _block_before(code: Code) -> str:
    """The label of the block that ended just before the one being written."""
    labels = [line[:-1] for line in code.lines if line.endswith(":")]
    return labels[-2]


def _move(code: Code, unit: str, align: int, outside: str, inside: str, *, pack: bool) -> None:
    source, destination = (outside, inside) if pack else (inside, outside)
    number = code.value(f"load {unit}, ptr {source}, align {align}")
    code.do(f"store {unit} {number}, ptr {destination}, align {align}")


def _transpose(code: Code, tile: Vector, rows: list[str]) -> list[str]:
    """Columns of a 4 x 4 tile: interleave pairs of rows, then join halves."""

    def shuffle(a: str, b: str, order: tuple[int, ...]) -> str:
        lanes = ", ".join(f"i32 {i}" for i in order)
        return code.value(f"shufflevector {tile} {a}, {tile} {b}, <4 x i32> <{lanes}>")

    low01, high01 = (shuffle(rows[0], rows[1], o) for o in ((0, 4, 2, 6), (1, 5, 3, 7)))
    low23, high23 = (shuffle(rows[2], rows[3], o) for o in ((0, 4, 2, 6), (1, 5, 3, 7)))
    return [
        shuffle(low01, low23, (0, 1, 4, 5)),
        shuffle(high01, high23, (0, 1, 4, 5)),
        shuffle(low01, low23, (2, 3, 6, 7)),
        shuffle(high01, high23, (2, 3, 6, 7)),
    ]
