"""The table ``[initial]`` of a scenario: positions, velocities, and states beside the machine's.

Positions are a list ``q``, or angles by the joints' names::

    [initial.degrees]
    boom_hinge = 30

    [initial.states.pressure_in]
    boom_hinge = 3500
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import NDArray

from phalanx.actuators.subsystem import Subsystem
from phalanx.errors import PhalanxError, ReadError, UnknownName
from phalanx.excavator import Excavator
from phalanx.mechanism import Mechanism
from phalanx.mechanism.library.cat215b_cylinders import OPERATED, cat215b_posture
from phalanx.simulation.beside import Beside
from phalanx.simulation.scenario.section import Section

Array = NDArray[np.float64]
TURNS = ("revolute", "continuous")


def read_positions(
    table: Section, mechanism: Mechanism, begin: Array | None, excavator: Excavator | None
) -> Array | None:
    """Where a run begins: as the file says, where the motion begins, or as an excavator stands.

    Raises:
        ReadError: When it says both ``q`` and ``degrees``, or an angle is wrong.
        UnknownName: When there is no such joint.
    """
    standing = excavator.q0 if excavator else begin
    angles = table.section("degrees", None)
    if angles is None:
        q = table.numbers("q", mechanism.nq)
        return standing if q is None else q
    if "q" in table.values:
        raise table.wrong("q", "either q or [initial.degrees]")
    if excavator:
        return _posture(angles, excavator)
    q = mechanism.neutral() if begin is None else begin.copy()
    hinges = [joint.name for joint in mechanism.moving_joints if joint.motion.kind in TURNS]
    for name in angles.values:
        if name not in hinges:
            raise UnknownName(angles.owner, "hinge", name, hinges)
        q[mechanism.q_slices[name]] = np.radians(angles.number(name, needed=True) or 0.0)
    return q


def read_states(
    table: Section, mechanism: Mechanism, q0: Array | None, subsystems: Sequence[Subsystem]
) -> dict[str, Array]:
    """Where states of subsystems begin, by name: numbers, or a table by label.

    Raises:
        ReadError: When a value is none that the model allows.
        UnknownName: When there is no such state or label.
    """
    try:
        beside = Beside(mechanism, subsystems)
        begin = beside.initial(mechanism.neutral() if q0 is None else q0)
    except PhalanxError as error:
        raise ReadError(f"{table.owner}: {error}") from error
    inner = table.section("states", None)
    if inner is None:
        return {}
    usual, states = beside.split(begin), {}
    labels = {quantity.name: quantity.labels for quantity in beside.quantities}
    for name in inner.values:
        if name not in labels:
            raise UnknownName(inner.owner, "state", name, labels)
        states[name] = _values(inner, name, labels[name], usual[name])
    _check_allowed(inner, beside, begin, states)
    return states


def _posture(angles: Section, excavator: Excavator) -> Array:
    """The operated joints by name; the bucket's linkage follows them."""
    given = dict(zip(OPERATED, excavator.posture, strict=True))
    for name in angles.values:
        if name not in given:
            raise UnknownName(angles.owner, "joint", name, given)
        given[name] = float(np.radians(angles.number(name, needed=True) or 0.0))
    try:
        return cat215b_posture(excavator.mechanism, *given.values())
    except PhalanxError as error:
        raise ReadError(f"{angles.owner}: {error}") from error


def _values(table: Section, name: str, labels: Sequence[str], usual: Array) -> Array:
    if not isinstance(table.values[name], dict):
        values = table.numbers(name, len(labels), needed=True)
        assert values is not None
        return values
    inner = table.section(name, labels)
    assert inner is not None
    changed = {label: inner.number(label) for label in inner.values}
    return np.array(
        [changed.get(label, x) for label, x in zip(labels, usual, strict=True)], dtype=np.float64
    )


def _check_allowed(table: Section, beside: Beside, begin: Array, states: dict[str, Array]) -> None:
    """Refuse values that a step would bring back to where they are allowed to be."""
    s = SX.sym("s", beside.size)
    settle = ca.Function("settle", [s], [beside.settled(s)])
    given = beside.split(begin) | states
    whole = np.concatenate([given[quantity.name] for quantity in beside.quantities])
    kept = beside.split(np.array(settle(whole)).ravel())
    for quantity in beside.quantities:
        rows = zip(quantity.labels, given[quantity.name], kept[quantity.name], strict=True)
        for label, value, nearest in rows:
            if quantity.name in states and value != nearest:
                raise ReadError(
                    f"{table.owner} {quantity.name}: {label} begins at {value:g} {quantity.unit}; "
                    f"the nearest that the model allows is {nearest:g} {quantity.unit}."
                )
