"""Starts keep limits, spread evenly, and are what their seed and number say."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

import phalanx as px
from phalanx.equations.model_of import model_of
from phalanx.mechanism import Mimic, Revolute
from phalanx.planning.inverse_kinematics.limits import limits_of
from phalanx.planning.inverse_kinematics.starts import shift_of_seed, start
from strategies import menagerie


def starts_of(mechanism, given, seed, count):
    n, q, u = ca.SX.sym("n"), ca.SX.sym("q", mechanism.nq), ca.SX.sym("u", mechanism.nv)
    x = start(model_of(mechanism), limits_of(mechanism), n, q, u)
    f = ca.Function("start", [n, q, u], [x])
    shift = shift_of_seed(seed, mechanism.nv)
    return np.array([np.array(f(k, given, shift)).ravel() for k in range(count)])


def limited(mechanism):
    joints = [
        replace(j, lower=-0.4, upper=0.7) if j.motion.nq == j.motion.nv and not j.mimic else j
        for j in mechanism.joints
    ]
    return replace(mechanism, joints=joints)


def test_starts_keep_limits_and_quaternions():
    machine = limited(menagerie())
    limits = limits_of(machine)
    found = starts_of(machine, machine.neutral(), 3, 50)
    assert (found >= limits.lower).all() and (found <= limits.upper).all()
    assert np.array_equal(found[0], np.clip(machine.neutral(), limits.lower, limits.upper))
    for joint in machine.moving_joints:
        if joint.motion.nq != joint.motion.nv:
            quaternion = found[:, machine.q_slices[joint.name]][:, -4:]
            assert np.allclose(np.linalg.norm(quaternion, axis=1), 1.0, atol=1e-14)


def test_starts_spread_evenly():
    arm = limited(px.library.double_pendulum())
    found = (starts_of(arm, arm.neutral(), 0, 257)[1:] + 0.4) / 1.1
    counts, _, _ = np.histogram2d(*found.T, bins=8, range=[[0, 1], [0, 1]])
    assert counts.min() >= 2 and counts.max() <= 6  # of four; by chance some would have none


def test_a_seed_stands_for_its_starts():
    arm = limited(px.library.double_pendulum())
    one, same, other = (starts_of(arm, arm.neutral(), seed, 9) for seed in (1, 1, 2))
    assert np.array_equal(one, same)
    assert np.abs(one[1:] - other[1:]).min() > 0


def test_followers_narrow_the_limits_of_their_leader():
    arm = px.library.double_pendulum()
    first, second = arm.joints
    leader = replace(first, lower=-1.0, upper=2.0)
    follower = replace(
        second, motion=Revolute(), lower=-0.5, upper=0.5, mimic=Mimic(first.name, -0.5, 0.1)
    )
    found = limits_of(replace(arm, joints=[leader, follower]))
    # -0.5 ≤ 0.1 - q/2 ≤ 0.5
    assert found.lower == pytest.approx([-0.8]) and found.upper == pytest.approx([1.2])
    apart = replace(follower, lower=5.0, upper=6.0)
    with pytest.raises(px.InvalidInput, match="limits of both"):
        limits_of(replace(arm, joints=[leader, apart]))
