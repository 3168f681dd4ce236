"""Joints of an SDF model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import pi
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from phalanx.base.errors import ReadError
from phalanx.base.guarded_xml import foreign_name
from phalanx.mechanism.joint import (
    Continuous,
    Fixed,
    Joint,
    Mimic,
    Motion,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Universal,
)
from phalanx.mechanism.pose import Array
from phalanx.mechanism.read.attributes import number_of, parse_numbers, text_of
from phalanx.mechanism.read.sdf_frames import WORLD, SdfFrames
from phalanx.mechanism.read.sdf_words import (
    DRAKE_MIMIC,
    GEAR_RATIO,
    ROTOR,
    descendant,
    limit_at,
    name_of,
    number_at,
    only_child,
    strength_at,
    text_at,
    vector_at,
)

AXIS = "0 0 1"
ABOUT_AXIS: dict[str, Callable[[Array], Motion]] = {
    "revolute": Revolute,
    "continuous": Continuous,
    "prismatic": Prismatic,
}
TWO_AXES = ("universal", "revolute2")
KINDS = (*ABOUT_AXIS, "screw", *TWO_AXES, "ball", "fixed")


def sdf_joint(joint: Element, frames: SdfFrames) -> Joint:
    """A joint from the link of its parent to its own frame, which is a place on its child.

    Raises:
        ReadError: When its type is unknown, a number is none, or it follows in a way not read.
    """
    name = name_of(joint, "a joint")
    who, frame = f"joint '{name}'", frames.of_joint(name)
    parent = frames.body(text_at(joint, "parent", who))
    if frames.body(text_at(joint, "child", who)) == WORLD:
        raise ReadError(f"{who} has the world as its child. Swap its parent and child.")
    motion = _motion(joint, name, frames)
    axes = [only_child(joint, tag, who) for tag in ("axis", "axis2")][: _axes(motion)]
    stiffness = _per_axis(axes, who, _stiffness)
    return Joint(
        name,
        parent,
        frame,
        motion,
        frames.between(parent, frame),
        lower=_per_axis(axes, who, lambda a, w: limit_at(a, "limit/lower", w, lower=True), -np.inf),
        upper=_per_axis(axes, who, lambda a, w: limit_at(a, "limit/upper", w), np.inf),
        velocity_limit=_per_axis(
            axes, who, lambda a, w: strength_at(a, "limit/velocity", w), np.inf
        ),
        effort_limit=_per_axis(axes, who, lambda a, w: strength_at(a, "limit/effort", w), np.inf),
        damping=_per_axis(axes, who, lambda a, w: number_at(a, "dynamics/damping", w, 0.0)),
        friction=_per_axis(axes, who, lambda a, w: number_at(a, "dynamics/friction", w, 0.0)),
        stiffness=stiffness,
        rest=_per_axis(axes, who, _rest) if np.any(stiffness) else None,
        rotor_inertia=_motor_number(joint, ROTOR, who, 0.0),
        gear_ratio=_motor_number(joint, GEAR_RATIO, who, 1.0),
        mimic=_mimic(joint, who) if motion.nv == 1 else None,
    )


def _motor_number(joint: Element, tag: str, who: str, default: float) -> float:
    """A number of a joint's motor, in the words of Drake, which SDF lacks."""
    found = only_child(joint, tag, who)
    if found is None:
        return default
    return parse_numbers(found.text or "", 1, f"{who}, <{foreign_name(tag)}>,")[0]


def _stiffness(axis: Element, who: str) -> float:
    return number_at(axis, "dynamics/spring_stiffness", who, 0.0)


def _rest(axis: Element, who: str) -> float:
    return number_at(axis, "dynamics/spring_reference", who, 0.0)


def _per_axis(
    axes: Sequence[Element | None],
    who: str,
    number: Callable[[Element, str], float],
    default: float = 0.0,
) -> Any:
    """A number for each axis; one for all where there are none."""
    values = [default if axis is None else number(axis, who) for axis in axes]
    return np.array(values) if values else default


def _axes(motion: Motion) -> int:
    """How many <axis> elements a joint has."""
    return 2 if isinstance(motion, Universal) else int(motion.nv == 1)


def _motion(joint: Element, name: str, frames: SdfFrames) -> Motion:
    who, kind = f"joint '{name}'", joint.get("type", "")
    if kind not in KINDS:
        raise ReadError(f"{who} is of type '{kind}'; read are {', '.join(KINDS)}.")
    if kind in ("ball", "fixed"):
        return Spherical() if kind == "ball" else Fixed()
    first = direction_of(joint, "axis", name, frames)
    if kind in TWO_AXES:
        return Universal(first, direction_of(joint, "axis2", name, frames))
    return Screw(first, _pitch(joint, who)) if kind == "screw" else ABOUT_AXIS[kind](first)


def _pitch(joint: Element, who: str) -> float:
    """Shift per radian: in files metres a turn, and before radians a metre, left-handed."""
    if only_child(joint, "screw_thread_pitch", who) is None:
        radians = number_at(joint, "thread_pitch", who, 0.0)
        if radians:
            return -1 / radians
    return number_at(joint, "screw_thread_pitch", who, 1.0) / (2 * pi)


def direction_of(joint: Element, tag: str, name: str, frames: SdfFrames) -> Array:
    """An axis in the joint's frame."""
    who = f"joint '{name}'"
    xyz = descendant(joint, f"{tag}/xyz", who)
    direction = vector_at(joint, f"{tag}/xyz", who, AXIS)
    if not np.any(direction):
        raise ReadError(f"{who} has an <{tag}> of length zero.")
    base = "" if xyz is None else xyz.get("expressed_in", "")
    return frames.between(frames.of_joint(name), base).rotation @ direction if base else direction


def _mimic(joint: Element, who: str) -> Mimic | None:
    mimic, drake = descendant(joint, "axis/mimic", who), only_child(joint, DRAKE_MIMIC, who)
    if mimic is None and drake is not None:
        return Mimic(
            text_of(drake, "joint", f"the mimic of {who}"),
            number_of(drake, "multiplier", who, 1.0),
            number_of(drake, "offset", who, 0.0),
        )
    if mimic is None:
        return None
    leader = mimic.get("joint")
    if not leader or mimic.get("axis", "axis") != "axis":
        raise ReadError(f"{who} mimics something else than the axis of a joint, which is not read.")
    ratio = number_at(mimic, "multiplier", who, 1.0)
    reference = number_at(mimic, "reference", who, 0.0)
    return Mimic(leader, ratio, number_at(mimic, "offset", who, 0.0) - ratio * reference)
