"""Legs that carry one platform: serial chains from the base, the platform cut between them.

Every leg is seen as an open chain that ends in its own share of the platform: what closes a loop is
a further joint of the leg, and the platform is its last link.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
from casadi import SX

from phalanx.base.errors import InvalidInput, InvalidModel
from phalanx.equations.spatial import Transform, constant
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.node import Freedom
from phalanx.mechanism.joint import (
    Continuous,
    Cylindrical,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)
from phalanx.mechanism.loop import Loop, PlanarPin


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
class LinkInertia:
    """Mass behind a joint: mass [kg], mass centre relative to P [m], inertia about it [kg·m²]."""

    mass: SX
    centre: SX
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
    links: tuple[LinkInertia | None, ...]
    driven: int
    share: float

    @property
    def passive(self) -> tuple[int, ...]:
        """Numbers of the joints without a motor, from the base."""
        return tuple(k for k in range(len(self.joints)) if k != self.driven)


def leg_of(
    model: Model,
    loop: Loop,
    platform: int,
    chain: list[int],
    poses: list[Transform],
    P: SX,
    driven: list[int],
    share: float,
) -> Leg:
    """The leg that a loop closes.

    Args:
        model: The machine.
        loop: From the leg to the platform.
        platform: The platform's node.
        chain: Nodes of the leg, from the base.
        poses: Of all nodes, in base axes.
        P: Mass centre of the platform [m].
        driven: Numbers of the velocities of motors.
        share: How much of the platform it carries.

    Raises:
        InvalidInput: It has not exactly one motor.
    """
    joints: list[LegJoint] = []
    links: list[LinkInertia | None] = []
    for i in chain:
        node, pose = model.nodes[i], poses[i]
        here, first = pose.translation - P, len(joints)
        match node.freedom:
            case Freedom.TURN:
                axes = [pose.rotation.full()[:, 2]]
            case Freedom.BALL:
                axes = [pose.rotation.full()[:, k] for k in range(3)]
            case Freedom.SCREW:
                raise InvalidModel(
                    f"joint '{node.joint}' of '{model.mechanism.name}' is a screw, which is not a "
                    "joint of a leg in this method. Use multipliers or projection."
                )
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
    links[-1] = LinkInertia(share * whole.mass, whole.centre, share * whole.inertia)
    motors = [k for k, joint in enumerate(joints) if joint.v in driven]
    if len(motors) != 1:
        raise InvalidInput(
            f"leg '{loop.name}' of '{model.mechanism.name}' has {len(motors)} motors; this method "
            "takes one a leg. Name the actuated joints, or use multipliers or projection."
        )
    return Leg(loop.name, tuple(joints), tuple(links), motors[0], share)


def _link(model: Model, i: int, pose: Transform, P: SX) -> LinkInertia | None:
    mass = model.nodes[i].mass
    if mass.m.is_zero():
        return None
    arm = mass.h / mass.m
    J = mass.J - mass.m * (arm @ arm.T)
    R = pose.rotation
    inertia = R.tensor_into_parent(ca.trace(J) * SX.eye(3) - J)
    return LinkInertia(mass.m, pose.point(arm) - P, inertia)


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
