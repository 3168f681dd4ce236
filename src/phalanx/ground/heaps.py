"""Slope stability of loose soil: it slides to its angle of repose.

Policy: in a sweep every point gives to each of its eight neighbours a part of what lies too high,
never more than it has of loose soil; all points move at once. Soil is neither made nor lost. Firm
ground stays where it is, so cut walls stand.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

NEIGHBOURS = ((1, 0), (0, 1), (1, 1), (1, -1))  # each seen from both ends
PART = 0.15  # of an excess; eight neighbours at once must not overshoot
STILL = 1e-4  # m; what lies less too high stays


def slide(firm: Array, loose: Array, cell: float, slope: float, sweeps: int) -> float:
    """Let loose soil slide, in place.

    Args:
        firm: Heights of firm ground at grid points [m], shape (nx, ny).
        loose: Thickness of loose soil on it [m], changed in place.
        cell: Distance of grid points [m].
        slope: Rise per run at which a heap stands.
        sweeps: How many at most; fewer when nothing moves any more.

    Returns:
        How much lies too high still, at the worst point [m].
    """
    worst = 0.0
    for _ in range(sweeps):
        height, bare = firm + loose, loose <= 0.0
        leaving, flows, worst = np.zeros_like(loose), [], 0.0
        for dx, dy in NEIGHBOURS:
            here, there = _pair(height.shape, dx, dy)
            rise = height[here] - height[there]
            allowed = slope * cell * sqrt(dx * dx + dy * dy)
            # positive from here to there
            flow = rise - np.clip(rise, -allowed, allowed)
            flow[np.where(flow > 0, bare[here], bare[there])] = 0.0
            worst = max(worst, float(np.abs(flow).max(initial=0.0)))
            flow *= PART
            leaving[here] += np.maximum(flow, 0.0)
            leaving[there] -= np.minimum(flow, 0.0)
            flows.append((here, there, flow))
        if worst < STILL:
            break
        share = np.minimum(1.0, loose / np.maximum(leaving, 1e-300))
        for here, there, flow in flows:
            flow *= np.where(flow > 0, share[here], share[there])
            loose[here] -= flow
            loose[there] += flow
        # what rounding leaves below nothing is far below a grain
        np.maximum(loose, 0.0, out=loose)
    return worst


def _pair(
    shape: tuple[int, ...], dx: int, dy: int
) -> tuple[tuple[slice, slice], tuple[slice, slice]]:
    """Points that have a neighbour (dx, dy) away, and those neighbours; dx is 0 or 1."""
    nx, ny = shape
    x_here, x_there = slice(0, nx - dx), slice(dx, nx)
    if dy >= 0:
        return (x_here, slice(0, ny - dy)), (x_there, slice(dy, ny))
    return (x_here, slice(-dy, ny)), (x_there, slice(0, ny + dy))
