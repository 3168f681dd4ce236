"""Replay of a recorded run in the browser: play, pause, seek, slow motion.

While it plays, a thread of its own draws it; postures between samples are interpolated, so that
slow motion is smooth.
"""

from __future__ import annotations

import threading
import time as clock
from collections.abc import Sequence
from typing import Any, final

import numpy as np

from phalanx.base.errors import InvalidInput
from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import Array
from phalanx.mechanism.quaternions import quaternion_columns
from phalanx.simulation.record.recording import Recording
from phalanx.view.replay.charts import Charts
from phalanx.view.replay.playback import Playback
from phalanx.view.viewer.viewer import Viewer

RATE = 30.0  # postures a second
CONTROLS_PERIOD = 0.1  # [s] between updates of slider and plots while it plays
SPEEDS = ("0.05", "0.1", "0.25", "0.5", "1", "2", "5", "10")
FIRST_PLOTS = ("q", "tau")


@final
class Replay:
    """A recording, played in a viewer.

    Attributes:
        playback: Plays, pauses and seeks; knows which time is shown.
    """

    def __init__(
        self,
        viewer: Viewer,
        recording: Recording,
        *,
        plots: Sequence[str] | None = None,
        speed: float = 1.0,
        loop: bool = False,
    ) -> None:
        """Show the first sample, and the controls.

        Args:
            viewer: Where to show it; of the mechanism that was recorded.
            recording: With a signal ``q``.
            plots: Signals plotted at first; positions and joint forces when not given.
            speed: Recorded seconds a second.
            loop: Whether to start again at the end.

        Raises:
            InvalidInput: When the recording is empty or not of this mechanism.
            UnknownName: When it has no signal of a wanted name.
        """
        check_recording(viewer.mechanism, recording)
        times = recording.time
        self.playback = Playback(
            float(times[0]),
            float(times[-1]),
            speed=speed,
            loop=loop,
            clock=clock.monotonic,
            changed=self._on_change,
        )
        if plots is None:
            plots = [name for name in FIRST_PLOTS if name in recording]
        for name in plots:
            recording.signal(name)
        self._viewer = viewer
        self._recording = recording
        self._woken = threading.Event()  # set by every change
        self._drawing = threading.Lock()
        self._closing = False
        viewer.frame(recording.signal("q").table)
        self._charts = Charts(viewer.gui, viewer.tasks, recording, plots)
        self._add_controls(speed, loop)
        self._on_change()
        self._player = threading.Thread(target=self._play, name="phalanx-replay", daemon=True)
        self._player.start()

    def close(self) -> None:
        """Stop playing for good; the viewer stays."""
        self._closing = True
        self._woken.set()
        self._player.join()

    def __enter__(self) -> Replay:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- behind them -----------------------------------------------------------------------------

    def _add_controls(self, speed: float, loop: bool) -> None:
        gui = self._viewer.gui
        with gui.add_folder("Replay", order=-1):
            self._button = gui.add_button("Play")
            begin, span = self.playback.begin, self.playback.end - self.playback.begin
            span = max(span, 1e-6)
            self._slider: Any = gui.add_slider(
                "t [s]", min=begin, max=begin + span, step=span / 2000, initial_value=begin
            )
            speeds = sorted({*SPEEDS, f"{speed:g}"}, key=float)
            self._speed_box = gui.add_dropdown("Speed ×", speeds, initial_value=f"{speed:g}")
            self._loop_box = gui.add_checkbox("Loop", initial_value=loop)
        tasks = self._viewer.tasks
        tasks.listen(self._button.on_click, self._on_button)
        tasks.listen(self._slider.on_update, self._on_slider)
        tasks.listen(self._speed_box.on_update, self._on_speed)
        tasks.listen(self._loop_box.on_update, self._on_loop)

    def _on_button(self, _: Any) -> None:
        if self.playback.playing:
            self.playback.pause()
        else:
            self.playback.play()

    def _on_slider(self, _: Any) -> None:
        self.playback.seek(self._slider.value)

    def _on_speed(self, _: Any) -> None:
        if self._speed_box.value in self._speed_box.options:
            self.playback.set_speed(float(self._speed_box.value))

    def _on_loop(self, _: Any) -> None:
        self.playback.set_loop(self._loop_box.value)

    def _on_change(self) -> None:
        """Show the time, and whether it moves on; wake the thread that draws while it does."""
        self._draw(controls=True)
        self._woken.set()

    def _draw(self, *, controls: bool) -> None:
        """Show the time, which is read when nothing else draws: so the latest is drawn last."""
        with self._drawing:
            time, label = self.playback.time, "Pause" if self.playback.playing else "Play"
            self._viewer.show(posture_at(self._viewer.mechanism, self._recording, time))
            if controls:
                self._slider.value = float(np.clip(time, self._slider.min, self._slider.max))
                self._charts.point_at(time)
            if self._button.label != label:
                self._button.label = label

    def _play(self) -> None:
        pointed = clock.monotonic()
        while not self._closing:
            now = clock.monotonic()
            playing = self.playback.playing  # before the time: the last one is drawn too
            controls = not playing or now - pointed >= CONTROLS_PERIOD
            self._draw(controls=controls)
            if controls:
                pointed = now
            if not playing:
                self._woken.wait()
            self._woken.clear()
            clock.sleep(max(0.0, 1 / RATE - (clock.monotonic() - now)))


def check_recording(mechanism: Mechanism, recording: Recording) -> None:
    """Refuse a recording that does not fit a mechanism.

    Raises:
        InvalidInput: When it is empty or has another number of positions.
        UnknownName: When it has none.
    """
    q = recording.signal("q").table
    if not len(q):
        raise InvalidInput("the recording is empty: there is no sample to show.")
    if q.shape[1] != mechanism.nq:
        raise InvalidInput(
            f"the recording has {q.shape[1]} positions and '{mechanism.name}' {mechanism.nq}; "
            "it is of another machine (or of one with a floating base)."
        )


def posture_at(mechanism: Mechanism, recording: Recording, time: float) -> Array:
    """The position at a time, on the straight line between samples, quaternions normalised."""
    q = recording.signal("q").table
    k = int(np.clip(np.searchsorted(recording.time, time, "right"), 1, max(len(q) - 1, 1)))
    if len(q) == 1:
        return q[0].copy()
    before, after = recording.time[k - 1], recording.time[k]
    share = np.clip((time - before) / (after - before), 0.0, 1.0) if after > before else 1.0
    x = (1 - share) * q[k - 1] + share * q[k]
    turns = quaternion_columns(mechanism)
    first, second = q[k - 1, turns], q[k, turns]
    # q and -q are the same rotation; the near one is on the way
    second = np.where((first * second).sum(axis=1, keepdims=True) >= 0, second, -second)
    mixed = (1 - share) * first + share * second
    x[turns] = mixed / np.linalg.norm(mixed, axis=1, keepdims=True)
    return x
