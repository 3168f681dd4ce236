"""Iterate-until-converged loop (per lane), as LLVM assembly.

A block of samples lies in the lanes of scratch memory, as in ``emit_loop``. Samples need different
numbers of steps; a lane whose sample is done writes what it found and takes the next one at once,
so that no lane waits for the slowest. A turn's own samples come first, then the shared counter's.

``run`` reads a table: how many samples there are, then for every input, and every output but the
last, a record (pointer, bytes from sample to sample, from element to element). The last output is
one number, other than zero in a lane whose sample is done.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate

from phalanx.kernel.graph.graph import Port
from phalanx.kernel.graph.passes.split import SplitGraph, first_output_row
from phalanx.kernel.llvm.emit_llvm import RECORD_FIELDS, emit_module, load_records
from phalanx.kernel.llvm.emit_piece import BlockShape, group_bytes
from phalanx.kernel.llvm.ir_text import Code
from phalanx.kernel.loops.emit_loop import emit_carry, emit_going_on

_NOBODY = -1  # the sample of a lane that has none


def emit_until(program: SplitGraph, shape: BlockShape, carried: int) -> str:
    """The text of a module that takes a step until every sample is done.

    Args:
        program: The step.
        shape: How it is laid out.
        carried: So many first outputs are, in a sample's next step, its first inputs.
    """

    def body(
        code: Code, program: SplitGraph, shape: BlockShape, stages: Sequence[str], scratch: str
    ) -> None:
        _Lanes(code, program, shape, scratch).emit(stages, carried)

    return emit_module(program, shape, body)


class _Lanes:
    """The lanes of a block: which sample each has, and how samples come and go."""

    def __init__(self, code: Code, program: SplitGraph, shape: BlockShape, scratch: str) -> None:
        self._code, self._program, self._shape, self._scratch = code, program, shape, scratch
        graph = program.graph
        self._total = code.value("load i64, ptr %arrays")
        ports = (*graph.inputs, *graph.outputs[:-1])
        rows = [0, *accumulate(port.size for port in ports)]
        records = load_records(code, code.offset("%arrays", 8), len(ports), RECORD_FIELDS)
        moved = list(zip(ports, rows, records, strict=False))
        self._inputs, self._outputs = moved[: len(graph.inputs)], moved[len(graph.inputs) :]
        sizes = [port.size for port in graph.outputs]
        self._done_row = first_output_row(graph) + sum(sizes[:-1])
        # the sample of each lane, the next of this turn, where the groups with samples end
        self._samples = code.value(f"alloca [{shape.block} x i64], align 8")
        self._next, self._end = (code.value("alloca i64") for _ in range(2))

    def emit(self, stages: Sequence[str], carried: int) -> None:
        """All lanes filled, then steps until none has a sample."""
        code, shape = self._code, self._shape
        group = group_bytes(self._program, shape)
        code.do(f"store i64 %start, ptr {self._next}")
        code.do(f"store i64 {shape.groups * group}, ptr {self._end}")
        with code.loop("0", str(shape.block), 1) as lane:
            self._fill(lane)
        again, step, all_done = (code.label(x) for x in ("again", "step", "all_done"))
        code.do(f"br label %{again}")
        code.place(again)
        self._cut_idle_groups()
        end = code.value(f"load i64, ptr {self._end}")
        more = code.value(f"icmp sgt i64 {end}, 0")
        more = code.value(f"and i1 {more}, {emit_going_on(code)}")
        code.do(f"br i1 {more}, label %{step}, label %{all_done}")
        code.place(step)
        for stage in stages:
            code.do(f"call void @{stage}(ptr {self._scratch}, i64 {end})")
        emit_carry(code, self._program, shape, self._scratch, end, carried)
        with code.loop("0", end, group) as i:
            self._change_samples(i)
        code.do(f"br label %{again}")
        code.place(all_done)

    def _change_samples(self, group_start: str) -> None:
        """Where samples of a group are done, write what they found and take others."""
        code, kind = self._code, self._shape.kind
        flags = code.offset(code.offset(self._scratch, group_start), self._done_row * kind.bytes)
        done = code.value(f"load {kind}, ptr {flags}, align {kind.bytes}")
        mask = code.value(f"fcmp une {kind} {done}, {kind.splat(0.0)}")
        bits = code.value(f"bitcast {kind.mask} {mask} to i{kind.lanes}")
        some = code.value(f"icmp ne i{kind.lanes} {bits}, 0")
        with self._only_if(some):
            first = self._first_lane(group_start)
            with code.loop("0", str(kind.lanes), 1) as k:
                lane = code.value(f"add i64 {first}, {k}")
                flag = code.offset(flags, code.value(f"mul i64 {k}, {kind.item_bytes}"))
                value = code.value(f"load {kind.scalar}, ptr {flag}")
                is_done = code.value(f"fcmp une {kind.scalar} {value}, 0.0")
                sample = code.value(f"load i64, ptr {self._sample_of(lane)}")
                has_one = code.value(f"icmp ne i64 {sample}, {_NOBODY}")
                with self._only_if(code.value(f"and i1 {is_done}, {has_one}")):
                    self._move(self._outputs, sample, lane, write=True)
                    self._fill(lane)

    def _fill(self, lane: str) -> None:
        """Give a lane the next sample, if there is one."""
        code = self._code
        own, others, taken = (code.label(x) for x in ("own", "others", "taken"))
        mine = code.value(f"load i64, ptr {self._next}")
        is_mine = code.value(f"icmp slt i64 {mine}, %end")
        code.do(f"br i1 {is_mine}, label %{own}, label %{others}")
        code.place(own)
        code.do(f"store i64 {code.value(f'add i64 {mine}, 1')}, ptr {self._next}")
        code.do(f"br label %{taken}")
        code.place(others)
        shared = code.value("atomicrmw add ptr %next, i64 1 monotonic")
        code.do(f"br label %{taken}")
        code.place(taken)
        sample = code.value(f"phi i64 [ {mine}, %{own} ], [ {shared}, %{others} ]")
        exists = code.value(f"icmp slt i64 {sample}, {self._total}")
        holder = code.value(f"select i1 {exists}, i64 {sample}, i64 {_NOBODY}")
        code.do(f"store i64 {holder}, ptr {self._sample_of(lane)}")
        with self._only_if(exists):
            self._move(self._inputs, sample, lane, write=False)

    def _move(
        self, ports: Sequence[tuple[Port, int, list[str]]], sample: str, lane: str, *, write: bool
    ) -> None:
        """Read a sample into a lane, or write what a lane has found."""
        code, kind = self._code, self._shape.kind
        group = code.value(f"udiv i64 {lane}, {kind.lanes}")
        within = code.value(f"urem i64 {lane}, {kind.lanes}")
        start = code.value(f"mul i64 {group}, {group_bytes(self._program, self._shape)}")
        column = code.offset(
            code.offset(self._scratch, start), code.value(f"mul i64 {within}, {kind.item_bytes}")
        )
        for port, row, (pointer, sample_stride, element_stride) in ports:
            array = code.offset(pointer, code.value(f"mul i64 {sample}, {sample_stride}"))
            rows = code.offset(column, row * kind.bytes)
            with code.loop("0", str(port.size), 1) as e:
                outside = code.offset(array, code.value(f"mul i64 {e}, {element_stride}"))
                inside = code.offset(rows, code.value(f"mul i64 {e}, {kind.bytes}"))
                source, target = (inside, outside) if write else (outside, inside)
                number = code.value(f"load {kind.scalar}, ptr {source}")
                code.do(f"store {kind.scalar} {number}, ptr {target}")

    def _cut_idle_groups(self) -> None:
        """Leave groups at the end out in which no lane has a sample."""
        code, lanes = self._code, self._shape.kind.lanes
        group = group_bytes(self._program, self._shape)
        look, scan, cut, settled = (code.label(x) for x in ("look", "scan", "cut", "settled"))
        code.do(f"br label %{look}")
        code.place(look)
        end = code.value(f"load i64, ptr {self._end}")
        code.do(f"br i1 {code.value(f'icmp sgt i64 {end}, 0')}, label %{scan}, label %{settled}")
        code.place(scan)
        last = code.value(f"sub i64 {end}, {group}")
        first = self._first_lane(last)
        idle = "true"
        for k in range(lanes):
            place = self._sample_of(code.value(f"add i64 {first}, {k}"))
            nobody = code.value(f"icmp eq i64 {code.value(f'load i64, ptr {place}')}, {_NOBODY}")
            idle = code.value(f"and i1 {idle}, {nobody}")
        code.do(f"br i1 {idle}, label %{cut}, label %{settled}")
        code.place(cut)
        code.do(f"store i64 {last}, ptr {self._end}")
        code.do(f"br label %{look}")
        code.place(settled)

    def _first_lane(self, group_start: str) -> str:
        """The number of a group's first lane."""
        code, shape = self._code, self._shape
        number = code.value(f"udiv i64 {group_start}, {group_bytes(self._program, shape)}")
        return code.value(f"mul i64 {number}, {shape.kind.lanes}")

    def _sample_of(self, lane: str) -> str:
        """Where the number of a lane's sample is kept."""
        return self._code.offset(self._samples, self._code.value(f"mul i64 {lane}, 8"))

    @contextmanager
    def _only_if(self, condition: str) -> Iterator[None]:
        """What is written inside happens only then."""
        code = self._code
        then, otherwise = code.label("then"), code.label("otherwise")
        code.do(f"br i1 {condition}, label %{then}, label %{otherwise}")
        code.place(then)
        yield
        code.do(f"br label %{otherwise}")
        code.place(otherwise)
