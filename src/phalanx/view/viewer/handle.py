"""Drag handle on a frame: the machine follows by inverse kinematics.

The machine follows by inverse kinematics from the posture it is in, so that it stays in the way it
was put together, within its limits and with its loops closed. Where the handle cannot be followed
the machine goes as near as it can, and the page says how far away that is; when the handle is let
go it returns to the frame.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, final

import numpy as np

from phalanx.base.errors import InvalidInput
from phalanx.equations.loops.assembly.assemble import assemble
from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import Array
from phalanx.planning.inverse_kinematics.solution import Solution
from phalanx.planning.inverse_kinematics.solver import InverseKinematics
from phalanx.planning.inverse_kinematics.tasks import PointTask, PoseTask
from phalanx.view.scene.postures import MOST_NODES, has_many_bodies
from phalanx.view.web.access_control import HANDLE
from phalanx.view.web.task_queue import TaskQueue

if TYPE_CHECKING:
    from viser import ViserServer

NOBODY = "none"
MOST_FRAMES = 200  # in a list to look through
ENOUGH = 6  # freedoms with which a frame can be turned too
NOTICE_PERIOD = 3.0  # [s] between notices of a hand that pulls on
NEAR = 1e-3  # [m or rad] that cannot be seen
SIZE = 0.2  # of the machine's extent


@final
class Handle:
    """A folder of the control panel to choose a frame, and the handle on it."""

    def __init__(
        self,
        server: ViserServer,
        tasks: TaskQueue,
        mechanism: Mechanism,
        extent: float,
        poses: Callable[[Array], Array],
        now: Callable[[], Array],
        show: Callable[[Array], None],
        frame: str | None = None,
    ) -> None:
        """Make the folder; the handle comes with a frame.

        Args:
            server: The page.
            tasks: Who moves the machine.
            mechanism: The machine.
            extent: Of the machine [m].
            poses: Of all bodies in a posture.
            now: The posture that is shown.
            show: Shows another.
            frame: The frame that has the handle at first; see :func:`check_draggable`.
        """
        self._server, self._mechanism, self._extent = server, mechanism, extent
        self._poses, self._now, self._show = poses, now, show
        self._solvers: dict[tuple[str, bool], InverseKinematics] = {}
        self._control: Any = None
        self._is_held = False  # by a hand
        self._turn = threading.RLock()  # of the painter and of tasks
        self._noticed = -NOTICE_PERIOD
        gui = server.gui
        frames = frames_that_move(mechanism)
        with gui.add_folder("Drag", expand_by_default=frame is not None):
            names = [NOBODY, *frames[:MOST_FRAMES]]
            if frame is not None and frame not in names:
                names.append(frame)
            self.choice = gui.add_dropdown("Frame", names, initial_value=frame or NOBODY)
            free = assemble(mechanism).mobility if mechanism.loops else mechanism.nv
            self.place_only = gui.add_checkbox("Position only", initial_value=free < ENOUGH)
        for control in (self.choice, self.place_only):
            tasks.listen(control.on_update, self._on_choice)
        self._tasks = tasks
        if frame is not None:
            self._grip()

    def move(self, q: Array) -> None:
        """Let the handle follow its frame, unless the user drags it."""
        from viser.transforms import SO3

        with self._turn:
            if self._control is None or self._is_held:
                return
            X = self._pose(q)
            self._control.wxyz = SO3.from_matrix(X[:3, :3]).wxyz
            self._control.position = X[:3, 3]

    def _on_choice(self, event: Any) -> None:
        self._grip()

    def _grip(self) -> None:
        """Put the handle onto the chosen frame."""
        if self.choice.value != NOBODY:
            q = self._now()
            self._solved(self._pose(q), q)  # compiled before it is dragged
        with self._turn:
            if self._control is not None:
                self._control.remove()
                self._control = None
            self._is_held = False
            if self.choice.value == NOBODY:
                return
            self._control = self._server.scene.add_transform_controls(
                HANDLE,
                scale=SIZE * self._extent,
                disable_rotations=self.place_only.value,
                depth_test=False,
            )
            self._tasks.listen(self._control.on_update, self._on_drag)
            self.move(self._now())

    def _on_drag(self, event: Any) -> None:
        with self._turn:
            if event.target is not self._control:
                return  # of a frame that was chosen before
            self._is_held = event.phase != "end"
            missed = self._follow(self._target(event.target))
            if missed and time.monotonic() - self._noticed >= NOTICE_PERIOD:
                self._noticed = time.monotonic()
                event.client.add_notification(
                    self.choice.value,
                    f"Cannot follow: {missed}.",
                    auto_close_seconds=NOTICE_PERIOD,
                    color="orange",
                )
            if not self._is_held:
                self.move(self._now())

    def _follow(self, target: Array) -> str:
        """Bring the frame to a pose, or as near as can be; what it misses by, in words."""
        found = self._solved(target, self._now())
        self._show(found.q)
        if found.converged or found.errors.max() <= NEAR:
            return ""
        units = [name.rsplit("[", 1)[1][:-1] for name in found.parts]
        parts = self._solver().tasks[0].parts
        return ", ".join(
            f"{part} off by {by:.3g} {unit}"
            for part, by, unit in zip(parts, found.errors.tolist(), units, strict=True)
        )

    def _solved(self, target: Array, q: Array) -> Solution:
        """The posture for a pose of the frame, from the one it is in."""
        wanted = target[:3, 3] if self.place_only.value else target
        return self._solver().solve(wanted, q, starts=1, tolerance=NEAR / 10)

    def _solver(self) -> InverseKinematics:
        key = self.choice.value, self.place_only.value
        if key not in self._solvers:
            task = PointTask(key[0]) if key[1] else PoseTask(key[0])
            self._solvers[key] = InverseKinematics(self._mechanism, tasks=[task], threads=1)
        return self._solvers[key]

    def _pose(self, q: Array) -> Array:
        """Where the frame is at a posture."""
        at = self._mechanism.frame(self.choice.value)
        return np.asarray(self._poses(q)[self._mechanism.body_index(at.body)] @ at.pose.matrix)

    def _target(self, control: Any) -> Array:
        """Where the handle is."""
        from viser.transforms import SO3

        X = np.eye(4)
        X[:3, :3] = SO3(np.asarray(control.wxyz)).normalize().as_matrix()
        X[:3, 3] = control.position
        return X


def check_draggable(mechanism: Mechanism, frame: str, sliders: bool) -> None:
    """Refuse a frame that cannot have a handle.

    Raises:
        UnknownName: When there is no such frame.
        InvalidInput: When nothing moves it, the machine has too many bodies, or may not be posed.
    """
    if not sliders:
        raise InvalidInput(
            "a frame is dragged on pages with sliders only; leave out sliders=False."
        )
    if has_many_bodies(mechanism):
        raise InvalidInput(
            f"'{mechanism.name}' has {len(mechanism.bodies)} bodies; frames of machines of up to "
            f"{MOST_NODES} can be dragged."
        )
    mechanism.frame(frame)
    if frame not in frames_that_move(mechanism):
        raise InvalidInput(
            f"nothing moves frame '{frame}' of '{mechanism.name}', so it cannot be dragged."
        )


def frames_that_move(mechanism: Mechanism) -> list[str]:
    """Frames and bodies that some joint moves."""
    moves = [False]
    for joint, parent in zip(mechanism.joints, mechanism.parents[1:], strict=True):
        moves.append(moves[parent] or bool(joint.motion.nv))
    return [
        name
        for name in mechanism.frame_names
        if moves[mechanism.body_index(mechanism.frame(name).body)]
    ]
