"""The view from the operator's seat: a camera that rides on a frame of the machine.

Each open view chooses for itself. While it rides, its camera is placed with every posture drawn;
both leave together, so that what is fixed to the cab stands still in the picture.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from phalanx.mechanism.pose import Array
from phalanx.view.viewer import Viewer

if TYPE_CHECKING:
    from viser import ClientHandle

EYE = "operator_eye"  # frame at the operator's eyes: x ahead, z up
ORBIT, CAB = "Orbit", "Cab"
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
    """Lets every open view choose between orbiting the machine and sitting in it."""

    def __init__(self, viewer: Viewer) -> None:
        """Offer the choice, unless the machine has no seat."""
        self._riders: dict[int, _Rider] = {}
        self._lock = threading.Lock()
        self._viewer = viewer
        mechanism = viewer.mechanism
        if EYE not in mechanism.frame_names:
            return
        frame = mechanism.frame(EYE)
        self._body = mechanism.body_index(frame.body)
        self._eye = frame.pose
        gaze = np.array([np.cos(GAZE), 0.0, -np.sin(GAZE)])
        self._target = frame.pose.translation + frame.pose.rotation @ (AHEAD * gaze)
        viewer.server.on_client_connect(self._on_connect)
        viewer.server.on_client_disconnect(self._on_disconnect)
        viewer.add_drawable(self.move)

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

    # -- choices of views ------------------------------------------------------------------------

    # coroutines: the server runs them at once, while the view is still there
    async def _on_connect(self, client: ClientHandle) -> None:
        choice = client.gui.add_button_group("View", (ORBIT, CAB), order=-1)
        self._viewer.errands.hear(choice.on_click, self._on_choice)

    def _on_choice(self, event: Any) -> None:
        client: ClientHandle = event.client
        if event.target.value == CAB:
            self._board(client)
        else:
            self._alight(client)

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

    async def _on_disconnect(self, client: ClientHandle) -> None:
        with self._lock:
            self._riders.pop(client.client_id, None)
