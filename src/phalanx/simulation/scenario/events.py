"""What happens on the way: the tables ``[[events]]`` of a scenario."""

from __future__ import annotations

import numpy as np

from phalanx.mechanism import Body, Mechanism
from phalanx.simulation.events import Event, drop, pick_up
from phalanx.simulation.scenario.forces import check_frame
from phalanx.simulation.scenario.section import Section

KINDS = ("pick-up", "drop")
KEYS = ("time", "kind", "frame", "body", "mass", "com", "inertia")


def read_events(top: Section, mechanism: Mechanism) -> tuple[Event, ...]:
    """Bodies that are picked up and dropped.

    Raises:
        ReadError: When a value is wrong, or there is no such frame.
        UnknownName: When a key or kind does not exist.
    """
    return tuple(_event(table, mechanism) for table in top.sections("events", KEYS))


def _event(table: Section, mechanism: Mechanism) -> Event:
    time = table.number("time", needed=True) or 0.0
    kind = table.choice("kind", KINDS, needed=True)
    body = table.text("body", needed=True) or ""
    if kind == "drop":
        return table.made(table.place, lambda: drop(time, body))
    frame = table.text("frame", needed=True) or ""
    mass = table.number("mass", needed=True) or 0.0
    com, moments = table.numbers("com", 3), table.numbers("inertia", 3)
    check_frame(table, frame, mechanism)

    def event() -> Event:
        inertia = np.diag(np.zeros(3) if moments is None else moments)
        payload = Body(body, mass, np.zeros(3) if com is None else com, inertia)
        return pick_up(time, frame, payload)

    return table.made(table.place, event)
