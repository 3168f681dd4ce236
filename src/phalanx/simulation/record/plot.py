"""Plot of signals: a row a signal, a line a joint.

One run is drawn as it is, a few as a line each, and of many the median with a band that holds nine
tenths of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.base.short_repr import short
from phalanx.simulation.record.lines import (
    LARGEST,
    Panel,
    add_legend,
    line_look,
    panels_of,
    plain_text,
    some_of,
    stacked,
    thinned,
    with_unit,
)
from phalanx.simulation.record.signal import Channel

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FIRST = ("q", "v", "tau")  # what is shown by default
MOST_ROWS = 4  # of signals by default
FEW_RUNS = 10  # each with a line of its own
BAND = (5.0, 50.0, 95.0)  # of many runs [percent]
SAMPLES = 2000  # of which percentiles are taken


@final
@dataclass(frozen=True, eq=False)
class Bundle:
    """A signal of one run or of many.

    Attributes:
        channel: What it is.
        values: Shape (runs, T, width).
    """

    channel: Channel
    values: NDArray[Any]


def plot(
    time: NDArray[Any],
    bundles: Mapping[str, Bundle],
    owner: str,
    signals: str | Sequence[str] | None = None,
    joints: str | Sequence[str] | None = None,
    title: str = "",
) -> Figure:
    """Signals over time.

    Args:
        time: Shape (T,) [s].
        bundles: What can be drawn, by name.
        owner: What has them, for messages.
        signals: Which to draw; positions, velocities and forces when not given.
        joints: Names of joints, or of other labels; all when not given.
        title: Above the figure.

    Raises:
        UnknownName: When there is no such signal or joint.
        InvalidInput: When there is nothing to draw.
    """
    for what, given in (("signals", signals), ("joints", joints)):
        if not (given is None or isinstance(given, str) or _are_names(given)):
            raise InvalidInput(f"{what}={short(given)}; expected a name, or several.")
    shown = [_bundle(bundles, owner, name) for name in _signals(bundles, signals)]
    chosen = [_columns(bundle.channel, joints) for bundle in shown]
    _check_found(owner, shown, joints)
    rows = [(b, ks) for b, ks in zip(shown, chosen, strict=True) if ks]
    if not rows:
        raise InvalidInput(f"{owner} has nothing to draw.")
    drawn = [
        (bundle, panel, len(few), len(ks))
        for bundle, ks in rows
        for few in [[ks[i] for i in some_of(len(ks))]]
        for panel in panels_of(bundle.channel, few)
    ]
    figure, all_axes = stacked(len(drawn), height=0.8 + 2.1 * len(drawn))
    before: list[str] = []
    for axes, (bundle, panel, few, every) in zip(all_axes, drawn, strict=True):
        labels = bundle.channel.labels
        names = [labels[k] for k in panel.places] if labels else []
        _draw(axes, time, bundle, panel, names)
        if names and names != before:  # one legend for rows that share their lines
            add_legend(axes, len(names), f"{few} of {every}" if few < every else None)
        before = names
    all_axes[-1].set_xlabel("time [s]")
    runs = rows[0][0].values.shape[0]
    if runs > 1:
        how = "a line each" if runs <= FEW_RUNS else "median and the middle 90 %"
        title = f"{title}: {runs:,} runs, {how}" if title else f"{runs:,} runs, {how}"
    if title:
        all_axes[0].set_title(plain_text(title), fontsize=10, loc="left")
    return figure


def _signals(bundles: Mapping[str, Bundle], signals: str | Sequence[str] | None) -> Sequence[str]:
    if isinstance(signals, str):
        return (signals,)
    if signals is not None:
        return tuple(dict.fromkeys(signals))
    return [name for name in FIRST if name in bundles] or list(bundles)[:MOST_ROWS]


def _are_names(given: Any) -> bool:
    return isinstance(given, Sequence) and all(isinstance(name, str) for name in given)


def _bundle(bundles: Mapping[str, Bundle], owner: str, name: str) -> Bundle:
    if name not in bundles:
        raise UnknownName(owner, "signal", name, bundles)
    return bundles[name]


def _columns(channel: Channel, joints: str | Sequence[str] | None) -> list[int]:
    """Places of the labels that belong to joints; of a scalar its only one."""
    if joints is None or not channel.labels:
        return list(range(channel.width))
    wanted = _names(joints)
    return [k for k, label in enumerate(channel.labels) if any(_is_of(label, j) for j in wanted)]


def _names(joints: str | Sequence[str]) -> Sequence[str]:
    return (joints,) if isinstance(joints, str) else joints


def _is_of(label: str, joint: str) -> bool:
    """A joint of several freedoms has a label for each: ``base.x``, ``base.y``."""
    return label == joint or label.startswith(f"{joint}.")


def _check_found(owner: str, shown: Sequence[Bundle], joints: str | Sequence[str] | None) -> None:
    known = list(dict.fromkeys(label for b in shown for label in b.channel.labels))
    for joint in () if joints is None else _names(joints):
        if not any(_is_of(label, joint) for label in known):
            raise UnknownName(owner, "joint", joint, known)


def _draw(axes: Axes, time: NDArray[Any], bundle: Bundle, panel: Panel, names: list[str]) -> None:
    runs = bundle.values.shape[0]
    for i, k in enumerate(panel.places):
        look = line_look(i, len(panel.places))
        label = {"label": plain_text(names[i])} if names else {}
        values = bundle.values[..., k]
        if runs <= FEW_RUNS:
            for run, row in enumerate(values):
                thin = {"alpha": 0.6, "linewidth": 0.9} if runs > 1 else {}
                axes.plot(*thinned(time, row), **look | thin | (label if run == 0 else {}))
        else:
            moments, (low, middle, high) = _percentiles(time, values)
            axes.fill_between(moments, low, high, color=look["color"], alpha=0.2, linewidth=0)
            axes.plot(moments, middle, **look | label)
    axes.set_ylabel(with_unit(bundle.channel.name, panel.unit))


def _percentiles(
    time: NDArray[Any], values: NDArray[Any]
) -> tuple[NDArray[Any], tuple[NDArray[Any], ...]]:
    """Times (t,), and at each of them the percentiles of those runs that are still finite."""
    every = -(-len(time) // SAMPLES)
    some = np.array(values[:, ::every], dtype=np.float64)
    some[~(np.abs(some) < LARGEST)] = np.nan
    rows = np.full((len(BAND), some.shape[1]), np.nan)
    alive = ~np.isnan(some).all(axis=0)
    if alive.any():
        rows[:, alive] = np.nanpercentile(some[:, alive], BAND, axis=0)
    return time[::every], tuple(rows)
