"""Camera framing: all of a machine in view, on a screen of any shape.

Every page gets a camera of its own, since a phone and a desk see the same machine through windows
of other shapes. It stays where it was put until the user moves it; before, it follows the shape of
the window.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from phalanx.mechanism.pose import Array
from phalanx.view.scene.level_of_detail import aspect_of

if TYPE_CHECKING:
    from viser import ViserServer

MARGIN = 0.10  # of the window on every side that stays free
WIDE = 1.5  # width over height of a window of unknown shape
FAR = 100.0  # distances of the machine that a camera sees
REMEMBERED = 8  # places of a camera
SAME = 1e-3  # of a distance or an aspect: nothing that a hand did


@final
@dataclass(frozen=True, eq=False)
class View:
    """From where, and at what.

    Attributes:
        position: Of the camera [m].
        look_at: A point in the middle of the picture, about which the user turns it [m].
    """

    position: Array
    look_at: Array


def view_of(points: Array, towards: Array, up: Array, field: float, aspect: float) -> View:
    """The nearest camera that sees all points, with a margin, and has them in its middle.

    A point is in the picture where it is before four planes through the camera. In the camera's
    axes each of these conditions is linear in the camera's place, so the nearest follows without a
    search.

    Args:
        points: What to see [m], shape (n, 3).
        towards: Where the camera stands, seen from the points.
        up: Which way is up in the picture.
        field: Angle of view from the bottom to the top of the picture [rad].
        aspect: Width over height of the picture.
    """
    out = towards / np.linalg.norm(towards)
    right = np.cross(up, out)
    right /= np.linalg.norm(right)
    axes = np.stack([right, np.cross(out, right), out])
    x, y, z = axes @ points.T
    steep = np.tan(field / 2) * (1 - 2 * MARGIN)
    side, away = np.empty(2), []
    for k, (along, slope) in enumerate(((x, steep * aspect), (y, steep))):
        high, low = (along + slope * z).max(), (slope * z - along).max()
        side[k] = (high - low) / 2
        away.append((high + low) / (2 * slope))
    middle = (z.max() + z.min()) / 2
    # a single point has no size: stay a little off it
    distance = max(*away, z.max() + 0.05)
    return View(np.array([*side, distance]) @ axes, np.array([*side, middle]) @ axes)


@final
class Framing:
    """The cameras of all pages of a server."""

    def __init__(
        self,
        server: ViserServer,
        towards: Array,
        up: Array,
        field: float,
        points: Callable[[], Array],
    ) -> None:
        """Have points in view on every page that opens, those that there are at that moment.

        Other arguments are as of :func:`view_of`.
        """
        self._server = server
        self._towards, self._up, self._field = towards, up, field
        self._points = points
        # by page: the last shape of its window, and the last places of its camera
        self._framed: dict[int, tuple[float, list[Array]]] = {}
        self._is_closed = False
        self._set_initial()

        # coroutines: the server calls them at once, where functions would wait in a queue
        async def note(camera: Any) -> None:
            self._on_camera(camera.client)

        async def meet(client: Any) -> None:
            client.camera.on_update(note)
            self._frame(client)

        async def forget(client: Any) -> None:
            self._framed.pop(client.client_id, None)

        server.on_client_connect(meet)
        server.on_client_disconnect(forget)

    def aim(self, points: Array) -> None:
        """Have these points in view from now on, on all pages, wherever their cameras are."""
        self._points = lambda: points
        self.again()

    def again(self) -> None:
        """Bring all cameras back to where they see everything."""
        self._set_initial()
        for client in self._server.get_clients().values():
            self._frame(client)

    def close(self) -> None:
        """Stop moving cameras."""
        self._is_closed = True

    def _view(self, aspect: float) -> View:
        return view_of(self._points(), self._towards, self._up, self._field, aspect)

    def _set_initial(self) -> None:
        view, camera = self._view(WIDE), self._server.initial_camera
        camera.position, camera.look_at = view.position, view.look_at
        camera.far = self._far(view)
        self._initial = view.position

    def _far(self, view: View) -> float:
        """How far a camera has to see: the machine, and some of the floor behind it [m]."""
        return FAR * float(np.linalg.norm(view.position - view.look_at))

    def _frame(self, client: Any) -> None:
        """Put a page's camera where it sees everything, unless the page says nonsense."""
        aspect = aspect_of(client.camera)
        if aspect is None:
            return
        view = self._view(aspect)
        _, before = self._framed.get(client.client_id, (aspect, [self._initial]))
        # what a page says of its camera may be older than what it was last sent
        self._framed[client.client_id] = (aspect, [*before, view.position][-REMEMBERED:])
        with client.atomic():
            client.camera.position = view.position
            client.camera.look_at = view.look_at
            client.camera.far = self._far(view)

    def _on_camera(self, client: Any) -> None:
        """Frame again when a window has another shape and its camera was not moved."""
        framed = self._framed.get(client.client_id)
        if framed is None or self._is_closed:
            return
        aspect, places = framed
        now = aspect_of(client.camera)
        if now is None or abs(now / aspect - 1) < SAME:
            return
        at = np.asarray(client.camera.position, dtype=np.float64)
        reach = max(float(np.linalg.norm(at - client.camera.look_at)), SAME)
        if min(float(np.linalg.norm(at - place)) for place in places) < SAME * reach:
            self._frame(client)
