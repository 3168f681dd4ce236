"""Curves through points without times, by name: as fast as limits allow."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from phalanx.planning.paths.joins import join
from phalanx.planning.paths.path import Path
from phalanx.planning.paths.splines import spline
from phalanx.planning.paths.trapezoids import trapezoid
from phalanx.planning.paths.via_points import parabolic_blends

Array = NDArray[np.float64]
Curve: TypeAlias = Callable[[Array, Array, Array], Path]


def _cubic(points: Array, velocity: Array, acceleration: Array) -> Path:
    return spline(points, velocity_limit=velocity, acceleration_limit=acceleration)


def _quintic(points: Array, velocity: Array, acceleration: Array) -> Path:
    return spline(points, kind="quintic", velocity_limit=velocity, acceleration_limit=acceleration)


def _trapezoid(points: Array, velocity: Array, acceleration: Array) -> Path:
    return join(
        *(
            trapezoid(
                first,
                last,
                velocity_limit=velocity,
                acceleration_limit=acceleration,
                timing="straight",
            )
            for first, last in pairwise(points)
        )
    )


def _blends(points: Array, velocity: Array, acceleration: Array) -> Path:
    return parabolic_blends(points, velocity_limit=velocity, acceleration_limit=acceleration)


# by name: from points and limits of velocity and acceleration to a path
CURVES: dict[str, Curve] = {
    "cubic": _cubic,
    "quintic": _quintic,
    "trapezoid": _trapezoid,
    "blends": _blends,
}
