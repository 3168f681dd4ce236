"""Pose controls: sliders for all joints, and buttons that set them.

Where a machine has loops, a slider moves the machine on them: the others follow. A slider that
cannot go on, because the loops do not close or a cylinder is at the end of its stroke, is set back
to where it could last be. Sliders speak in units that the person chooses.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, final

import numpy as np

from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import Array
from phalanx.view.viewer.closed_loop_posing import ClosedLoopPosing
from phalanx.view.viewer.joint_sliders import (
    JointSlider,
    home,
    joint_sliders,
    joints_with_sliders,
    random_posture,
    slider_position,
    slider_values,
)
from phalanx.view.viewer.units import ANGLES, LENGTHS, SliderScale, Unit
from phalanx.view.web.task_queue import TaskQueue

if TYPE_CHECKING:
    from viser import GuiApi

NOTICE_PERIOD = 3.0  # [s] between notices of a hand that pushes on
PATIENCE = 2.0  # [s] for closing loops on the way to where a slider was put


@final
class PoseControls:
    """A folder of the control panel with a slider a degree of freedom."""

    def __init__(
        self,
        gui: GuiApi,
        tasks: TaskQueue,
        mechanism: Mechanism,
        reach: float,
        posed: Callable[[Array], None],
    ) -> None:
        """Make the sliders.

        Args:
            gui: The control panel.
            tasks: Who moves the machine when a slider was moved.
            mechanism: The machine.
            reach: How far sliders of lengths without limits go [m]; half as far where loops hold
                the machine together.
            posed: Called with the position when the user has changed it, from any thread.
        """
        self._gui = gui
        self._tasks = tasks
        self._mechanism = mechanism
        self._posed = posed
        self._random = np.random.default_rng()
        is_bound = bool(mechanism.loops or mechanism.struts)
        self._closing = ClosedLoopPosing(mechanism, reach) if is_bound else None
        self._q = self._closing.home if self._closing else home(mechanism)
        self._hand: int | None = None  # the slider that the user moved last
        self._turn = threading.RLock()  # callbacks come from many threads
        self._noticed = -NOTICE_PERIOD
        self._specs = joint_sliders(mechanism, reach / 2 if mechanism.loops else reach)
        # of all sliders [m or rad]: roll, pitch and yaw stay as they were put, where several mean
        # the same attitude
        self._values = slider_values(mechanism, self._q)
        self._angle, self._length = next(iter(ANGLES.values())), next(iter(LENGTHS.values()))
        self.folder = gui.add_folder("Posture")
        with self.folder:
            buttons = gui.add_button_group("Set", ("Home", "Random"))
            for name, choice, is_angle in (("Angles", ANGLES, True), ("Lengths", LENGTHS, False)):
                if any(spec.is_angle == is_angle for spec in self._specs):
                    box = gui.add_dropdown(name, tuple(choice))
                    tasks.listen(box.on_update, self._on_units)
            if len(self._specs) < mechanism.nv:
                gui.add_markdown(
                    f"Sliders of the first {len(self._specs)} of {mechanism.nv} freedoms; the "
                    "others stay as they are. *Home* and *Random* move all."
                )
        self._sliders = self._add_sliders()
        tasks.listen(buttons.on_click, self._on_button)

    @property
    def q(self) -> Array:
        """The posture of the sliders, shape (nq,)."""
        return self._q

    def follow(self, q: Array) -> None:
        """Set the sliders to a position that came from elsewhere."""
        with self._turn:
            self._put(q)
            self._set_sliders()

    def settle(self) -> None:
        """Let the other sliders come to where loops have put their joints."""
        if self._closing:
            with self._turn:
                self._set_sliders()

    def _put(self, q: Array) -> None:
        """Take over a position while no slider is being dragged."""
        self._q, self._hand = q, None
        self._values = slider_values(self._mechanism, q)

    def _unit(self, spec: JointSlider) -> Unit:
        return self._angle if spec.is_angle else self._length

    def _scale(self, spec: JointSlider) -> SliderScale:
        return SliderScale.over(spec.name, spec.lower, spec.upper, self._unit(spec))

    def _add_sliders(self) -> list[Any]:
        """A slider each, in the order of v; those without motors in a folder of their own."""
        gui, m = self._gui, self._mechanism
        first = {j.name for j in (m.actuated_joints if m.loops else m.moving_joints)}
        joints = joints_with_sliders(m)
        moves_by_itself = [j.name in first for j in joints for _ in range(j.motion.nv)]
        hidden: Any = contextlib.nullcontext()
        if self._closing and m.loops and not all(moves_by_itself):
            with self.folder:
                # behind the others, whose places are counted up from zero
                hidden = gui.add_folder(
                    "Passive joints",
                    expand_by_default=not self._closing.drives_suffice,
                    order=1e9,
                )
        sliders: list[Any] = []
        for spec, value, shown in zip(self._specs, self._values, moves_by_itself, strict=True):
            scale = self._scale(spec)
            with self.folder if shown else hidden:
                slider = gui.add_slider(
                    scale.label,
                    min=scale.least,
                    max=scale.greatest,
                    step=scale.step,
                    initial_value=scale.of(value),
                )
            slider.precision = scale.digits
            self._tasks.listen(slider.on_update, self._on_slider)
            sliders.append(slider)
        return sliders

    def _set_sliders(self) -> None:
        for k, (spec, slider) in enumerate(zip(self._specs, self._sliders, strict=True)):
            wanted = self._scale(spec).of(self._values[k])
            # setting it again would fight the hand that moves it
            if k != self._hand and slider.value != wanted:
                slider.value = wanted

    def _on_units(self, event: Any) -> None:
        words = {**ANGLES, **LENGTHS}
        if event.target.value not in words:
            return
        with self._turn:
            if event.target.value in ANGLES:
                self._angle = ANGLES[event.target.value]
            else:
                self._length = LENGTHS[event.target.value]
            for spec, slider, value in zip(self._specs, self._sliders, self._values, strict=True):
                scale = self._scale(spec)
                if slider.label != scale.label:
                    slider.label, slider.step = scale.label, scale.step
                    slider.precision = scale.digits
                    slider.min, slider.max = scale.least, scale.greatest
                    slider.value = scale.of(value)

    def _on_slider(self, event: Any) -> None:
        with self._turn:
            k = self._sliders.index(event.target)
            spec = self._specs[k]
            # a foreign page may send more than its slider could
            event.target.value = _within(event.target)
            wanted = event.target.value * self._unit(spec).size
            wanted = float(np.clip(wanted, spec.lower, spec.upper))
            if self._closing is None:
                self._values[k] = wanted
                self._q = slider_position(self._mechanism, self._values, self._q)
            else:
                self._move_slider(self._closing, k, wanted, event.client)
            self._posed(self._q)

    def _move_slider(self, closing: ClosedLoopPosing, spec: int, value: float, client: Any) -> None:
        slider = self._sliders[spec]
        give_up = time.monotonic() + PATIENCE

        def go_on() -> bool:
            return time.monotonic() < give_up and not self._tasks.is_outdated(id(slider))

        reached = closing.turn(self._q, spec, value, go_on)
        self._put(reached.q)
        self._hand = spec
        obstacle = reached.obstacle
        if obstacle:
            unit = self._unit(self._specs[spec])
            obstacle += f" beyond {self._values[spec] / unit.size:.4g} {unit.symbol}"
        elif time.monotonic() >= give_up:
            obstacle = f"this takes longer than {PATIENCE:g} s"
        if obstacle:
            self._hand = None
            self._set_sliders()
            if time.monotonic() - self._noticed >= NOTICE_PERIOD:
                self._noticed = time.monotonic()
                client.add_notification(
                    slider.label,
                    f"Stopped: {obstacle}.",
                    auto_close_seconds=NOTICE_PERIOD,
                    color="orange",
                )

    def _on_button(self, event: Any) -> None:
        with self._turn:
            self._put(self._set_posture(event.target.value == "Home"))
            self._set_sliders()
            self._posed(self._q)

    def _set_posture(self, at_home: bool) -> Array:
        if self._closing:
            return self._closing.home if at_home else self._closing.random(self._random)
        m = self._mechanism
        return home(m) if at_home else random_posture(m, self._random)


def _within(slider: Any) -> float:
    """Where a slider stands, or its end that is nearest."""
    return float(np.clip(slider.value, slider.min, slider.max))
