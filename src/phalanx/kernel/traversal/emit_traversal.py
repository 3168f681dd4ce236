"""Traversal of a tree as LLVM assembly.

``run(table, start, end, next)`` takes samples through all passes, as many at a time as a vector has
lanes: a pack. A lane beyond the last sample repeats it, and writes what its neighbour writes. In
the loop over nodes a switch leads to the code of the node's kind; numbers of a lane are gathered
from the caller's arrays, what is kept between passes and handed on lies in vectors.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import final

from phalanx.kernel.graph.graph import Graph
from phalanx.kernel.llvm.emit_llvm import SHARE
from phalanx.kernel.llvm.emit_piece import NodeEmitter
from phalanx.kernel.llvm.ir_text import Code, Vector
from phalanx.kernel.traversal.layout import (
    ARRAY,
    HEADER,
    IN_PLACE,
    PASS,
    ROW,
    TraversalLayout,
    TraversalPass,
)

_ALIGN = 64


def emit_traversal(layout: TraversalLayout, kind: Vector, has_fma: bool) -> str:
    """The module's text."""
    code = Code()
    _TraversalEmitter(layout, kind, has_fma, code).emit()
    arguments = "ptr noalias %table, i64 %start, i64 %end, ptr %next"
    head = f"define i32 @run({arguments}) nounwind {{"
    return "\n\n".join([*code.declarations, "\n".join([head, "entry:", *code.lines, "}"]), SHARE])


