"""Packing and unpacking (AoS to SoA transposition in registers), as LLVM assembly.

Scratch memory holds groups: one vector of samples each. A group is a list of rows, one row per
scalar, as wide as a vector, so what an evaluation touches lies side by side. The caller's array
has a stride from sample to sample and one from element to element [byte]. Four cases, fastest
first:

- one sample for the whole block (broadcast, or a block of one): each element fills its rows;
- samples side by side (struct of arrays): whole vectors are moved;
- elements side by side (the natural ``(batch, n)`` array): square tiles, transposed in registers;
- anything else: one element at a time.
"""

from __future__ import annotations

from phalanx.kernel.llvm.ir_text import Code, Vector


def emit_pack(kind: Vector, group_bytes: int) -> str:
    """``@pack``: from an array to the rows that start at ``%rows``."""
    code = Code()
    one = code.value("icmp eq i64 %samples, 1")
    still = code.value("icmp eq i64 %sample_stride, 0")
    same = code.value(f"or i1 {one}, {still}")
    fill, differ = code.label("fill"), code.label("differ")
    code.do(f"br i1 {same}, label %{fill}, label %{differ}")

    code.place(fill)
    with code.loop("0", "%elements", 1) as e:
        source = code.offset("%array", code.value(f"mul i64 {e}, %element_stride"))
        number = code.value(f"load {kind.scalar}, ptr {source}")
        single = code.value(f"insertelement {kind} undef, {kind.scalar} {number}, i32 0")
        everywhere = code.value(
            f"shufflevector {kind} {single}, {kind} undef, <{kind.lanes} x i32> zeroinitializer"
        )
        row = code.offset("%rows", code.value(f"mul i64 {e}, {kind.bytes}"))
        with code.loop("0", "%samples", kind.lanes) as s:
            place = code.offset(row, _group_offset(code, kind, s, group_bytes))
            code.do(f"store {kind} {everywhere}, ptr {place}, align {kind.bytes}")
    code.do("ret void")

    code.place(differ)
    _emit_moves(code, kind, group_bytes, pack=True)
    return _function("pack", code)


def emit_unpack(kind: Vector, group_bytes: int) -> str:
    """``@unpack``: from the rows that start at ``%rows`` to an array."""
    code = Code()
    _emit_moves(code, kind, group_bytes, pack=False)
    return _function("unpack", code)


def _function(name: str, code: Code) -> str:
    head = (
        f"define internal void @{name}(ptr noalias %array, i64 %sample_stride, "
        "i64 %element_stride, i64 %elements, i64 %samples, ptr noalias %rows) nounwind {"
    )
    return "\n".join([head, "entry:", *code.lines, "}"])


