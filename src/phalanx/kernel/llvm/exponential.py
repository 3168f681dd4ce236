"""exp and tanh of a vector, as LLVM assembly (double precision, with fma)."""

from __future__ import annotations

import math

from phalanx.kernel.llvm.elementary import copysign, fabs, fma, horner, select
from phalanx.kernel.llvm.ir_text import Code, Vector

# ln 2 in two parts; the first has few enough bits for exact products
_LN2 = (6.93145751953125e-1, 1.42860682030941723212e-6)
_ROUNDER = 6755399441055744.0  # 1.5 * 2^52: adding it rounds to an integer in the low bits
_LARGEST = 800.0  # beyond it the exponential is infinite or zero
# exp(r) = 1 + 2 r P(r²) / (Q(r²) - r P(r²)) for |r| <= ln(2)/2 (Cephes, S. Moshier)
_EXP_P = (1.26177193074810590878e-4, 3.02994407707441961300e-2, 9.99999999999999999910e-1)
_EXP_Q = (
    3.00198505138664455042e-6,
    2.52448340349684104192e-3,
    2.27265548208155028766e-1,
    2.00000000000000000005e0,
)
# tanh(x) = x + x³ P(x²) / Q(x²) for |x| <= 0.625 (Cephes)
_TANH_P = (-9.64399179425052238628e-1, -9.92877231001918586564e1, -1.61468768441708447952e3)
_TANH_Q = (1.0, 1.12811678491632931402e2, 2.23548839060100448583e3, 4.84406305325125486048e3)
_TANH_SMALL = 0.625


def exp(code: Code, kind: Vector, x: str) -> str:
    """e^x within about 1 ulp: x = k ln 2 + r, and the power of two is multiplied in two halves.

    Half a power of two is always a normal number, so results that overflow or underflow do so
    in the last multiplication, as they should.
    """
    for bound, order in ((_LARGEST, "ogt"), (-_LARGEST, "olt")):
        beyond = code.value(f"fcmp {order} {kind} {x}, {kind.splat(bound)}")
        x = select(code, kind, beyond, kind.splat(bound), x)
    rounder = kind.splat(_ROUNDER)
    k = _minus(code, kind, fma(code, kind, x, kind.splat(1 / math.log(2)), rounder), rounder)
    r = x
    for part in _LN2:
        r = fma(code, kind, k, kind.splat(-part), r)
    r2 = _times(code, kind, r, r)
    p = _times(code, kind, r, horner(code, kind, _EXP_P, r2))
    q = _minus(code, kind, horner(code, kind, _EXP_Q, r2), p)
    quotient = code.value(f"fdiv {kind} {p}, {q}")
    result = fma(code, kind, quotient, kind.splat(2.0), kind.splat(1.0))

    first_biased = fma(code, kind, k, kind.splat(0.5), rounder)
    rest = _minus(code, kind, k, _minus(code, kind, first_biased, rounder))
    rest_biased = code.value(f"fadd {kind} {rest}, {rounder}")
    for biased in (first_biased, rest_biased):
        result = _times(code, kind, result, _power_of_two(code, kind, biased))
    return result


def tanh(code: Code, kind: Vector, x: str) -> str:
    """The hyperbolic tangent within about 2 ulp: a quotient of polynomials, or exponentials."""
    size = fabs(code, kind, x)
    double = code.value(f"fadd {kind} {size}, {size}")
    above = code.value(f"fadd {kind} {exp(code, kind, double)}, {kind.splat(1.0)}")
    part = code.value(f"fdiv {kind} {kind.splat(-2.0)}, {above}")
    large = copysign(code, kind, code.value(f"fadd {kind} {part}, {kind.splat(1.0)}"), x)

    x2 = _times(code, kind, x, x)
    numerator = horner(code, kind, _TANH_P, x2)
    ratio = code.value(f"fdiv {kind} {numerator}, {horner(code, kind, _TANH_Q, x2)}")
    small = fma(code, kind, _times(code, kind, x, x2), ratio, x)
    near = code.value(f"fcmp olt {kind} {size}, {kind.splat(_TANH_SMALL)}")
    return select(code, kind, near, small, large)


def _power_of_two(code: Code, kind: Vector, biased: str) -> str:
    """2^n, where ``biased`` holds the integer n in its low bits: moved into the exponent."""
    raw = code.value(f"bitcast {kind} {biased} to {kind.integers}")
    shifted = code.value(f"shl {kind.integers} {raw}, {kind.splat_integer(52)}")
    bits = code.value(f"add {kind.integers} {shifted}, {kind.splat_integer(1023 << 52)}")
    return code.value(f"bitcast {kind.integers} {bits} to {kind}")


def _times(code: Code, kind: Vector, a: str, b: str) -> str:
    return code.value(f"fmul {kind} {a}, {b}")


def _minus(code: Code, kind: Vector, a: str, b: str) -> str:
    return code.value(f"fsub {kind} {a}, {b}")
