"""What plots show, in words: lines of telemetry under names and units for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi
from typing import TYPE_CHECKING, final

if TYPE_CHECKING:
    from phalanx.view.cockpit.machine import CockpitMachine

DEGREES = 180 / pi
PERCENT = 100.0
KILO = 1e-3


@final
@dataclass(frozen=True)
class Line:
    """One line of a plot.

    Attributes:
        name: For people.
        signal: Of telemetry, such as ``angles.0``, ``pressures.boom.head`` or ``payload``.
        wanted: Signal that it should follow, drawn dashed in the same colour; empty for none.
    """

    name: str
    signal: str
    wanted: str = ""


@final
@dataclass(frozen=True)
class Chart:
    """A plot that a person may choose.

    Attributes:
        title: For people, unlike those of other plots.
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


def charts_of(machine: CockpitMachine) -> tuple[Chart, ...]:
    """The plots of a machine; plain ones where it says nothing about them."""
    said: tuple[Chart, ...] | None = getattr(machine, "charts", None)
    if said is not None:
        return said
    try:
        labels = tuple(machine.telemetry().pressures)
    except Exception:  # who looks at every tick says so
        labels = ()
    pressures = Chart("Pressures", "MPa", tuple(Line(x, f"pressures.{x}") for x in labels))
    return (*joint_charts(machine.joints), *([pressures] if labels else []))