def _emit_moves(code: Code, kind: Vector, group_bytes: int, *, pack: bool) -> None:
    """The three cases both directions have."""
    item = kind.item_bytes
    tile = Vector(kind.scalar, min(4, kind.lanes))
    vectors, not_vectors = code.label("vectors"), code.label("not_vectors")
    tiles, single = code.label("tiles"), code.label("single")

    side_by_side = code.value(f"icmp eq i64 %sample_stride, {item}")
    code.do(f"br i1 {side_by_side}, label %{vectors}, label %{not_vectors}")

    code.place(vectors)
    whole = code.value(f"and i64 %samples, {-kind.lanes}")
    with code.loop("0", "%elements", 1) as e:
        line = code.offset("%array", code.value(f"mul i64 {e}, %element_stride"))
        row = code.offset("%rows", code.value(f"mul i64 {e}, {kind.bytes}"))
        with code.loop("0", whole, kind.lanes) as s:
            outside = code.offset(line, code.value(f"mul i64 {s}, {item}"))
            inside = code.offset(row, _group_offset(code, kind, s, group_bytes))
            _move(code, str(kind), item, outside, inside, pack=pack)
    vectors_end = code.label("vectors_end")
    code.do(f"br label %{vectors_end}")
    code.place(vectors_end)
    code.do(f"br label %{single}")

    code.place(not_vectors)
    adjacent = code.value(f"icmp eq i64 %element_stride, {item}")
    enough = code.value(f"icmp sge i64 %elements, {tile.lanes}")
    natural = code.value(f"and i1 {adjacent}, {enough}")
    code.do(f"br i1 {natural}, label %{tiles}, label %{single}")

    code.place(tiles)
    tiled = code.value(f"and i64 %samples, {-tile.lanes}")
    last = code.value(f"sub i64 %elements, {tile.lanes}")
    with code.loop("0", tiled, tile.lanes) as s:
        line = code.offset("%array", code.value(f"mul i64 {s}, %sample_stride"))
        group = code.offset("%rows", _sample_offset(code, kind, s, group_bytes))
        with code.loop("0", "%elements", tile.lanes) as e:
            # the last tile overlaps its neighbour rather than reach beyond the array
            over = code.value(f"icmp sgt i64 {e}, {last}")
            first = code.value(f"select i1 {over}, i64 {last}, i64 {e}")
            outside = code.offset(line, code.value(f"mul i64 {first}, {item}"))
            inside = code.offset(group, code.value(f"mul i64 {first}, {kind.bytes}"))
            places_out, places_in = [outside], [inside]
            for _ in range(1, tile.lanes):
                places_out.append(code.offset(places_out[-1], "%sample_stride"))
                places_in.append(code.offset(places_in[-1], kind.bytes))
            sources, destinations = (places_out, places_in) if pack else (places_in, places_out)
            lines = [code.value(f"load {tile}, ptr {p}, align {item}") for p in sources]
            for column, p in zip(_transpose(code, tile, lines), destinations, strict=True):
                code.do(f"store {tile} {column}, ptr {p}, align {item}")
    tiles_end = code.label("tiles_end")
    code.do(f"br label %{tiles_end}")
    code.place(tiles_end)
    code.do(f"br label %{single}")

    code.place(single)
    done = code.value(
        f"phi i64 [ 0, %{not_vectors} ], [ {whole}, %{vectors_end} ], [ {tiled}, %{tiles_end} ]"
    )
    with code.loop(done, "%samples", 1) as s:
        line = code.offset("%array", code.value(f"mul i64 {s}, %sample_stride"))
        place = code.offset("%rows", _sample_offset(code, kind, s, group_bytes))
        with code.loop("0", "%elements", 1) as e:
            outside = code.offset(line, code.value(f"mul i64 {e}, %element_stride"))
            inside = code.offset(place, code.value(f"mul i64 {e}, {kind.bytes}"))
            _move(code, kind.scalar, item, outside, inside, pack=pack)
    code.do("ret void")


def _group_offset(code: Code, kind: Vector, sample: str, group_bytes: int) -> str:
    """Where the group of a sample that starts one begins [byte]."""
    group = code.value(f"lshr i64 {sample}, {kind.lanes.bit_length() - 1}")
    return code.value(f"mul i64 {group}, {group_bytes}")


def _sample_offset(code: Code, kind: Vector, sample: str, group_bytes: int) -> str:
    """Where any sample is: its group, and its lane in there [byte]."""
    lane = code.value(f"and i64 {sample}, {kind.lanes - 1}")
    lane_bytes = code.value(f"mul i64 {lane}, {kind.item_bytes}")
    return code.value(f"add i64 {_group_offset(code, kind, sample, group_bytes)}, {lane_bytes}")


def _move(code: Code, unit: str, align: int, outside: str, inside: str, *, pack: bool) -> None:
    source, destination = (outside, inside) if pack else (inside, outside)
    number = code.value(f"load {unit}, ptr {source}, align {align}")
    code.do(f"store {unit} {number}, ptr {destination}, align {align}")


def _transpose(code: Code, tile: Vector, lines: list[str]) -> list[str]:
    """Columns of a square tile: interleave pairs of lines, then join halves."""

    def shuffle(a: str, b: str, order: tuple[int, ...]) -> str:
        lanes = ", ".join(f"i32 {i}" for i in order)
        return code.value(f"shufflevector {tile} {a}, {tile} {b}, <{tile.lanes} x i32> <{lanes}>")

    if tile.lanes == 1:
        return lines
    if tile.lanes == 2:
        return [shuffle(lines[0], lines[1], order) for order in ((0, 2), (1, 3))]
    low01, high01 = (shuffle(lines[0], lines[1], o) for o in ((0, 4, 2, 6), (1, 5, 3, 7)))
    low23, high23 = (shuffle(lines[2], lines[3], o) for o in ((0, 4, 2, 6), (1, 5, 3, 7)))
    return [
        shuffle(low01, low23, (0, 1, 4, 5)),
        shuffle(high01, high23, (0, 1, 4, 5)),
        shuffle(low01, low23, (2, 3, 6, 7)),
        shuffle(high01, high23, (2, 3, 6, 7)),
    ]
