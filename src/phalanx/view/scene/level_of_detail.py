"""Level of detail: what is too small to be seen on any open page is not drawn.

A page says where its camera is whenever it moves. Things are as large as on the page that sees them
largest; where no page is open, they have no size at all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, final

import numpy as np

from phalanx.mechanism.pose import Array

if TYPE_CHECKING:
    from viser import ViserServer

NEAREST, FARTHEST = 1e-6, 1e12  # [m]
TALLEST = 1e5  # [pixel]


@final
class LevelOfDetail:
    """The cameras of all open pages."""

    def __init__(self, server: ViserServer, on_moved: Callable[[], None]) -> None:
        """Of a server; ``on_moved`` is called when a camera has moved, and must return at once."""
        self._server = server
        self._moves = self._moves_told = 0

        # coroutines: the server calls them at once, where functions would wait in a queue
        async def note(_: Any) -> None:
            self._moves += 1
            on_moved()

        async def meet(client: Any) -> None:
            client.camera.on_update(note)
            await note(client)

        server.on_client_connect(meet)

    def has_moved(self) -> bool:
        """Whether a camera has moved since the last call."""
        told, self._moves_told = self._moves_told, self._moves
        return self._moves_told != told

    def pixels(self, places: Array) -> Array:
        """Pixels that a metre takes at places (n, 3), shape (n,)."""
        most = np.zeros(len(places))
        for client in self._server.get_clients().values():
            eye = _eye(client.camera)
            if eye is not None:
                at, pixels_a_radian = eye
                away = np.linalg.norm(places - at, axis=1)
                np.maximum(most, pixels_a_radian / np.maximum(away, NEAREST), out=most)
        return most


def aspect_of(camera: Any) -> float | None:
    """Width over height of what a camera sees; None for what no window can be."""
    try:
        width, height = float(camera.image_width), float(camera.image_height)
    except (TypeError, ValueError, OverflowError, AssertionError):
        return None
    return width / height if 0 < width < TALLEST and 0 < height < TALLEST else None


def _eye(camera: Any) -> tuple[Array, float] | None:
    """Where a camera is and how many pixels an angle takes; None for what no camera can be.

    What a page sends of its camera is not trusted.
    """
    try:
        at = np.array(camera.position, dtype=np.float64)
        field, height = float(camera.fov), float(camera.image_height)
    except (TypeError, ValueError, OverflowError):
        return None
    if at.shape != (3,) or not (np.abs(at) < FARTHEST).all():
        return None
    if not (0 < field < np.pi and 0 < height < TALLEST):
        return None
    return at, height / (2 * float(np.tan(field / 2)))
