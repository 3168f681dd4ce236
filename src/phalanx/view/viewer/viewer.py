"""Viewer server: a mechanism in the browser, with sliders to pose it.

:meth:`Viewer.show` returns at once: the posture is left for a thread of the viewer, which draws the
latest one at most ``rate`` times a second. What comes faster is never drawn, and a slow browser
holds up nothing: it gets the latest state when it asks.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import ArrayLike

from phalanx.base.arguments import checked
from phalanx.base.errors import InvalidInput
from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import Array
from phalanx.view.scene.camera_framing import Framing
from phalanx.view.scene.instanced_scene import InstancedScene
from phalanx.view.scene.level_of_detail import LevelOfDetail
from phalanx.view.scene.postures import has_many_bodies
from phalanx.view.scene.scene import Scene
from phalanx.view.scene.scene_setup import AIR, FIELD, outlook, set_up_scene
from phalanx.view.viewer.closed_loop_posing import ClosedLoopPosing
from phalanx.view.viewer.handle import Handle, check_draggable
from phalanx.view.viewer.joint_sliders import home
from phalanx.view.viewer.pose_controls import PoseControls
from phalanx.view.web.access_control import AccessControl, check_token
from phalanx.view.web.address import LOCAL, check_address, is_local, url_of
from phalanx.view.web.guarded_server import end, guarded_server
from phalanx.view.web.task_queue import TaskQueue

if TYPE_CHECKING:
    from viser import GuiApi, ViserServer

CLOSE = 1.1  # extents from the camera to a machine that is worked with
MOST_POINTS, FEWEST_POSTURES = 200_000, 3  # that are asked where a run goes
INLINE_HEIGHT = 520  # of the page within a notebook [pixel]
FOLLOW_PERIOD = 0.1  # [s] between updates of the sliders while postures stream in


@final
class Viewer:
    """A server whose page shows a mechanism, with sliders to pose it.

    In a script, the page lives as long as the viewer is open::

        with px.Viewer(px.load("puma560")) as viewer:
            print(viewer.url)
            for q in run["q"]:
                viewer.show(q)
                time.sleep(0.01)

    In a notebook, a viewer that is the last line of a cell is shown below it, until
    :meth:`close`.
    """

    @checked
    def __init__(
        self,
        mechanism: Mechanism,
        *,
        host: str = LOCAL,
        port: int = 8080,
        rate: float = 30.0,
        sliders: bool = True,
        embedded: bool = False,
        token: str | None = None,
        drag: str | None = None,
    ) -> None:
        """Start the server; the page is at :attr:`url`.

        Args:
            mechanism: The machine.
            host: Address to listen on; others than this machine reach it only on another than
                the default.
            port: The port, or the next free one.
            rate: Postures drawn a second, at most [Hz].
            sliders: Whether the user may pose the machine.
            embedded: Whether it is a part of another page: dark, with a small panel.
            token: What a page has to know before it may touch anything. Where other machines can
                reach the page one is made up unless it is given; on this machine none is needed.
            drag: A frame that has a handle at first; others are chosen on the page.

        Raises:
            MissingExtra: When the package behind the page is not installed.
            InvalidInput: When the rate is not positive, the address not this machine's, or the
                token no word of 8 to 128 letters, digits, ``-`` and ``_``; when nothing moves
                the frame to drag.
            UnknownName: When there is no such frame.
        """
        if not rate > 0:
            raise InvalidInput(f"rate={rate}; expected a positive number of postures a second.")
        if drag is not None:
            check_draggable(mechanism, drag, sliders)
        self.mechanism = mechanism
        self._period = 1.0 / rate
        is_bound = mechanism.loops or mechanism.struts
        start = ClosedLoopPosing(mechanism).home if is_bound else home(mechanism)
        self._latest = (start, True)  # and whether it came from the sliders
        self.token = _checked_token(host, token)
        self._server = _serve(AccessControl(host, self.token), port, mechanism.name, embedded)
        self.host, self.port = host, self._server.get_port()
        self.tasks = TaskQueue("phalanx-viewer-tasks")
        self._changed = threading.Event()
        self._reckoning = threading.Lock()  # poses are asked for by several threads
        self._scene: Scene | InstancedScene
        if has_many_bodies(mechanism):
            sight = LevelOfDetail(self._server, self._changed.set)
            self._scene = InstancedScene(self._server.scene, mechanism, start, sight)
        else:
            self._scene = Scene(self._server.scene, mechanism, start)
        bounds = self._scene.bounds(start)
        air = CLOSE if embedded else AIR
        detail = self._scene.detail
        set_up_scene(
            self._server,
            mechanism.gravity,
            bounds,
            detail,
            dark=embedded,
            shadows=isinstance(self._scene, Scene),  # instances cast none
            air=air,
        )
        up, towards = outlook(mechanism.gravity)
        self._framing = (
            None
            if embedded  # the embedding page says where to look from
            else Framing(self._server, towards, up, FIELD, lambda: self._points_at(self.q))
        )
        self._add_layer_boxes()
        reach = max(float(np.linalg.norm(bounds[1] - bounds[0])), 1.0)
        self._drawables: tuple[Callable[[Array], None], ...] = ()
        self._posing = None
        if sliders and mechanism.nv:
            if isinstance(self._scene, Scene):
                extent = float(np.linalg.norm(bounds[1] - bounds[0]))
                self.handle = Handle(
                    self._server,
                    self.tasks,
                    mechanism,
                    extent,
                    self.poses,
                    lambda: self.q,
                    self.show,
                    drag,
                )
                self.add_drawable(self.handle.move)
            self._posing = PoseControls(self.gui, self.tasks, mechanism, reach, self._on_posed)
        self._closing = False
        self._painter = threading.Thread(target=self._paint, name="phalanx-viewer", daemon=True)
        self._painter.start()

    @property
    def url(self) -> str:
        """Address of the page, with the token if there is one: for clients that may edit."""
        query = "" if self.token is None else f"/?token={self.token}"
        return url_of(self.host, self.port) + query

    @property
    def server(self) -> ViserServer:
        """The server itself, for what is drawn beside the machine."""
        return self._server

    @property
    def gui(self) -> GuiApi:
        """The control panel, for further folders."""
        return self._server.gui

    @property
    def q(self) -> Array:
        """The position shown, or about to be, shape (nq,)."""
        return self._latest[0].copy()

    @property
    def clients(self) -> int:
        """How many pages are open."""
        return len(self._server.get_clients())

    def show(self, q: ArrayLike) -> None:
        """Show a position soon; returns at once, from any thread.

        Raises:
            InvalidInput: When ``q`` does not have nq finite numbers.
        """
        x = np.array(q, dtype=np.float64)
        if x.shape != (self.mechanism.nq,) or not np.isfinite(x).all():
            raise InvalidInput(
                f"positions of '{self.mechanism.name}' are {self.mechanism.nq} finite numbers, "
                f"got shape {x.shape}: {x.tolist()}."
            )
        self._leave(x, from_sliders=False)

    def poses(self, q: Array) -> Array:
        """Pose of every body at ``q``, shape (bodies, 4, 4)."""
        return self._scene.poses(q)

    def frame(self, *postures: ArrayLike) -> None:
        """Have the machine in view on all pages, in one posture or in many at once.

        Args:
            postures: Positions, shape (nq,), or (n, nq); the one shown now when not given.
        """
        if self._framing is None:
            return
        rows = np.concatenate([np.atleast_2d(q) for q in postures or (self.q,)])
        first = self._points_at(rows[0])
        # of a long run some postures say where it goes
        count = int(np.clip(MOST_POINTS // len(first), FEWEST_POSTURES, len(rows)))
        some = rows[np.unique(np.linspace(0, len(rows) - 1, count).round().astype(int))]
        self._framing.aim(np.concatenate([first, *(self._points_at(q) for q in some[1:])]))

    def add_drawable(self, move: Callable[[Array], None]) -> None:
        """Draw something else with the machine: ``move`` is called with every position drawn."""
        self._drawables = (*self._drawables, move)

    def close(self) -> None:
        """Stop the server; open pages lose their connection."""
        if not self._closing:
            self._closing = True
            if self._framing is not None:
                self._framing.close()
            self._changed.set()
            self.tasks.close()
            self._painter.join()
            end(self._server)

    def __repr__(self) -> str:
        where = "closed" if self._closing else f"at {url_of(self.host, self.port)}"
        return f"<Viewer of '{self.mechanism.name}' {where}>"

    def _repr_html_(self) -> str | None:
        """For notebooks: the page in a frame, where the notebook's browser is on this machine."""
        if self._closing:
            return None
        look = f"width:100%;height:{INLINE_HEIGHT}px;border:0"
        says = escape(repr(self))
        return f'<iframe src="{escape(self.url)}" style="{look}" title="{says}"></iframe>'

    def __enter__(self) -> Viewer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- threads ---------------------------------------------------------------------------------

    def _points_at(self, q: Array) -> Array:
        with self._reckoning:
            return self._scene.points(q)

    def _leave(self, q: Array, *, from_sliders: bool) -> None:
        self._latest = (q, from_sliders)
        self._changed.set()

    def _on_posed(self, q: Array) -> None:
        self._leave(q, from_sliders=True)

    def _paint(self) -> None:
        """Draw the latest position, whenever there is one, until the viewer closes."""
        behind = False  # whether sliders lag behind the position
        followed = 0.0
        while not self._closing:
            changed = self._changed.wait(FOLLOW_PERIOD if behind else None)
            self._changed.clear()
            start = time.monotonic()
            q, from_sliders = self._latest
            if changed:
                with self._server.atomic():
                    with self._reckoning:
                        self._scene.move(q)
                    for move in self._drawables:
                        move(q)
                self._server.flush()
                behind = self._posing is not None
            if self._posing is not None and behind and start - followed >= FOLLOW_PERIOD:
                if from_sliders:
                    self._posing.settle()
                else:
                    self._posing.follow(q)
                behind, followed = False, start
            time.sleep(max(0.0, self._period - (time.monotonic() - start)))

    def _add_layer_boxes(self) -> None:
        if self._framing is not None:
            button = self.gui.add_button_group("Camera", ("Whole machine",))
            self.tasks.listen(button.on_click, self._on_camera_button)
        with self.gui.add_folder("Show", expand_by_default=False):
            for layer in self._scene.layers:
                shown = layer in self._scene.shown_at_first
                box = self.gui.add_checkbox(layer.capitalize(), initial_value=shown)
                self.tasks.listen(box.on_update, partial(self._on_layer_box, layer))

    def _on_camera_button(self, _: Any) -> None:
        if self._framing is not None:
            self._framing.again()

    def _on_layer_box(self, layer: str, event: Any) -> None:
        self._scene.show_layer(layer, event.target.value)


def _checked_token(host: str, token: str | None) -> str | None:
    """The token of a server that listens there; None where none is needed."""
    check_address(host)
    if token is not None:
        check_token(token)
        return token
    return None if is_local(host) else secrets.token_urlsafe(16)


def _serve(access: AccessControl, port: int, name: str, embedded: bool) -> ViserServer:
    """Start the server on its address, behind access control."""
    server = guarded_server(access, access.bound_to, port, name)
    server.gui.configure_theme(
        dark_mode=embedded, show_logo=False, show_share_button=False, brand_color=(230, 115, 33)
    )
    panel = server.gui.main_panel
    if embedded:
        panel.float(x=-10, y=10, width=220)
    else:
        panel.dock_right()  # beside the machine, not over it
    return server
