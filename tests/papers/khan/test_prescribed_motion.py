"""Checks 1, 2 and 15: the published posture, the torques of the motion, their work."""

import numpy as np
import pytest

import phalanx as px
from evaluate import Numbers
from phalanx.equations.loops import (
    consistent_acceleration,
    consistent_velocity,
    recursive_inverse,
)
from phalanx.equations.loops.assembly.open_loop import OpenLoop
from phalanx.planning.motions import cycloid
from phalanx.studies.khan import as_written as thesis
from phalanx.studies.khan import recursion
from phalanx.studies.khan.bench import DRIVES, DURATION, TURNS, bench
from phalanx.studies.khan.prescribed import prescribe

from .states import golden

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
    """Chapter 3 with its transfers between links, against reference torques."""
    q, v, a, _ = moment(t)
    x, w, b = thesis.coordinates(q), thesis.rates(q, v), thesis.accelerations(q, v, a)
    motors, _, _ = recursion.inverse_dynamics(x, w[thesis.ACTUATED], b[thesis.ACTUATED])
    assert motors == pytest.approx(TORQUES[t], abs=1e-4)


@pytest.mark.parametrize("t", TORQUES)
def test_accelerations_of_all_joints_from_those_of_the_motors(t):
    """The recursion of the engine, three other ways to the same accelerations.

    Chapter 3 as written, with half of the rate of Φ3 as printed; A a = -dA/dt v solved for the
    passive coordinates; and second differences of postures along the motion. Motors accelerate
    otherwise than in the motion, which changes the answer and not the law.
    """
    q, v, a, _ = moment(t)
    rates, given = v[[0, 2, 4]] + (0.4, -0.3, 0.2), a[[0, 2, 4]] + (1.0, -2.0, 0.5)
    v, a = np.full(9, np.nan), np.full(9, np.nan)
    v[[0, 2, 4]], a[[0, 2, 4]] = rates, given
    n = Numbers(bench().mechanism)
    v = n(consistent_velocity, q, v)
    found = thesis.accelerations(q, v, n(consistent_acceleration, q, v, a))
    x, w = thesis.coordinates(q), thesis.rates(q, v)
    written = recursion.accelerations(x, rates, given)
    assert found[6:] == pytest.approx(written.change, abs=1e-11)
    relative = np.stack([found[1:6:2] - found[0:6:2], found[6] - found[1:6:2]], axis=1)
    assert relative == pytest.approx(written.passive, abs=1e-11)
    assert found == pytest.approx(thesis.accelerations_of_all(x, w, given), abs=1e-11)


def test_accelerations_are_second_differences_of_the_motion():
    k = int(np.searchsorted(bench().t, 1.2))
    n = Numbers(bench().mechanism)
    q, v, a = (np.array(table[k]) for table in (bench().q, bench().v, bench().a))
    passive = [1, 3, 5, 6, 7, 8]
    a[passive] = np.nan
    found = thesis.accelerations(q, v, n(consistent_acceleration, q, v, a))
    h = bench().t[1]
    near = [thesis.coordinates(bench().q[i]) for i in range(k - 2, k + 3)]
    weights = np.array([-1, 16, -30, 16, -1]) / (12 * h**2)
    # fourth order: h⁴ of a motion whose sixth derivative is about a hundred
    assert found == pytest.approx(weights @ np.array(near), abs=1e-6)


def test_accelerations_of_the_golden_state():
    """Of the platform, for the accelerations of the motors that the reference has there."""
    q, v, _ = golden()
    a = np.full(9, np.nan)
    a[[0, 2, 4]] = 11.546424655, 12.229332559, -0.615034273
    found = thesis.accelerations(q, v, Numbers(bench().mechanism)(consistent_acceleration, q, v, a))
    assert found[6:] == pytest.approx((11.704483957, -1.233411286, -2.486163950), abs=1e-8)


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
