"""Gantt chart of a plan as a figure: a row for every processor and wire."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from phalanx.multiprocessor.computers.computer import Computer
from phalanx.multiprocessor.pictures.captions import TimeAxis, summary, time_axis, title
from phalanx.multiprocessor.pictures.colouring import NO_LINK, Colouring, colouring
from phalanx.multiprocessor.plans.critical_path import critical_path
from phalanx.multiprocessor.plans.held_time import holds
from phalanx.multiprocessor.plans.schedule import Schedule

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 11.0  # [inch]
TALLEST = 40.0  # [inch]
LEGEND_LINES = 12
IDLE = "#eceff2"
HELD = "#8d99a6"
INK = "#1d2733"
BAR = 0.86  # part of a row's height
LETTER = 0.075  # width of a letter in a bar [inch]
TAIL = 0.3  # part of a bar's height for what is still in a pipeline
PARTED = 0.003  # bars shorter than this part of the makespan have no lines between them

Bar = tuple[float, float, float]  # start, end, row


def write_figure(plan: Schedule, path: Path, color_by: str | None) -> None:
    """Draw a plan into a file (see ``Schedule.gantt``)."""
    gantt_figure(plan, color_by).savefig(path, dpi=150)


def gantt_figure(plan: Schedule, color_by: str | None = None) -> Figure:
    """The picture as a Matplotlib figure.

    Args:
        plan: What to draw.
        color_by: ``link`` or ``kind``; by link when not given, if tasks have links.
    """
    from matplotlib.figure import Figure

    colours = colouring(plan.graph, color_by)
    axis = time_axis(plan.computer.unit, plan.makespan)
    wires = sorted({hop.link for message in plan.messages for hop in message.hops})
    rows = plan.computer.processors + len(wires)
    row_height = 0.34 if rows <= 24 else max(0.08, 8.0 / rows)
    height = min(1.6 + rows * row_height, TALLEST)
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    axes = figure.subplots()
    _draw_tasks(axes, plan, colours, axis)
    _draw_messages(axes, plan, colours, axis, wires)
    _dress(axes, plan, axis, wires)
    _legend(axes, colours, plan.computer)
    return figure


def _draw_tasks(axes: Axes, plan: Schedule, colours: Colouring, axis: TimeAxis) -> None:
    span = plan.makespan / axis.length
    for processor in range(plan.computer.processors):
        axes.broken_barh([(0, span)], (processor - BAR / 2, BAR), facecolors=IDLE, linewidth=0)
    groups: list[list[Bar]] = [[] for _ in colours.groups]
    tails: list[list[Bar]] = [[] for _ in colours.groups]
    for p, free in zip(plan.placements, plan.released, strict=True):
        groups[colours.group_of[p.task]].append((p.start, free, p.processor))
        if free < p.end:
            tails[colours.group_of[p.task]].append((free, p.end, p.processor))
    for bars, colour in zip(tails, colours.colours, strict=True):
        _tails(axes, bars, axis, colour)
    for bars, colour in zip(groups, colours.colours, strict=True):
        _bars(axes, bars, plan, axis, colour)
    _mark_critical(axes, plan, axis)
    _name_tasks(axes, plan, colours, span, axis)


def _bars(axes: Axes, bars: list[Bar], plan: Schedule, axis: TimeAxis, colour: str) -> None:
    """Bars of one colour; white lines part those that are wide enough for it."""
    from matplotlib.collections import PolyCollection

    wide = [bar for bar in bars if bar[1] - bar[0] >= plan.makespan * PARTED]
    narrow = [bar for bar in bars if bar[1] - bar[0] < plan.makespan * PARTED]
    for some, edge in ((narrow, colour), (wide, "white")):
        corners = [_corners(*bar, axis) for bar in some]
        axes.add_collection(PolyCollection(corners, facecolors=colour, edgecolors=edge, lw=0.4))


def _tails(axes: Axes, bars: list[Bar], axis: TimeAxis, colour: str) -> None:
    """Low pale bars from when a pipelined processor is free until results are there."""
    from matplotlib.collections import PolyCollection

    corners = []
    for start, end, row in bars:
        left, right, foot = start / axis.length, end / axis.length, row + BAR / 2
        top = foot - TAIL * BAR
        corners.append([(left, foot), (right, foot), (right, top), (left, top)])
    if corners:
        axes.add_collection(PolyCollection(corners, facecolors=colour, alpha=0.45, linewidth=0))


def _mark_critical(axes: Axes, plan: Schedule, axis: TimeAxis) -> None:
    """A frame around tasks of the critical path, a line below those that are too short for it."""
    from matplotlib.collections import PolyCollection

    critical = set(critical_path(plan.graph, plan.computer).tasks)
    occupied = [
        p._replace(end=free) for p, free in zip(plan.placements, plan.released, strict=True)
    ]
    own = [p for p in occupied if p.task in critical]
    frames = [
        _corners(p.start, p.end, p.processor, axis)
        for p in own
        if p.end - p.start >= plan.makespan * PARTED
    ]
    axes.add_collection(PolyCollection(frames, facecolors="none", edgecolors=INK, lw=1.2))
    for p in own:
        if p.end - p.start < plan.makespan * PARTED:
            ends = p.start / axis.length, p.end / axis.length
            axes.plot(ends, [p.processor + BAR / 2] * 2, color=INK, lw=2.5, solid_capstyle="butt")


def _corners(start: float, end: float, row: float, axis: TimeAxis) -> list[tuple[float, float]]:
    left, right = start / axis.length, end / axis.length
    low, high = row - BAR / 2, row + BAR / 2
    return [(left, low), (right, low), (right, high), (left, high)]


def _name_tasks(
    axes: Axes, plan: Schedule, colours: Colouring, span: float, axis: TimeAxis
) -> None:
    """Names in bars that are long enough for them."""
    inches = (WIDTH - 2.6) / span if span else 0.0
    for p, free in zip(plan.placements, plan.released, strict=True):
        name = plan.graph.tasks[p.task].name
        if (free - p.start) / axis.length * inches < LETTER * len(name):
            continue
        colour = colours.colours[colours.group_of[p.task]]
        axes.text(
            (p.start + free) / 2 / axis.length,
            p.processor,
            plain(name),
            ha="center",
            va="center",
            fontsize=7,
            color=text_colour(colour),
            clip_on=True,
        )


def _draw_messages(
    axes: Axes, plan: Schedule, colours: Colouring, axis: TimeAxis, wires: list[int]
) -> None:
    """Messages below the processors, in the colour of the task that sends them."""
    row = {wire: plan.computer.processors + k for k, wire in enumerate(wires)}
    groups: list[list[Bar]] = [[] for _ in colours.groups]
    for message in plan.messages:
        groups[colours.group_of[message.task]] += [
            (hop.start, hop.end, row[hop.link]) for hop in message.hops
        ]
    for bars, colour in zip(groups, colours.colours, strict=True):
        _bars(axes, bars, plan, axis, colour)
    held: list[Bar] = [(h.start, h.end, h.processor) for h in holds(plan.computer, plan.messages)]
    _bars(axes, held, plan, axis, HELD)


def _dress(axes: Axes, plan: Schedule, axis: TimeAxis, wires: list[int]) -> None:
    processors = plan.computer.processors
    rows = processors + len(wires)
    axes.set_xlim(0, plan.makespan / axis.length or 1.0)
    axes.set_ylim(rows - 0.4, -0.6)
    step = max(1, rows // 32)
    shown = [row for row in range(rows) if row % step == 0]
    names = [plan.computer.processor_name(p) for p in range(processors)] + [
        f"wire {wire}" for wire in wires
    ]
    axes.set_yticks(shown, [names[row] for row in shown], fontsize=8)
    if wires:
        axes.axhline(processors - 0.5, color="0.6", lw=0.8)
    axes.set_xlabel(f"time [{axis.unit}]")
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.set_title(plain(f"{title(plan)}\n{summary(plan, axis)}"), loc="left", fontsize=10)


def _legend(axes: Axes, colours: Colouring, computer: Computer) -> None:
    from matplotlib.patches import Patch

    step = max(1, -(-len(colours.groups) // LEGEND_LINES))
    handles = [
        Patch(color=colour, label=plain(group))
        for colour, group in list(zip(colours.colours, colours.groups, strict=True))[::step]
    ]
    handles.append(Patch(facecolor="none", edgecolor=INK, label="critical path"))
    handles.append(Patch(facecolor=IDLE, label="idle"))
    if computer.is_pipelined:
        handles.append(Patch(facecolor=NO_LINK, alpha=0.45, label="low: in a pipeline"))
    if computer.holds_processors:
        handles.append(Patch(facecolor=HELD, label="messages"))
    axes.legend(
        handles=handles,
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        frameon=False,
        fontsize=8,
        title=f"by {colours.means}",
        title_fontsize=8,
        alignment="left",
    )


def text_colour(background: str) -> str:
    """Black or white, whichever can be read on a colour."""
    red, green, blue = (int(background[k : k + 2], 16) for k in (1, 3, 5))
    return "white" if 0.299 * red + 0.587 * green + 0.114 * blue < 140 else INK


def plain(text: str) -> str:
    """Text that Matplotlib takes as it is: no formulas, no names hidden by an underscore."""
    text = text.replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text
