"""The table ``[excavator]`` of a scenario: a machine with hydraulics, control, and ground to dig.

It takes the place of ``model`` and ``[control]``::

    [excavator]
    machine = "cylinders"
    mode = "resolved"
    ground = "loam"
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from phalanx.actuators.hydraulics.rotary import cat215b_rotary
from phalanx.base.errors import InvalidInput, PhalanxError, ReadError, UnknownName
from phalanx.ground import SOILS, Ground
from phalanx.ground.terrain_while_digging import DugSurface
from phalanx.machines.excavator import (
    Excavator,
    Spool,
    SpoolCurve,
    cylinder_excavator,
    rotary_excavator,
)
from phalanx.machines.excavator.excavator import MACHINES
from phalanx.machines.excavator.operator import read_operator
from phalanx.mechanism.library.cat215b_cylinders import OPERATED, cat215b_posture
from phalanx.simulation.extensions import SpecialMachine
from phalanx.simulation.scenario.section import Section

Array = NDArray[np.float64]

MODES: Mapping[str, Literal["JOINT", "RESOLVED"]] = {"joint": "JOINT", "resolved": "RESOLVED"}
GAINS = ("proportional", "derivative", "integral", "weight", "feedforward")
SPOOL = ("slope", "deadband", "limit")
CURVE = "curve"
KEYS = (
    *("machine", "mode", "ground", "terrain", "charged", "settles"),
    *("control-period", "lead", "closing", "spool"),
    *GAINS,
)


def read_excavator(top: Section, step: float | None) -> SpecialMachine:
    """The excavator of a scenario, with its operator.

    Args:
        top: The file.
        step: Of the run [s]; the machine's own when None.

    Raises:
        ReadError: When a value is wrong, or an operator has no excavator.
        UnknownName: When a key or choice does not exist.
    """
    table = top.section("excavator", KEYS)
    if table is None:
        raise ReadError(f"{top.file.name}: [operator] needs a table [excavator] to operate.")
    try:
        excavator = _excavator(table, step)
    except InvalidInput as error:
        raise ReadError(f"{table.owner}: {error}") from error
    control, ground = excavator.control, excavator.ground
    operator = read_operator(top.section("operator", None), control.mode)
    inputs: dict[str, Any] = {"operator": operator}
    if ground is not None and table.flag("terrain") is not False:
        inputs["surface"] = DugSurface(ground)
    if ground is None and "terrain" in table.values:
        raise table.wrong("terrain", 'no terrain without a ground, such as ground = "loam"')
    facts = {
        "machine": table.text("machine"),
        "mode": control.mode,
        "ground": table.text("ground") or "none",
        "terrain": "surface" in inputs,
        "spool": {key: getattr(control.spool, key) for key in SPOOL}
        | {CURVE: control.spool.curve.value},
    }
    return SpecialMachine(
        excavator.mechanism,
        fields={
            "control": control,
            "actuation": excavator.actuation,
            "surroundings": ground,
            "inputs": inputs,
        },
        settings={"excavator": facts},
        step=excavator.step,
        q0=excavator.q0,
        posture=partial(_posture, excavator),
    )


def _posture(excavator: Excavator, angles: Section) -> Array:
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


def _excavator(table: Section, step: float | None) -> Excavator:
    machine = table.choice("machine", tuple(MACHINES), needed=True)
    mode = MODES[table.choice("mode", tuple(MODES)) or "joint"]
    soil = table.choice("ground", ("none", *SOILS)) or "none"
    options: dict[str, Any] = {
        "mode": mode,
        "ground": Ground(SOILS[soil]) if soil in SOILS else None,
        **_control(table),
    }
    if step is not None:
        options["step"] = step
    if machine == "cylinders":
        if "charged" in table.values:
            raise table.wrong("charged", "no such key: cylinders always begin so")
        if "settles" in table.values:
            raise table.wrong("settles", "no such key: cylinders always do")
        if any(options.get("weight", ())):
            raise table.wrong("weight", 'zeros: it is for machine = "rotary"')
        return _with_spool(table, cylinder_excavator(**options))
    settles = bool(table.flag("settles"))
    excavator = _with_spool(table, rotary_excavator(settles=settles, **options))
    if table.flag("charged"):
        return replace(excavator, actuation=cat215b_rotary(charged=True, losses=settles))
    return excavator


def _control(table: Section) -> dict[str, Any]:
    """What the file says of control; the rest is the machine's own."""
    gains = {key: table.numbers(key, 4) for key in GAINS}
    chosen: dict[str, Any] = {k: tuple(v.tolist()) for k, v in gains.items() if v is not None}
    for key, name in (
        ("control-period", "period"),
        ("lead", "lead"),
        ("closing", "closing"),
    ):
        value = table.number(key)
        if value is not None:
            chosen[name] = value
    return chosen


def _with_spool(table: Section, excavator: Excavator) -> Excavator:
    inner = table.section("spool", (*SPOOL, CURVE))
    if inner is None:
        return excavator
    given: dict[str, Any] = {key: inner.number(key) for key in SPOOL if key in inner.values}
    curve = inner.choice(CURVE, tuple(SpoolCurve))
    if curve is not None:
        given[CURVE] = SpoolCurve(curve)
    try:
        spool: Spool = replace(excavator.control.spool, **given)
    except InvalidInput as error:
        raise ReadError(f"{inner.owner}: {error}") from error
    return replace(excavator, control=replace(excavator.control, spool=spool))
