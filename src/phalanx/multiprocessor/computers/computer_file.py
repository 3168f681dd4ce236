"""Computers in files: what a plan was made for.

A computer is an object with ``kind`` (``shared-memory``, ``message-passing`` or ``lanes``) and the
attributes of its class; ``speed`` is one object for all processors, or a list with one for each.
"""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

from phalanx.errors import InvalidInput, ReadError, UnknownName
from phalanx.multiprocessor.computers.computer import (
    Computer,
    Lanes,
    MessagePassing,
    SharedMemory,
    Speed,
)
from phalanx.multiprocessor.computers.topology import Topology
from phalanx.multiprocessor.plans.json_fields import Fields

KINDS: dict[str, type[Computer]] = {
    "shared-memory": SharedMemory,
    "message-passing": MessagePassing,
    "lanes": Lanes,
}
# a plan has a row for each processor, so a number without sense must not take all memory
MOST_PROCESSORS = 1_000_000


def computer_to_data(computer: Computer) -> dict[str, Any]:
    """A computer as JSON values."""
    kinds = [kind for kind, made in KINDS.items() if type(computer) is made]
    if not kinds:
        raise InvalidInput(
            f"a {type(computer).__name__} cannot be written; only {', '.join(KINDS)} can."
        )
    common = {
        "kind": kinds[0],
        "name": computer.name,
        "processors": computer.processors,
        "unit": computer.unit,
    }
    if isinstance(computer.speed, Speed):
        common["speed"] = asdict(computer.speed)
    else:
        common["speed"] = [asdict(speed) for speed in computer.speed]
    if isinstance(computer, SharedMemory):
        return common | {"synchronization": computer.synchronization}
    if isinstance(computer, Lanes):
        return common | {"shuffle": computer.shuffle}
    assert isinstance(computer, MessagePassing)
    return common | {
        "start_up": computer.start_up,
        "per_word": computer.per_word,
        "topology": {
            "name": computer.topology.name,
            "links": [list(link) for link in computer.topology.links],
        },
    }


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
        if kind == "shared-memory":
            return SharedMemory(**common, synchronization=data.number("synchronization"))
        if kind == "lanes":
            return Lanes(**common, shuffle=data.number("shuffle"))
        wires = data.object("topology")
        return MessagePassing(
            **common,
            start_up=data.number("start_up"),
            per_word=data.number("per_word"),
            topology=Topology(wires.text("name"), processors, _links(wires)),
        )
    except InvalidInput as error:
        raise ReadError(f"{data.place}: {error}") from None


def _speed(data: Fields) -> Speed | tuple[Speed, ...]:
    if isinstance(data.values.get("speed"), list):
        return tuple(_one_speed(one) for one in data.objects("speed", "speed"))
    return _one_speed(data.object("speed"))


def _one_speed(data: Fields) -> Speed:
    times = {field.name: data.number(field.name) for field in fields(Speed) if field.name != "task"}
    return Speed(**times, task=None if data.is_null("task") else data.number("task"))


def _links(wires: Fields) -> tuple[tuple[int, ...], ...]:
    links = []
    for number, link in enumerate(wires.items("links"), start=1):
        if not isinstance(link, list) or not all(type(p) is int for p in link):
            raise ReadError(
                f"{wires.place}: link {number} is {link!r}; expected a list of processors."
            )
        links.append(tuple(link))
    return tuple(links)
