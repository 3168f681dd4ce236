"""Build a mechanism from joints that form cycles: spanning tree and loop closures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from phalanx.base.arguments import checked
from phalanx.base.errors import InvalidModel, UnknownName
from phalanx.mechanism.body import Body, Frame
from phalanx.mechanism.joint import Fixed, Floating, Joint, Screw
from phalanx.mechanism.loop import JointCoupling, Loop
from phalanx.mechanism.mechanism import GRAVITY, Mechanism
from phalanx.mechanism.pose import Array, Pose
from phalanx.mechanism.spanning_tree import REVERSIBLE, Edge, JointGraph, TreeEdge
from phalanx.mechanism.spring import Spring
from phalanx.mechanism.topology import check_unique


@checked
def from_graph(
    name: str,
    bodies: Sequence[Body],
    joints: Sequence[Joint],
    frames: Sequence[Frame] = (),
    loops: Sequence[Loop] = (),
    gravity: Sequence[float] | Array = GRAVITY,
    *,
    root: str | None = None,
    keep: Sequence[str] = (),
    springs: Sequence[Spring] = (),
) -> Mechanism:
    """The mechanism whose joints may form cycles; those that close one become loops of their name.

    Joints that say more than how bodies may move stay in the tree: those in ``keep``, those that
    follow or lead another, screws, those with damping, friction, a spring or a rotor, and, where
    some joints have an effort limit of zero, those that have a drive. Of the others, those nearest
    to the root do, so that chains are short. A joint of the tree keeps the meaning of its
    coordinate, also where it must be walked from its child to its parent. One that is cut loses
    coordinate and limits.

    Args:
        name: Of the mechanism.
        bodies: In any order.
        joints: Between them, in any order and direction. Parent and child may be named frames
            too: the joint's pose is then in the parent's frame, and the child's frame is where the
            joint at zero is.
        frames: Named places besides the body frames.
        loops: Further closures.
        gravity: Acceleration of free fall in the root's frame [m/s²].
        root: The body that is fixed; the only one that is no joint's child when not given, or else
            the first.
        keep: Names of joints that must stay in the tree.
        springs: Between frames.

    Raises:
        InvalidModel: Bodies that no joint connects to the root, or joints that may not be cut and
            form a cycle.
        UnknownName: A joint, the root or ``keep`` names something that does not exist.
    """
    owner = f"mechanism '{name}'"
    check_unique(owner, "bodies", [body.name for body in bodies])
    check_unique(owner, "joints", [joint.name for joint in joints])
    known = {body.name: Frame(body.name, body.name) for body in bodies}
    known |= {frame.name: frame for frame in frames}
    edges = [_edge(owner, joint, known) for joint in joints]
    graph = JointGraph(owner, [body.name for body in bodies], edges)
    coupled = [name for loop in loops for name in _coupled_joints(loop)]
    steps = graph.tree(_root(graph, root), kept_joints(owner, joints, [*keep, *coupled]))

    tree_bodies, tree_joints = list(bodies), []
    for step in steps:
        more_bodies, more_joints = _in_tree(step)
        tree_bodies += more_bodies
        tree_joints += more_joints
    taken = {step.edge.joint.name for step in steps}
    # a floating joint holds nothing, so that cutting it leaves no closure
    cut = [
        edge
        for edge in edges
        if edge.joint.name not in taken and not isinstance(edge.joint.motion, Floating)
    ]
    closures = [Loop(e.joint.name, e.parent.name, e.child.name, e.joint.motion) for e in cut]
    return Mechanism(
        name,
        tree_bodies,
        tree_joints,
        [*frames, *(edge.parent for edge in cut)],
        [*loops, *closures],
        np.asarray(gravity, dtype=np.float64),
        springs=springs,
    )


def _edge(owner: str, joint: Joint, known: Mapping[str, Frame]) -> Edge:
    """A joint with the places of its ends; the one on the parent is called ``joint/a``."""
    for end in (joint.parent, joint.child):
        if end not in known:
            raise UnknownName(f"{owner}, joint '{joint.name}',", "body or frame", end, known)
    parent, child = known[joint.parent], known[joint.child]
    if parent.body == child.body:
        raise InvalidModel(f"joint '{joint.name}' of {owner} joins '{child.body}' to itself.")
    return Edge(joint, Frame(f"{joint.name}/a", parent.body, parent.pose @ joint.pose), child)


def _root(graph: JointGraph, wanted: str | None) -> str:
    if wanted is None:
        children = {edge.child.body for edge in graph.edges}
        roots = [body for body in graph.bodies if body not in children]
        return roots[0] if len(roots) == 1 else graph.bodies[0]
    if wanted not in graph.bodies:
        raise UnknownName(graph.owner, "body", wanted, graph.bodies)
    return wanted


def _coupled_joints(loop: Loop) -> list[str]:
    """Joints of a coupling, whose coordinates it needs."""
    if not isinstance(loop.motion, JointCoupling):
        return []
    return [name for name in (loop.motion.follower, loop.motion.leader) if name is not None]


def kept_joints(owner: str, joints: Sequence[Joint], names: Sequence[str] = ()) -> frozenset[str]:
    """Joints that may not be cut, since they say more than how bodies may move, and some by name.

    Raises:
        UnknownName: When there is no joint of a name.
    """
    known = {joint.name for joint in joints}
    for name in names:
        if name not in known:
            raise UnknownName(owner, "joint", name, sorted(known))
    leaders = {joint.mimic.leader for joint in joints if joint.mimic is not None}
    some_are_passive = any(joint.motion.nv and not _has_drive(joint) for joint in joints)
    return frozenset(
        joint.name
        for joint in joints
        if joint.name in names
        or joint.name in leaders
        or joint.mimic is not None
        or isinstance(joint.motion, Screw)
        or any(np.any(part) for part in _along_coordinate(joint))
        or (some_are_passive and _has_drive(joint))
    )


def _along_coordinate(joint: Joint) -> tuple[ArrayLike, ...]:
    """What acts along the coordinate of a joint, which a closure has not."""
    return (joint.damping, joint.stiffness, *joint.dry_friction, joint.reflected_inertia)


def _has_drive(joint: Joint) -> bool:
    return bool(np.any(np.asarray(joint.effort_limit) > 0))


def _in_tree(step: TreeEdge) -> tuple[list[Body], list[Joint]]:
    """The joint of a step, and a massless body where it does not meet its body's own frame."""
    near, far, motion = step.edge.parent, step.edge.child, step.edge.joint.motion
    if step.backwards:
        near, far = far, near
        if isinstance(motion, REVERSIBLE):
            motion = replace(motion, axis=-motion.axis)
    joint = replace(
        step.edge.joint, parent=near.body, child=far.body, motion=motion, pose=near.pose
    )
    if _is_none(far.pose):
        return [], [joint]
    seat = f"{joint.name}/seat"
    weld = Joint(seat, seat, far.body, Fixed(), far.pose.inverse())
    return [Body(seat)], [replace(joint, child=seat), weld]


def _is_none(pose: Pose) -> bool:
    return not pose.translation.any() and bool((pose.rotation == np.eye(3)).all())
