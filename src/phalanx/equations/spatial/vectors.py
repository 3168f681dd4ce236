"""Vectors and small matrices over CasADi symbols."""

from __future__ import annotations

from functools import lru_cache
from typing import cast

import casadi as ca
import numpy as np
from casadi import SX

# Products of exact data leave errors near 1e-16 of the largest entry.
RELATIVE_ZERO = 1e-14
"""Numbers below this part of the largest one are rounding, and taken as zero."""


def vector(*components: SX | float) -> SX:
    """A column of three symbols or numbers."""
    return ca.vertcat(*components)


def zero() -> SX:
    """The zero vector."""
    return SX.zeros(3, 1)


def cross(a: SX, b: SX) -> SX:
    """A × b."""
    return ca.cross(a, b)


def skew(a: SX) -> SX:
    """[a]x, so that ``skew(a) @ b`` is a × b."""
    return ca.skew(a)


def columnwise_cross(a: SX, b: SX) -> SX:
    """A × b where one of them may be a 3×k matrix of columns."""
    if a.shape[1] == b.shape[1]:
        return ca.horzcat(*(cross(a[:, k], b[:, k]) for k in range(a.shape[1])))
    if a.shape[1] == 1:
        return ca.horzcat(*(cross(a, b[:, k]) for k in range(b.shape[1])))
    return ca.horzcat(*(cross(a[:, k], b) for k in range(a.shape[1])))


def symmetric(xx: SX, xy: SX, xz: SX, yy: SX, yz: SX, zz: SX) -> SX:
    """A symmetric 3×3 matrix from its upper triangle."""
    return ca.vertcat(ca.horzcat(xx, xy, xz), ca.horzcat(xy, yy, yz), ca.horzcat(xz, yz, zz))


def symmetric_product(R: SX, J: SX) -> SX:
    """R J Rᵀ for a symmetric J, each of the six different entries computed once."""
    K = R @ J @ R.T
    for i, j in ((1, 0), (2, 0), (2, 1)):
        K[i, j] = K[j, i]
    return K


def constant(values: object) -> SX:
    """Numbers as symbols, not to be written to: machines share axes and rotations."""
    numbers = np.asarray(values, dtype=np.float64)
    return _constant(numbers.tobytes(), numbers.shape)


@lru_cache(maxsize=4096)
def _constant(data: bytes, shape: tuple[int, ...]) -> SX:
    return SX(ca.DM(np.frombuffer(data).reshape(shape)))


def without_rounding(x: SX) -> SX:
    """``x`` with constants that are zero against its largest constant set to zero."""
    entries = cast(list[SX], x.elements())  # a stub says otherwise
    known = {
        k: 0.0 if entry.is_zero() else abs(float(entry))
        for k, entry in enumerate(entries)
        if entry.is_constant()
    }
    largest = max(known.values(), default=0.0)
    small = [k for k, size in known.items() if size < RELATIVE_ZERO * largest]
    if x.is_dense() and all(entries[k].is_zero() for k in small):
        return x
    x = SX(x)
    for k in small:
        x[k] = 0
    return x
