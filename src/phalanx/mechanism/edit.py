"""Editing of mechanisms: lock joints, attach a payload, cut out a subtree, merge, float."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from phalanx.base.arguments import checked
from phalanx.base.errors import InvalidInput
from phalanx.mechanism.actuator import Actuator
from phalanx.mechanism.body import Body, Frame, Visual
from phalanx.mechanism.fluid import LEAST, Fluid, FluidBox
from phalanx.mechanism.joint import Fixed, Floating, Joint
from phalanx.mechanism.loop import JointCoupling, Loop
from phalanx.mechanism.mechanism import Mechanism
from phalanx.mechanism.motion import joint_pose
from phalanx.mechanism.pose import Array, Pose

# [m or rad], relative: how far a locked joint may be from where a coupling wants it
LOCKED_APART = 1e-9


@checked
def lock(
    mechanism: Mechanism, positions: Mapping[str, ArrayLike] | Iterable[str] | str
) -> Mechanism:
    """The mechanism with some joints frozen.

    Args:
        mechanism: The machine.
        positions: Joint name to position (``{"elbow": 0.3}``), or names (one or several) to lock
            at neutral.

    Returns:
        A mechanism in which these joints are fixed; joints that mimic them are fixed too, joints
        that are coupled to them are held. Springs in these joints are gone, with the energy that
        they would hold, and so are actuators that move no other joint.

    Raises:
        InvalidInput: A position does not fit, or a joint that is coupled to another is locked
            without it or where the coupling does not allow it.
    """
    if isinstance(positions, str):
        positions = [positions]
    wanted: dict[str, ArrayLike | None] = (
        dict(positions) if isinstance(positions, Mapping) else dict.fromkeys(positions)
    )
    at: dict[str, np.ndarray] = {}
    for name, value in wanted.items():
        joint = mechanism.joint(name)
        q = joint.motion.neutral() if value is None else np.atleast_1d(np.asarray(value, float))
        if q.shape != (joint.motion.nq,) or not np.isfinite(q).all():
            raise InvalidInput(
                f"joint '{name}' is {joint.motion.kind} and locks at {joint.motion.nq} finite "
                f"numbers, got {value!r}."
            )
        at[name] = q
    for joint in mechanism.joints:
        if joint.mimic is not None and joint.mimic.leader in at and joint.name not in at:
            leader = at[joint.mimic.leader]
            at[joint.name] = joint.mimic.multiplier * leader + joint.mimic.offset

    def frozen(joint: Joint) -> Joint:
        if joint.name not in at:
            return joint
        pose = joint.pose @ joint_pose(joint.motion, at[joint.name])
        return Joint(joint.name, joint.parent, joint.child, Fixed(), pose)

    return replace(
        mechanism,
        joints=[frozen(joint) for joint in mechanism.joints],
        loops=[loop for x in mechanism.loops for loop in _with_locked(x, at)],
        actuators=[y for x in mechanism.actuators if (y := _with_held(x, at)) is not None],
    )


def _with_held(actuator: Actuator, at: Mapping[str, Array]) -> Actuator | None:
    """An actuator where some joints are locked; None where it moves nothing any more."""
    left: Actuator | None = actuator
    for name, position in at.items():
        left = left and (left.without(name, float(position[0])) if len(position) == 1 else left)
    return left


def _with_locked(loop: Loop, at: Mapping[str, Array]) -> list[Loop]:
    """A loop where some joints are locked: what is left of a coupling of theirs."""
    coupling = loop.motion
    if not isinstance(coupling, JointCoupling):
        return [loop]
    if coupling.leader is not None and coupling.leader in at:
        coupling = coupling.held(float(at[coupling.leader][0]))
    if coupling.follower not in at:
        return [replace(loop, motion=coupling)]
    stands = float(at[coupling.follower][0])
    if coupling.leader is not None:
        raise InvalidInput(
            f"joint '{coupling.follower}' follows '{coupling.leader}' by loop '{loop.name}'; lock "
            "both, or the leader, or leave the loop out."
        )
    belongs = coupling.coefficients[0]
    if abs(stands - belongs) > LOCKED_APART * (1 + abs(belongs)):
        raise InvalidInput(
            f"joint '{coupling.follower}' is locked at {stands:g}, and loop '{loop.name}' wants "
            f"it at {belongs:g}."
        )
    return []


@checked
def attach(
    mechanism: Mechanism, frame: str, payload: Body | Mechanism, pose: Pose | None = None
) -> Mechanism:
    """The mechanism with a payload (a body, or a whole mechanism by its root) fixed to a frame.

    Names of the payload must be new. A body or root that carries no mass is only a frame. Gravity
    and fluid are those of the mechanism, also for the payload.
    """
    seat = mechanism.frame(frame)
    added = payload if isinstance(payload, Mechanism) else Mechanism(payload.name, [payload])
    root = added.bodies[0].name
    weld = Joint(
        f"{frame}_to_{root}", seat.body, root, Fixed(), seat.pose @ (pose if pose else Pose())
    )
    return replace(
        mechanism,
        bodies=[*mechanism.bodies, *added.bodies],
        joints=[*mechanism.joints, weld, *added.joints],
        frames=[*mechanism.frames, *added.frames],
        loops=[*mechanism.loops, *added.loops],
        struts=[*mechanism.struts, *added.struts],
        springs=[*mechanism.springs, *added.springs],
        actuators=[*mechanism.actuators, *added.actuators],
        fluid=_with_boxes(mechanism.fluid, mechanism, added),
        unsupported=[*mechanism.unsupported, *added.unsupported],
    )


@checked
def subtree(mechanism: Mechanism, body: str) -> Mechanism:
    """The part that hangs on a body, which becomes the root.

    Frames, loops, struts, springs and actuators that reach outside are left out; a mimic whose
    leader is outside is an error.
    """
    start = mechanism.body_index(body)
    kept = {start}
    for i, parent in enumerate(mechanism.parents):
        if parent in kept:
            kept.add(i)
    names = {mechanism.bodies[i].name for i in kept}
    frames = [frame for frame in mechanism.frames if frame.body in names]
    known = names | {frame.name for frame in frames}
    joints = [mechanism.joints[i - 1] for i in sorted(kept - {start})]
    moved = {joint.name for joint in joints}
    return replace(
        mechanism,
        name=f"{mechanism.name}/{body}",
        bodies=[mechanism.bodies[i] for i in sorted(kept)],
        joints=joints,
        frames=frames,
        loops=[x for x in mechanism.loops if x.frame_a in known and x.frame_b in known],
        struts=[x for x in mechanism.struts if x.base in known and x.rod in known],
        springs=[x for x in mechanism.springs if x.frame_a in known and x.frame_b in known],
        fluid=mechanism.fluid and mechanism.fluid.only_on(known),
        actuators=[x for x in mechanism.actuators if moved.issuperset(x.joints)],
    )


@checked
def with_floating_base(mechanism: Mechanism, joint: str | None = None) -> Mechanism:
    """The mechanism with its root free to move: a massless root 'world' and a floating joint.

    Where the mechanism has a frame 'world' already, the new root is called 'universe'. The joint is
    called 'floating_base', or 'root_joint' where that name is taken.
    """
    root = mechanism.bodies[0].name
    world = _unused(("world", "universe"), mechanism.frame_names)
    name = joint or _unused(("floating_base", "root_joint"), [j.name for j in mechanism.joints])
    return replace(
        mechanism,
        bodies=[Body(world), *mechanism.bodies],
        joints=[Joint(name, world, root, Floating()), *mechanism.joints],
    )


def _unused(wanted: Sequence[str], taken: Sequence[str]) -> str:
    """The first of some names that is free; the last one even if it is not."""
    return next((name for name in wanted if name not in taken), wanted[-1])


@checked
def release_mimics(mechanism: Mechanism) -> Mechanism:
    """The mechanism with every mimic joint free to move by itself."""
    joints = [replace(joint, mimic=None) for joint in mechanism.joints]
    return replace(mechanism, joints=joints)


@checked
def merge_fixed(mechanism: Mechanism) -> Mechanism:
    """The mechanism without fixed joints: what they held is lumped, its body frames kept as frames.

    The root keeps its name; loops and frames stay where they are.
    """
    carrier = [0] * len(mechanism.bodies)
    seat = [Pose()] * len(mechanism.bodies)
    for k, joint in enumerate(mechanism.joints):
        i, parent = k + 1, mechanism.parents[k + 1]
        fixed = isinstance(joint.motion, Fixed)
        carrier[i] = carrier[parent] if fixed else i
        seat[i] = seat[parent] @ joint.pose if fixed else Pose()

    lumps: dict[int, list[int]] = {}
    for i, c in enumerate(carrier):
        lumps.setdefault(c, []).append(i)
    bodies = [
        _lump(mechanism.bodies[c], [(mechanism.bodies[i], seat[i]) for i in members])
        for c, members in lumps.items()
    ]
    name_of = {
        body.name: mechanism.bodies[carrier[i]].name for i, body in enumerate(mechanism.bodies)
    }
    seat_of = {body.name: seat[i] for i, body in enumerate(mechanism.bodies)}
    joints = [
        replace(joint, parent=name_of[joint.parent], pose=seat_of[joint.parent] @ joint.pose)
        for joint in mechanism.joints
        if not isinstance(joint.motion, Fixed)
    ]
    frames = [
        replace(frame, body=name_of[frame.body], pose=seat_of[frame.body] @ frame.pose)
        for frame in mechanism.frames
    ]
    merged = [
        Frame(body.name, name_of[body.name], seat[i])
        for i, body in enumerate(mechanism.bodies)
        if carrier[i] != i
    ]
    # the fluid goes on meeting each body by itself
    fluid = _with_boxes(mechanism.fluid, mechanism) if merged else mechanism.fluid
    frames = [*frames, *merged]
    return replace(mechanism, bodies=bodies, joints=joints, frames=frames, fluid=fluid)


def _with_boxes(
    fluid: Fluid | None, mechanism: Mechanism, added: Mechanism | None = None
) -> Fluid | None:
    """A fluid that says on which boxes it acts, those of a payload among them."""
    if fluid is None or (added is not None and fluid.boxes is None):
        return fluid
    boxes = fluid.boxes_of(mechanism.bodies)
    if added is not None:
        own = added.fluid or Fluid()
        root = [FluidBox.of_body(x) for x in added.bodies[:1] if x.mass >= LEAST]
        boxes = (*boxes, *(root if own.boxes is None else ()), *own.boxes_of(added.bodies))
    return replace(fluid, boxes=boxes)


def _lump(carrier: Body, members: list[tuple[Body, Pose]]) -> Body:
    """One body for several that are fixed to each other; poses are in the carrier's frame."""
    mass = sum(body.mass for body, _ in members)
    coms = [X.rotation @ body.com + X.translation for body, X in members]
    com = np.zeros(3)
    if mass > 0:
        com = sum((b.mass * c for (b, _), c in zip(members, coms, strict=True)), com) / mass
    inertia = np.zeros((3, 3))
    for (body, X), c in zip(members, coms, strict=True):
        d = c - com
        inertia += X.rotation @ body.inertia @ X.rotation.T
        inertia += body.mass * (d @ d * np.eye(3) - np.outer(d, d))
    visuals = [
        Visual(visual.geometry, X @ visual.pose, visual.colour)
        for body, X in members
        for visual in body.visuals
    ]
    physical = all(body.physical for body, _ in members)
    return Body(carrier.name, mass, com, inertia, tuple(visuals), physical)
