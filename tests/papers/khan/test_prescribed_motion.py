"""Checks 1, 2 and 15: the published posture, the torques of the motion, their work."""

import numpy as np
import pytest

import phalanx as px
from evaluate import Numbers
from phalanx.assembly import OpenLoop
from phalanx.equations.loops import recursive_inverse
from phalanx.simulate.trajectories import cycloid
from phalanx.study.khan import DRIVES, DURATION, TURNS, bench
from phalanx.study.prescribed import prescribe

from . import recursion, thesis

# N·m, computed with g = 9.81 m/s² by a program independent of this one
TORQUES = {
    0.0: (-1.41862, -20.70723, 44.27619),
    0.5: (-2.02398, -19.87770, 44.83283),
    1.0: (-7.77716, -18.38362, 46.44381),
    1.5: (-18.44262, -16.47887, 50.96834),
    2.0: (-25.89892, -15.84525, 57.34422),
    2.5: (-24.38634, -14.40589, 60.37041),
    3.0: (-21.31592, -12.54471, 60.50896),
}


def moment(t):
    k = int(np.searchsorted(bench().t, t - 1e-9))
    return bench().q[k], bench().v[k], bench().a[k], bench().tau[k]


def test_published_posture_closes_as_well_as_it_is_printed():
    """Three decimals of lengths and angles: 0.4 mm with a base of 1 m, which is not printed."""
    first = np.array([np.pi / 3, 4 * np.pi / 3, 11 * np.pi / 6])
    x, y, phi = thesis.PRINTED_PLATFORM
    legs = np.stack([first, first + thesis.PRINTED_ELBOWS], axis=1).ravel()
    opening = np.abs(thesis.closure(np.array([*legs, phi, x, y]))).max()
    assert 1e-4 < opening < 5e-4


def test_refined_posture():
    q = thesis.coordinates(np.zeros(9))
    assert np.abs(thesis.closure(q)).max() < 1e-12
    assert q[6:] == pytest.approx([3.915529220, 0.727752080, 0.232711165], abs=1e-8)
    assert q[1:6:2] - q[0:6:2] == pytest.approx(thesis.ELBOWS, abs=1e-8)


def test_drivers_move_as_prescribed():
    t = bench().t
    s = 2 * np.pi * t / 3 - np.sin(2 * np.pi * t / 3)
    wanted = np.stack([s / 6, s / 6, s / 12], axis=1)
    assert np.abs(bench().q[:, [0, 2, 4]] - wanted).max() < 1e-12
    assert bench().duration == DURATION and len(TURNS) == len(DRIVES)


def test_the_platform_ends_where_it_should():
    x = thesis.coordinates(bench().q[-1])
    assert x[6:] == pytest.approx([5.462141, 0.600255, 0.123065], abs=1e-6)


@pytest.mark.parametrize("t", TORQUES)
def test_torques_of_the_motion(t):
    """By multipliers, and by the recursion within legs."""
    q, v, a, tau = moment(t)
    assert tau == pytest.approx(TORQUES[t], abs=1e-4)
    by_legs, _ = Numbers(bench().mechanism)(recursive_inverse, q, v, a)
    assert by_legs[[0, 2, 4]] == pytest.approx(tau, abs=1e-9)
    assert np.abs(by_legs[[1, 3, 5, 6, 7, 8]]).max() == 0


@pytest.mark.parametrize("t", TORQUES)
def test_torques_by_the_recursion_as_written(t):
    """Chapter 3 with its transfers between links, and half of the rate of Φ3 as printed."""
    q, v, a, tau = moment(t)
    v = thesis.rates(q, v)
    a = thesis.accelerations(q, moment(t)[1], a)
    x = thesis.coordinates(q)
    motors, _, _ = recursion.inverse_dynamics(x, v[thesis.ACTUATED], a[thesis.ACTUATED])
    assert motors == pytest.approx(tau, abs=1e-9)


def test_peaks_of_the_torques():
    peaks = np.abs(bench().tau).max(axis=0)
    # the table has a moment every 5 ms: a peak between two lies higher by less than a millionth
    assert peaks == pytest.approx([26.23882, 20.70723, 60.51841], rel=2e-6)


def test_work_of_the_motors_is_the_change_of_energy():
    assert bench().energy_change() == pytest.approx(-8.191868, abs=1e-6)
    assert abs(bench().work() - bench().energy_change()) < 1e-6


def test_motors_that_open_the_loops_are_reported():
    """All proximal links turned outwards: elbows further from the platform than legs reach."""
    far = cycloid(1.0, np.zeros(3), np.radians([150, 90, 120]))
    with pytest.raises(OpenLoop, match="do not close"):
        prescribe(px.library.planar_3rrr(), DRIVES, far, 1.0, step=0.05)
