"""The arithmetic of a program as LLVM assembly: loops over the groups of a block.

A group is one vector of samples in scratch memory: a row per scalar, side by side. Each function
takes the start of scratch memory and the end of the last group that has samples.
"""

from __future__ import annotations

from dataclasses import dataclass

from phalanx.kernel import elementary, exponential, trigonometry
from phalanx.kernel.ir_text import Code, Vector
from phalanx.kernel.passes.split import Program

_INLINE_DOUBLE = {"exp": exponential.exp, "tanh": exponential.tanh}
_CONDITIONS = frozenset(["lt", "le", "eq", "ne", "and", "or", "not"])


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


def group_bytes(program: Program, shape: Shape) -> int:
    """Distance of two groups in scratch memory [byte]."""
    return max(1, program.rows) * shape.kind.bytes


def emit_angles(program: Program, shape: Shape) -> Code:
    """The loop over inputs that need their sine and cosine."""
    kind = shape.kind
    code = Code()
    with code.loop("0", "%end", group_bytes(program, shape)) as i:
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


def emit_piece(program: Program, number: int, shape: Shape) -> Code:
    """The loop of one piece over the block."""
    graph, kind = program.graph, shape.kind
    code = Code()
    with code.loop("0", "%end", group_bytes(program, shape)) as i:
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
