"""Conversion between the platform's motion at P and the coordinates of the tree."""

from __future__ import annotations

from casadi import SX

from phalanx.equations.loops.legs.complement import Complement
from phalanx.equations.loops.legs.motion import (
    LegMotion,
    leg_accelerations,
    platform_acceleration,
)
from phalanx.equations.loops.legs.platform import Platform
from phalanx.equations.spatial import Twist, cross
from phalanx.equations.tree.model import Model


def platform_velocities(model: Model, platform: Platform, twist: SX) -> SX:
    """Velocities of the platform's coordinates, which are in its own axes."""
    return model.nodes[platform.node].rates_of(platform.lift(twist).into_child(platform.pose))


def platform_accelerations(model: Model, platform: Platform, twist: SX, change: SX) -> SX:
    """Accelerations of the platform's coordinates, which are velocities in its own axes."""
    node = model.nodes[platform.node]
    V, A = platform.lift(twist), platform.lift(change)
    w, r = V.angular, platform.pose.translation
    acceleration = A.at(r).linear + cross(w, cross(w, r)) - cross(w, V.at(r).linear)
    return node.rates_of(Twist(A.angular, acceleration).in_child_axes(platform.pose.rotation))


def all_accelerations(
    model: Model,
    platform: Platform,
    found: Complement,
    motions: list[LegMotion],
    twist: SX,
    alpha: SX,
) -> SX:
    """Accelerations of all coordinates for those of the motors."""
    change = platform_acceleration(found, motions, alpha)
    a = SX(model.nv, 1)
    for j, (leg, motion) in enumerate(zip(found.legs, motions, strict=True)):
        own = leg_accelerations(leg, motion, change, alpha[j])
        for joint, acceleration in zip(leg.leg.joints, own, strict=True):
            if joint.v is not None:
                a[joint.v] = acceleration
    node = model.nodes[platform.node]
    a[node.v : node.v + node.freedom.nv] = platform_accelerations(model, platform, twist, change)
    return a


def load_at_P(model: Model, platform: Platform, tau: SX) -> SX:
    """Forces on the platform's own coordinates as a wrench about P, in base axes."""
    node = model.nodes[platform.node]
    own = tau[node.v : node.v + node.freedom.nv]
    return platform.pack(node.load(own).into_parent(platform.pose))
