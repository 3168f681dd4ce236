"""Computers in files: what a plan was made for.

A computer is an object with its ``kind`` (``shared-memory``, ``message-passing``, ``lanes`` or that
of a class in the catalogue) and the attributes of its class; ``speed`` is one object for all
processors, or a list with one for each.
"""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

from phalanx.errors import InvalidInput, ReadError, UnknownName
from phalanx.multiprocessor.computers.catalogue import KINDS
from phalanx.multiprocessor.computers.computer import Computer
from phalanx.multiprocessor.computers.speed import Speed
from phalanx.multiprocessor.json_fields import Fields

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
        "speed": asdict(speed) if isinstance(speed, Speed) else [asdict(one) for one in speed],
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


def _speed(data: Fields) -> Speed | tuple[Speed, ...]:
    if isinstance(data.values.get("speed"), list):
        return tuple(_one_speed(one) for one in data.objects("speed", "speed"))
    return _one_speed(data.object("speed"))


def _one_speed(data: Fields) -> Speed:
    times = {field.name: data.number(field.name) for field in fields(Speed) if field.name != "task"}
    return Speed(**times, task=None if data.is_null("task") else data.number("task"))
