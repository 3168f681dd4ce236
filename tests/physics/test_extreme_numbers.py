"""What is promised of quaternions of any length, of huge angles, of float32, and of long runs."""

from __future__ import annotations

import math

import numpy as np
import pytest

import phalanx as px
from phalanx.mechanism import Body, Floating, Joint, Mechanism, Spherical

TOP = Body("top", 1.0, np.array([0.1, 0.0, 0.2]), np.diag([0.1, 0.2, 0.25]))
BALL = Body("ball", 0.5, np.array([0.0, 0.1, 0.0]), np.diag([0.02, 0.03, 0.04]))
MACHINE = Mechanism(
    "top",
    [Body("root"), TOP, BALL],
    [Joint("free", "root", "top", Floating()), Joint("neck", "top", "ball", Spherical())],
)
QUATERNIONS = (slice(3, 7), slice(7, 11))
SMALL, LARGE = 1e-150, 1e150  # of a quaternion, whose square must be a number


@pytest.fixture(scope="module")
def dynamics() -> px.Dynamics:
    return px.Dynamics(MACHINE)


def results(d: px.Dynamics, q: np.ndarray) -> dict[str, np.ndarray]:
    v = np.linspace(-1.0, 1.0, MACHINE.nv)
    return {
        "pose": d.forward_kinematics(q, frame="ball"),
        "accelerations": d.forward_dynamics(q, v, np.zeros(MACHINE.nv)),
        "forces": d.inverse_dynamics(q, v, v),
        "position after": d.integrate(q, v),
    }


@pytest.mark.parametrize("length", [SMALL, 1e-9, 0.3, 2.0, 1e9, LARGE])
@pytest.mark.parametrize("part", QUATERNIONS, ids=["floating", "ball"])
def test_a_quaternion_stands_for_its_direction(dynamics, part, length):
    q = MACHINE.random_positions(seed=4)
    scaled = q.copy()
    scaled[part] *= length
    wanted = results(dynamics, q)
    for name, found in results(dynamics, scaled).items():
        # some tens of operations on numbers that are rounded otherwise
        assert np.abs(found - wanted[name]).max() < 1e-13 * (1 + np.abs(wanted[name]).max()), name
    after = dynamics.integrate(scaled, np.ones(MACHINE.nv))
    for unit in QUATERNIONS:
        assert abs(np.linalg.norm(after[unit]) - 1) < 5e-16


@pytest.mark.parametrize("length", [0.0, 1e-170, 1e160, np.nan, np.inf])
@pytest.mark.parametrize("part", QUATERNIONS, ids=["floating", "ball"])
def test_one_without_a_direction_gives_nan_in_its_row_alone(dynamics, part, length):
    q = MACHINE.random_positions(9, seed=4)
    wanted = results(dynamics, q[:1])
    q[5, part] = (length * np.array([0.5, 0.5, 0.5, 0.5])) if length else 0.0
    v = np.zeros(MACHINE.nv)
    moved, pose = dynamics.integrate(q, v), dynamics.forward_kinematics(q, frame="ball")
    assert np.isnan(moved[5]).any() and np.isnan(pose[5]).any()
    others = np.arange(9) != 5
    assert np.isfinite(moved[others]).all() and np.isfinite(pose[others]).all()
    assert np.array_equal(dynamics.forward_kinematics(q[:1], frame="ball"), wanted["pose"])


SWING = px.library.chain(1)
WEIGHT = 9.81 / 2  # of the rod, at half its length


@pytest.mark.parametrize("angle", [1.0, -3e3, 1e6, 1e9, -1e12, 1e15])
def test_angles_of_many_turns_lose_nothing(angle):
    # the C library reduces by as many digits of pi as it takes: an independent account
    found = px.Dynamics(SWING).gravity([angle])[0]
    assert abs(found - WEIGHT * math.sin(angle)) < 4 * 2.2e-16 * WEIGHT


def test_angles_without_a_digit_behind_the_point_are_nan():
    d64, d32 = px.Dynamics(SWING), px.Dynamics(SWING, dtype="float32")
    edge64, edge32 = 2.0**50, 2.0**21
    assert np.isfinite(d64.gravity([edge64])).all() and np.isnan(d64.gravity([1.01 * edge64])).all()
    assert np.isfinite(d32.gravity([edge32])).all() and np.isnan(d32.gravity([1.01 * edge32])).all()
    for angle in (1.0, 1e3, 2e6):
        held = float(np.float32(angle))
        assert abs(d32.gravity([held])[0] - WEIGHT * math.sin(held)) < 4 * 1.2e-7 * WEIGHT


def test_rotations_by_many_turns():
    d = px.Dynamics(Mechanism("b", [Body("root"), TOP], [Joint("j", "root", "top", Spherical())]))
    for turns in (1e3, 1e6, 1e12):
        found = d.integrate([0.0, 0, 0, 1], [0.0, turns, 0])
        wanted = [0, math.sin(turns / 2), 0, math.cos(turns / 2)]
        assert np.abs(found - wanted).max() < 1e-15


def test_single_precision_keeps_the_digits_it_has():
    # Sums of some hundred terms in single precision (1.2e-7) keep five digits of the largest
    # entry; a solution of M a = f loses as many of them as M's condition has.
    arm = px.library.puma560()
    rng = np.random.default_rng(2)
    q = arm.random_positions(200, seed=rng).astype(np.float32)
    v, a = rng.standard_normal((2, 200, 6)).astype(np.float32)
    exact, single = px.Dynamics(arm), px.Dynamics(arm, dtype="float32")
    state = [x.astype(np.float64) for x in (q, v, a)]
    tau = exact.inverse_dynamics(*state)
    found = single.inverse_dynamics(q, v, a)
    assert found.dtype == np.float32
    scale = np.abs(tau).max(axis=1, keepdims=True)
    assert np.abs((found - tau) / scale).max() < 1e-5
    wanted = exact.forward_dynamics(*state)
    error = np.abs(single.forward_dynamics(q, v, a) - wanted).max(axis=1)
    condition = np.linalg.cond(exact.mass_matrix(state[0]))
    assert (error < 1e-6 * condition * np.abs(wanted).max(axis=1)).all()


@pytest.mark.parametrize("integrator", [px.RungeKutta4(), px.SemiImplicitEuler()], ids=repr)
def test_quaternions_are_of_length_one_after_a_million_steps(integrator):
    top = Mechanism("t", [Body("root"), TOP], [Joint("j", "root", "top", Floating())])
    q0 = np.tile(top.random_positions(seed=1), (4, 1))
    q0[1, 3:] *= 1 + 9e-7  # as far off as a start may be
    v0 = np.random.default_rng(5).standard_normal((4, 6))
    runs = px.rollout(
        top, q0, v0, steps=1_000_000, step=1e-4, integrator=integrator, record=(), threads=1
    )
    assert not runs.diverged.any()
    assert np.abs(np.linalg.norm(runs.final_q[:, 3:], axis=1) - 1).max() < 1e-15
