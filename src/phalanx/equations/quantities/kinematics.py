"""Forward kinematics of frames: poses, velocities, accelerations, Jacobians.

Spatial quantities list the linear part first, then the angular: velocities (v, w), accelerations,
Jacobian rows. Velocities and accelerations are those of the frame's origin; `.axes` has other ways.
"""

from __future__ import annotations

from functools import partial

import casadi as ca
from casadi import SX

from phalanx.base.errors import InvalidModel
from phalanx.equations.equation import equation
from phalanx.equations.model_of import model_of
from phalanx.equations.quantities.axes import (
    ALIGNED,
    Axes,
    check_axes,
    motions_seen_from,
    poses_seen_from,
)
from phalanx.equations.spatial import FirstMoments, Transform, Twist, columnwise_cross, zero
from phalanx.equations.tree.composites import total
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.motion import BaseMotion, accelerations, velocities, world_poses
from phalanx.equations.tree.node import Node
from phalanx.mechanism import Mechanism


@equation("X")
def forward_kinematics(mechanism: Mechanism | Model, q: SX, *, frame: str) -> SX:
    """Pose of a frame in the world, as a homogeneous 4×4 matrix.

    Args:
        mechanism: The machine.
        q: Positions [m or rad], shape (nq,).
        frame: Name of a frame or body.
    """
    model = model_of(mechanism)
    place = model.place(frame)
    pose = place.pose
    for i in [] if place.node < 0 else [place.node, *model.path(place.node)]:
        pose = model.nodes[i].transform(q).then(pose)
    return pose.homogeneous()


@equation("X")
def body_poses(mechanism: Mechanism | Model, q: SX) -> SX:
    """Pose of every body in the world, in the order of ``mechanism.bodies``.

    Args:
        mechanism: The machine.
        q: Positions [m or rad], shape (nq,).

    Returns:
        Homogeneous 4×4 matrices below each other, shape (4·bodies, 4).
    """
    model = model_of(mechanism)
    nodes = world_poses(model, model.transforms(q))
    poses = []
    for body in model.mechanism.bodies:
        place = model.place(body.name)
        pose = place.pose if place.node < 0 else nodes[place.node].then(place.pose)
        poses.append(pose.homogeneous())
    return ca.vertcat(*poses)


@equation("J")
def jacobian(mechanism: Mechanism | Model, q: SX, *, frame: str, axes: Axes = ALIGNED) -> SX:
    """Jacobian of a frame: ``(velocity, angular velocity) = J(q) v``.

    Args:
        mechanism: The machine.
        q: Positions [m or rad], shape (nq,).
        frame: Name of a frame or body.
        axes: ``"local_world_aligned"`` (velocity of the frame's origin, world axes), ``"local"``
            (the same, frame axes) or ``"world"`` (velocity at the world's origin, world axes).

    Returns:
        Rows linear x, y, z, angular x, y, z; shape (6, nv), sparse.
    """
    check_axes(axes)
    model = model_of(mechanism)
    place = model.place(frame)
    J = SX(6, model.nv)
    if place.node < 0:
        return J
    X = model.transforms(q)
    poses, tip = world_poses(model, X), zero()
    if axes == "local":
        seen = list(poses_seen_from(model, X, place))
    else:
        seen = [(i, poses[i]) for i in (place.node, *model.path(place.node))]
    if axes == ALIGNED:
        tip = poses[place.node].point(place.pose.translation)
    for i, pose in seen:
        node = model.nodes[i]
        J[:, node.v : node.v + node.freedom.nv] += column(node, pose, tip).numbers
    return J


def column(node: Node, pose: Transform, tip: SX) -> Twist:
    """Velocity of the point ``tip`` fixed to what a node carries, for its unit velocities."""
    S = node.axes.in_parent_axes(pose.rotation).at(tip - pose.translation)
    return node.multiplier * S if node.is_scaled else S


