"""Gearboxes of SDF: no joints of their own, but a ratio between two hinges on one body."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from xml.etree.ElementTree import Element

import numpy as np

from phalanx.base.errors import ReadError
from phalanx.mechanism.joint import Continuous, Joint, Mimic, Revolute
from phalanx.mechanism.read.sdf_frames import MODEL, SdfFrames
from phalanx.mechanism.read.sdf_joints import direction_of
from phalanx.mechanism.read.sdf_words import name_of, number_at, text_at

GEARBOX = "gearbox"
# how far from parallel an axis of a gearbox may be to that of its hinge: one minus a cosine
PARALLEL = 1e-6


def with_gears(joints: Sequence[Joint], model: Element, frames: SdfFrames) -> list[Joint]:
    """The joints, in which one hinge of every gearbox follows the other.

    From the reference body, the child turns by -ratio times what the parent turns, each about the
    gearbox's own axis for it.

    Raises:
        ReadError: When a gearbox is not between hinges about its axes.
    """
    found = {joint.name: joint for joint in joints}
    for gearbox in model.findall("joint"):
        if gearbox.get("type") != GEARBOX:
            continue
        who = f"gearbox '{name_of(gearbox, 'a gearbox')}'"
        base = frames.body(text_at(gearbox, "gearbox_reference_body", who))
        turns = []
        for end, axis in (("parent", "axis"), ("child", "axis2")):
            body = frames.body(text_at(gearbox, end, who))
            hinge = _hinge(list(found.values()), frames, base, body, who)
            turns.append((hinge, _sense(hinge, gearbox, axis, frames, base, who)))
        (leader, one), (follower, two) = turns
        if follower.mimic is not None:
            raise ReadError(f"{who} turns joint '{follower.name}', which follows another already.")
        ratio = -number_at(gearbox, "gearbox_ratio", who, 1.0) * one * two
        found[follower.name] = replace(follower, mimic=Mimic(leader.name, ratio))
    return list(found.values())


def _hinge(joints: Sequence[Joint], frames: SdfFrames, base: str, body: str, who: str) -> Joint:
    for joint in joints:
        ends = {joint.parent, frames.body(joint.child)}
        if ends == {base, body} and isinstance(joint.motion, Revolute | Continuous):
            return joint
    raise ReadError(f"{who} needs a hinge between its reference '{base}' and '{body}'.")


def _sense(
    hinge: Joint,
    gearbox: Element,
    axis: str,
    frames: SdfFrames,
    base: str,
    who: str,
) -> float:
    """1 where the hinge turns as the gearbox counts, from its reference; -1 where it turns back."""
    assert isinstance(hinge.motion, Revolute | Continuous)
    wanted = direction_of(gearbox, axis, name_of(gearbox, who), frames)
    wanted = frames.between(MODEL, frames.of_joint(name_of(gearbox, who))).rotation @ wanted
    own = frames.between(MODEL, hinge.child).rotation @ hinge.motion.axis
    cosine = float(wanted @ own / np.linalg.norm(wanted))
    if 1 - abs(cosine) > PARALLEL:
        raise ReadError(f"{who} has an <{axis}> that is not that of joint '{hinge.name}'.")
    return float(np.sign(cosine)) * (1.0 if hinge.parent == base else -1.0)
