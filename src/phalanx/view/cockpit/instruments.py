"""Instruments of a cockpit: display names of a machine, its modes, sticks and plots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import pi
from typing import final

DEGREES = 180 / pi
PERCENT = 100.0
KILO = 1e-3


@final
@dataclass(frozen=True)
class StickAxis:
    """One axis of a stick.

    Attributes:
        name: What it moves.
        negative: What pulling it left or back does.
        positive: What pushing it right or forward does.
    """

    name: str
    negative: str
    positive: str


# left x, left y, right x, right y
Axes = tuple[StickAxis, StickAxis, StickAxis, StickAxis]
# the words for a mode of which a machine says nothing
PLAIN: Axes = (
    StickAxis("left x", "left", "right"),
    StickAxis("left y", "back", "forward"),
    StickAxis("right x", "left", "right"),
    StickAxis("right y", "back", "forward"),
)


@final
@dataclass(frozen=True)
class Line:
    """One line of a plot.

    Attributes:
        name: Display name.
        signal: Of telemetry, such as ``angles.0``, ``pressures.boom.head`` or ``payload``.
        wanted: Signal that it should follow, drawn dashed in the same colour; empty for none.
    """

    name: str
    signal: str
    wanted: str = ""


@final
@dataclass(frozen=True)
class Chart:
    """A plot that the user may choose.

    Attributes:
        title: Display name, unlike those of other plots.
        unit: Of what is shown.
        lines: What is shown.
        factor: From telemetry to that unit.
        least: The smallest range of values shown, in that unit.
    """

    title: str
    unit: str
    lines: tuple[Line, ...]
    factor: float = 1.0
    least: float = 1.0


@final
@dataclass(frozen=True)
class Instruments:
    """Display names and plots of a machine.

    Attributes:
        joints: Names of the operated joints.
        modes: How sticks can be understood, such as ``JOINT``, with their display names.
        title: Display name of the machine; the mechanism's name when empty.
        axes: What each axis of the sticks does, by mode; plain words for modes that are missing.
        charts: Plots to choose from, those shown at first before others; plain ones when empty.
    """

    joints: tuple[str, ...]
    modes: Mapping[str, str]
    title: str = ""
    axes: Mapping[str, Axes] = field(default_factory=dict)
    charts: tuple[Chart, ...] = ()


def joint_charts(names: Sequence[str]) -> tuple[Chart, Chart, Chart]:
    """Angles, openings of valves and torques of operated joints with such names."""

    def lines(signal: str, wanted: str = "") -> tuple[Line, ...]:
        return tuple(
            Line(name, f"{signal}.{k}", wanted and f"{wanted}.{k}") for k, name in enumerate(names)
        )

    return (
        Chart("Angles", "deg", lines("angles", "desired"), DEGREES, 4.0),
        Chart("Valve openings", "%", lines("spool"), PERCENT, 20.0),
        Chart("Torques at the joints", "kN·m", lines("torque"), KILO),
    )


def plain_charts(joints: Sequence[str], pressures: Sequence[str]) -> tuple[Chart, ...]:
    """The plots of a machine that says nothing about them.

    Args:
        joints: Names of the operated joints.
        pressures: Labels of pressures, if there are any.
    """
    lines = tuple(Line(label, f"pressures.{label}") for label in pressures)
    return (*joint_charts(joints), *([Chart("Pressures", "MPa", lines)] if lines else []))
