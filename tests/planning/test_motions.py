"""Wanted motions: rates that belong to their positions, ends that are kept, laws that follow."""

import numpy as np
import pytest

import phalanx as px
from phalanx.studies.dhanaraj import straight_line

MOTIONS = [
    px.planning.cycloid(2.0, [0.0, 1.0, -1.0], [np.pi, -1.0, 0.0]),
    straight_line(2.0, (0.3, 0.1, 0.1), (0.3, 0.4, 0.4)),
]


@pytest.mark.parametrize("motion", MOTIONS, ids=["cycloid", "line"])
def test_rates_are_those_of_the_positions(motion):
    t, h = np.linspace(0.1, 1.9, 37), 1e-4
    before, after = motion(t - h), motion(t + h)
    for k in (0, 1):
        # central differences: truncation h² and rounding 1e-16 / h
        rate = (after[k] - before[k]) / (2 * h)
        np.testing.assert_allclose(motion(t)[k + 1], rate, rtol=0, atol=1e-6)


@pytest.mark.parametrize("motion", MOTIONS, ids=["cycloid", "line"])
def test_from_rest_to_rest_and_then_still(motion):
    q, v, a = motion([0.0, 2.0, 5.0])
    np.testing.assert_allclose(v, 0, atol=1e-12)
    np.testing.assert_allclose(a, 0, atol=1e-12)
    np.testing.assert_array_equal(q[1], q[2])


def test_one_time_or_many():
    q, v, a = MOTIONS[0](0.5)
    assert q.shape == v.shape == a.shape == (3,)
    assert MOTIONS[0](np.zeros((4, 5)))[0].shape == (4, 5, 3)


def test_feedforward_is_inverse_dynamics_of_the_motion():
    machine = px.library.double_pendulum()
    motion = px.planning.cycloid(1.0, [0.0, 0.0], [1.0, -1.0])
    run = px.simulate(machine, duration=1.0, control=px.feedforward(motion), forces=())
    wanted = px.Dynamics(machine).inverse_dynamics(*motion(run.time))
    np.testing.assert_allclose(run["tau"], wanted, rtol=0, atol=1e-10)
    np.testing.assert_allclose(run["q"], motion(run.time)[0], rtol=0, atol=1e-8)


def test_the_motion_of_another_machine_is_refused():
    with pytest.raises(px.InvalidInput, match="moves 3 joints; 'double_pendulum' has 2"):
        machine = px.library.double_pendulum()
        px.simulate(machine, duration=0.1, control=px.feedforward(MOTIONS[0]))


def test_motions_take_time():
    with pytest.raises(px.InvalidInput, match="period=0"):
        px.planning.cycloid(0, [0.0], [1.0])
