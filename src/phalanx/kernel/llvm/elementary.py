"""Elementary operations on vectors, as LLVM assembly.

Everything inline is built from operations that IEEE 754 rounds correctly, so a lane's result does
not depend on the width of the vector it is in. What is not inline goes lane by lane through the C
library.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from phalanx.kernel.llvm.ir_text import Code, Vector

# C library functions by graph operation; single precision appends an f
LIBM = {
    op: op
    for op in (
        "sin cos asin acos atan sinh cosh tanh asinh acosh atanh exp expm1 log log1p erf pow atan2 "
        "fmod remainder hypot".split()
    )
}

# imported under names LLVM does not know, so that it cannot replace or reorder the calls
LIBM_PREFIX = "phalanx_"

_COMPARISON = {"lt": "olt", "le": "ole", "eq": "oeq", "ne": "une"}


def operation(code: Code, kind: Vector, op: str, args: list[str]) -> str:
    """Emit one operation of a graph, except pairs; returns the name of its result."""
    emit = _INLINE.get(op)
    if emit is not None:
        return emit(code, kind, *args)
    return lane_by_lane(code, kind, op, args)


def fma(code: Code, kind: Vector, a: str, b: str, c: str) -> str:
    """a*b + c with one rounding."""
    return code.call(str(kind), f"llvm.fma.{kind.suffix}", *((str(kind), x) for x in (a, b, c)))


def horner(code: Code, kind: Vector, coefficients: Sequence[float], x: str) -> str:
    """A polynomial in ``x``, highest power first."""
    value = kind.splat(coefficients[0])
    for c in coefficients[1:]:
        value = fma(code, kind, value, x, kind.splat(c))
    return value


def comparison(code: Code, kind: Vector, op: str, args: list[str]) -> str:
    """The mask of a comparison or logical operation."""
    if op in _COMPARISON:
        return code.value(f"fcmp {_COMPARISON[op]} {kind} {args[0]}, {args[1]}")
    masks = [truth(code, kind, a) for a in args]
    if op == "not":
        all_true = "<" + ", ".join(["i1 true"] * kind.lanes) + ">"
        return code.value(f"xor {kind.mask} {masks[0]}, {all_true}")
    return code.value(f"{op} {kind.mask} {masks[0]}, {masks[1]}")


def truth(code: Code, kind: Vector, a: str) -> str:
    """The mask of the lanes that are not zero (NaN is not)."""
    return code.value(f"fcmp une {kind} {a}, {kind.splat(0.0)}")


def number_of_mask(code: Code, kind: Vector, mask: str) -> str:
    """1 where the mask is set, else 0."""
    return select(code, kind, mask, kind.splat(1.0), kind.splat(0.0))


def select(code: Code, kind: Vector, mask: str, a: str, b: str) -> str:
    """``a`` in the lanes of the mask, ``b`` in the others."""
    return code.value(f"select {kind.mask} {mask}, {kind} {a}, {kind} {b}")


def lane_by_lane(code: Code, kind: Vector, op: str, args: list[str]) -> str:
    """Call the C library for every lane."""
    name = LIBM_PREFIX + LIBM[op] + ("f" if kind.scalar == "float" else "")
    result = "undef"
    for lane in range(kind.lanes):
        scalars = [
            (kind.scalar, code.value(f"extractelement {kind} {a}, i32 {lane}")) for a in args
        ]
        value = code.call(kind.scalar, name, *scalars)
        result = code.value(f"insertelement {kind} {result}, {kind.scalar} {value}, i32 {lane}")
    return result


def _binary(instruction: str) -> Callable[..., str]:
    def emit(code: Code, kind: Vector, a: str, b: str) -> str:
        return code.value(f"{instruction} {kind} {a}, {b}")

    return emit


def _intrinsic(name: str) -> Callable[..., str]:
    def emit(code: Code, kind: Vector, *args: str) -> str:
        return code.call(str(kind), f"llvm.{name}.{kind.suffix}", *((str(kind), a) for a in args))

    return emit


def _neg(code: Code, kind: Vector, a: str) -> str:
    return code.value(f"fneg {kind} {a}")


def _sign(code: Code, kind: Vector, a: str) -> str:
    """-1, 0 (with its sign) or 1; NaN stays."""
    positive = code.value(f"fcmp ogt {kind} {a}, {kind.splat(0.0)}")
    negative = code.value(f"fcmp olt {kind} {a}, {kind.splat(0.0)}")
    upper = select(code, kind, positive, kind.splat(1.0), a)
    return select(code, kind, negative, kind.splat(-1.0), upper)


def _extremum(order: str) -> Callable[..., str]:
    """C's fmin and fmax: a number wins over NaN."""

    def emit(code: Code, kind: Vector, a: str, b: str) -> str:
        first = code.value(f"fcmp {order} {kind} {a}, {b}")
        second_missing = code.value(f"fcmp uno {kind} {b}, {b}")
        take_first = code.value(f"or {kind.mask} {first}, {second_missing}")
        return select(code, kind, take_first, a, b)

    return emit


fabs = _intrinsic("fabs")
copysign = _intrinsic("copysign")

_INLINE: dict[str, Callable[..., str]] = {
    "add": _binary("fadd"),
    "sub": _binary("fsub"),
    "mul": _binary("fmul"),
    "div": _binary("fdiv"),
    "neg": _neg,
    "fma": fma,
    "sqrt": _intrinsic("sqrt"),
    "fabs": fabs,
    "floor": _intrinsic("floor"),
    "ceil": _intrinsic("ceil"),
    "copysign": copysign,
    "sign": _sign,
    "fmin": _extremum("olt"),
    "fmax": _extremum("ogt"),
}
