"""Model validation: checks of a mechanism as a whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from phalanx.base.errors import InvalidModel, UnknownName
from phalanx.mechanism.actuator import Actuator
from phalanx.mechanism.body import Frame
from phalanx.mechanism.joint import Joint, Mimic
from phalanx.mechanism.loop import JointCoupling, Loop
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


def check_couplings(loops: Sequence[Loop], joint_of_name: Callable[[str], Joint]) -> None:
    """Couplings are between joints that exist and move in one way, and between their bodies."""
    for loop in loops:
        if not isinstance(loop.motion, JointCoupling):
            continue
        for name, body in (
            (loop.motion.leader, loop.frame_a),
            (loop.motion.follower, loop.frame_b),
        ):
            joint = None if name is None else joint_of_name(name)
            if joint is None:
                continue
            if joint.motion.nv != 1:
                raise InvalidModel(
                    f"loop '{loop.name}' couples joint '{name}', which is {joint.motion.kind} and "
                    "has not exactly one degree of freedom."
                )
            if joint.child != body:
                raise InvalidModel(
                    f"loop '{loop.name}' couples joint '{name}', which moves '{joint.child}', and "
                    f"names frame '{body}' for it; Loop.coupled names the right ones."
                )


def check_actuators(actuators: Sequence[Actuator], joint_of_name: Callable[[str], Joint]) -> None:
    """Actuators act on joints that exist and move in one way."""
    for actuator in actuators:
        for name in actuator.joints:
            joint = joint_of_name(name)
            if joint.motion.nv != 1:
                raise InvalidModel(
                    f"actuator '{actuator.name}' acts on joint '{name}', which is "
                    f"{joint.motion.kind} and has not exactly one degree of freedom."
                )


def resolve_mimics(
    owner: str, joints: Sequence[Joint], joint_of_name: Callable[[str], Joint]
) -> list[Joint]:
    """The joints, each follower following a joint that moves by itself.

    A joint that follows a follower follows whom that one follows, with ratios multiplied and
    offsets carried along.

    Raises:
        InvalidModel: Followers run in a cycle, or a leader has not exactly one degree of freedom.
        UnknownName: A leader does not exist.
    """
    return [_led_by_the_first(owner, joint, joint_of_name) for joint in joints]


def _led_by_the_first(owner: str, joint: Joint, joint_of_name: Callable[[str], Joint]) -> Joint:
    if joint.mimic is None:
        return joint
    follows, chain = joint.mimic, [joint.name]
    while True:
        leader = joint_of_name(follows.leader)
        if leader.name in chain:
            cycle = " → ".join([*chain[chain.index(leader.name) :], leader.name])
            raise InvalidModel(
                f"mimic joints of {owner} follow each other in a cycle: {cycle}. Let one of them "
                "move by itself."
            )
        if leader.motion.nv != 1:
            raise InvalidModel(
                f"joint '{chain[-1]}' mimics '{leader.name}', which is {leader.motion.kind} and "
                "has not exactly one degree of freedom."
            )
        if leader.mimic is None:
            break
        chain.append(leader.name)
        further = leader.mimic
        follows = Mimic(
            further.leader,
            follows.multiplier * further.multiplier,
            follows.multiplier * further.offset + follows.offset,
        )
    return joint if len(chain) == 1 else replace(joint, mimic=follows)
