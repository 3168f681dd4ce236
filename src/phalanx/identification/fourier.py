"""Motions as Fourier series that begin and end at rest, sampled by one kernel for whole batches.

Joint j moves as q = c + Σ_k (a_k sin kωt - b_k cos kωt) / kω + what makes it c at the begin. With
Σ a_k = 0 and Σ k b_k = 0 velocity and acceleration are zero where a period begins and ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, final

import casadi as ca
import numpy as np
from numpy.typing import NDArray

from phalanx.kernel import Kernel, compile
from phalanx.planning.paths.path import Path

Array = NDArray[np.float64]

PER_HARMONIC = 20  # points at which limits are looked at


@final
@dataclass(frozen=True, eq=False)
class Series:
    """One Fourier series for each joint, or a batch of such.

    Attributes:
        period: [s].
        begin: Positions at the begin [rad or m], shape (..., n).
        sine: a_k [rad/s or m/s], shape (..., harmonics, n).
        cosine: b_k [rad/s or m/s], shape (..., harmonics, n).
    """

    period: float
    begin: Array
    sine: Array
    cosine: Array

    def motion(self, t: Array) -> tuple[Array, Array, Array]:
        """Positions, velocities and accelerations at times (k,), each (..., k, n)."""
        harmonics, n = self.sine.shape[-2:]
        parts = (self.begin[..., None, :], self.sine[..., None, :, :], self.cosine[..., None, :, :])
        q, v, a = _kernel(harmonics, n)(t, 2 * np.pi / self.period, *parts)
        return q, v, a

    def path(self) -> Path:
        """One period as a path."""
        return Path(self.period, self.motion, self.symbols)

    def symbols(self, t: Any) -> tuple[Any, Any, Any]:
        """The motion of a single series over a CasADi symbol."""
        parts = (ca.DM(self.begin), ca.DM(self.sine), ca.DM(self.cosine))
        q, v, a = _series(t, 2 * np.pi / self.period, *parts, len(self.sine))
        return q, v, a

    def peaks(self) -> tuple[Array, Array, Array, Array]:
        """Lowest and highest positions, largest velocities and accelerations, each (..., n).

        Between points of a fine grid a series of degree K is larger than at them by at most
        1 / cos(π K / N): these are bounds that no time exceeds, and closer than sums of amplitudes.
        """
        count = PER_HARMONIC * self.sine.shape[-2]
        q, v, a = self.motion(np.arange(count) * self.period / count)
        more = 1 / np.cos(np.pi / PER_HARMONIC)
        # about the mean of a period, which is the constant of the series
        mean = q.mean(axis=-2)
        reach = more * np.abs(q - mean[..., None, :]).max(axis=-2)
        speed, change = (more * np.abs(part).max(axis=-2) for part in (v, a))
        return mean - reach, mean + reach, speed, change


def at_rest(sine: Array, cosine: Array) -> tuple[Array, Array]:
    """The nearest coefficients with which a series begins at rest."""
    k = np.arange(1, sine.shape[-2] + 1.0)[:, None]
    shares = k / (k * k).sum()
    return (
        sine - sine.mean(axis=-2, keepdims=True),
        cosine - shares * (k * cosine).sum(axis=-2, keepdims=True),
    )


def _series(t: Any, w: Any, begin: Any, sine: Any, cosine: Any, harmonics: int) -> Any:
    q, v, a = begin, 0, 0
    for k in range(1, harmonics + 1):
        x, s, c = k * w * t, sine[k - 1, :].T, cosine[k - 1, :].T
        q = q + (s * ca.sin(x) + c * (1 - ca.cos(x))) / (k * w)
        v = v + s * ca.cos(x) + c * ca.sin(x)
        a = a + k * w * (c * ca.cos(x) - s * ca.sin(x))
    return q, v, a


@cache
def _kernel(harmonics: int, n: int) -> Kernel:
    t, w, begin = ca.SX.sym("t"), ca.SX.sym("w"), ca.SX.sym("begin", n)
    sine, cosine = (ca.SX.sym(name, harmonics, n) for name in ("sine", "cosine"))
    parts = _series(t, w, begin, sine, cosine, harmonics)
    inputs = ["t", "w", "begin", "sine", "cosine"]
    function = ca.Function(
        "fourier", [t, w, begin, sine, cosine], list(parts), inputs, ["q", "v", "a"]
    )
    shapes: dict[str, tuple[int, ...]] = {"t": (), "w": (), "begin": (n,)}
    shapes |= {"sine": (harmonics, n), "cosine": (harmonics, n)} | {name: (n,) for name in "qva"}
    return compile(function, shapes=shapes, threads=1)
