"""Closures files in the published form of parallel robots: a mapping of lists beside a URDF.

    closed_loop: [[knee_A, knee_B], [ankle_A, ankle_B]]
    type: [6d, 3d]
    name_mot: [hip, motor_knee]
    joint_name: [rod_end, cardan]
    joint_type: [SPHERICAL, UJOINT_XY]

Pairs of frames are held together: 6d as by a weld, 3d as by a ball joint. A frame is named after a
link, or after a joint, and is then where the joint's child is. Hinges of the URDF, which knows no
others, may stand for balls, universal joints (about two axes of the joint's frame, one after the
other) or welds. Joints that are not among the motors are passive.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any

import numpy as np

from phalanx.base.errors import ReadError, UnknownName, shown
from phalanx.mechanism.edit import lock
from phalanx.mechanism.joint import Fixed, Joint, Motion, Spherical, Universal
from phalanx.mechanism.loop import Loop
from phalanx.mechanism.mechanism import Mechanism

# the key by which the form is known
MARK = "closed_loop"
KEYS = (MARK, "type", "name_mot", "joint_name", "joint_type")
HELD: dict[str, type[Motion]] = {"6d": Fixed, "3d": Spherical}
UNIVERSAL = re.compile(r"UJOINT_([XYZ])([XYZ])")
AXES = dict(zip("XYZ", np.eye(3), strict=True))
JOINT_TYPES = "SPHERICAL, FIXED or UJOINT_ and two letters of X, Y and Z"


def with_parallel_closures(mechanism: Mechanism, content: Mapping[str, Any]) -> Mechanism:
    """The mechanism with joints, motors and loops as a published mapping has them.

    Args:
        mechanism: The tree.
        content: The mapping, as read.

    Raises:
        ReadError: When the mapping is not of that form, with the key and the entry.
        UnknownName: When it names a joint or a frame that the tree does not have.
    """
    unknown = next((key for key in content if key not in KEYS), None)
    if unknown is not None:
        raise ReadError(f"'{unknown}' is no key of closures; known: {', '.join(KEYS)}.")
    mechanism = _with_joints(mechanism, content)
    pairs, kinds = _pairs(content), _kinds(content)
    loops = list(mechanism.loops)
    for number, (pair, kind) in enumerate(zip(pairs, kinds, strict=True), start=1):
        a, b = (_frame(mechanism, name, number) for name in pair)
        loops.append(Loop(_called(pair, [x.name for x in loops]), a, b, HELD[kind]()))
    if "name_mot" in content:
        mechanism = _with_motors(mechanism, _names(content, "name_mot"))
    return replace(mechanism, loops=loops)


def _with_joints(mechanism: Mechanism, content: Mapping[str, Any]) -> Mechanism:
    """Hinges turned into what they stand for."""
    names = _names(content, "joint_name") if "joint_name" in content else []
    kinds = _names(content, "joint_type") if "joint_type" in content else []
    if len(names) != len(kinds):
        raise ReadError(
            f"joint_name has {len(names)} entries and joint_type {len(kinds)}; each joint has one."
        )
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ReadError(f"joint_name has '{twice}' twice.")
    motions = {
        name: _motion(_joint(mechanism, name, "joint_name"), kind)
        for name, kind in zip(names, kinds, strict=True)
    }
    fixed = [name for name, motion in motions.items() if isinstance(motion, Fixed)]
    leaders = {joint.mimic.leader for joint in mechanism.joints if joint.mimic is not None}
    led = next((name for name in motions if name in leaders and name not in fixed), None)
    if led is not None:
        raise ReadError(f"joint_name turns '{led}' into a {motions[led].kind}; a mimic follows it.")
    turned = [_turned(joint, motions.get(joint.name)) for joint in mechanism.joints]
    return lock(replace(mechanism, joints=turned), fixed)


def _turned(joint: Joint, motion: Motion | None) -> Joint:
    """A joint with another motion; limits of a hinge say nothing about a ball."""
    if motion is None or isinstance(motion, Fixed):
        return joint
    return Joint(
        joint.name,
        joint.parent,
        joint.child,
        motion,
        joint.pose,
        effort_limit=float(np.max(joint.effort_limit)),
        damping=float(np.max(joint.damping)),
    )


def _motion(joint: Joint, kind: str) -> Motion:
    universal = UNIVERSAL.fullmatch(kind.upper())
    if joint.motion.nv != 1:
        raise ReadError(f"joint_name has '{joint.name}', which is {joint.motion.kind}, no hinge.")
    if kind.upper() == "FIXED":
        return Fixed()
    if kind.upper() == "SPHERICAL":
        return Spherical()
    if universal is None or universal[1] == universal[2]:
        raise ReadError(
            f"joint_type of '{joint.name}' is {shown(kind)}; expected {JOINT_TYPES} that differ."
        )
    return Universal(AXES[universal[1]], AXES[universal[2]])


def _with_motors(mechanism: Mechanism, motors: Sequence[str]) -> Mechanism:
    """The machine in which all other joints are passive."""
    for name in motors:
        _joint(mechanism, name, "name_mot")
    joints = [
        joint if joint.name in motors or not joint.motion.nv else replace(joint, effort_limit=0.0)
        for joint in mechanism.joints
    ]
    return replace(mechanism, joints=joints)


def _joint(mechanism: Mechanism, name: str, key: str) -> Joint:
    try:
        return mechanism.joint(name)
    except UnknownName as error:
        raise ReadError(f"{key}: {error}") from error


def _frame(mechanism: Mechanism, name: str, number: int) -> str:
    """The body or frame that a name of a link or of a joint stands for."""
    joint = next((joint for joint in mechanism.joints if joint.name == name), None)
    if joint is not None:
        return joint.child
    try:
        return mechanism.frame(name).name
    except UnknownName as error:
        known = [*(joint.name for joint in mechanism.joints), *mechanism.frame_names]
        reason = UnknownName(f"mechanism '{mechanism.name}'", "joint or link", name, known)
        raise ReadError(f"{MARK}, pair {number}: {reason}") from error


def _pairs(content: Mapping[str, Any]) -> list[list[str]]:
    given = content[MARK]
    pairs = given if isinstance(given, list) else None
    if pairs is None:
        raise ReadError(f"'{MARK}' must be a list of pairs of frames, got {shown(given)}.")
    for number, pair in enumerate(pairs, start=1):
        if not isinstance(pair, list) or len(pair) != 2 or not all(map(_is_name, pair)):
            raise ReadError(f"{MARK}, pair {number}: must be two names, got {shown(pair)}.")
    return pairs


def _kinds(content: Mapping[str, Any]) -> list[str]:
    """What holds each pair; welds where nothing is said."""
    count = len(_pairs(content))
    if "type" not in content:
        return ["6d"] * count
    kinds = [kind.lower() for kind in _names(content, "type")]
    if len(kinds) != count:
        raise ReadError(f"'{MARK}' has {count} pairs and 'type' {len(kinds)} entries.")
    for number, kind in enumerate(kinds, start=1):
        if kind not in HELD:
            raise ReadError(f"type, entry {number}: must be 3d or 6d, got {shown(kind)}.")
    return kinds


def _names(content: Mapping[str, Any], key: str) -> list[str]:
    given = content[key]
    if not isinstance(given, list) or not all(map(_is_name, given)):
        raise ReadError(f"'{key}' must be a list of names, got {shown(given)}.")
    return given


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _called(pair: Sequence[str], taken: Sequence[str]) -> str:
    """What the names of both frames begin with, or both."""
    alike = takewhile(lambda letters: letters[0] == letters[1], zip(*pair, strict=False))
    common = "".join(letter for letter, _ in alike).rstrip("_-./ ")
    return common if common and common not in taken else " to ".join(pair)
