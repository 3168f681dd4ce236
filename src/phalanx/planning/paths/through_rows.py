"""Quintic Hermite path through rows with velocities and accelerations."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from phalanx.base.arguments import checked
from phalanx.base.errors import InvalidInput
from phalanx.planning.paths.path import Path
from phalanx.planning.paths.polynomials import Polynomials, between
from phalanx.planning.paths.rows import Rows

Array = NDArray[np.float64]


def path_through(times: Array, q: Array, v: Array, a: Array) -> Path:
    """The path of fifth-degree polynomials between rows, each from its two rows alone.

    A spline through positions rings where an acceleration jumps; this one does not, and at the rows
    it is what they say.

    Args:
        times: Of the rows [s], growing, shape (m,).
        q: Positions, shape (m, n).
        v: Velocities, shape (m, n).
        a: Accelerations, shape (m, n).
    """
    h = np.diff(times)[:, None]
    c = between(h, (q[:-1], v[:-1], a[:-1]), (q[1:], v[1:], a[1:]))
    return Path.of(Polynomials(times - times[0], c))


@checked
def through(rows: Rows) -> Path:
    """The path through rows, with their velocities and accelerations: any path as polynomials.

    Args:
        rows: As of :meth:`Path.sample`.

    Raises:
        InvalidInput: When there is one row only.
    """
    if len(rows) < 2:
        raise InvalidInput("one row; a path has two or more.")
    return path_through(rows.times, *rows.parts)
