"""Loop closures from a YAML file beside a model, for formats that only know trees.

URDF has no word for a loop. A file ``arm.closures.yaml`` beside ``arm.urdf`` lists what closes:

    - name: pin
      type: revolute
      axis: [0, 1, 0]
      frame_a: {frame: coupler, xyz: [0.6, 0, 0]}
      frame_b: rocker_end

A frame is a link's name, or a link with a place on it (``xyz`` [m], ``rpy`` [rad], as in URDF),
which becomes a frame ``pin/a`` or ``pin/b``. Axes are given in the first frame.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np

from phalanx.base.errors import PhalanxError, ReadError, shown
from phalanx.base.files import naming_file
from phalanx.mechanism.body import Frame
from phalanx.mechanism.joint import (
    Cylindrical,
    Fixed,
    Motion,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)
from phalanx.mechanism.loop import FixedDistance, Loop, PlanarPin
from phalanx.mechanism.mechanism import Mechanism
from phalanx.mechanism.pose import Array, Pose
from phalanx.mechanism.read.guarded_yaml import LARGEST_FILE, parse_yaml
from phalanx.mechanism.read.parallel_closures import MARK, with_parallel_closures

COMMON = ("name", "type", "frame_a", "frame_b")
COUPLING = "joint_coupling"
OF_COUPLING = ("name", "type", "follower", "leader", "coefficients")

# of each type: what makes it, and from which further keys
TYPES: dict[str, tuple[Callable[..., Motion | PlanarPin | FixedDistance], tuple[str, ...]]] = {
    "fixed": (Fixed, ()),
    "revolute": (Revolute, ("axis",)),
    "prismatic": (Prismatic, ("axis",)),
    "cylindrical": (Cylindrical, ("axis",)),
    "universal": (Universal, ("first", "second")),
    "spherical": (Spherical, ()),
    "planar": (Planar, ("axis",)),
    "planar_pin": (PlanarPin, ("axis",)),
    "fixed_distance": (FixedDistance, ("length",)),
}


def closures_beside(path: Path) -> Path | None:
    """The closures file that belongs to a URDF file, if there is one.

    For ``arm.urdf`` that is ``arm.closures.yaml``. Else it is ``arm.yaml``, or ``robot.yaml`` if no
    other URDF is in the folder, in the form published with parallel robots; files of these names
    that hold something else belong to other programs.
    """
    beside = closures_path(path)
    if os.path.isfile(beside):
        return beside
    candidates = [path.with_suffix(".yaml"), path.with_name("robot.yaml")]
    if any(other.name != path.name for other in path.parent.glob("*.urdf")):
        candidates = candidates[:1]
    return next((file for file in candidates if _has_mark(file)), None)


def _has_mark(path: Path) -> bool:
    """Whether a file holds a line with the key of the published form."""
    if not os.path.isfile(path) or os.path.getsize(path) > LARGEST_FILE:
        return False
    start = f"{MARK}:".encode()
    return any(line.startswith(start) for line in path.read_bytes().splitlines())


def closures_path(path: Path) -> Path:
    """Return the path of a model file's closures file."""
    return path.with_suffix(".closures.yaml")


def with_closures(mechanism: Mechanism, path: Path) -> Mechanism:
    """The mechanism with the loops of a closures file.

    Raises:
        ReadError: When the file cannot be read, with the entry and the reason.
        InvalidModel: When a loop contradicts mechanics.
    """
    with naming_file(path):
        content = parse_yaml(path)
        if isinstance(content, dict) and MARK in content:
            return with_parallel_closures(mechanism, content)
        if not isinstance(content, list):
            raise ReadError(
                f"must be a list of closures, or a mapping with '{MARK}', got {_kind(content)}."
            )
        frames, loops = list(mechanism.frames), list(mechanism.loops)
        for number, entry in enumerate(content, start=1):
            try:
                loop, places = _loop(mechanism, entry)
            except PhalanxError as error:
                raise ReadError(f"{_called(number, entry)}: {error}") from error
            loops.append(loop)
            frames += places
        return replace(mechanism, frames=frames, loops=loops)


