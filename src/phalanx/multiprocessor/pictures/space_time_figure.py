"""Space-time diagram of an array as a figure: a row for every cell, samples in colours."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from phalanx.multiprocessor.pictures.captions import TimeAxis, facts_in_words, time_axis
from phalanx.multiprocessor.pictures.colouring import NO_LINK, PALETTE
from phalanx.multiprocessor.pictures.gantt import (
    BAR,
    IDLE,
    LETTER,
    TAIL,
    TALLEST,
    WIDTH,
    plain,
    text_colour,
)
from phalanx.multiprocessor.plans.space_time import SiteEvent, SpaceTime

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LOWEST = 2.2  # [inch], so that there is room for the title
MOST_ROWS = 48  # more sites than this are folded to nodes
SETS_NAMED = 16
FACTS_SHOWN = 4
WAITING = "#6b93b5"


class _Box(NamedTuple):
    """A sample at work in a row: in its full height, a layer of it, or as the tail of a latency."""

    row: int
    set: int
    start: float
    end: float
    low: float  # part of the row's height, from below
    high: float
    text: str
    pale: bool = False


def write_space_time_figure(space_time: SpaceTime, path: Path) -> None:
    """Draw an array at work into a file (see ``Periodic.space_time``)."""
    space_time_figure(space_time).savefig(path, dpi=150)


def space_time_figure(space_time: SpaceTime, folded: bool | None = None) -> Figure:
    """The picture as a Matplotlib figure.

    Args:
        space_time: What to draw.
        folded: Whether a row is a node rather than a site; when not given, if there are too many
            sites to be read.
    """
    from matplotlib.figure import Figure

    if folded is None:
        folded = len(space_time.sites) > MOST_ROWS
    axis = time_axis(space_time.unit, space_time.span)
    rows = list(space_time.groups) if folded else [site.name for site in space_time.sites]
    boxes = list(_layers(space_time) if folded else _bars(space_time))
    row_height = 0.3 if len(rows) <= 36 else max(0.07, 11.0 / len(rows))
    height = min(max(LOWEST, 1.5 + len(rows) * row_height), TALLEST)
    waiting = 1.2 if space_time.stores else 0.0
    figure = Figure(figsize=(WIDTH, height + waiting), layout="constrained")
    if waiting:
        grid, below = figure.subplots(2, sharex=True, height_ratios=(height, waiting))
        _draw_waiting(below, space_time, axis)
    else:
        grid = below = figure.subplots()
    _draw_boxes(grid, boxes, len(rows), axis, space_time.span)
    _dress(grid, rows, space_time, axis)
    below.set_xlabel(f"time [{axis.unit}]")
    below.set_xlim(0, space_time.span / axis.length or 1.0)
    return figure


def _bars(space_time: SpaceTime) -> Iterator[_Box]:
    for event in space_time.events:
        until, name = event.occupied_until, space_time.works[event.work].name
        yield _Box(event.site, event.set, event.start, until, 0.0, 1.0, name)
        if until < event.end:
            yield _Box(event.site, event.set, until, event.end, 0.0, TAIL, "", pale=True)


def _layers(space_time: SpaceTime) -> Iterator[_Box]:
    """From moment to moment how many of a node are occupied, a layer for each sample."""
    row_of = {site: r for r, own in enumerate(space_time.groups.values()) for site in own}
    by_row: dict[int, list[SiteEvent]] = defaultdict(list)
    for event in space_time.events:
        if event.occupied_until > event.start:
            by_row[row_of[event.site]].append(event)
    for row, events in by_row.items():
        intervals = list(_intervals(events))
        most = max(sum(busy.values()) for _, _, busy in intervals)
        for start, end, busy in intervals:
            low = 0.0
            for number, count in sorted(busy.items()):
                high = low + count / most
                yield _Box(row, number, start, end, low, high, f"{count}")
                low = high


def _intervals(events: Sequence[SiteEvent]) -> Iterator[tuple[float, float, dict[int, int]]]:
    """From each moment to the next the number of events of each sample; nothing where all rest."""
    changes: dict[float, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for event in events:
        changes[event.start][event.set] += 1
        changes[event.occupied_until][event.set] -= 1
    moments = sorted(changes)
    busy: dict[int, int] = defaultdict(int)
    for start, end in pairwise(moments):
        for number, by in changes[start].items():
            busy[number] += by
        there = {number: count for number, count in busy.items() if count}
        if there:
            yield start, end, there


def _draw_boxes(axes: Axes, boxes: Sequence[_Box], rows: int, axis: TimeAxis, span: float) -> None:
    from matplotlib.collections import PolyCollection

    length = span / axis.length
    for row in range(rows):
        axes.broken_barh([(0, length)], (row - BAR / 2, BAR), facecolors=IDLE, linewidth=0)
    inches = (WIDTH - 2.6) / length if length else 0.0
    corners: dict[tuple[bool, str], list[list[tuple[float, float]]]] = defaultdict(list)
    parted = bool(boxes) and min(box.end - box.start for box in boxes) / axis.length * inches > 0.04
    for box in boxes:
        left, right = box.start / axis.length, box.end / axis.length
        bottom, top = (box.row + BAR / 2 - part * BAR for part in (box.low, box.high))
        colour = PALETTE[box.set % len(PALETTE)]
        corners[not box.pale, colour].append(
            [(left, bottom), (right, bottom), (right, top), (left, top)]
        )
        room = (right - left) * inches >= LETTER * (len(box.text) + 0.5)
        if room and rows <= MOST_ROWS and box.high - box.low > 0.6:
            axes.text(
                (left + right) / 2,
                (bottom + top) / 2,
                plain(box.text),
                ha="center",
                va="center",
                fontsize=6,
                color=text_colour(colour),
                clip_on=True,
            )
    for (full, colour), some in sorted(corners.items(), key=lambda item: item[0][0]):
        edge = "white" if parted else colour
        look = {"edgecolors": edge, "lw": 0.4} if full else {"alpha": 0.45, "lw": 0}
        axes.add_collection(PolyCollection(some, facecolors=colour, **look))


def _draw_waiting(axes: Axes, space_time: SpaceTime, axis: TimeAxis) -> None:
    """How many numbers wait in all buffers, from moment to moment."""
    moments, amounts = space_time.fill()
    if len(moments):
        times = np.append(moments, space_time.span) / axis.length
        axes.fill_between(
            times, np.append(amounts, amounts[-1]), step="post", color=WAITING, linewidth=0
        )
    axes.set_ylim(bottom=0)
    axes.set_ylabel("numbers\nin buffers", fontsize=8)
    axes.tick_params(labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)


def _dress(axes: Axes, rows: Sequence[str], space_time: SpaceTime, axis: TimeAxis) -> None:
    from matplotlib.patches import Patch

    axes.set_ylim(len(rows) - 0.4, -0.6)
    step = max(1, -(-len(rows) // 60))
    shown = range(0, len(rows), step)
    axes.set_yticks(list(shown), [plain(rows[row]) for row in shown], fontsize=7)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    facts = list(facts_in_words(space_time.facts, axis).items())[:FACTS_SHOWN]
    said = ", ".join(f"{name} {value}" for name, value in facts)
    if space_time.broken:
        said += f", {len(space_time.broken)} rules broken"
    axes.set_title(plain(f"{space_time.name}\n{said}"), loc="left", fontsize=10)
    named = min(space_time.sets, SETS_NAMED)
    handles = [
        Patch(color=PALETTE[k % len(PALETTE)], label=_set_name(space_time, k)) for k in range(named)
    ]
    if any(event.released is not None for event in space_time.events):
        handles.append(Patch(facecolor=NO_LINK, alpha=0.45, label="low: in a pipeline"))
    if space_time.sets > named:
        handles.append(Patch(facecolor="none", label=f"to {space_time.sets - 1}"))
    axes.legend(
        handles=handles,
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        frameon=False,
        fontsize=8,
        title="" if space_time.set_names else "set",
        title_fontsize=8,
        alignment="left",
    )


def _set_name(space_time: SpaceTime, k: int) -> str:
    return space_time.set_names[k] if k < len(space_time.set_names) else f"{k}"
