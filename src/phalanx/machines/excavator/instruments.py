"""Instruments of an excavator's cockpit, with display names."""

from __future__ import annotations

from phalanx.actuators.hydraulics.circuit import PUMP, Hydraulics
from phalanx.actuators.hydraulics.rotary import RotaryHydraulics
from phalanx.machines.excavator.control import JOINTS, MODES
from phalanx.machines.excavator.excavator import Excavator
from phalanx.view.cockpit.instruments import Axes, Chart, Instruments, Line, StickAxis, joint_charts

JOINT_TITLES = ("Swing", "Boom", "Stick", "Bucket")
MODE_TITLES = {"JOINT": "By joint", "RESOLVED": "By tip"}
# what sticks do, joint by joint, or the stick's tip along, about and above the machine
AXES: dict[str, Axes] = {
    "JOINT": (
        StickAxis("swing", "left", "right"),
        StickAxis("stick", "in", "out"),
        StickAxis("bucket", "curl", "dump"),
        StickAxis("boom", "raise", "lower"),
    ),
    "RESOLVED": (
        StickAxis("swing arc", "left", "right"),
        StickAxis("radius", "in", "out"),
        StickAxis("bucket angle", "curl", "dump"),
        StickAxis("height", "up", "down"),
    ),
}


def excavator_instruments(excavator: Excavator) -> Instruments:
    """Instruments of an excavator's cockpit: display names and plots."""
    return Instruments(
        joints=tuple(name.removesuffix("_hinge") for name in JOINTS),
        modes={mode: MODE_TITLES[mode] for mode in MODES},
        title=excavator.title,
        axes=AXES,
        charts=excavator_charts(excavator),
    )


def excavator_charts(excavator: Excavator) -> tuple[Chart, ...]:
    """Angles, the pressures of each actuator, valves, torques, and the load where it digs."""
    angles, valves, torques = joint_charts(JOINT_TITLES)
    load = Chart("Load in the bucket", "kg", (Line("Load", "payload"),), least=100.0)
    dug = [load] if excavator.ground else []
    return (angles, *_pressures(excavator), valves, torques, *dug)


def _pressures(excavator: Excavator) -> list[Chart]:
    """A plot an actuator, with the pump that feeds it; the swing, which holds nothing, is last."""
    hydraulics = excavator.actuation
    if not isinstance(hydraulics, Hydraulics | RotaryHydraulics):
        return []
    groups: dict[str, list[Line]] = {}
    for label, title in hydraulics.pressure_titles.items():
        groups.setdefault(label.partition(".")[0], []).append(Line(title, f"pressures.{label}"))
    pump = groups.pop(PUMP, [])
    charts = [
        Chart(f"{name} pressures", "MPa", (*lines, *pump))
        for name, lines in zip(JOINT_TITLES, groups.values(), strict=True)
    ]
    return [*charts[1:], charts[0]]