@final
class _TraversalEmitter:
    """Writes the function; names of values that all parts need are kept here."""

    def __init__(self, layout: TraversalLayout, kind: Vector, has_fma: bool, code: Code) -> None:
        self.layout, self.kind, self.has_fma, self.code = layout, kind, has_fma, code
        self.slot_bytes = layout.slot * kind.bytes

    def emit(self) -> None:
        code, layout, kind = self.code, self.layout, self.kind
        self.header = {name: self.word(k) for k, name in enumerate(HEADER)}
        first = len(HEADER)
        self.pass_words = [
            {name: self.word(first + len(PASS) * w + k) for k, name in enumerate(PASS)}
            for w in range(len(layout.passes))
        ]
        first += len(PASS) * len(layout.passes)
        self.array_words = [
            [self.word(first + len(ARRAY) * a + k) for k in range(len(ARRAY))]
            for a in range(len(layout.arrays))
        ]
        memory = self.take_memory()
        with code.loop("%start", "%end", kind.lanes) as begin:
            samples = [self.sample(begin, lane) for lane in range(kind.lanes)]
            self.lanes = {
                port.name: [self.lane_pointer(address, stride, sample) for sample in samples]
                for port, (address, stride) in zip(layout.arrays, self.array_words, strict=True)
            }
            lanes = [0] * kind.lanes if layout.shared_numbers else samples
            base, stride = self.header["numbers"], self.header["numbers_stride"]
            self.numbers = [self.lane_pointer(base, stride, sample) for sample in lanes]
            pack = code.value(f"sdiv i64 {begin}, {kind.lanes}")
            self.kept = code.offset(
                self.kept_base, code.value(f"mul i64 {pack}, {self.kept_pack_stride}")
            )
            for number, each in enumerate(layout.passes):
                wanted, skipped = code.label("wanted"), code.label("skipped")
                begun = code.value(f"icmp sle i64 {self.header['first']}, {number}")
                left = code.value(f"icmp sgt i64 {self.header['last']}, {number}")
                both = code.value(f"and i1 {begun}, {left}")
                code.do(f"br i1 {both}, label %{wanted}, label %{skipped}")
                code.place(wanted)
                self.emit_pass(each, self.pass_words[number], samples)
                code.do(f"br label %{skipped}")
                code.place(skipped)
        code.declarations["declare void @free(ptr)"] = None
        code.do(f"call void @free(ptr {memory})")
        code.do("ret i32 0")

    # -- memory ----------------------------------------------------------------------------------

    def word(self, k: int) -> str:
        code = self.code
        return code.value(f"load i64, ptr {code.offset('%table', 8 * k)}")

    def take_memory(self) -> str:
        """Slots, and room for what is kept unless the caller has some; zeros in slot 0."""
        code, kind = self.code, self.kind
        given = code.value(f"icmp ne i64 {self.header['kept']}, 0")
        kept = code.value(f"mul i64 {self.header['kept_words']}, {kind.bytes}")
        kept = code.value(f"select i1 {given}, i64 0, i64 {kept}")
        slots = code.value(f"mul i64 {self.header['slots']}, {self.slot_bytes}")
        size = code.value(f"add i64 {kept}, {slots}")
        size = code.value(f"add i64 {size}, {_ALIGN}")
        memory = code.call("ptr", "malloc", ("i64", size))
        there, missing = code.label("there"), code.label("missing")
        code.do(
            f"br i1 {code.value(f'icmp eq ptr {memory}, null')}, label %{missing}, label %{there}"
        )
        code.place(missing)
        code.do("ret i32 1")
        code.place(there)
        address = code.value(f"ptrtoint ptr {memory} to i64")
        past = code.value(f"add i64 {address}, {_ALIGN - 1}")
        aligned = code.value(f"and i64 {past}, {-_ALIGN}")
        self.slots = code.value(f"inttoptr i64 {aligned} to ptr")
        own = code.value(f"add i64 {aligned}, {slots}")
        base = code.value(f"select i1 {given}, i64 {self.header['kept']}, i64 {own}")
        self.kept_base = code.value(f"inttoptr i64 {base} to ptr")
        self.kept_pack_stride = self.header["kept_stride"]
        zero = self.kind.splat(0.0)
        for k in range(self.layout.slot):
            place = code.offset(self.slots, k * kind.bytes)
            code.do(f"store {kind} {zero}, ptr {place}, align {kind.bytes}")
        return memory

    def sample(self, begin: str, lane: int) -> str:
        """The sample of a lane, the last one for those beyond."""
        code = self.code
        own = code.value(f"add i64 {begin}, {lane}")
        last = code.value(f"sub i64 {self.header['samples']}, 1")
        beyond = code.value(f"icmp sgt i64 {own}, {last}")
        return code.value(f"select i1 {beyond}, i64 {last}, i64 {own}")

    def lane_pointer(self, address: str, stride: str, sample: str | int) -> str:
        code = self.code
        pointer = code.value(f"inttoptr i64 {address} to ptr")
        return code.offset(pointer, code.value(f"mul i64 {stride}, {sample}"))

    def gather(self, lanes: Sequence[str], offset: str, place: int) -> str:
        """A vector of one number of every lane."""
        code, kind = self.code, self.kind
        item = kind.item_bytes
        vector = "undef"
        if len(set(lanes)) == 1 and kind.lanes > 1:
            where = code.offset(code.offset(lanes[0], offset), item * place)
            number = code.value(f"load {kind.scalar}, ptr {where}")
            one = code.value(f"insertelement {kind} undef, {kind.scalar} {number}, i32 0")
            everywhere = f"<{kind.lanes} x i32> zeroinitializer"
            return code.value(f"shufflevector {kind} {one}, {kind} undef, {everywhere}")
        for lane, pointer in enumerate(lanes):
            where = code.offset(code.offset(pointer, offset), item * place)
            number = code.value(f"load {kind.scalar}, ptr {where}")
            vector = code.value(
                f"insertelement {kind} {vector}, {kind.scalar} {number}, i32 {lane}"
            )
        return vector

    def scatter(self, lanes: Sequence[str], offset: str, place: int, vector: str) -> None:
        code, kind = self.code, self.kind
        for lane, pointer in enumerate(lanes):
            where = code.offset(code.offset(pointer, offset), kind.item_bytes * place)
            number = code.value(f"extractelement {kind} {vector}, i32 {lane}")
            code.do(f"store {kind.scalar} {number}, ptr {where}")

    # -- a pass ----------------------------------------------------------------------------------

    def emit_pass(self, each: TraversalPass, words: dict[str, str], samples: Sequence[str]) -> None:
        code = self.code
        self.move_ends(each, words, samples, "begin")
        with code.loop("0", self.header["nodes"], 1) as count:
            node = count
            if each.inward:
                last = code.value(f"sub i64 {self.header['nodes']}, 1")
                node = code.value(f"sub i64 {last}, {count}")
            table = code.value(f"inttoptr i64 {self.header['table']} to ptr")
            row = code.offset(table, code.value(f"mul i64 {node}, {4 * self.layout.row}"))
            after = code.label("after")
            cases = [code.label("kind") for _ in each.steps]
            if len(cases) > 1:
                chosen = code.value(f"load i32, ptr {row}")
                arms = " ".join(f"i32 {k}, label %{case}" for k, case in enumerate(cases))
                code.do(f"switch i32 {chosen}, label %{cases[0]} [ {arms} ]")
            else:
                code.do(f"br label %{cases[0]}")
            for number, (graph, case) in enumerate(zip(each.steps, cases, strict=True)):
                code.place(case)
                self.emit_step(each, graph, number, row, node)
                code.do(f"br label %{after}")
            code.place(after)
        self.move_ends(each, words, samples, "end")

    def move_ends(
        self, each: TraversalPass, words: dict[str, str], samples: Sequence[str], which: str
    ) -> None:
        """What the root hands on at the begin, or the node that is asked for at the end."""
        code, kind = self.code, self.kind
        if not each.carried:
            return
        slot = code.offset(
            self.slots, code.value(f"mul i64 {words[which + '_slot']}, {self.slot_bytes}")
        )
        there, absent, after = (code.label(name) for name in ("there", "absent", "after"))
        given = code.value(f"icmp ne i64 {words[which]}, 0")
        code.do(f"br i1 {given}, label %{there}, label %{absent}")
        code.place(there)
        lanes = [
            self.lane_pointer(words[which], words[which + "_stride"], sample) for sample in samples
        ]
        for k in range(each.carried):
            place = code.offset(slot, k * kind.bytes)
            if which == "begin":
                vector = self.gather(lanes, "0", k)
                code.do(f"store {kind} {vector}, ptr {place}, align {kind.bytes}")
            else:
                vector = code.value(f"load {kind}, ptr {place}, align {kind.bytes}")
                self.scatter(lanes, "0", k, vector)
        code.do(f"br label %{after}")
        code.place(absent)
        if which == "begin":
            for k in range(each.carried):
                place = code.offset(slot, k * kind.bytes)
                code.do(f"store {kind} {kind.splat(0.0)}, ptr {place}, align {kind.bytes}")
        code.do(f"br label %{after}")
        code.place(after)

    def emit_step(
        self, each: TraversalPass, graph: Graph, number: int, row: str, node: str
    ) -> None:
        """The code of one kind: everything is read and computed before anything is written."""
        code, kind, layout = self.code, self.kind, self.layout
        kept = layout.kept[number]
        arrays = {port.name: port for port in layout.arrays}
        known: dict[str, str] = {}

        def field(name: str) -> str:
            """An integer of the node."""
            if name not in known:
                k = (*ROW, *layout.columns).index(name)
                short = code.value(f"load i32, ptr {code.offset(row, 4 * k)}")
                known[name] = code.value(f"sext i32 {short} to i64")
            return known[name]

        def scaled(name: str, factor: int) -> str:
            key = f"{name}*{factor}"
            if key not in known:
                known[key] = code.value(f"mul i64 {field(name)}, {factor}")
            return known[key]

        def slot(name: str) -> str:
            if layout.in_place:
                return code.offset(self.slots, IN_PLACE * self.slot_bytes)
            return code.offset(self.slots, scaled(name, self.slot_bytes))

        def array_offset(name: str) -> str:
            column = arrays[name].column
            if isinstance(column, str):
                return scaled(column, kind.item_bytes)
            key = f"{name}+"
            if key not in known:
                known[key] = code.value(f"mul i64 {node}, {column * kind.item_bytes}")
            return known[key]

        def kept_place(name: str, place: int) -> str:
            base = code.offset(self.kept, scaled("kept", kind.bytes))
            return code.offset(base, (kept[name] + place) * kind.bytes)

        def load_vector(pointer: str) -> str:
            return code.value(f"load {kind}, ptr {pointer}, align {kind.bytes}")

        source = slot("in_from" if each.inward else "out_from")

        def load(n: int) -> str:
            element = graph.nodes[n].element
            assert element is not None
            name = graph.inputs[element.port].name
            if name == "carried":
                return load_vector(code.offset(source, element.place * kind.bytes))
            if name == "numbers":
                return self.gather(self.numbers, scaled("numbers", kind.item_bytes), element.place)
            if name in kept:
                return load_vector(kept_place(name, element.place))
            return self.gather(self.lanes[name], array_offset(name), element.place)

        nodes = NodeEmitter(graph, code, kind, self.has_fma, load)
        for n, one in enumerate(graph.nodes):
            if one.op not in ("const", "input"):
                nodes.emit(n)
        results = [[nodes.value(n) for n in result] for result in graph.results]
        for port, values in zip(graph.outputs, results, strict=True):
            if port.name == "on" and layout.in_place:
                inputs = [graph.nodes[n].element for n in graph.results[0]]
                moved = [
                    (k, value)
                    for k, (value, element) in enumerate(zip(values, inputs, strict=True))
                    if element is None
                    or graph.inputs[element.port].name != "carried"
                    or element.place != k
                ]
                self.store_row(moved, slot("out_to"))
            elif port.name == "on" and each.inward:
                self.add_on(values, field("in_plus"), slot("in_plus"), slot("in_to"))
            elif port.name == "on":
                self.store_row(enumerate(values), slot("out_to"))
            elif port.name in kept:
                self.store_row(enumerate(values), kept_place(port.name, 0))
            else:
                for k, value in enumerate(values):
                    self.scatter(self.lanes[port.name], array_offset(port.name), k, value)

    def store_row(self, values: Iterable[tuple[int, str]], target: str) -> None:
        code, kind = self.code, self.kind
        for k, value in values:
            where = code.offset(target, k * kind.bytes)
            code.do(f"store {kind} {value}, ptr {where}, align {kind.bytes}")

    def add_on(self, values: Sequence[str], number: str, plus: str, target: str) -> None:
        """Hand on to the parent: alone, or added to what its other children have handed on."""
        code, kind = self.code, self.kind
        first, further, after = (code.label(name) for name in ("first", "further", "after"))
        alone = code.value(f"icmp eq i64 {number}, 0")
        code.do(f"br i1 {alone}, label %{first}, label %{further}")
        code.place(first)
        self.store_row(enumerate(values), target)
        code.do(f"br label %{after}")
        code.place(further)
        sums = []
        for k, value in enumerate(values):
            where = code.offset(plus, k * kind.bytes)
            there = code.value(f"load {kind}, ptr {where}, align {kind.bytes}")
            sums.append(code.value(f"fadd {kind} {there}, {value}"))
        self.store_row(enumerate(sums), target)
        code.do(f"br label %{after}")
        code.place(after)
