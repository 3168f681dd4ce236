"""Models by name: machines of the library, and robots of ``example-robot-data``.

Policy: a name wins over a file. What the library has (``puma560``, ``chain:300``) and what begins
with ``robot:`` is a name; all else is a file. A file that is called like a machine is meant by
``./puma560`` or by a ``Path``.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path

from phalanx.base.errors import MissingExtra, UnknownName
from phalanx.base.files import home_path
from phalanx.base.robots import ROBOT, ROBOTS_PACKAGE, SUFFIXES, robot_files
from phalanx.mechanism.mechanism import Mechanism

ROBOTS_EXTRA = "robots"
SHOWN = 8  # names in a message; `phalanx library` has all


def named_model(model: str) -> Mechanism | Path:
    """The machine that a name stands for, or the file that it is.

    Raises:
        UnknownName: When it is neither a name nor a file; the message has the nearest name.
        MissingExtra: When it is a robot's name and the package of robots is not installed.
    """
    if model.startswith(ROBOT):
        return _robot(model.removeprefix(ROBOT))
    path = home_path(model)
    if os.sep in model or path.suffix.lower() in SUFFIXES:
        return path
    from phalanx.mechanism import library  # a file needs none of it

    if library.knows(model):
        return library.by_name(model)
    if os.path.exists(path):
        return path
    known = [*library.names(), *(ROBOT + name for name in robot_files())]
    nearest = _nearest(model.partition(":")[0], known)[:SHOWN]
    raise UnknownName("phalanx (see `phalanx library`)", "model", model, nearest)


def is_name(model: str) -> bool:
    """Whether a model is meant by name, whatever files there are."""
    from phalanx.mechanism import library

    return library.knows(model) or model.startswith(ROBOT)


def _robot(name: str) -> Path:
    robots = robot_files()
    if not robots:
        raise MissingExtra(f"'{ROBOT}{name}'", ROBOTS_EXTRA)
    if name not in robots:
        raise UnknownName(ROBOTS_PACKAGE, "robot", name, _nearest(name, robots)[:SHOWN])
    return robots[name]


def _nearest(name: str, known: Iterable[str]) -> list[str]:
    """Known names, those that resemble ``name`` or contain it first."""
    plain = {k: k.removeprefix(ROBOT) for k in known}
    close = get_close_matches(name, plain.values(), n=5, cutoff=0.5)
    first = [k for k, p in plain.items() if name.lower() in p.lower()]
    first += [k for k, p in plain.items() if p in close and k not in first]
    return first + [k for k in plain if k not in first]
