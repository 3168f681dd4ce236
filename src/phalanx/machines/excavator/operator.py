"""The table ``[operator]`` of a scenario: commands of an excavator's operator over time.

A table of times in a file, an experiment of the source, or moves one after the other::

    [operator]
    kind = "moves"

    [[operator.moves]]
    lasts = 2.0
    radius = 0.5
    height = -0.4
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from phalanx.base.errors import ReadError
from phalanx.machines.excavator import joint_experiment, resolved_experiment
from phalanx.simulation.scenario.control import read_profile
from phalanx.simulation.scenario.section import Section, of_kind
from phalanx.simulation.setup.profile import Profile

# keys beside "kind"
KINDS: Mapping[str, tuple[str, ...]] = {
    "joint-experiment": ("rates",),
    "resolved-experiment": ("start", "end", "swing"),
    "profile": ("file", "between"),
    "moves": ("moves", "ramp"),
}
EXPERIMENTS = {"joint-experiment": "JOINT", "resolved-experiment": "RESOLVED"}
# what the four numbers are: [rad/s], but radius, arc and height [m/s]
STICKS = {
    "JOINT": ("swing", "boom", "stick", "bucket"),
    "RESOLVED": ("radius", "arc", "height", "bucket"),
}


def read_operator(table: Section | None, mode: str) -> Profile:
    """Four commands over time, with the meaning that ``mode`` gives them; none without a table.

    Raises:
        ReadError: When a value is wrong, or an experiment is of another mode.
        UnknownName: When a key or choice does not exist.
    """
    if table is None:
        return Profile(np.zeros(1), np.zeros((1, 4)))
    kind, table = of_kind(table, KINDS)
    if EXPERIMENTS.get(kind, mode) != mode:
        raise table.wrong("kind", f'commands for [excavator] mode = "{mode.lower()}"')
    match kind:
        case "joint-experiment":
            rates = table.numbers("rates", 4)
            return joint_experiment() if rates is None else joint_experiment(rates)
        case "resolved-experiment":
            given = {key: table.number(key) for key in KINDS[kind]}
            chosen = {key: value for key, value in given.items() if value is not None}
            return resolved_experiment(**chosen)
        case "profile":
            return read_profile(table, 4)
        case _:
            return _moves(table, STICKS[mode])


def _moves(table: Section, sticks: tuple[str, ...]) -> Profile:
    """One move after the other, then the sticks are let go; ``ramp`` [s] from each to the next."""
    moves = table.sections("moves", ("lasts", *sticks))
    if not moves:
        raise ReadError(f"{table.owner} has no moves; expected tables under [[operator.moves]].")
    ramp = table.number("ramp") or 0.0
    if ramp < 0:
        raise table.wrong("ramp", "a time [s], not negative")
    lasts = [move.number("lasts", needed=True) or 0.0 for move in moves]
    for move, time in zip(moves, lasts, strict=True):
        if not time > ramp:
            raise move.wrong("lasts", f"a time [s] above {ramp:g}, the ramp")
    rows = [[move.number(stick) or 0.0 for stick in sticks] for move in moves]
    begins = np.concatenate([[0.0], np.cumsum(lasts)])
    values = np.array([*rows, [0.0] * 4])
    if not ramp:
        return Profile(begins, values)
    before = np.vstack([np.zeros(4), values[:-1]])
    times = np.stack([begins, begins + ramp], axis=1).ravel()
    return Profile(times, np.stack([before, values], axis=1).reshape(-1, 4), "linear")
