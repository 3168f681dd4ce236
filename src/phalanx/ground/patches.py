"""Terrain mesh in square patches, so that only changed ones are drawn anew."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from phalanx.base.errors import InvalidInput
from phalanx.base.short_repr import short_repr
from phalanx.ground.terrain import Array, Terrain


@short_repr
@final
@dataclass(frozen=True)
class Patch:
    """A part of the surface.

    Attributes:
        name: Such as ``3_7``, the same each time.
        vertices: Points in the root frame [m], shape (n, 3).
        faces: Triangles as indices of vertices, counter-clockwise from above, shape (m, 3).
        loose: Whether loose soil lies at a vertex, shape (n,).
    """

    name: str
    vertices: NDArray[np.float32]
    faces: NDArray[np.uint32]
    loose: NDArray[np.bool_]


@final
class Patches:
    """Patches of a terrain's surface, to draw."""

    def __init__(self, terrain: Terrain, cells: int = 20) -> None:
        """Cut it.

        Args:
            terrain: What to draw.
            cells: Of the grid along a side of a patch.

        Raises:
            InvalidInput: When a patch would have no cells.
        """
        if cells < 1:
            raise InvalidInput(f"a patch has {cells} cells along a side; expected 1 or more.")
        self.terrain, self.cells = terrain, cells

    def all(self) -> list[Patch]:
        """Every patch; changes count from now on."""
        self.terrain.dirty[:] = False
        return self._drawn(self._places())

    def changed(self) -> list[Patch]:
        """Patches that changed since this or :meth:`all` was last asked."""
        seen = self.terrain.dirty.copy()
        self.terrain.dirty[:] = False
        return self._drawn(at for at in self._places() if seen[self._points(*at)].any())

    def _drawn(self, places: Iterable[tuple[int, int]]) -> list[Patch]:
        heights, loose = self.terrain.heights, self.terrain.loose > 0
        return [self._patch(i, j, heights, loose) for i, j in places]

    def _places(self) -> Iterator[tuple[int, int]]:
        nx, ny = np.shape(self.terrain.dirty)
        for i in range(0, nx - 1, self.cells):
            for j in range(0, ny - 1, self.cells):
                yield i, j

    def _points(self, i: int, j: int) -> tuple[slice, slice]:
        """Grid points of a patch; neighbours share those on their seam."""
        nx, ny = np.shape(self.terrain.dirty)
        return slice(i, min(nx, i + self.cells + 1)), slice(j, min(ny, j + self.cells + 1))

    def _patch(self, i: int, j: int, heights: Array, loose: NDArray[np.bool_]) -> Patch:
        terrain, points = self.terrain, self._points(i, j)
        z = heights[points]
        x = terrain.corner[0] + terrain.cell * np.arange(i, i + z.shape[0])
        y = terrain.corner[1] + terrain.cell * np.arange(j, j + z.shape[1])
        X, Y = np.meshgrid(x, y, indexing="ij")
        index = np.arange(z.size, dtype=np.uint32).reshape(z.shape)
        a, b = index[:-1, :-1].ravel(), index[1:, :-1].ravel()
        c, d = index[1:, 1:].ravel(), index[:-1, 1:].ravel()
        return Patch(
            name=f"{i // self.cells}_{j // self.cells}",
            vertices=np.stack([X, Y, z], axis=-1).reshape(-1, 3).astype(np.float32),
            faces=np.concatenate([np.stack([a, b, c], -1), np.stack([a, c, d], -1)]),
            loose=loose[points].ravel(),
        )
