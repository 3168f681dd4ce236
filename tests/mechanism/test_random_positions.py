"""Random positions are those that joints would draw one after the other, and lie within limits."""

from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
from phalanx.mechanism import (
    Body,
    Cylindrical,
    Fixed,
    Floating,
    Joint,
    Mechanism,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)

MOTIONS = (
    Floating(),
    Prismatic(),
    Cylindrical(),
    Fixed(),
    Planar(),
    Spherical(),
    Spherical(),
    Revolute(),
    Universal(),
)


def one_of_each() -> Mechanism:
    bodies = [Body(f"b{k}", 1.0, inertia=np.eye(3)) for k in range(len(MOTIONS) + 1)]
    joints = [Joint(f"j{k}", f"b{k}", f"b{k + 1}", motion) for k, motion in enumerate(MOTIONS)]
    return Mechanism("one of each", bodies, joints)


def joint_by_joint(mechanism, shape, seed):
    rng = np.random.default_rng(seed)
    q = np.empty((*shape, mechanism.nq))
    for joint in mechanism.moving_joints:
        own = rng.uniform(-1.0, 1.0, (*shape, joint.motion.nq))
        if joint.motion.nq == joint.motion.nv:
            span = 1.0 if joint.motion.kind == "prismatic" else np.pi
            lower, upper = np.maximum(joint.lower, -span), np.minimum(joint.upper, span)
            own = lower + (own + 1) / 2 * (np.maximum(upper, lower) - lower)
        else:
            quaternion = rng.standard_normal((*shape, 4))
            own[..., -4:] = quaternion / np.linalg.norm(quaternion, axis=-1, keepdims=True)
        q[..., mechanism.q_slices[joint.name]] = own
    return q


@pytest.mark.parametrize("shape", [(), (1,), (0,), (5,), (2, 3)])
@pytest.mark.parametrize("machine", [one_of_each(), px.library.puma560(), px.library.torso()])
def test_a_seed_stands_for_the_same_postures_however_they_are_drawn(machine, shape):
    drawn = machine.random_positions(shape, seed=3)
    np.testing.assert_array_equal(drawn, joint_by_joint(machine, shape, 3))


def test_a_machine_that_cannot_move_has_no_positions():
    assert Mechanism("stone", [Body("stone", 1.0)]).random_positions((2, 3)).shape == (2, 3, 0)
