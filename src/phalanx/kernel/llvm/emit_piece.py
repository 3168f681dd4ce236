"""Arithmetic of a kernel as LLVM assembly: vector loops over the groups of a block.

A group is one vector of samples in scratch memory: a row per scalar, side by side. Each function
takes the start of scratch memory and the end of the last group that has samples.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from phalanx.kernel.graph.graph import Graph
from phalanx.kernel.graph.passes.split import SplitGraph
from phalanx.kernel.llvm import elementary, exponential, trigonometry
from phalanx.kernel.llvm.ir_text import Code, Vector

_INLINE_DOUBLE = {"exp": exponential.exp, "tanh": exponential.tanh}
_CONDITIONS = frozenset(["lt", "le", "eq", "ne", "and", "or", "not"])
_ANGLES = frozenset(["sin", "cos", "tan"])


@dataclass
class NodeEmitter:
    """Emits nodes and remembers which register holds what.

    Attributes:
        graph: The operations.
        code: Where their instructions go.
        kind: The type of every value.
        has_fma: Whether the processor multiplies and adds with one rounding.
        load: Emits the load of a node that this function has not computed; returns its register.
    """

    graph: Graph
    code: Code
    kind: Vector
    has_fma: bool
    load: Callable[[int], str]
    _values: dict[int, str] = field(default_factory=dict)
    _masks: dict[int, str] = field(default_factory=dict)
    _pairs: dict[int, tuple[str, str]] = field(default_factory=dict)

    def value(self, n: int) -> str:
        """The register or constant that holds a node's number, loaded if need be."""
        known = self._values.get(n)
        if known is not None:
            return known
        node = self.graph.nodes[n]
        text = self.kind.splat(node.value) if node.op == "const" else self.load(n)
        self._values[n] = text
        return text

    def emit(self, n: int) -> None:
        """Compute a node."""
        node = self.graph.nodes[n]
        code, kind = self.code, self.kind
        if node.op == "sincos":
            self._pairs[n] = self._sincos(node.args[0])
        elif node.op == "sin_of":
            self._values[n] = self._pairs[node.args[0]][0]
        elif node.op == "cos_of":
            self._values[n] = self._pairs[node.args[0]][1]
        elif node.op in _ANGLES:
            # not paired by a pass: whichever comes first computes both
            angle = node.args[0]
            if angle not in self._pairs:
                self._pairs[angle] = self._sincos(angle)
            sine, cosine = self._pairs[angle]
            whole = {"sin": sine, "cos": cosine}.get(node.op)
            self._values[n] = whole or elementary.operation(code, kind, "div", [sine, cosine])
        elif node.op in _CONDITIONS:
            args = [self.value(a) for a in node.args]
            self._masks[n] = elementary.comparison(code, kind, node.op, args)
            self._values[n] = elementary.number_of_mask(code, kind, self._masks[n])
        elif node.op == "if_else_zero":
            condition, then = node.args
            mask = self._masks.get(condition)
            mask = mask or elementary.truth(code, kind, self.value(condition))
            zero = kind.splat(0.0)
            self._values[n] = elementary.select(code, kind, mask, self.value(then), zero)
        else:
            args = [self.value(a) for a in node.args]
            in_line = self.has_fma and kind.scalar == "double"
            inline = _INLINE_DOUBLE.get(node.op) if in_line else None
            if inline:
                self._values[n] = inline(code, kind, *args)
            else:
                self._values[n] = elementary.operation(code, kind, node.op, args)

    def _sincos(self, angle: int) -> tuple[str, str]:
        return trigonometry.sincos(self.code, self.kind, self.value(angle), has_fma=self.has_fma)


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
