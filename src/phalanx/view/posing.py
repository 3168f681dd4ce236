"""Sliders that pose a machine, and buttons that set all of them.

Where a machine has loops, a slider moves the machine on them: the others follow, and a slider that
cannot go on is set back to where the loops could last be closed.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, final

import numpy as np

from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import Array
from phalanx.view.closing import Closing
from phalanx.view.errands import Errands
from phalanx.view.knobs import (
    Knob,
    home,
    joints_with_knobs,
    knob_position,
    knob_values,
    knobs,
)

if TYPE_CHECKING:
    from viser import GuiApi

STEPS = 500  # of a slider
NOTICE_PERIOD = 3.0  # [s] between notices of a hand that pushes on
PATIENCE = 2.0  # [s] for closing loops on the way to where a slider was put


@final
class Posing:
    """A folder of the control panel with a slider a degree of freedom."""

    def __init__(
        self,
        gui: GuiApi,
        errands: Errands,
        mechanism: Mechanism,
        reach: float,
        posed: Callable[[Array], None],
    ) -> None:
        """Make the sliders.

        Args:
            gui: The control panel.
            errands: Who moves the machine when a slider was moved.
            mechanism: The machine.
            reach: How far sliders of lengths without limits go [m]; half as far where loops hold
                the machine together.
            posed: Called with the position when a person has changed it, from any thread.
        """
        self._gui = gui
        self._errands = errands
        self._mechanism = mechanism
        self._posed = posed
        self._random = np.random.default_rng()
        self._closing = Closing(mechanism, reach) if mechanism.loops else None
        self._q = self._closing.home if self._closing else home(mechanism)
        self._hand: int | None = None  # the slider a person moved last
        self._turn = threading.RLock()  # callbacks come from many threads
        self._noticed = -NOTICE_PERIOD
        self.folder = gui.add_folder("Posture")
        with self.folder:
            buttons = gui.add_button_group("Set", ("Home", "Random"))
        made = knobs(mechanism, reach / 2 if self._closing else reach)
        if len(made) < mechanism.nv:
            with self.folder:
                gui.add_markdown(
                    f"Sliders of the first {len(made)} of {mechanism.nv} freedoms; the others "
                    "stay as they are. *Home* and *Random* move all."
                )
        self._sliders = self._add_sliders(made)
        errands.hear(buttons.on_click, self._on_button)

    @property
    def q(self) -> Array:
        """The posture of the sliders, shape (nq,)."""
        return self._q

    def follow(self, q: Array) -> None:
        """Set the sliders to a position that came from elsewhere."""
        with self._turn:
            self._q, self._hand = q, None
            self._set_sliders()

    def settle(self) -> None:
        """Let the other sliders come to where loops have put their joints."""
        if self._closing:
            with self._turn:
                self._set_sliders()

    def _add_sliders(self, made: list[Knob]) -> list[Any]:
        """A slider each, in the order of v; those without motors in a folder of their own."""
        gui, m = self._gui, self._mechanism
        first = {j.name for j in (m.actuated_joints if self._closing else m.moving_joints)}
        joints = joints_with_knobs(m)
        moves_by_itself = [j.name in first for j in joints for _ in range(j.motion.nv)]
        hidden: Any = contextlib.nullcontext()
        if self._closing and not all(moves_by_itself):
            with self.folder:
                # behind the others, whose places are counted up from zero
                hidden = gui.add_folder(
                    "Passive joints",
                    expand_by_default=not self._closing.drives_suffice,
                    order=1e9,
                )
        sliders: list[Any] = []
        for knob, value, shown in zip(made, knob_values(m, self._q), moves_by_itself, strict=True):
            with self.folder if shown else hidden:
                slider = gui.add_slider(
                    knob.label,
                    min=knob.lower,
                    max=knob.upper,
                    step=max((knob.upper - knob.lower) / STEPS, 1e-9),
                    initial_value=float(np.clip(value, knob.lower, knob.upper)),
                )
            self._errands.hear(slider.on_update, self._on_slider)
            sliders.append(slider)
        return sliders

    def _set_sliders(self) -> None:
        values = knob_values(self._mechanism, self._q)
        for k, (slider, value) in enumerate(zip(self._sliders, values, strict=True)):
            wanted = float(np.clip(value, slider.min, slider.max))
            # setting it again would fight the hand that moves it
            if k != self._hand and slider.value != wanted:
                slider.value = wanted

    def _on_slider(self, event: Any) -> None:
        with self._turn:
            # a page of somebody's own making may say more than its slider could
            event.target.value = _within(event.target)
            if self._closing is None:
                values = np.array([_within(slider) for slider in self._sliders])
                self._q = knob_position(self._mechanism, values, self._q)
            else:
                self._turn_knob(self._closing, self._sliders.index(event.target), event.client)
            self._posed(self._q)

    def _turn_knob(self, closing: Closing, knob: int, client: Any) -> None:
        slider = self._sliders[knob]
        give_up = time.monotonic() + PATIENCE

        def go_on() -> bool:
            return time.monotonic() < give_up and not self._errands.is_outdated(id(slider))

        reached = closing.turn(self._q, knob, slider.value, go_on)
        self._q, self._hand = reached.q, knob
        if time.monotonic() >= give_up:
            reached = replace(reached, obstacle=f"this takes longer than {PATIENCE:g} s")
        if reached.obstacle:
            self._hand = None
            self._set_sliders()
            if time.monotonic() - self._noticed >= NOTICE_PERIOD:
                self._noticed = time.monotonic()
                client.add_notification(
                    slider.label,
                    f"Stopped: {reached.obstacle}.",
                    auto_close_seconds=NOTICE_PERIOD,
                    color="orange",
                )

    def _on_button(self, event: Any) -> None:
        with self._turn:
            self._hand = None
            self._q = self._set_posture(event.target.value == "Home")
            self._set_sliders()
            self._posed(self._q)

    def _set_posture(self, at_home: bool) -> Array:
        if self._closing:
            return self._closing.home if at_home else self._closing.random(self._random)
        m = self._mechanism
        return home(m) if at_home else m.random_positions(seed=self._random)


def _within(slider: Any) -> float:
    """Where a slider stands, or its end that is nearest."""
    return float(np.clip(slider.value, slider.min, slider.max))
