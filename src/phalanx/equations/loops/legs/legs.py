"""Legs that carry one platform: serial chains from the base, the platform cut between them.

Every leg is seen as an open chain that ends in its own share of the platform: what closes a loop is
a further joint of the leg, and the platform is its last link. Screws of all joints are twists of
the platform at its mass centre P, angular part first. In a plane a twist has three numbers, in
space six. Carrying them all to one point once makes the transfers between links identities.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.equations.kinematics import world_poses
from phalanx.equations.loops.legs.structure import (
    chain_to,
    check_all_nodes_used,
    checked_shares,
    driven_velocities,
    platform_node,
)
from phalanx.equations.spatial import Rotation, Transform, Twist, Wrench, constant, cross, zero
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.node import Freedom
from phalanx.errors import InvalidInput, InvalidModel
from phalanx.mechanism.joint import (
    Continuous,
    Cylindrical,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)
from phalanx.mechanism.loop import Loop, PlanarPin

ANGULAR_Z_LINEAR_XY = (2, 3, 4)


@dataclass(frozen=True)
class LegJoint:
    """An elementary joint of a leg.

    Attributes:
        axis: Its direction in base axes.
        point: A point on it relative to P, or None for a slide [m].
        carrier: Number of the joint whose link carries the axis; None where it does not turn.
        v: Number of its velocity in the tree, or None for a joint that closes a loop.
        armature: Reflected rotor inertia [kg or kg·m²].
    """

    axis: SX
    point: SX | None
    carrier: int | None
    v: int | None
    armature: SX


@dataclass(frozen=True)
class Link:
    """Mass behind a joint: mass [kg], mass centre relative to P [m], inertia about it [kg·m²]."""

    mass: SX
    center: SX
    inertia: SX


@dataclass(frozen=True)
class Leg:
    """A chain from the base to its share of the platform.

    Attributes:
        name: That of the loop that it closes.
        joints: From the base; the last ones close the loop.
        links: What hangs on each joint; None where that has no mass.
        driven: Number of the joint that has the motor.
        share: How much of the platform's mass and load it carries.
    """

    name: str
    joints: tuple[LegJoint, ...]
    links: tuple[Link | None, ...]
    driven: int
    share: float

    @property
    def passive(self) -> tuple[int, ...]:
        """Numbers of the joints without a motor, from the base."""
        return tuple(k for k in range(len(self.joints)) if k != self.driven)


@dataclass(frozen=True)
class Platform:
    """The platform, its legs, and the numbers of a twist that count.

    Attributes:
        node: Its node in the tree.
        pose: Of that node, relative to P, in base axes.
        legs: What carries it.
        rows: Which of (angular, linear) are components of a twist.
        gravity: In base axes [m/s²].
    """

    node: int
    pose: Transform
    legs: tuple[Leg, ...]
    rows: tuple[int, ...]
    gravity: SX

    def pack(self, whole: Twist | Wrench) -> SX:
        """The numbers of a twist or wrench that count."""
        return ca.vertcat(whole.turning, whole.straight)[list(self.rows)]

    def lift(self, numbers: SX) -> Twist:
        """The twist that has these numbers."""
        full = SX.zeros(6, 1)
        full[list(self.rows)] = numbers
        return Twist(full[:3], full[3:])

    def screw(self, joint: LegJoint) -> SX:
        """Twist of the platform at P for unit velocity of a joint."""
        if joint.point is None:
            return self.pack(Twist(zero(), joint.axis))
        return self.pack(Twist(joint.axis, cross(joint.point, joint.axis)))


def platform_of(
    model: Model,
    q: SX,
    actuated: Sequence[str] | None = None,
    shares: Sequence[float] | None = None,
) -> Platform:
    """The platform of a parallel machine at a posture.

    Raises:
        InvalidModel: The machine is not a platform on legs, one loop a leg.
        InvalidInput: A leg has not exactly one motor, or shares do not add up to one.
    """
    node = platform_node(model)
    chains = [chain_to(model, node, loop) for loop in model.mechanism.loops]
    check_all_nodes_used(model, node, chains)
    shares = checked_shares(shares, len(chains))
    driven = driven_velocities(model.mechanism, actuated)
    rows = ANGULAR_Z_LINEAR_XY if model.nodes[node].freedom is Freedom.PLANE else tuple(range(6))

    # base axes: those of the platform's joint, so that a plane is always x and y
    seat = model.nodes[node].seat.rotation
    poses = [
        Transform(_rotated(seat.matrix.T, X), seat.into_child(X.translation))
        for X in world_poses(model, model.transforms(q))
    ]
    own = model.nodes[node].mass
    P = poses[node].point(own.h / own.m)
    legs = tuple(
        _leg(model, loop, node, chain, poses, P, driven, share)
        for loop, chain, share in zip(model.mechanism.loops, chains, shares, strict=True)
    )
    at_P = Transform(poses[node].rotation, poses[node].translation - P)
    found = Platform(node, at_P, legs, rows, seat.into_child(model.gravity))
    if len(rows) == 3:
        _check_plane(found, q)
    return found


def _leg(
    model: Model,
    loop: Loop,
    platform: int,
    chain: list[int],
    poses: list[Transform],
    P: SX,
    driven: list[int],
    share: float,
) -> Leg:
    joints: list[LegJoint] = []
    links: list[Link | None] = []
    for i in chain:
        node, pose = model.nodes[i], poses[i]
        here, first = pose.translation - P, len(joints)
        match node.freedom:
            case Freedom.TURN:
                axes = [pose.rotation.full()[:, 2]]
            case Freedom.BALL:
                axes = [pose.rotation.full()[:, k] for k in range(3)]
            case _:
                axes = [pose.rotation.into_parent(node.axes.linear)]
        last = first + len(axes) - 1
        point = None if node.freedom is Freedom.SLIDE else here
        joints += [
            LegJoint(axis, point, last, node.v + k, node.armature[k]) for k, axis in enumerate(axes)
        ]
        links += [None] * (len(axes) - 1) + [_link(model, i, pose, P)]
    joints += _closing_joints(model, loop, platform, poses, P, len(joints))
    links += [None] * (len(joints) - len(links))
    whole = _link(model, platform, poses[platform], P)
    assert whole is not None and links[-1] is None
    links[-1] = Link(share * whole.mass, whole.center, share * whole.inertia)
    motors = [k for k, joint in enumerate(joints) if joint.v in driven]
    if len(motors) != 1:
        raise InvalidInput(
            f"leg '{loop.name}' of '{model.mechanism.name}' has {len(motors)} motors; this method "
            "takes one a leg. Name the actuated joints, or use multipliers or projection."
        )
    return Leg(loop.name, tuple(joints), tuple(links), motors[0], share)


def _link(model: Model, i: int, pose: Transform, P: SX) -> Link | None:
    mass = model.nodes[i].mass
    if mass.m.is_zero():
        return None
    arm = mass.h / mass.m
    J = mass.J - mass.m * (arm @ arm.T)
    R = pose.rotation
    inertia = R.tensor_into_parent(ca.trace(J) * SX.eye(3) - J)
    return Link(mass.m, pose.point(arm) - P, inertia)


def _closing_joints(
    model: Model, loop: Loop, platform: int, poses: list[Transform], P: SX, first: int
) -> list[LegJoint]:
    """The joints between a leg's end and the platform, from the leg."""
    place_a, place_b = model.ends(loop)
    starts_at_platform = place_a.node == platform
    at_leg = place_b if starts_at_platform else place_a
    V = poses[at_leg.node].point(at_leg.pose.translation) - P
    R_a, R_b = (
        poses[place.node].rotation.into_parent(place.pose.rotation.full())
        for place in (place_a, place_b)
    )

    def joint(axis: SX, point: SX | None, carrier: int | None) -> LegJoint:
        return LegJoint(axis, point, carrier, None, SX(0))

    match loop.motion:
        case Revolute(axis=axis) | Continuous(axis=axis) | PlanarPin(axis=axis):
            return [joint(R_a @ constant(axis), V, first)]
        case Prismatic(axis=axis):
            return [joint(R_a @ constant(axis), None, first)]
        case Cylindrical(axis=axis):
            along = R_a @ constant(axis)
            return [joint(along, None, first), joint(along, V, first)]
        case Universal(first=one, second=two):
            arms = [R_a @ constant(one), R_b @ constant(two)]
            inner, outer = reversed(arms) if starts_at_platform else arms
            return [joint(inner, V, first), joint(outer, V, first + 1)]
        case Spherical():
            # axes that stay where they are: relative angular velocity in base axes
            return [joint(SX.eye(3)[:, k], V, None) for k in range(3)]
        case _:
            raise InvalidModel(
                f"loop '{loop.name}' of '{model.mechanism.name}' is closed by a "
                f"{loop.motion.kind}, which is not a joint between leg and platform. Use "
                "multipliers or projection."
            )


def _rotated(R: SX, X: Transform) -> Rotation:
    return Rotation(R @ X.rotation.matrix, X.rotation.turn)


def _check_plane(platform: Platform, q: SX) -> None:
    """Turning axes stand square to the plane and slides lie in it, at a posture like any other."""
    axes = [
        joint.axis[:2] if joint.point is not None else joint.axis[2]
        for leg in platform.legs
        for joint in leg.joints
    ]
    at = np.asarray(ca.Function("axes", [q], [ca.vertcat(*axes)])(np.linspace(0.1, 0.7, q.numel())))
    if np.abs(at).max() > 1e-9:
        raise InvalidModel(
            "the platform moves in a plane, and some joint of its legs does not. Give the platform "
            "a floating joint, or use multipliers or projection."
        )
