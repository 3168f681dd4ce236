"""Typed access to values in SDF files: texts, numbers and poses, each at most once."""

from __future__ import annotations

import math
from collections.abc import Iterator
from xml.etree.ElementTree import Element

import numpy as np

from phalanx.base.errors import ReadError, shown
from phalanx.base.guarded_xml import PREFIXES, foreign_name
from phalanx.mechanism.pose import Array, Pose
from phalanx.mechanism.read.attributes import parse_numbers

# as far as SDF counts before it had a word for infinity
ENDLESS = 1e16
TRUE, FALSE = ("true", "1"), ("false", "0")
# words of Drake's that are read: what the motor of a joint is, and one shape
DRAKE = f"{{{PREFIXES['drake']}}}"
ROTOR, GEAR_RATIO, CAPSULE, ELLIPSOID = (
    f"{DRAKE}{word}" for word in ("rotor_inertia", "gear_ratio", "capsule", "ellipsoid")
)
DRAKE_MIMIC, DRAKE_JOINT = f"{DRAKE}mimic", f"{DRAKE}joint"
FOREIGN = (ROTOR, GEAR_RATIO, DRAKE_MIMIC, CAPSULE, ELLIPSOID)


def only_child(element: Element, tag: str, who: str) -> Element | None:
    """The child of that tag, if there is one.

    Raises:
        ReadError: When there are several, of which one would be left out.
    """
    children = element.findall(tag)
    if len(children) > 1:
        raise ReadError(f"{who} has <{tag}> {len(children)} times; expected one.")
    return children[0] if children else None


def descendant(element: Element, path: str, who: str) -> Element | None:
    """The element at a path of tags, each at most once; None where one is missing."""
    found: Element | None = element
    for tag in path.split("/"):
        found = None if found is None else only_child(found, tag, who)
    return found


def name_of(element: Element, what: str) -> str:
    """The attribute ``name``."""
    name = element.get("name")
    if not name:
        raise ReadError(f"{what} has no attribute 'name'.")
    return name


def text_at(element: Element, path: str, who: str) -> str:
    """The text at a path of tags, which must be there."""
    found = descendant(element, path, who)
    text = "" if found is None else (found.text or "").strip()
    if not text:
        raise ReadError(f"{who} has no <{path}>.")
    return text


def number_at(element: Element, path: str, who: str, default: float) -> float:
    """The number at a path of tags, or the default."""
    found = descendant(element, path, who)
    if found is None:
        return default
    return parse_numbers(found.text or "", 1, f"{who}, <{path}>,", finite=False)[0]


def limit_at(element: Element, path: str, who: str, *, lower: bool = False) -> float:
    """A position limit at a path of tags; infinite where it is missing or endless."""
    endless = -math.inf if lower else math.inf
    value = number_at(element, path, who, endless)
    return value if abs(value) < ENDLESS else math.copysign(math.inf, value)


def strength_at(element: Element, path: str, who: str) -> float:
    """A limit of effort or velocity; SDF writes a negative number where there is none."""
    value = limit_at(element, path, who)
    return math.inf if value < 0 else value


def vector_at(element: Element, path: str, who: str, default: str) -> Array:
    """Three numbers at a path of tags, or the default."""
    found = descendant(element, path, who)
    text = default if found is None else found.text or ""
    return np.array(parse_numbers(text, 3, f"{who}, <{path}>,"))


def flag_at(element: Element, path: str, who: str, *, default: bool) -> bool:
    """A truth value at a path of tags, or the default."""
    found = descendant(element, path, who)
    text = "" if found is None else (found.text or "").strip().lower()
    if found is not None and text not in (*TRUE, *FALSE):
        raise ReadError(f"{who}, <{path}>, should be true or false, got {shown(text)}.")
    return default if found is None else text in TRUE


def pose_of(element: Element, who: str) -> Pose:
    """The pose in an element, whatever it is relative to: shift, then roll, pitch and yaw."""
    pose = only_child(element, "pose", who)
    if pose is None or not (pose.text or "").strip():
        return Pose()
    text, what = pose.text or "", f"{who}, <pose>,"
    kind = pose.get("rotation_format", "euler_rpy")
    if kind == "quat_xyzw":
        numbers = parse_numbers(text, 7, what)
        return Pose.from_quaternion(numbers[:3], np.array(numbers[3:]))
    if kind != "euler_rpy":
        raise ReadError(f"{what} has rotation_format={shown(kind)}; expected euler_rpy, quat_xyzw.")
    numbers = parse_numbers(text, 6, what)
    angles = np.radians(numbers[3:]) if pose.get("degrees") in TRUE else np.array(numbers[3:])
    return Pose.from_rpy(numbers[:3], angles.tolist())


def relative_to(element: Element, who: str) -> str:
    """The frame that an element's pose is relative to, as written; empty where not."""
    pose = only_child(element, "pose", who)
    # the attribute had another name before version 1.7
    return "" if pose is None else pose.get("relative_to") or pose.get("frame") or ""


def left_out(element: Element) -> list[str]:
    """Elements of other programs' namespaces that are not read, each by name once."""
    found: dict[str, None] = {}
    ahead = [element]
    while ahead:
        for child in ahead.pop():
            name = foreign_name(child.tag)
            if name and child.tag not in FOREIGN:
                found[name] = None
            # what programs are given, and what they sense, moves nothing
            elif child.tag not in ("plugin", "sensor"):
                ahead.append(child)
    return sorted(found)


def parts_of(model: Element, tags: tuple[str, ...]) -> Iterator[Element]:
    """Children of some tags, in the order of the file."""
    return (child for child in model if child.tag in tags)
