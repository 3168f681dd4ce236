"""Computers as JSON values, in files of plans.

A computer is an object with its ``kind`` (``shared-memory``, ``message-passing``, ``lanes`` or that
of a class in the catalogue) and the attributes of its class; ``speed`` is one object for all
processors, or a list with one for each, where ``{"operator": name, "times": {…}}`` is a processor
that does only some tasks. Of a pipelined processor, ``"interval"`` is its initiation interval; of a
pipelined operator, ``"intervals": {…}`` those by kind.
"""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

from phalanx.base.errors import InvalidInput, ReadError, UnknownName
from phalanx.base.json_fields import Fields
from phalanx.multiprocessor.computers.catalogue import KINDS
from phalanx.multiprocessor.computers.computer import Computer
from phalanx.multiprocessor.computers.operators import Operator
from phalanx.multiprocessor.computers.speed import Speed

# a plan has a row for each processor, so a number without sense must not take all memory
MOST_PROCESSORS = 1_000_000


def computer_to_data(computer: Computer) -> dict[str, Any]:
    """A computer as JSON values."""
    if type(computer) not in KINDS.values():
        raise InvalidInput(
            f"a {type(computer).__name__} cannot be written; only {', '.join(KINDS)} can. "
            f"add_computer({type(computer).__name__}) makes its kind known."
        )
    speed = computer.speed
    common = {
        "kind": computer.kind,
        "name": computer.name,
        "processors": computer.processors,
        "unit": computer.unit,
        "speed": _to_data(speed) if isinstance(speed, Speed) else [_to_data(s) for s in speed],
    }
    return common | computer.own_data()


def computer_from_data(data: Fields) -> Computer:
    """A computer from JSON values.

    Raises:
        ReadError: When a value is missing, of another type, or not possible.
    """
    kind = data.text("kind")
    if kind not in KINDS:
        raise ReadError(f"{data.place}: {UnknownName('phalanx', 'kind of computer', kind, KINDS)}")
    processors = data.count("processors", below=MOST_PROCESSORS)
    try:
        common: dict[str, Any] = {
            "processors": processors,
            "speed": _speed(data),
            "unit": data.text("unit"),
            "name": data.text("name"),
        }
        return KINDS[kind].from_data(common, data)
    except InvalidInput as error:
        raise ReadError(f"{data.place}: {error}") from None


def _to_data(speed: Speed | Operator) -> dict[str, Any]:
    if isinstance(speed, Operator):
        return speed.to_data()
    data = asdict(speed)
    if speed.interval is None:
        del data["interval"]
    return data


def _speed(data: Fields) -> Speed | tuple[Speed | Operator, ...]:
    if isinstance(data.values.get("speed"), list):
        return tuple(
            Operator.from_data(one) if "operator" in one.values else _one_speed(one)
            for one in data.objects("speed", "speed")
        )
    return _one_speed(data.object("speed"))


def _one_speed(data: Fields) -> Speed:
    optional = "task", "interval"
    names = [field.name for field in fields(Speed)]
    given = [name for name in names if name not in optional or not data.is_null(name)]
    return Speed(**{name: data.number(name) for name in given})
