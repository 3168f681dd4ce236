"""Piecewise polynomials, the form of every path in joint space.

A piece has coefficients of its own time, which runs from 0 to 1, so that numbers stay near those
of the positions however short it is. NumPy finds the piece of every time; one kernel for each
number of joints, whatever the path, does the arithmetic.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, final

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from phalanx.base.errors import InvalidInput
from phalanx.base.short_repr import short_repr
from phalanx.kernel import Kernel, compile

Array = NDArray[np.float64]

DEGREE = 5
BLOCK = 1024  # times: their coefficients stay in the processor's cache
MOST_IN_A_LAW = 40_000  # coefficients: each is looked at whenever the law is evaluated


@short_repr
@final
@dataclass(frozen=True, eq=False)
class Polynomials:
    """Polynomials of the fifth degree or less, one after the other.

    Attributes:
        times: Where pieces begin, and where the last one ends [s]; the first is zero. Growing,
            shape (k + 1,).
        coefficients: Of the powers of each piece's own time, which runs from 0 to 1; shape
            (k, 6, n).
    """

    times: Array
    coefficients: Array

    @property
    def duration(self) -> float:
        """How long [s]."""
        return float(self.times[-1])

    def motion(self, t: Array) -> tuple[Array, Array, Array]:
        """Positions, velocities and accelerations, each (k, n), at times within, shape (k,)."""
        n = self.coefficients.shape[2]
        call, rates = _kernel(n).call, 1 / np.diff(self.times)
        q, v, a = (np.empty((len(t), n)) for _ in range(3))
        for first in range(0, len(t), BLOCK):
            some = slice(first, first + BLOCK)
            k = np.searchsorted(self.times[1:-1], t[some], side="right")
            s = (t[some] - self.times.take(k)) * rates.take(k)
            call(
                self.coefficients.take(k, axis=0), s, rates.take(k), out=(q[some], v[some], a[some])
            )
        return q, v, a

    def symbols(self, t: Any) -> tuple[Any, Any, Any]:
        """The same over a CasADi symbol, within the path.

        Raises:
            InvalidInput: When it has so many pieces that code would become too long.
        """
        k, _, n = self.coefficients.shape
        if np.count_nonzero(self.coefficients) > MOST_IN_A_LAW:
            raise InvalidInput(
                f"a path of {k:,} pieces and {n} joints is too long for a law, which looks at "
                f"every piece at every time; at most {MOST_IN_A_LAW:,} coefficients. Sample it "
                "more coarsely."
            )
        after = [t >= begin for begin in self.times[1:-1]]
        # one where the time is within a piece, zero elsewhere: sums below have one term
        within = ca.vertcat(*(a - b for a, b in zip([1.0, *after], [*after, 0.0], strict=True)))

        def chosen(values: Array) -> Any:
            return ca.mtimes(ca.sparsify(ca.DM(values.T)), within)

        rate = chosen(1 / np.diff(self.times)[:, None])
        s = (t - chosen(self.times[:-1, None])) * rate
        return _horner([chosen(self.coefficients[:, d, :]) for d in range(DEGREE + 1)], s, rate)

    def peaks(self) -> tuple[Array, Array]:
        """The largest velocities and accelerations of each joint, either way, each (n,)."""
        h = np.diff(self.times)[:, None]
        powers = self.coefficients[:, ::-1, :]  # the highest first, as NumPy's polynomials have it
        peaks = []
        for order in (1, 2):
            own, slope = (_derivative(powers, order + more) for more in (0, 1))
            size = np.empty(h.shape[0:1] + own.shape[2:])
            for k, j in np.ndindex(*size.shape):
                size[k, j] = np.abs(np.polyval(own[k, :, j], _extremes(slope[k, :, j]))).max()
            peaks.append((size / h**order).max(axis=0))
        return peaks[0], peaks[1]

    def slower(self, factor: float) -> Polynomials:
        """The same curves, gone through in ``factor`` times the time."""
        return Polynomials(self.times * factor, self.coefficients)


def between(h: Any, first: Any, last: Any) -> Array:
    """Coefficients (..., 6, n) of the quintics that go from one state to another.

    Args:
        h: Their durations [s], shape (..., 1).
        first: Positions, velocities and accelerations at their begin, each (..., n).
        last: The same at their end.
    """
    (q0, v0, a0), (q1, v1, a1) = first, last
    c0, c1, c2 = q0, h * v0, h * h * a0 / 2
    # what positions, velocities and accelerations still lack at the end of each piece
    d, e, f = q1 - (c0 + c1 + c2), h * v1 - (c1 + 2 * c2), h * h * a1 - 2 * c2
    high = (10 * d - 4 * e + f / 2, -15 * d + 7 * e - f, 6 * d - 3 * e + f / 2)
    return np.stack(np.broadcast_arrays(c0, c1, c2, *high), axis=-2)


def _horner(c: list[Any], s: Any, rate: Any) -> tuple[Any, Any, Any]:
    """Positions, velocities and accelerations by coefficients, a piece's own time and 1/h."""
    return (
        c[0] + s * (c[1] + s * (c[2] + s * (c[3] + s * (c[4] + s * c[5])))),
        (c[1] + s * (2 * c[2] + s * (3 * c[3] + s * (4 * c[4] + s * 5 * c[5])))) * rate,
        (2 * c[2] + s * (6 * c[3] + s * (12 * c[4] + s * 20 * c[5]))) * rate * rate,
    )


@cache
def _kernel(n: int) -> Kernel:
    c, s, rate = ca.SX.sym("c", DEGREE + 1, n), ca.SX.sym("s"), ca.SX.sym("rate")
    parts = _horner([c[d, :].T for d in range(DEGREE + 1)], s, rate)
    function = ca.Function(
        "polynomials", [c, s, rate], list(parts), ["c", "s", "rate"], ["q", "v", "a"]
    )
    shapes: dict[str, tuple[int, ...]] = {"c": (DEGREE + 1, n), "s": (), "rate": ()}
    shapes |= {name: (n,) for name in "qva"}
    return compile(function, shapes=shapes, threads=1)


def _derivative(powers: Array, order: int) -> Array:
    """Of polynomials of shape (k, 6, n), the highest power first."""
    for _ in range(order):
        degrees = np.arange(powers.shape[1] - 1, 0, -1)
        powers = powers[:, :-1, :] * degrees[:, None]
    return powers


def _extremes(slope: Array) -> Array:
    """Where a polynomial with this slope can be largest between 0 and 1."""
    size = np.abs(slope).max()
    if not size > 0:
        return np.array([0.0, 1.0])
    # powers below rounding would only add roots far away, at the price of all others
    roots = np.roots(np.where(np.abs(slope) > 1e-14 * size, slope, 0.0))
    real = roots.real[np.abs(roots.imag) < 1e-7]
    return np.concatenate([[0.0, 1.0], real[(real > 0) & (real < 1)]])
