"""A path through rows whose velocities and accelerations are known too."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from phalanx.trajectory.path import Path

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
    c0, c1, c2 = q[:-1], h * v[:-1], h * h * a[:-1] / 2
    # what positions, velocities and accelerations still lack at the end of each piece
    d, e, f = q[1:] - (c0 + c1 + c2), h * v[1:] - (c1 + 2 * c2), h * h * a[1:] - 2 * c2
    c3, c4, c5 = 10 * d - 4 * e + f / 2, -15 * d + 7 * e - f, 6 * d - 3 * e + f / 2

    def motion(t: Array) -> tuple[Array, Array, Array]:
        k = np.clip(np.searchsorted(times, times[0] + t, side="right") - 1, 0, len(h) - 1)
        length = h[k]
        s = (times[0] + t - times[k])[:, None] / length
        b0, b1, b2, b3, b4, b5 = c0[k], c1[k], c2[k], c3[k], c4[k], c5[k]
        return (
            b0 + s * (b1 + s * (b2 + s * (b3 + s * (b4 + s * b5)))),
            (b1 + s * (2 * b2 + s * (3 * b3 + s * (4 * b4 + s * 5 * b5)))) / length,
            (2 * b2 + s * (6 * b3 + s * (12 * b4 + s * 20 * b5))) / length**2,
        )

    return Path(float(times[-1] - times[0]), motion)
