"""Checks of a mechanism as a whole: what no body and no joint can see alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from phalanx.errors import InvalidModel, UnknownName
from phalanx.mechanism.body import Body
from phalanx.mechanism.frame import Frame
from phalanx.mechanism.joint import Joint
from phalanx.mechanism.loop import Loop
from phalanx.mechanism.spring import Spring
from phalanx.mechanism.strut import Strut
from phalanx.mechanism.topology import check_unique


def check_ends(
    owner: str,
    loops: Sequence[Loop],
    struts: Sequence[Strut],
    springs: Sequence[Spring],
    frames: Sequence[str],
) -> None:
    """Loops, struts and springs end on frames that exist."""
    ends = [(f"loop '{x.name}'", (x.frame_a, x.frame_b)) for x in loops]
    ends += [(f"strut '{x.name}'", (x.base, x.rod)) for x in struts]
    ends += [(f"spring '{x.name}'", (x.frame_a, x.frame_b)) for x in springs]
    known = set(frames)
    for holder, names in ends:
        for name in names:
            if name not in known:
                raise UnknownName(f"{owner}, {holder},", "frame", name, frames)


def check_springs(
    owner: str,
    springs: Sequence[Spring],
    joints: Sequence[Joint],
    frame: Callable[[str], Frame],
) -> None:
    """Springs join different bodies, and no joint has the name of one: both have a stiffness."""
    if not springs:
        return
    names = [*(spring.name for spring in springs), *(joint.name for joint in joints)]
    check_unique(owner, "springs and joints", names)
    for spring in springs:
        bodies = {frame(end).body for end in (spring.frame_a, spring.frame_b)}
        if len(bodies) == 1:
            raise InvalidModel(
                f"spring '{spring.name}' of {owner} joins two points of body '{bodies.pop()}', "
                "which never move against each other."
            )


def check_mimics(joints: Sequence[Joint], joint_of_name: Callable[[str], Joint]) -> None:
    """Who is followed by another joint moves by itself, in one way."""
    for joint in joints:
        if joint.mimic is None:
            continue
        leader = joint_of_name(joint.mimic.leader)
        if leader.mimic is not None or leader.motion.nv != 1:
            raise InvalidModel(
                f"joint '{joint.name}' mimics '{leader.name}', which is itself a mimic or has "
                "not exactly one degree of freedom."
            )


def check_moved_masses(
    owner: str, bodies: Sequence[Body], joints: Sequence[Joint], parents: Sequence[int]
) -> None:
    """A joint that moves no mass has no equation of motion."""
    moved = [body.mass for body in bodies]
    for k in reversed(range(len(joints))):
        moved[parents[k + 1]] += moved[k + 1]
    for k, joint in enumerate(joints):
        own = joint.motion.nv > 0 and joint.mimic is None
        if own and moved[k + 1] == 0 and not np.any(joint.reflected_inertia):
            raise InvalidModel(
                f"joint '{joint.name}' of {owner} moves body '{joint.child}', "
                "which with all that hangs on it has mass zero. Give it a mass, a rotor "
                "inertia, or make the joint fixed."
            )
