"""The tables ``[[events]]`` of a scenario: payloads picked up and dropped, joints cut."""

from __future__ import annotations

import numpy as np

from phalanx.mechanism import Body, Mechanism
from phalanx.simulation.scenario.forces import check_frame
from phalanx.simulation.scenario.section import Section, of_kind
from phalanx.simulation.setup.events import Event, cut, drop, pick_up

KINDS = {
    "pick-up": ("time", "frame", "body", "mass", "com", "inertia"),
    "drop": ("time", "body"),
    "cut": ("time", "joint"),
}
KEYS = ("kind", *dict.fromkeys(key for keys in KINDS.values() for key in keys))


def read_events(top: Section, mechanism: Mechanism) -> tuple[Event, ...]:
    """Bodies that are picked up and dropped, joints that are cut.

    Raises:
        ReadError: When a value is wrong, or there is no such frame.
        UnknownName: When a key or kind does not exist.
    """
    return tuple(_event(table, mechanism) for table in top.sections("events", KEYS))


def _event(table: Section, mechanism: Mechanism) -> Event:
    kind, table = of_kind(table, KINDS)
    time = table.number("time", needed=True) or 0.0
    if kind == "cut":
        joint = table.text("joint", needed=True) or ""
        table.made(table.place, lambda: mechanism.joint(joint))
        return table.made(table.place, lambda: cut(time, joint))
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
