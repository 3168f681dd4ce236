"""Charts of recorded signals beside the scene, with a time cursor.

A unit has a plot of its own, and so has what one plot cannot hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, final

import numpy as np

from phalanx.mechanism.pose import Array
from phalanx.simulation.record.lines import SOME, Panel, panels_of, some_of, with_unit
from phalanx.simulation.record.recording import Recording
from phalanx.simulation.record.signal import Signal
from phalanx.view.web.task_queue import TaskQueue

if TYPE_CHECKING:
    from viser import GuiApi

POINTS = 600  # of a drawn line: as many as a narrow panel has pixels
HEIGHT = 190  # [pixel]
# as many colours as a panel has lines
LINES = (
    *("#d95f02", "#1b6ca8", "#2e8b57", "#7b4ea3", "#b8860b"),
    *("#c2185b", "#00838f", "#6d4c41", "#6b8e00", "#9aa0a6"),
)
CURSOR = "#333333"


@final
class Charts:
    """A panel with the plots of signals; boxes choose which are shown."""

    def __init__(
        self, gui: GuiApi, tasks: TaskQueue, recording: Recording, shown: Sequence[str]
    ) -> None:
        """Make the panel; plots of signals that are not ``shown`` wait for their box."""
        self._gui = gui
        self._recording = recording
        self._charts: dict[str, list[_Chart]] = {}
        self._time = float(recording.time[0])
        panel = gui.add_panel()
        # beside the scene there is room for one panel on a tablet
        panel.dock_below(gui.main_panel)
        self._tab = panel.add_tab("Signals")
        with self._tab:
            for name in recording.signals:
                box = gui.add_checkbox(name, initial_value=name in shown)
                tasks.listen(box.on_update, self._on_box)
        for name in shown:
            self._show(name, True)

    def point_at(self, time: float) -> None:
        """Move the cursor of all shown plots."""
        self._time = time
        for plot in (plot for plots in self._charts.values() for plot in plots):
            if plot.chart.visible:
                plot.point_at(time)

    def _on_box(self, event: Any) -> None:
        self._show(event.target.label, event.target.value)

    def _show(self, name: str, visible: bool) -> None:
        if name not in self._charts and visible:
            with self._tab:
                self._charts[name] = self._plots(self._recording.signal(name))
        for plot in self._charts.get(name, ()):
            plot.chart.visible = visible
            plot.point_at(self._time)

    def _plots(self, signal: Signal) -> list[_Chart]:
        every = signal.channel.width
        columns = some_of(every)
        panels = panels_of(signal.channel, columns)
        more = "" if len(columns) == every else some_words(every)
        return [
            _Chart(self._gui, self._recording.time, signal, panel, _title(signal, panels, k) + more)
            for k, panel in enumerate(panels)
        ]


@final
class _Chart:
    """Lines over time, and the cursor as one more: flat along the bottom but for a spike."""

    def __init__(self, gui: GuiApi, time: Array, signal: Signal, panel: Panel, title: str) -> None:
        self._time, self._lines = envelope(time, signal.table[:, panel.places])
        every = signal.labels or (signal.name,)
        labels = [every[k] for k in panel.places]
        series: list[Any] = [{"label": "t [s]"}]
        series += [
            {"label": label, "stroke": LINES[k % len(LINES)], "width": 1.5}
            for k, label in enumerate(labels)
        ]
        series.append({"label": "now", "stroke": CURSOR, "width": 1, "scale": "cursor"})
        self.chart = gui.add_uplot(
            self._data(float(self._time[0])),
            tuple(series),
            title=title,
            scales={"x": {"time": False}, "cursor": {"range": (0.0, 1.0)}},
            axes=({"size": 30}, {"size": 56}),
            padding=(8, 24, 0, 0),
            legend={"show": True, "live": False},
            height=HEIGHT,
        )

    def point_at(self, time: float) -> None:
        self.chart.data = self._data(time)

    def _data(self, time: float) -> tuple[Array, ...]:
        k = np.searchsorted(self._time, time)
        now = [float(np.interp(time, self._time, line)) for line in self._lines.T]
        spike = np.insert(np.zeros(len(self._time)), k, [0.0, 1.0, 0.0])
        lines = [np.insert(line, k, [x] * 3) for line, x in zip(self._lines.T, now, strict=True)]
        return (np.insert(self._time, k, [time] * 3), *lines, spike)


def some_words(every: int) -> str:
    """Note where not all lines are drawn."""
    return f", {SOME} of {every}"


def envelope(time: Array, values: Array, points: int = POINTS) -> tuple[Array, Array]:
    """At most ``points`` samples that look like all of them: lows and highs of short segments.

    Args:
        time: Shape (T,).
        values: Shape (T, k).
        points: An even number.

    Returns:
        Times (t,) and values (t, k).
    """
    if len(time) <= points:
        return time, values
    edges = np.linspace(0, len(time), points // 2 + 1).astype(int)[:-1]
    low, high = np.minimum.reduceat(values, edges), np.maximum.reduceat(values, edges)
    middles = np.append(edges[1:], len(time)) - 1
    rising = values[edges] <= values[middles]
    first, second = np.where(rising, low, high), np.where(rising, high, low)
    thinned = np.stack([first, second], axis=1).reshape(-1, values.shape[1])
    return np.stack([time[edges], time[middles]], axis=1).ravel(), thinned


def _title(signal: Signal, panels: Sequence[Panel], k: int) -> str:
    """Name and unit, and which of several plots of them it is."""
    unit = panels[k].unit
    same = [i for i, panel in enumerate(panels) if panel.unit == unit]
    which = f" ({same.index(k) + 1} of {len(same)})" if len(same) > 1 else ""
    return with_unit(signal.name, unit) + which
