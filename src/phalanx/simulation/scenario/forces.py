"""The tables ``[forces]`` and ``[wrenches]`` of a scenario."""

from __future__ import annotations

from typing import Any

from phalanx.actuators.drive import Drives
from phalanx.mechanism import Mechanism
from phalanx.simulation.scenario.control import read_profile
from phalanx.simulation.scenario.section import Section
from phalanx.simulation.setup.forces.drag import FluidDrag
from phalanx.simulation.setup.forces.drive_friction import DriveFriction, Stiction
from phalanx.simulation.setup.forces.effort_limits import EffortLimits
from phalanx.simulation.setup.forces.fluid import ModelFluid
from phalanx.simulation.setup.forces.joint_forces import Damping, Friction, JointForce
from phalanx.simulation.setup.forces.stops import Stops

KEYS = ("damping", "friction", "stiction", "slip", "stops", "effort_limits", "drag", "fluid")


def read_forces(table: Section, drives: Drives | None) -> tuple[JointForce, ...]:
    """Forces inside the joints: those of every run, but for what the table switches off.

    Args:
        table: The table ``[forces]``.
        drives: Whose friction acts instead of that of the joints.

    Raises:
        ReadError: When a value is wrong.
        UnknownName: When a key does not exist.
    """
    forces: list[JointForce] = []
    if table.flag("damping") is not False:
        forces.append(Damping())
    forces += _friction(table, drives)
    forces += _stops(table)
    if table.flag("effort_limits") is not False:
        forces.append(EffortLimits())
    drag = table.section("drag", ("density", "diameter", "normal", "tangential", "current"))
    if drag is not None:
        forces.append(_drag(drag))
    if table.flag("fluid") is not False:
        forces.append(ModelFluid())
    return tuple(forces)


def _stops(table: Section) -> list[JointForce]:
    """At the limits of joints, with numbers of their own where they are not fitted."""
    if not isinstance(table.values.get("stops"), dict):
        return [] if table.flag("stops") is False else [Stops()]
    stops = table.section("stops", ("stiffness", "damping"))
    assert stops is not None
    stiffness, damping = stops.number("stiffness"), stops.number("damping")
    return [table.made("[forces.stops]", lambda: Stops(stiffness, damping))]


def _drag(table: Section) -> FluidDrag:
    """A fluid around the machine, the same for all links."""
    density, diameter = (table.positive(k, needed=True) or 0.0 for k in ("density", "diameter"))
    given = {k: table.number(k) for k in ("normal", "tangential")}
    chosen: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    current = table.numbers("current", 3)
    if current is not None:
        chosen["current"] = current
    return table.made(table.place, lambda: FluidDrag(density, diameter, **chosen))


def _friction(table: Section, drives: Drives | None) -> list[JointForce]:
    """Of the drives where there are some, and of the joints themselves otherwise."""
    slip = table.number("slip")
    smooth: dict[str, Any] = {} if slip is None else {"slip": slip}
    if table.flag("stiction"):
        if smooth:
            raise table.wrong("slip", "no slip: joints that stick do not slip")
        return [Stiction(drives)]
    if table.flag("friction") is False:
        return []
    if drives is not None:
        return [table.made("slip", lambda: DriveFriction(drives, **smooth))]
    return [table.made("slip", lambda: Friction(**smooth))]


def read_wrenches(table: Section | None, mechanism: Mechanism) -> dict[str, Any]:
    """Forces from outside, by frame: constant ones, or profiles from files.

    Raises:
        ReadError: When a value is wrong, or there is no such frame.
    """
    wrenches: dict[str, Any] = {}
    if table is None:
        return wrenches
    for frame, value in table.values.items():
        check_frame(table, frame, mechanism)
        if isinstance(value, int | float | str):
            raise table.wrong(frame, "six numbers (force, moment), or a table with a file")
        inner = table.section(frame, ("file", "between")) if isinstance(value, dict) else None
        wrenches[frame] = read_profile(inner, 6) if inner else table.numbers(frame, 6)
    return wrenches


def check_frame(table: Section, frame: str, mechanism: Mechanism) -> None:
    """Fail if the machine has no such frame.

    Raises:
        ReadError: With the place in the file.
    """
    table.made(table.place, lambda: mechanism.frame(frame))
