"""Terrain as a height field: changed by digging and dumping.

At every grid point firm ground carries loose soil. Digging takes loose soil first; dumped soil is
bulked, and slides to its angle of repose (see ``heaps``). Amounts are volumes in place, as if the
soil were still firm, so that they add up whatever its state. What is moved beyond the grid's rim is
counted too. Beyond the sources, like the ground itself; it lives outside compiled code.
"""

from __future__ import annotations

from math import ceil
from typing import final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phalanx.base.errors import InvalidInput
from phalanx.ground.cuts import nearest_first
from phalanx.ground.ground import TRACKS
from phalanx.ground.heaps import slide
from phalanx.ground.soil import LOAM, Soil

Array = NDArray[np.float64]

POINTS_PER_CELL = 2  # of a cutting edge; a flat bottom needs no gaps
SWEEPS = 6  # of sliding after each dump; heaps go on sliding with the next
SHAVED = 4.0  # cells before an edge in which it takes what stands above it
LEFT_BEHIND = 1.5  # cells behind it in which it does so too, for the grid is coarse
MARGIN = 6  # grid points around a dump that may slide in it


@final
class Terrain:
    """A height field in the root frame, z up.

    Attributes:
        cell: Distance of grid points [m].
        corner: Position (x, y) of the first grid point [m].
        soil: What it is made of; its swell and angle of repose count here.
        outside: Soil moved beyond the rim [m³ in place]; negative if some was dug there.
        dirty: Which grid points changed since it was last cleared, shape (nx, ny).
    """

    def __init__(
        self,
        heights: ArrayLike,
        cell: float,
        corner: tuple[float, float],
        soil: Soil = LOAM,
        *,
        loose: ArrayLike | None = None,
    ) -> None:
        """Firm ground of given heights.

        Args:
            heights: At grid points [m], shape (nx, ny), x along the first axis.
            cell: Distance of grid points [m].
            corner: Position (x, y) of the first grid point [m].
            soil: What it is made of.
            loose: Thickness of loose soil on it [m], shape (nx, ny); none when not given.

        Raises:
            InvalidInput: When heights are no finite grid of 2 by 2 points at least, loose soil is
                not of that shape or negative, or the cell is not positive.
        """
        firm = np.array(heights, float)
        if firm.ndim != 2 or min(firm.shape) < 2 or not np.isfinite(firm).all():
            raise InvalidInput(
                f"heights of a Terrain have shape {firm.shape}; expected a grid of finite numbers, "
                "2 by 2 or more."
            )
        if not 0 < cell < np.inf:
            raise InvalidInput(f"cell of a Terrain is {cell}; expected a positive length [m].")
        start = np.asarray(corner, float)
        if start.shape != (2,) or not np.isfinite(start).all():
            raise InvalidInput(f"corner of a Terrain is {corner!r}; expected x and y [m].")
        self.cell, self.soil = float(cell), soil
        self.corner = (float(start[0]), float(start[1]))
        self.outside = 0.0
        self.dirty: NDArray[np.bool_] = np.zeros(firm.shape, bool)
        self._firm = firm
        self._loose = np.zeros_like(firm) if loose is None else np.array(loose, float)
        if self._loose.shape != firm.shape or not (0 <= self._loose).all():
            raise InvalidInput(
                f"loose soil of a Terrain has shape {self._loose.shape}; expected thicknesses of "
                f"0 and more, shape {firm.shape}."
            )
        if not np.isfinite(self._loose).all():
            raise InvalidInput("loose soil of a Terrain is not finite everywhere.")
        self._first = firm + self._loose / soil.swell

    @staticmethod
    def flat(
        height: float = TRACKS, *, reach: float = 12.0, cell: float = 0.15, soil: Soil = LOAM
    ) -> Terrain:
        """Level ground about the root, ``reach`` [m] far in x and y."""
        if not 0 < cell <= reach < np.inf:
            raise InvalidInput(
                f"a Terrain has reach {reach} m and cell {cell} m; expected 0 < cell <= reach."
            )
        half = ceil(reach / cell)
        heights = np.full((2 * half + 1, 2 * half + 1), float(height))
        return Terrain(heights, cell, (-half * cell, -half * cell), soil)

    @property
    def heights(self) -> Array:
        """Of the surface at grid points [m], shape (nx, ny)."""
        return self._firm + self._loose

    @property
    def firm(self) -> Array:
        """Of firm ground at grid points [m], shape (nx, ny)."""
        return self._firm.copy()

    @property
    def loose(self) -> Array:
        """Thickness of loose soil at grid points [m], shape (nx, ny)."""
        return self._loose.copy()

    @property
    def gained(self) -> float:
        """Soil on the grid beyond what was there at first [m³ in place]."""
        thickness = self._firm - self._first + self._loose / self.soil.swell
        return float(thickness.sum()) * self.cell**2

    def height_at(self, x: ArrayLike, y: ArrayLike) -> Array:
        """Height of the surface [m], between grid points bilinear, beyond the rim as at it."""
        i, j, a, b = self._between(np.asarray(x, float), np.asarray(y, float))
        corners = (
            (0, 0, (1 - a) * (1 - b)),
            (1, 0, a * (1 - b)),
            (0, 1, (1 - a) * b),
            (1, 1, a * b),
        )
        parts = [w * (self._firm[i + m, j + n] + self._loose[i + m, j + n]) for m, n, w in corners]
        return np.asarray(sum(parts))

    def dig(
        self,
        x: float,
        y: float,
        volume: float,
        width: float,
        heading: float = 0.0,
        floor: float | None = None,
    ) -> None:
        """Take soil away along a cutting edge.

        Args:
            x: Middle of the edge [m].
            y: Middle of the edge [m].
            volume: In place [m³].
            width: Of the edge [m].
            heading: Direction in which it cuts, about z from x [rad]; the edge lies across.
            floor: Height of the edge [m]: soil above it is taken first, from the edge forwards.
                What is missing then, and all without a floor, comes evenly from under the edge.
        """
        _check_move(x, y, volume, width, heading)
        if floor is not None:
            volume -= self._shave(x, y, volume, width, heading, floor)
        rows, columns, taken, beyond = self._spread(x, y, volume, width, heading)
        self.outside -= beyond
        self._take(rows, columns, taken)

    def dump(self, x: float, y: float, volume: float, width: float, heading: float = 0.0) -> None:
        """Drop soil along an edge and let it slide; arguments as for :meth:`dig`."""
        _check_move(x, y, volume, width, heading)
        rows, columns, given, beyond = self._spread(x, y, volume, width, heading)
        self.outside += beyond
        self._loose[rows, columns] += given * self.soil.swell
        nx, ny = self._firm.shape
        around = (
            slice(max(0, rows.start - MARGIN), min(nx, rows.stop + MARGIN)),
            slice(max(0, columns.start - MARGIN), min(ny, columns.stop + MARGIN)),
        )
        slide(self._firm[around], self._loose[around], self.cell, self.soil.heap_slope, SWEEPS)
        self.dirty[around] = True

    def settle(self, sweeps: int = 2000) -> float:
        """Let all loose soil slide; returns what lies too high still, at the worst point [m]."""
        self.dirty |= self._loose > 0
        worst = slide(self._firm, self._loose, self.cell, self.soil.heap_slope, sweeps)
        self.dirty |= self._loose > 0
        return worst

    def _take(self, rows: slice, columns: slice, taken: Array) -> None:
        """Lower a window by thicknesses in place [m], loose soil first."""
        loose = self._loose[rows, columns]
        from_loose = np.minimum(loose, taken * self.soil.swell)
        self._loose[rows, columns] = loose - from_loose
        self._firm[rows, columns] -= taken - from_loose / self.soil.swell
        self.dirty[rows, columns] |= taken > 0

    def _shave(
        self, x: float, y: float, volume: float, width: float, heading: float, floor: float
    ) -> float:
        """Take what stands above a floor about an edge; returns how much that was [m³ in place]."""
        cell, around = self.cell, width / 2 + SHAVED * self.cell
        low = [ceil((p - around - o) / cell) for p, o in zip((x, y), self.corner, strict=True)]
        high = [int((p + around - o) // cell) for p, o in zip((x, y), self.corner, strict=True)]
        rows, columns = (slice(max(0, a), max(0, b + 1)) for a, b in zip(low, high, strict=True))
        firm, loose = self._firm[rows, columns], self._loose[rows, columns]
        i, j = (
            np.arange(s.start, s.start + n)
            for s, n in zip((rows, columns), firm.shape, strict=True)
        )
        dx, dy = (self.corner[0] + cell * i - x)[:, None], (self.corner[1] + cell * j - y)[None, :]
        ahead = np.cos(heading) * dx + np.sin(heading) * dy
        across = np.cos(heading) * dy - np.sin(heading) * dx
        near = (np.abs(across) <= width / 2) & (-LEFT_BEHIND * cell <= ahead)
        near &= ahead <= SHAVED * cell
        above = np.maximum(firm + loose - floor, 0.0)
        from_loose = np.minimum(loose, above)
        available = (above - from_loose + from_loose / self.soil.swell) * cell**2
        taken = nearest_first(available, np.where(near, ahead, np.inf), volume)
        self._take(rows, columns, taken / cell**2)
        return float(taken.sum())

    def _spread(
        self, x: float, y: float, volume: float, width: float, heading: float
    ) -> tuple[slice, slice, Array, float]:
        """A volume along an edge as thickness [m] on a window of the grid, and what is beyond."""
        count = max(2, ceil(POINTS_PER_CELL * width / self.cell))
        along = ((np.arange(count) + 0.5) / count - 0.5) * width
        X, Y = x - np.sin(heading) * along, y + np.cos(heading) * along
        (left, bottom), (nx, ny) = self.corner, self._firm.shape
        inside = (left <= X) & (X <= left + (nx - 1) * self.cell)
        inside &= (bottom <= Y) & (Y <= bottom + (ny - 1) * self.cell)
        beyond = volume * float(1 - inside.mean())
        if not inside.any():
            return slice(0, 0), slice(0, 0), np.zeros((0, 0)), beyond
        i, j, a, b = self._between(X[inside], Y[inside])
        rows, columns = slice(int(i.min()), int(i.max()) + 2), slice(int(j.min()), int(j.max()) + 2)
        window = np.zeros((rows.stop - rows.start, columns.stop - columns.start))
        i, j, each = i - rows.start, j - columns.start, volume / count / self.cell**2
        np.add.at(window, (i, j), each * (1 - a) * (1 - b))
        np.add.at(window, (i + 1, j), each * a * (1 - b))
        np.add.at(window, (i, j + 1), each * (1 - a) * b)
        np.add.at(window, (i + 1, j + 1), each * a * b)
        return rows, columns, window, beyond

    def _between(
        self, x: Array, y: Array
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], Array, Array]:
        """Cell (i, j) of each point, and its place (a, b) within it from 0 to 1."""
        nx, ny = self._firm.shape
        u = np.clip((x - self.corner[0]) / self.cell, 0, nx - 1)
        w = np.clip((y - self.corner[1]) / self.cell, 0, ny - 1)
        i, j = (
            np.minimum(np.floor(p), last).astype(np.int64) for p, last in ((u, nx - 2), (w, ny - 2))
        )
        return i, j, u - i, w - j


def _check_move(x: float, y: float, volume: float, width: float, heading: float) -> None:
    numbers = np.array([x, y, volume, width, heading], float)
    if not np.isfinite(numbers).all() or width <= 0 or volume < 0:
        raise InvalidInput(
            f"soil of {volume} m³ cannot move at x={x}, y={y}, heading {heading}, width {width}; "
            "expected finite numbers, a positive width, no negative volume."
        )
