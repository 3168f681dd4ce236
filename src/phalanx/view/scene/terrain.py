"""Terrain in the 3-D view: trenches and heaps as they grow."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import final

from phalanx.ground import Patch, Patches, Terrain
from phalanx.mechanism.pose import Array
from phalanx.view.scene.scene_setup import FLOOR
from phalanx.view.viewer.viewer import Viewer

PERIOD = 0.2  # [s] between two drawings of what changed
EARTH = (134, 116, 88)


@final
class TerrainView:
    """Draws a terrain, and again what changes of it."""

    def __init__(self, viewer: Viewer, terrain: Callable[[], Terrain | None]) -> None:
        """Draw it whole.

        Args:
            viewer: Whose scene it is; its level floor goes.
            terrain: Gives the terrain as it is now, which may be another one after a reset.
        """
        self._scene = viewer.server.scene
        self._terrain = terrain
        self._patches: Patches | None = None
        self._drawn = 0.0
        self._scene.remove_by_name(FLOOR)
        self._draw()
        viewer.add_drawable(self._on_move)

    def _on_move(self, q: Array) -> None:
        now = time.monotonic()
        if now - self._drawn >= PERIOD:
            self._drawn = now
            self._draw()

    def _draw(self) -> None:
        terrain = self._terrain()
        if terrain is None:
            return
        if self._patches is None or self._patches.terrain is not terrain:
            self._patches = Patches(terrain)
            self._show(self._patches.all())
        else:
            self._show(self._patches.changed())

    def _show(self, patches: Sequence[Patch]) -> None:
        for patch in patches:
            self._scene.add_mesh_simple(
                f"/terrain/{patch.name}",
                patch.vertices,
                patch.faces,
                color=EARTH,
                flat_shading=True,
                side="double",
                cast_shadow=False,
                receive_shadow=False,  # the sun's shadow ends in a straight line
            )
