"""The table ``[drives]`` of a scenario: a set of the package by name, or a table for each joint.

``drives = "puma560"``, or::

    [drives.elbow]
    rated = 90.0
    break-away = 2.6
    load = [0.0, 0.1, 1.0]
    efficiency = [0.3, 0.6, 0.8]
    journal = { friction = 0.1, radius = 0.07, span = 0.1 }
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from phalanx.actuators import (
    Drive,
    EfficiencyCurve,
    Journal,
    Linear,
    Thrust,
    Transmission,
    puma560_drives,
)
from phalanx.actuators.drive import check_drives
from phalanx.base.errors import PhalanxError, ReadError
from phalanx.mechanism import Mechanism
from phalanx.simulation.scenario.section import Section

SETS: dict[str, Callable[[], dict[str, Drive]]] = {"puma560": puma560_drives}
BEARINGS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "journal": (Journal, ("friction", "radius", "span")),
    "linear": (Linear, ("friction", "span")),
    "thrust": (Thrust, ("friction", "radius")),
}
TRANSMISSION = ("rated", "break-away", "load", "efficiency", "between")
KEYS = (*TRANSMISSION, "viscous", "coulomb", "backward-coulomb", *BEARINGS)


def read_drives(top: Section, mechanism: Mechanism) -> dict[str, Drive] | None:
    """Drives by joint name; None when the scenario has none.

    Raises:
        ReadError: When a value is wrong, or a joint cannot have its drive.
        UnknownName: When a key or set does not exist.
    """
    value = top.values.get("drives")
    if value is None:
        return None
    if isinstance(value, str):
        name = top.choice("drives", tuple(SETS))
        assert name is not None
        drives = SETS[name]()
    else:
        table = top.section("drives", None)
        assert table is not None
        drives = {joint: _drive(table, joint) for joint in table.values}
    try:
        check_drives(mechanism, drives)
    except PhalanxError as error:
        raise ReadError(f"{top.file.name}: drives: {error}") from error
    return drives


def _drive(drives: Section, joint: str) -> Drive:
    table = drives.section(joint, KEYS)
    assert table is not None
    try:
        return Drive(
            bearings=[_bearing(table, kind) for kind in BEARINGS if kind in table.values],
            transmission=_transmission(table),
            viscous=table.number("viscous") or 0.0,
            coulomb=table.number("coulomb") or 0.0,
            backward_coulomb=table.number("backward-coulomb"),
        )
    except ReadError:
        raise
    except PhalanxError as error:
        raise ReadError(f"{table.owner}: {error}") from error


def _bearing(table: Section, kind: str) -> Any:
    make, keys = BEARINGS[kind]
    inner = table.section(kind, keys)
    assert inner is not None
    return make(*(inner.number(key, needed=True) for key in keys))


def _transmission(table: Section) -> Transmission | None:
    if not any(key in table.values for key in TRANSMISSION):
        return None
    rated = table.number("rated", needed=True)
    load, efficiency = (_list(table, key) for key in ("load", "efficiency"))
    between = table.choice("between", ("monotone", "linear"))
    assert rated is not None
    curve = EfficiencyCurve(load, efficiency, "linear" if between == "linear" else "monotone")
    return Transmission(curve, rated, table.number("break-away") or 0.0)


def _list(table: Section, key: str) -> list[float]:
    given = table.values.get(key)
    values = table.numbers(key, len(given) if isinstance(given, list) else 1, needed=True)
    assert values is not None
    return values.tolist()
