"""Motions that show all parameters keep their limits, begin at rest, and get better."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import phalanx as px

ARM = px.library.puma560()


@pytest.fixture(scope="module")
def found():
    joints = [
        replace(joint, lower=-0.5 - k / 10, upper=1.0, velocity_limit=1.2)
        for k, joint in enumerate(ARM.joints)
        if joint.motion.nv
    ]
    arm = replace(ARM, joints=tuple(joints)) if len(joints) == len(ARM.joints) else ARM
    made = px.identification.excitation(
        arm, acceleration_limit=5.0, velocity_limit=2.0, restarts=4, generations=10
    )
    return arm, made


def test_limits_are_kept_all_along(found):
    arm, made = found
    q, v, a = made.path(np.linspace(0, made.path.duration, 20_001))
    lower, upper, speed = (
        np.concatenate([getattr(joint, name) for joint in arm.moving_joints])
        for name in ("lower", "upper", "velocity_limit")
    )
    assert (q >= lower).all() and (q <= upper).all()
    assert (np.abs(v) <= np.minimum(speed, 2.0)).all() and (np.abs(a) <= 5.0).all()
    used = np.array([np.abs(v).max() / 1.2, np.abs(a).max() / 5.0])
    assert used.max() > 0.9, "limits are made use of"


def test_it_begins_and_ends_at_rest_in_one_place(found):
    path = found[1].path
    q, v, a = path(np.array([0.0, path.duration]))
    np.testing.assert_allclose(q[0], q[1], atol=1e-12)
    np.testing.assert_allclose([v, a], 0.0, atol=1e-12)


def test_rates_are_rates_and_the_law_is_the_table(found):
    path = found[1].path
    t, h = np.linspace(0.1, 9.9, 40), 1e-5
    before, now, after = path(t - h), path(t), path(t + h)
    np.testing.assert_allclose((after[0] - before[0]) / (2 * h), now[1], atol=1e-8)
    np.testing.assert_allclose((after[1] - before[1]) / (2 * h), now[2], atol=1e-7)
    for law, table in zip(path.trajectory(t), now, strict=True):
        np.testing.assert_allclose(law, table, atol=1e-12)


def test_the_condition_number_is_that_of_its_rows_and_falls(found):
    arm, made = found
    assert made.condition < 0.95 * made.at_random
    q, v, a = made.path(np.arange(2000) * made.path.duration / 2000)
    W = px.Dynamics(arm, threads=1).regressor(q, v, a)[..., made.base.independent]
    W = W.reshape(-1, len(made.base))
    # sums over a period do not depend on how finely it is cut, but for products of many sines
    assert np.linalg.cond(W / np.linalg.norm(W, axis=0)) == pytest.approx(made.condition, rel=0.2)


def test_the_seed_says_which():
    arm = px.library.double_pendulum()
    keywords = {"acceleration_limit": 5.0, "generations": 2, "restarts": 2}
    one, same, other = (
        px.identification.excitation(arm, seed=seed, **keywords) for seed in (1, 1, 2)
    )
    assert one.condition == same.condition != other.condition


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({"acceleration_limit": 0.0}, "acceleration_limit of joint 0 is 0"),
        ({"acceleration_limit": 1.0, "harmonics": 2}, "at least 3"),
        ({"acceleration_limit": 1.0, "period": -1.0}, "positive time"),
        ({"acceleration_limit": 1.0, "terms": ["mass"]}, "choose among"),
    ],
)
def test_what_is_refused(keywords, words):
    with pytest.raises(px.InvalidInput, match=words):
        px.identification.excitation(px.library.double_pendulum(), **keywords)
