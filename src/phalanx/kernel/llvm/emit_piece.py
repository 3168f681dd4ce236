"""Arithmetic of a kernel as LLVM assembly: vector loops over the groups of a block.

A group is one vector of samples in scratch memory: a row per scalar, side by side. Each function
takes the start of scratch memory and the end of the last group that has samples.
"""

from __future__ import annotations

from dataclasses import dataclass

from phalanx.kernel.graph.passes.split import SplitGraph
from phalanx.kernel.llvm import trigonometry
from phalanx.kernel.llvm.emit_node import NodeEmitter
from phalanx.kernel.llvm.ir_text import Code, Vector


@dataclass(frozen=True)
class BlockShape:
    """Vector type, samples a block, and whether fma exists."""

    kind: Vector
    block: int
    has_fma: bool

    @property
    def groups(self) -> int:
        """How many vectors of samples a block has."""
        return self.block // self.kind.lanes


def group_bytes(program: SplitGraph, shape: BlockShape) -> int:
    """Distance of two groups in scratch memory [byte]."""
    return max(1, program.rows) * shape.kind.bytes


def emit_angles(program: SplitGraph, shape: BlockShape) -> Code:
    """The loop over inputs, and sums of inputs and constants, that need sine and cosine."""
    kind = shape.kind
    code = Code()
    with code.loop("0", "%end", group_bytes(program, shape)) as i:
        group = code.offset("%scratch", i)
        for shift in program.shifts:
            source, target = (
                code.offset(group, r * kind.bytes) for r in (shift.source, shift.target)
            )
            x = code.value(f"load {kind}, ptr {source}, align {kind.bytes}")
            if shift.constant:
                x = code.value(f"fadd {kind} {x}, {kind.splat(shift.constant)}")
            code.do(f"store {kind} {x}, ptr {target}, align {kind.bytes}")
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


def emit_piece(program: SplitGraph, number: int, shape: BlockShape) -> Code:
    """The loop of one piece over the block."""
    graph, kind = program.graph, shape.kind
    code = Code()
    with code.loop("0", "%end", group_bytes(program, shape)) as i:
        place = code.offset("%scratch", i)

        def address(row: int) -> str:
            return code.offset(place, row * kind.bytes)

        def load(n: int) -> str:
            where = address(program.row[n])
            return code.value(f"load {kind}, ptr {where}, align {kind.bytes}")

        nodes = NodeEmitter(graph, code, kind, shape.has_fma, load)

        def store(n: int, row: int) -> None:
            code.do(f"store {kind} {nodes.value(n)}, ptr {address(row)}, align {kind.bytes}")

        for n in program.pieces[number]:
            nodes.emit(n)
            for row in program.stores.get(n, ()):
                store(n, row)
        if number == len(program.pieces) - 1:
            for n, row in program.copies:
                store(n, row)
    code.do("ret void")
    return code
