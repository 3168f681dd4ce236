"""sincos of a vector, as LLVM assembly."""

from __future__ import annotations

import math

from phalanx.kernel.llvm.elementary import fabs, fma, horner, lane_by_lane, select
from phalanx.kernel.llvm.ir_text import Code, Vector

# π/2 in three parts; each product with k is exact under fma, so the reduced angle is too
_HALF_PI = {
    "double": (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33),
    "float": (1.57079637050628662109375, -4.371138828673793e-08, -1.7151244994428829e-15),
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


def sincos(code: Code, kind: Vector, x: str, *, has_fma: bool) -> tuple[str, str]:
    """Sine and cosine of ``x`` [rad].

    x = k π/2 + r with |r| <= π/4; k is rounded in the mantissa of a large number, r is found in
    three fused steps (Cody and Waite), and k's last two bits choose polynomial and signs. The
    absolute error is about 1 ulp of 1 up to 2^50 rad (double) or 2^21 rad (float); beyond that,
    and for infinities, the results are NaN.

    Without fused multiply-add the reduction would lose bits, so the C library is called.
    """
    if not has_fma:
        return lane_by_lane(code, kind, "sin", [x]), lane_by_lane(code, kind, "cos", [x])

    def times(a: str, b: str) -> str:
        return code.value(f"fmul {kind} {a}, {b}")

    scalar = kind.scalar
    rounder = kind.splat(_ROUNDER[scalar])
    biased = fma(code, kind, x, kind.splat(2.0 / math.pi), rounder)
    k = code.value(f"fsub {kind} {biased}, {rounder}")
    r = x
    for part in _HALF_PI[scalar]:
        r = fma(code, kind, k, kind.splat(-part), r)
    size = fabs(code, kind, x)
    valid = code.value(f"fcmp ole {kind} {size}, {kind.splat(_LARGEST_ANGLE[scalar])}")
    r = select(code, kind, valid, r, kind.splat(math.nan))

    r2 = times(r, r)
    sine = horner(code, kind, _SINE[scalar], r2)
    sine = fma(code, kind, times(sine, r2), r, r)
    cosine = horner(code, kind, _COSINE[scalar], r2)
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