def _loop(mechanism: Mechanism, entry: Any) -> tuple[Loop, list[Frame]]:
    if not isinstance(entry, Mapping):
        raise ReadError(f"must hold keys {', '.join(COMMON)}, got {_kind(entry)}.")
    name, kind = _text(entry, "name"), _text(entry, "type")
    if kind == COUPLING:
        return _coupling(mechanism, entry, name), []
    if kind not in TYPES:
        raise ReadError(f"unknown type '{kind}'.{_hint(kind, [*TYPES, COUPLING])}")
    make, keys = TYPES[kind]
    _check_keys(entry, (*COMMON, *keys), f"a {kind} closure")
    motion = make(**{key: _value(entry, key, kind) for key in keys})
    ends, places = [], []
    for key in ("frame_a", "frame_b"):
        frame = _frame(mechanism, entry, key, f"{name}/{key[-1]}")
        ends.append(frame.name)
        if isinstance(entry[key], Mapping):
            places.append(frame)
    return Loop(name, ends[0], ends[1], motion), places


def _coupling(mechanism: Mechanism, entry: Mapping[str, Any], name: str) -> Loop:
    """A closure between joints."""
    _check_keys(entry, OF_COUPLING, f"a {COUPLING}")
    given = entry.get("coefficients")
    numbers = given if isinstance(given, list) else []
    if not numbers or not all(_is_number(x) and np.isfinite(x) for x in numbers):
        raise ReadError(f"coefficients must be a list of finite numbers, got {_kind(given)}.")
    leader = mechanism.joint(_text(entry, "leader")) if "leader" in entry else None
    return Loop.coupled(name, mechanism.joint(_text(entry, "follower")), leader, numbers)


def _frame(mechanism: Mechanism, entry: Mapping[str, Any], key: str, name: str) -> Frame:
    """The frame that a key names, or a new one at a place on it."""
    given = entry.get(key)
    if not isinstance(given, Mapping):
        return mechanism.frame(_text(entry, key))
    _check_keys(given, ("frame", "xyz", "rpy"), key)
    seat = mechanism.frame(_text(given, "frame"))
    xyz, rpy = (_numbers(given.get(k, (0.0, 0.0, 0.0)), f"{k} of {key}") for k in ("xyz", "rpy"))
    return Frame(name, seat.body, seat.pose @ Pose.from_rpy(xyz, (rpy[0], rpy[1], rpy[2])))


def _check_keys(entry: Mapping[str, Any], known: tuple[str, ...], who: str) -> None:
    for key in entry:
        if key not in known:
            raise ReadError(f"{who} has no '{key}'.{_hint(str(key), list(known))}")


def _text(entry: Mapping[str, Any], key: str) -> str:
    value = entry.get(key)
    if not isinstance(value, str) or not value:
        came = "nothing" if value is None else _kind(value)
        raise ReadError(f"'{key}' must be a name, got {came}.")
    return value


def _value(entry: Mapping[str, Any], key: str, kind: str) -> float | Array:
    if key not in entry:
        what = "a length in metres" if key == "length" else "three numbers"
        raise ReadError(f"a {kind} closure needs '{key}': {what}.")
    if key != "length":
        return _numbers(entry[key], key)
    length = entry[key]
    if not _is_number(length):
        raise ReadError(f"'length' must be a number, got {_kind(length)}.")
    return float(length)


def _numbers(values: Any, what: str) -> Array:
    numbers = list(values) if isinstance(values, list | tuple) else []
    if len(numbers) != 3 or not all(_is_number(x) and np.isfinite(x) for x in numbers):
        raise ReadError(f"{what} must be three finite numbers, got {_kind(values)}.")
    return np.array(numbers, dtype=np.float64)


def _is_number(value: Any) -> bool:
    """Whether a value is a number that a double can hold."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return isinstance(value, float) or abs(value) < 2**63


def _called(number: int, entry: Any) -> str:
    name = entry.get("name") if isinstance(entry, Mapping) else None
    return f"closure {number} '{name}'" if isinstance(name, str) else f"closure {number}"


def _kind(value: Any) -> str:
    names = {dict: "a mapping", str: "a text", type(None): "nothing"}
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return names.get(type(value)) or shown(value)


def _hint(name: str, known: list[str]) -> str:
    near = get_close_matches(name, known, n=1, cutoff=0.5)
    return (f" Did you mean '{near[0]}'?" if near else "") + f" Known: {', '.join(known)}."
