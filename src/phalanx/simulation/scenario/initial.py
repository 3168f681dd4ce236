"""The table ``[initial]`` of a scenario: positions, velocities, subsystem states.

Positions are a list ``q``, or angles by the joints' names::

    [initial.degrees]
    elbow = 30

    [initial.states.pressure_in]
    elbow = 3500
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import NDArray

from phalanx.actuators.subsystem import Subsystem
from phalanx.base.errors import PhalanxError, ReadError, UnknownName
from phalanx.mechanism import Mechanism
from phalanx.simulation.scenario.section import Section
from phalanx.simulation.setup.layout import SubsystemStates

Array = NDArray[np.float64]
TURNS = ("revolute", "continuous")


def read_positions(
    table: Section,
    mechanism: Mechanism,
    begin: Array | None,
    posture: Callable[[Section], Array] | None = None,
) -> Array | None:
    """Initial positions of a run: of the file, or else of the motion or the machine.

    Args:
        table: The table ``[initial]``.
        mechanism: The machine.
        begin: Where it begins when the table does not say; the neutral posture when None.
        posture: Makes positions of ``[initial.degrees]``; its keys are hinges when None.

    Raises:
        ReadError: When it says both ``q`` and ``degrees``, or an angle is wrong.
        UnknownName: When there is no such joint.
    """
    angles = table.section("degrees", None)
    if angles is None:
        q = table.numbers("q", mechanism.nq)
        return begin if q is None else q
    if "q" in table.values:
        raise table.wrong("q", "either q or [initial.degrees]")
    if posture is not None:
        return posture(angles)
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
    """Initial subsystem states by name: numbers, or a table by label.

    Raises:
        ReadError: When a value is none that the model allows.
        UnknownName: When there is no such state or label.
    """
    try:
        subsystem_states = SubsystemStates(mechanism, subsystems)
        begin = subsystem_states.initial(mechanism.neutral() if q0 is None else q0)
    except PhalanxError as error:
        raise ReadError(f"{table.owner}: {error}") from error
    inner = table.section("states", None)
    if inner is None:
        return {}
    usual, states = subsystem_states.split(begin), {}
    labels = {quantity.name: quantity.labels for quantity in subsystem_states.quantities}
    for name in inner.values:
        if name not in labels:
            raise UnknownName(inner.owner, "state", name, labels)
        states[name] = _values(inner, name, labels[name], usual[name])
    _check_allowed(inner, subsystem_states, begin, states)
    return states


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


def _check_allowed(
    table: Section, subsystem_states: SubsystemStates, begin: Array, states: dict[str, Array]
) -> None:
    """Refuse values that a step would bring back to where they are allowed to be."""
    s = SX.sym("s", subsystem_states.size)
    settle = ca.Function("settle", [s], [subsystem_states.settled(s)])
    given = subsystem_states.split(begin) | states
    whole = np.concatenate([given[quantity.name] for quantity in subsystem_states.quantities])
    kept = subsystem_states.split(np.array(settle(whole)).ravel())
    for quantity in subsystem_states.quantities:
        rows = zip(quantity.labels, given[quantity.name], kept[quantity.name], strict=True)
        for label, value, nearest in rows:
            if quantity.name in states and value != nearest:
                raise ReadError(
                    f"{table.owner} {quantity.name}: {label} begins at {value:g} {quantity.unit}; "
                    f"the nearest that the model allows is {nearest:g} {quantity.unit}."
                )
