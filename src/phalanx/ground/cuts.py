"""Soil taken by a cutting edge: what stands above it, nearest first, so that a cut is flat."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def nearest_first(available: Array, distance: Array, wanted: float) -> Array:
    """Take from the nearest first until there is enough.

    Args:
        available: What each place has, not negative.
        distance: Of each place, the same shape; what is infinitely far is not taken.
        wanted: How much to take in all.

    Returns:
        What is taken from each place; less than wanted in all where there is not enough.
    """
    taken = np.zeros_like(available)
    reached = np.flatnonzero(np.isfinite(distance) & (available > 0))
    order = reached[np.argsort(distance.flat[reached], kind="stable")]
    amounts = available.flat[order]
    before = np.concatenate([[0.0], np.cumsum(amounts)[:-1]])
    taken.flat[order] = np.clip(wanted - before, 0.0, amounts)
    return taken
