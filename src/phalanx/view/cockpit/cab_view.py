"""Operator camera: 3-D views of pages that ride with the cab.

Each page has an identifier for its own view, with which the view opens its socket. The camera of a
view that rides is placed with every posture drawn; both are sent together, so that what is fixed
to the cab stands still in the picture.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, final
from urllib.parse import parse_qs

import numpy as np

from phalanx.mechanism.pose import Array
from phalanx.view.viewer.viewer import Viewer
from phalanx.view.web.guarded_server import CALLED_BY

if TYPE_CHECKING:
    from viser import ClientHandle

EYE = "operator_eye"  # frame at the operator's eyes: x ahead, z up
FIELD = np.radians(65.0)  # of view, upright
GAZE = np.radians(14.0)  # below ahead, to where the work is
AHEAD = 6.0  # [m] to the point looked at


@final
@dataclass
class _Rider:
    """A view that rides, and the camera it had before."""

    client: ClientHandle
    position: Array
    look_at: Array
    fov: float


@final
class CabView:
    """Knows the open views, and lets each choose between orbiting the machine and sitting in it.

    Attributes:
        has_cab: Whether the machine has a seat.
    """

    def __init__(self, viewer: Viewer) -> None:
        self._views: dict[str, ClientHandle] = {}
        self._riders: dict[int, _Rider] = {}
        self._lock = threading.Lock()
        self._viewer = viewer
        mechanism = viewer.mechanism
        self.has_cab = EYE in mechanism.frame_names
        if self.has_cab:
            frame = mechanism.frame(EYE)
            self._body = mechanism.body_index(frame.body)
            self._eye = frame.pose
            gaze = np.array([np.cos(GAZE), 0.0, -np.sin(GAZE)])
            self._target = frame.pose.translation + frame.pose.rotation @ (AHEAD * gaze)
            viewer.add_drawable(self.move)
        viewer.server.on_client_connect(self._on_connect)
        viewer.server.on_client_disconnect(self._on_disconnect)

    def is_open(self, key: str) -> bool:
        """Return whether the view of that identifier is open."""
        return key in self._views

    def rides(self, key: str) -> bool:
        """Whether it is seen from the cab."""
        view = self._views.get(key)
        return view is not None and view.client_id in self._riders

    def choose(self, key: str, cab: bool) -> None:
        """Sit down in the cab, or leave it; does nothing for a view or a cab that is not there."""
        view = self._views.get(key)
        if view is not None and self.has_cab:
            task = self._board if cab else self._alight
            self._viewer.tasks.submit(("camera", key), lambda: task(view))

    def move(self, q: Array) -> None:
        """Place the cameras that ride, for a posture about to be drawn."""
        with self._lock:
            riders = list(self._riders.values())
        if not riders:
            return
        X = self._viewer.poses(q)[self._body]
        eye, target = (X[:3, :3] @ p + X[:3, 3] for p in (self._eye.translation, self._target))
        for rider in riders:
            with rider.client.atomic():
                rider.client.camera.position = eye
                rider.client.camera.look_at = target
            rider.client.flush()  # at once, as the posture is: in the same picture

    # -- views -----------------------------------------------------------------------------------

    # coroutines: the server runs them at once, while the view is still there
    async def _on_connect(self, client: ClientHandle) -> None:
        query = CALLED_BY.get().partition("?")[2]
        for key in parse_qs(query, max_num_fields=20).get("window", []):
            self._views[key] = client

    async def _on_disconnect(self, client: ClientHandle) -> None:
        with self._lock:
            self._riders.pop(client.client_id, None)
        self._views = {key: view for key, view in self._views.items() if view is not client}

    def _board(self, client: ClientHandle) -> None:
        camera = client.camera
        with self._lock:
            if client.client_id in self._riders:
                return
            self._riders[client.client_id] = _Rider(
                client, camera.position.copy(), camera.look_at.copy(), camera.fov
            )
        camera.fov = FIELD
        self._viewer.show(self._viewer.q)

    def _alight(self, client: ClientHandle) -> None:
        with self._lock:
            rider = self._riders.pop(client.client_id, None)
        if rider is not None:
            client.camera.fov = rider.fov
            client.camera.position = rider.position
            client.camera.look_at = rider.look_at
