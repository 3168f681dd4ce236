"""The table ``[excavator]`` of a scenario: a machine with hydraulics, control, and ground to dig.

It takes the place of ``model`` and ``[control]``::

    [excavator]
    machine = "cylinders"
    mode = "resolved"
    ground = "loam"
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, final

from phalanx.actuators.hydraulics.rotary import cat215b_rotary
from phalanx.errors import InvalidInput, ReadError
from phalanx.excavator import Excavator, Spool, cylinder_excavator, rotary_excavator
from phalanx.excavator.operator import read_operator
from phalanx.ground import SOILS, Ground
from phalanx.ground.dug import DugSurface
from phalanx.simulation.scenario.section import Section

MACHINES = ("rotary", "cylinders")
MODES: Mapping[str, Literal["JOINT", "RESOLVED"]] = {"joint": "JOINT", "resolved": "RESOLVED"}
GAINS = ("proportional", "derivative", "integral", "weight", "feedforward")
SPOOL = ("slope", "deadband", "limit")
KEYS = (
    *("machine", "mode", "ground", "terrain", "charged", "settles"),
    *("control-period", "lead", "closing", "spool"),
    *GAINS,
)
# what an excavator brings along
TAKEN = ("model", "floating-base", "control", "drives")


@final
@dataclass(frozen=True)
class ExcavatorAtWork:
    """An excavator, and what its run is told.

    Attributes:
        excavator: The machine.
        inputs: Commands of the operator, and the height of ground that is dug.
        settings: Facts for the recording.
    """

    excavator: Excavator
    inputs: Mapping[str, Any]
    settings: Mapping[str, Any]

    @property
    def parts(self) -> dict[str, Any]:
        """What a scenario takes from it, by the scenario's fields."""
        return {
            "control": self.excavator.control,
            "actuation": self.excavator.actuation,
            "surroundings": self.excavator.ground,
            "inputs": self.inputs,
        }


def read_excavator(top: Section, step: float | None) -> ExcavatorAtWork | None:
    """The excavator of a scenario; None when it has none.

    Args:
        top: The file.
        step: Of the run [s]; the machine's own when None.

    Raises:
        ReadError: When a value is wrong, or a key does not go with an excavator.
        UnknownName: When a key or choice does not exist.
    """
    table = top.section("excavator", KEYS)
    if table is None:
        if "operator" in top.values:
            raise ReadError(f"{top.file.name}: [operator] needs a table [excavator] to operate.")
        return None
    for key in TAKEN:
        if key in top.values:
            raise ReadError(f"{top.file.name}: {key} cannot stand beside [excavator]; leave it.")
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
        "spool": {key: getattr(control.spool, key) for key in SPOOL},
    }
    return ExcavatorAtWork(excavator, inputs, {"excavator": facts})


def _excavator(table: Section, step: float | None) -> Excavator:
    machine = table.choice("machine", MACHINES, needed=True)
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
    inner = table.section("spool", SPOOL)
    if inner is None:
        return excavator
    given: dict[str, Any] = {key: inner.number(key) for key in inner.values}
    try:
        spool: Spool = replace(excavator.control.spool, **given)
    except InvalidInput as error:
        raise ReadError(f"{inner.owner}: {error}") from error
    return replace(excavator, control=replace(excavator.control, spool=spool))