@equation("V")
def frame_velocity(
    mechanism: Mechanism | Model, q: SX, v: SX, *, frame: str, axes: Axes = ALIGNED
) -> SX:
    """Velocity and angular velocity of a frame, shape (6,).

    Args:
        mechanism: The machine.
        q: Positions, shape (nq,).
        v: Velocities, shape (nv,).
        frame: Name of a frame or body.
        axes: As of :func:`jacobian`.
    """
    check_axes(axes)
    model = model_of(mechanism)
    place = model.place(frame)
    if place.node < 0:
        return SX(6, 1)
    X = model.transforms(q)
    V = velocities(model, X, v, BaseMotion.still())[place.node].at(place.pose.translation)
    if axes == "local":
        return V.in_child_axes(place.pose.rotation).numbers
    pose = world_poses(model, X)[place.node]
    V = V.in_parent_axes(pose.rotation)
    if axes == "world":
        V = V.at(-pose.point(place.pose.translation))
    return V.numbers


@equation("A")
def frame_acceleration(mechanism: Mechanism | Model, q: SX, v: SX, a: SX, *, frame: str) -> SX:
    """Acceleration of a frame's origin and angular acceleration, in world axes, shape (6,).

    This is the acceleration an observer in the world sees (gravity not included); an accelerometer
    on the frame reads this less gravity.

    Args:
        mechanism: The machine.
        q: Positions, shape (nq,).
        v: Velocities, shape (nv,).
        a: Accelerations, shape (nv,).
        frame: Name of a frame or body.
    """
    model = model_of(mechanism)
    place = model.place(frame)
    if place.node < 0:
        return SX(6, 1)
    X = model.transforms(q)
    A = accelerations(model, X, v, a, BaseMotion.still(), zero())[place.node]
    R = world_poses(model, X)[place.node].rotation
    return Twist(A.dw, A.at(place.pose.translation)).in_parent_axes(R).numbers


@equation("dJ")
def jacobian_rate(
    mechanism: Mechanism | Model, q: SX, v: SX, *, frame: str, axes: Axes = ALIGNED
) -> SX:
    """Time derivative of the Jacobian, entry by entry.

    In axes aligned with the world, ``acceleration = J a + dJ v``.

    Args:
        mechanism: The machine.
        q: Positions, shape (nq,).
        v: Velocities, shape (nv,).
        frame: Name of a frame or body.
        axes: As of :func:`jacobian`.

    Returns:
        Shape (6, nv), sparse.
    """
    check_axes(axes)
    model = model_of(mechanism)
    place = model.place(frame)
    dJ = SX(6, model.nv)
    if place.node < 0:
        return dJ
    X = model.transforms(q)
    tip = tip_rate = zero()
    if axes == "local":
        poses = dict(poses_seen_from(model, X, place))
        motion = dict(motions_seen_from(model, X, v, place))
    else:
        poses = dict(enumerate(world_poses(model, X)))
        motion = dict(enumerate(velocities(model, X, v, BaseMotion.still())))
    if axes == ALIGNED:
        tip = poses[place.node].point(place.pose.translation)
        tip_rate = poses[place.node].rotation.into_parent(
            motion[place.node].at(place.pose.translation).linear
        )
    for i in (place.node, *model.path(place.node)):
        node = model.nodes[i]
        dS = column_rate(node, poses[i], motion[i], tip, tip_rate)
        dJ[:, node.v : node.v + node.freedom.nv] += dS.numbers
    return dJ


def column_rate(node: Node, pose: Transform, V: Twist, tip: SX, tip_rate: SX) -> Twist:
    """Rate of :func:`column` when the node moves by V, in node axes, and the point by its rate."""
    R = pose.rotation
    V, S = V.in_parent_axes(R), node.axes.in_parent_axes(R)
    # axes are fixed in the node, so they turn with it
    dS = S.each(partial(columnwise_cross, V.angular))
    swept = dS.at(tip - pose.translation)
    dS = Twist(swept.angular, swept.linear + columnwise_cross(S.angular, tip_rate - V.linear))
    return node.multiplier * dS if node.is_scaled else dS


@equation("com")
def center_of_mass(mechanism: Mechanism | Model, q: SX) -> SX:
    """Centre of mass of everything that can move, in the world [m], shape (3,)."""
    model = model_of(mechanism)
    found = weight(model, q)
    if found.m.is_zero():
        raise InvalidModel(
            f"mechanism '{model.mechanism.name}' has no mass that can move, so no centre of mass."
        )
    return found.h / found.m


def weight(model: Model, q: SX) -> FirstMoments:
    """Mass of everything that can move and its first moment about the root's origin."""
    own = [node.mass.first for node in model.nodes]
    return total(model, model.transforms(q), own, FirstMoments(SX(0), zero()))
