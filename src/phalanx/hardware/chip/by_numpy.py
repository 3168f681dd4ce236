"""Reference vector operations by NumPy, batched over samples."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def computed(kind: str, a: Array, b: Array) -> Array:
    """The result of an operation, shape (samples, 3); matrices have shape (samples, 3, 3)."""
    if kind == "VA":
        return a + b
    if kind == "SV":
        return a[:, :1] * b
    if kind == "VC":
        return np.cross(a, b)
    if kind == "VD":
        return np.repeat(np.sum(a * b, axis=1, keepdims=True), 3, axis=1)
    return np.einsum("sij,sj->si", a, b)


def partial_sums(kind: str, shape: str, vectors: Sequence[Array]) -> float:
    """A bound of products and partial sums within an operation."""
    if kind in ("VA", "SV"):
        return 0.0
    *first, b = vectors
    if kind == "VC":
        a = first[0]
        parts = [np.abs(np.roll(a, -1, 1) * np.roll(b, -2, 1))]
        parts.append(np.abs(np.roll(a, -2, 1) * np.roll(b, -1, 1)))
        return max(float(part.max(initial=0.0)) for part in parts)
    if kind == "MV" and shape == "columns":
        sums = np.abs(
            sum(np.abs(column) * np.abs(b[:, k : k + 1]) for k, column in enumerate(first))
        )
        return float(np.max(sums, initial=0.0))
    return max(float(np.sum(np.abs(a * b), axis=1).max(initial=0.0)) for a in first)
