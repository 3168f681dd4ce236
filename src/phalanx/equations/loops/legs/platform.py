"""Platform on legs, with all screws at its mass centre P.

Screws of all joints are twists of the platform at P, angular part first. In a plane a twist has
three numbers, in space six. Carrying them all to one point once makes the transfers between links
identities.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.base.errors import InvalidModel
from phalanx.equations.loops.legs.legs import Leg, LegJoint, leg_of
from phalanx.equations.loops.legs.structure import (
    chain_to,
    check_all_nodes_used,
    checked_shares,
    driven_velocities,
    platform_node,
)
from phalanx.equations.spatial import Rotation, Transform, Twist, Wrench, cross, zero
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.motion import world_poses
from phalanx.equations.tree.node import Freedom

ANGULAR_Z_LINEAR_XY = (2, 3, 4)


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

    @property
    def motors(self) -> list[int]:
        """Numbers of the velocities of the motors, leg by leg."""
        numbers = [leg.joints[leg.driven].v for leg in self.legs]
        return [number for number in numbers if number is not None]

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
    placement = model.nodes[node].placement.rotation
    poses = [
        Transform(_rotated(placement.matrix.T, X), placement.into_child(X.translation))
        for X in world_poses(model, model.transforms(q))
    ]
    own = model.nodes[node].mass
    P = poses[node].point(own.h / own.m)
    legs = tuple(
        leg_of(model, loop, node, chain, poses, P, driven, share)
        for loop, chain, share in zip(model.mechanism.loops, chains, shares, strict=True)
    )
    at_P = Transform(poses[node].rotation, poses[node].translation - P)
    found = Platform(node, at_P, legs, rows, placement.into_child(model.gravity))
    if len(rows) == 3:
        _check_plane(found, q)
    return found


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
