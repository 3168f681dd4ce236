"""Sliders that pose a machine, and buttons that set all of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, final

import numpy as np

from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import Array
from phalanx.view.knobs import home, knob_position, knob_values, knobs

if TYPE_CHECKING:
    from viser import GuiApi

STEPS = 500  # of a slider


@final
class Posing:
    """A folder of the control panel with a slider a degree of freedom."""

    def __init__(
        self, gui: GuiApi, mechanism: Mechanism, reach: float, posed: Callable[[Array], None]
    ) -> None:
        """Make the sliders.

        Args:
            gui: The control panel.
            mechanism: The machine.
            reach: How far sliders of lengths without limits go [m].
            posed: Called with the position when a person has changed it, from any thread.
        """
        self._mechanism = mechanism
        self._posed = posed
        self._random = np.random.default_rng()
        self.folder = gui.add_folder("Posture")
        with self.folder:
            if mechanism.loops:
                gui.add_markdown("*Sliders move the tree; they do not keep its loops closed.*")
            buttons = gui.add_button_group("Set", ("Home", "Random"))
            start = knob_values(mechanism, home(mechanism))
            self._sliders: list[Any] = []
            for knob, value in zip(knobs(mechanism, reach), start, strict=True):
                slider = gui.add_slider(
                    knob.label,
                    min=knob.lower,
                    max=knob.upper,
                    step=max((knob.upper - knob.lower) / STEPS, 1e-9),
                    initial_value=float(np.clip(value, knob.lower, knob.upper)),
                )
                slider.on_update(self._on_slider)
                self._sliders.append(slider)
        buttons.on_click(self._on_button)

    def follow(self, q: Array) -> None:
        """Set the sliders to a position that came from elsewhere."""
        values = knob_values(self._mechanism, q)
        for slider, value in zip(self._sliders, values, strict=True):
            slider.value = float(np.clip(value, slider.min, slider.max))

    def _on_slider(self, event: Any) -> None:
        if event.client is not None:  # none when it was set by follow
            values = np.array([slider.value for slider in self._sliders])
            self._posed(knob_position(self._mechanism, values))

    def _on_button(self, event: Any) -> None:
        if event.target.value == "Home":
            q = home(self._mechanism)
        else:
            q = self._mechanism.random_positions(seed=self._random)
        self._posed(q)
        self.follow(q)
