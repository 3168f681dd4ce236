"""Operations on a vector, as LLVM assembly.

Everything inline is built from operations that IEEE 754 rounds correctly, so a lane's result does
not depend on the width of the vector it is in. What is not inline goes lane by lane through the C
library.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from phalanx.kernel.ir_text import Code, Vector

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

# π/2 in three parts; each product with k is exact under fma, so the reduced angle is too
_HALF_PI = {
    "double": (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591833e-33),
    "float": (1.57079637050628662109375, -4.371139000186243e-08, -1.7151245100059042e-15),
}
# 1.5 * 2^52 (2^23): adding it rounds to an integer and leaves that integer in the low bits
_ROUNDER = {"double": 6755399441055744.0, "float": 12582912.0}
# beyond this the rounder runs out of bits, and neighbouring numbers are too far apart for an angle
_LARGEST_ANGLE = {"double": 2.0**50, "float": 2.0**21}
# minimax polynomials in r² for |r| <= π/4 (Cephes, S. Moshier)
_SINE = {
    "double": (
        1.58962301576546568060e-10,
        -2.50507477628578072866e-8,
        2.75573136213857245213e-6,
        -1.98412698295895385996e-4,
        8.33333333332211858878e-3,
        -1.66666666666666307295e-1,
    ),
    "float": (-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1),
}
_COSINE = {
    "double": (
        -1.13585365213876817300e-11,
        2.08757008419747316778e-9,
        -2.75573141792967388112e-7,
        2.48015872888517045348e-5,
        -1.38888888888730564116e-3,
        4.16666666666665929218e-2,
    ),
    "float": (2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2),
}


def operation(code: Code, kind: Vector, op: str, args: list[str]) -> str:
    """Emit one operation of a graph; returns the name of its result."""
    emit = _INLINE.get(op)
    if emit is not None:
        return emit(code, kind, *args)
    return _lane_by_lane(code, kind, op, args)


def fma(code: Code, kind: Vector, a: str, b: str, c: str) -> str:
    """a*b + c with one rounding."""
    return code.call(str(kind), f"llvm.fma.{kind.suffix}", *((str(kind), x) for x in (a, b, c)))


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


def sincos(code: Code, kind: Vector, x: str, *, has_fma: bool) -> tuple[str, str]:
    """Sine and cosine of ``x`` [rad].

    x = k π/2 + r with |r| <= π/4; k is rounded in the mantissa of a large number, r is found in
    three fused steps (Cody and Waite), and k's last two bits choose polynomial and signs. The
    absolute error is about 1 ulp of 1 up to 2^50 rad (double) or 2^21 rad (float); beyond that,
    and for infinities, the results are NaN.

    Without fused multiply-add the reduction would lose bits, so the C library is called.
    """
    if not has_fma:
        return tuple(_lane_by_lane(code, kind, op, [x]) for op in ("sin", "cos"))  # type: ignore[return-value]

    def times(a: str, b: str) -> str:
        return code.value(f"fmul {kind} {a}, {b}")

    scalar = kind.scalar
    rounder = kind.splat(_ROUNDER[scalar])
    biased = fma(code, kind, x, kind.splat(2.0 / math.pi), rounder)
    k = code.value(f"fsub {kind} {biased}, {rounder}")
    r = x
    for part in _HALF_PI[scalar]:
        r = fma(code, kind, k, kind.splat(-part), r)
    size = _fabs(code, kind, x)
    valid = code.value(f"fcmp ole {kind} {size}, {kind.splat(_LARGEST_ANGLE[scalar])}")
    r = select(code, kind, valid, r, kind.splat(math.nan))

    r2 = times(r, r)
    sine = _horner(code, kind, _SINE[scalar], r2)
    sine = fma(code, kind, times(sine, r2), r, r)
    cosine = _horner(code, kind, _COSINE[scalar], r2)
    first_terms = fma(code, kind, r2, kind.splat(-0.5), kind.splat(1.0))
    cosine = fma(code, kind, times(cosine, r2), r2, first_terms)

    # quadrant k mod 4: odd swaps the two; 2, 3 negate the sine; 1, 2 the cosine
    integers = kind.integers
    quadrant = code.value(f"bitcast {kind} {biased} to {integers}")
    sign_shift = kind.splat_integer(8 * kind.item_bytes - 2)
    two = kind.splat_integer(2)
    odd_bit = code.value(f"and {integers} {quadrant}, {kind.splat_integer(1)}")
    odd = code.value(f"icmp ne {integers} {odd_bit}, zeroinitializer")
    following = code.value(f"add {integers} {quadrant}, {kind.splat_integer(1)}")
    results = []
    for counter, even_value, odd_value in ((quadrant, sine, cosine), (following, cosine, sine)):
        value = select(code, kind, odd, odd_value, even_value)
        bit = code.value(f"and {integers} {counter}, {two}")
        sign = code.value(f"shl {integers} {bit}, {sign_shift}")
        raw = code.value(f"bitcast {kind} {value} to {integers}")
        signed = code.value(f"xor {integers} {raw}, {sign}")
        results.append(code.value(f"bitcast {integers} {signed} to {kind}"))
    return results[0], results[1]


def _horner(code: Code, kind: Vector, coefficients: tuple[float, ...], x: str) -> str:
    value = kind.splat(coefficients[0])
    for c in coefficients[1:]:
        value = fma(code, kind, value, x, kind.splat(c))
    return value


def _lane_by_lane(code: Code, kind: Vector, op: str, args: list[str]) -> str:
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


_fabs = _intrinsic("fabs")

_INLINE: dict[str, Callable[..., str]] = {
    "add": _binary("fadd"),
    "sub": _binary("fsub"),
    "mul": _binary("fmul"),
    "div": _binary("fdiv"),
    "neg": _neg,
    "fma": fma,
    "sqrt": _intrinsic("sqrt"),
    "fabs": _fabs,
    "floor": _intrinsic("floor"),
    "ceil": _intrinsic("ceil"),
    "copysign": _intrinsic("copysign"),
    "sign": _sign,
    "fmin": _extremum("olt"),
    "fmax": _extremum("ogt"),
}
