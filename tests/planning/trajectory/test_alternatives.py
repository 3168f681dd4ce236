"""Several trajectories side by side, and what lies between them."""

from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
from phalanx.planning import Alternatives, Rows, TrajectoryTable, demo_waypoints
from planning.trajectory.arms import cart

ARM = px.library.puma560()
STEP = 0.01
MOTIONS = [demo_waypoints(ARM, seed=seed).path().sample(STEP) for seed in (1, 2, 3)]
LIMIT = np.array([60.0, 120.0, 30.0, 10.0, 10.0, 10.0])


def test_each_is_what_a_register_of_its_own_would_be():
    together = Alternatives(ARM, MOTIONS, torque_limits=LIMIT)
    assert len(together) == 3
    for k, rows in enumerate(MOTIONS):
        alone = TrajectoryTable.of(ARM, rows, torque_limits=LIMIT)
        np.testing.assert_array_equal(together.torque[k], alone.torque)
        assert together.violations[k] == alone.violations
        assert together.feasible[k] == (not alone.violations)
        np.testing.assert_array_equal(together[k].q, rows.q)
    assert not together.feasible.all(), "the test shows nothing otherwise"


def rates(rows):
    """How far v and a are from the rates of q and v, by differences."""
    q, v, a = rows.parts
    ahead = q[:-1] + STEP * v[:-1] + STEP**2 / 2 * a[:-1]
    return np.abs(np.diff(v, axis=0) / STEP - (a[1:] + a[:-1]) / 2).max(), np.abs(
        q[1:] - ahead
    ).max()


def test_a_blend_is_a_motion_between():
    choice = Alternatives(ARM, MOTIONS)
    blend = choice.blend([0.2, 0.5, 0.3])
    expected = 0.2 * MOTIONS[0].q + 0.5 * MOTIONS[1].q + 0.3 * MOTIONS[2].q
    np.testing.assert_allclose(blend.q, expected, atol=1e-14)
    only = choice.blend([0, 1, 0])
    np.testing.assert_allclose(only.a, MOTIONS[1].a, atol=1e-12)


def test_a_change_leaves_one_for_the_other_without_a_step():
    rows = Alternatives(ARM, MOTIONS).change(0, 2, start=1.0, duration=0.8)
    for name in ("q", "v", "a"):
        np.testing.assert_array_equal(getattr(rows, name)[:101], getattr(MOTIONS[0], name)[:101])
        np.testing.assert_allclose(
            getattr(rows, name)[180:], getattr(MOTIONS[2], name)[180:], atol=1e-12
        )
    # v and a are as near to the rates of q and v as those of the motions themselves
    speed, way = rates(rows)
    assert speed < 0.5 and way < 2e-4
    assert max(rates(MOTIONS[0])) < 0.5


def polynomials(seed, step=0.05, count=41):
    """A motion of six joints whose rates are known, and the polynomials of its positions."""
    rng = np.random.default_rng(seed)
    q = [np.polynomial.Polynomial(c) for c in rng.normal(size=(6, 4))]
    t = step * np.arange(count)
    parts = (np.stack([p.deriv(k)(t) if k else p(t) for p in q], axis=1) for k in range(3))
    return Rows(*parts, step), q


def test_changes_and_blends_are_exactly_the_rates_of_their_positions():
    """Against derivatives of polynomials; differences of rows would forgive a lost term."""
    (one, p), (two, r) = polynomials(1), polynomials(2)
    choice = Alternatives(ARM, [one, two])
    start, duration = 0.4, 1.1
    rows = choice.change(0, 1, start=start, duration=duration)
    t = one.step * np.arange(len(one))
    during = (t >= start) & (t <= start + duration)
    assert 10 < during.sum() < len(t) - 10
    tau = np.polynomial.Polynomial([-start / duration, 1 / duration])
    share = 10 * tau**3 - 15 * tau**4 + 6 * tau**5  # from 0 to 1 with no rate at its ends
    blend = choice.blend([0.3, 0.7])
    for joint in range(6):
        changing = (1 - share) * p[joint] + share * r[joint]
        between = 0.3 * p[joint] + 0.7 * r[joint]
        for k, name in enumerate("qva"):
            left, taken, both, mixed = (
                (f.deriv(k) if k else f)(t) for f in (p[joint], r[joint], changing, between)
            )
            wanted = np.where(during, both, np.where(t < start, left, taken))
            np.testing.assert_allclose(getattr(rows, name)[:, joint], wanted, atol=1e-10)
            np.testing.assert_allclose(getattr(blend, name)[:, joint], mixed, atol=1e-10)


def test_the_largest_share_that_can_be_done():
    def motion(a):
        return Rows(np.zeros((4, 1)), np.zeros((4, 1)), np.full((4, 1), a), 0.1)

    choice = Alternatives(cart(), [motion(0.0), motion(10.0)], torque_limits=12.5)  # of 2 kg
    assert choice.feasible_share(0, 1) == pytest.approx(40 / 64)
    assert choice.feasible_share(0, 0) == 1.0
    with pytest.raises(px.InvalidInput, match="alternative 1 is not safe: rails: torque 20"):
        choice.feasible_share(1, 0)


def test_what_is_none():
    with pytest.raises(px.InvalidInput, match="one or more"):
        Alternatives(ARM, [])
    with pytest.raises(px.InvalidInput, match="alternative 1 has rows of shape"):
        Alternatives(ARM, [MOTIONS[0], demo_waypoints(ARM, duration=2.0).path().sample(STEP)])
    choice = Alternatives(ARM, MOTIONS)
    for shares in ([0.5, 0.5, 0.5], [-1, 1, 1], [1, 0]):
        with pytest.raises(px.InvalidInput):
            choice.blend(shares)
    with pytest.raises(px.InvalidInput, match="no alternative 3"):
        choice.change(0, 3, 0.0, 1.0)
