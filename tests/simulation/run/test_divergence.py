"""Runs that blow up say so: which, in which step, and why; the others are not touched."""

from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
from phalanx.mechanism import Body, Floating, Joint, Mechanism, Revolute
from phalanx.simulation.run.divergence import Cause

ARM = px.library.double_pendulum()
STEPS = 40
# a spring of the wrong sign: x'' = gain x, which a step of 0.1 s multiplies by e each, or by 1e4
PUSH = px.Law(lambda model, t, q, v, gain: gain * q, {"gain": 1})


@pytest.fixture(scope="module")
def pushed() -> px.CompiledRollout:
    return px.CompiledRollout(px.Setup(ARM, control=PUSH), step=0.1, record=("q", "v"), threads=1)


def batch(gains) -> dict:
    gains = np.asarray(gains, dtype=float)
    q0 = np.full((*gains.shape, 2), 0.1)
    return {"q0": q0, "v0": np.zeros_like(q0), "inputs": {"gain": gains[..., None]}}


GAINS = np.array([0.0, 1e9, 1.0, 1e12, 1e6])


def test_runs_that_leave_finite_numbers_are_flagged_with_their_step(pushed):
    result = pushed(**batch(GAINS), steps=STEPS)
    # the independent account: the first recorded state with something that is not finite
    finite = np.isfinite(result.q).all(axis=-1) & np.isfinite(result.v).all(axis=-1)
    assert finite[0].all() and not finite[1].all() and not finite[3].all()
    assert np.array_equal(result.diverged, ~finite.all(axis=1))
    first = np.where(finite.all(axis=1), -1, 1 + np.argmin(finite, axis=1))
    assert np.array_equal(result.divergence.step, first)
    assert set(first[[1, 3]]) != {-1}
    expected = np.where(result.diverged, Cause.NOT_FINITE, Cause.NONE)
    assert np.array_equal(result.divergence.cause, expected)
    assert f"{np.count_nonzero(result.diverged)} of 5 runs" in repr(result.divergence)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_nothing_need_be_recorded_for_that(pushed, dtype):
    ends = px.CompiledRollout(
        px.Setup(ARM, control=PUSH), step=0.1, record=(), dtype=dtype, threads=1
    )
    result = ends(**batch(GAINS), steps=STEPS)
    assert result.q is None
    finite = np.isfinite(result.final_q).all(axis=-1) & np.isfinite(result.final_v).all(axis=-1)
    assert np.array_equal(result.diverged, ~finite)
    if dtype == "float64":
        recorded = pushed(**batch(GAINS), steps=STEPS)
        assert np.array_equal(result.divergence.step, recorded.divergence.step)


def test_runs_beside_them_go_as_they_would_alone(pushed):
    together = pushed(**batch(GAINS), steps=STEPS)
    for k in np.flatnonzero(~together.diverged):
        alone = pushed(**batch(GAINS[k]), steps=STEPS)
        assert np.array_equal(alone.q, together.q[k])
        assert alone.diverged.shape == () and not alone.diverged


def test_batches_of_several_axes(pushed):
    result = pushed(**batch(np.array([[0.0, 1e12], [1e12, 0.0]])), steps=STEPS)
    assert np.array_equal(result.diverged, [[False, True], [True, False]])
    assert result.divergence.step.shape == (2, 2)


def test_a_start_that_is_not_finite_is_step_zero(pushed):
    given = batch([0.0, 0.0])
    given["q0"][1, 0] = np.nan
    result = pushed(**given, steps=3)
    assert np.array_equal(result.divergence.step, [-1, 0])


def test_an_objective_that_overflows_is_flagged():
    result = px.rollout(
        ARM, [[0.1, 0.1]], [[1.0, 0.0]], steps=3, objective=lambda q, v, tau: 1e308 / (v[0] - v[0])
    )
    assert result.diverged.all() and not np.isfinite(result.cost).any()


def test_raising_instead(pushed):
    with pytest.raises(
        px.RolloutDiverged, match=r"of 5 runs.* 'double_pendulum'.*run \d.*step"
    ) as e:
        pushed(**batch(GAINS), steps=STEPS, on_divergence="raise")
    assert e.value.rollout.diverged.any()
    assert "mass matrix is singular" in str(e.value)
    fine = pushed(**batch([0.0, 1.0]), steps=STEPS, on_divergence="raise")
    assert not fine.diverged.any()
    with pytest.raises(px.InvalidInput, match="on_divergence='ignore'; expected 'flag' or 'raise'"):
        pushed(**batch([0.0]), steps=STEPS, on_divergence="ignore")


def gimbals() -> Mechanism:
    """Three hinges through one point, mass beyond the last: singular where two of them align."""
    load = Body("load", 1.0, np.array([0.1, 0.2, 0.3]), 0.1 * np.eye(3))
    joints = [
        Joint("i", "root", "a", Revolute((0, 0, 1))),
        Joint("j", "a", "b", Revolute((0, 1, 0))),
        Joint("k", "b", "load", Revolute((0, 0, 1))),
    ]
    return Mechanism("gimbals", [Body("root"), Body("a"), Body("b"), load], joints)


def test_postures_that_are_singular_are_flagged():
    machine = gimbals()
    q0 = np.array([[0.3, 1.0, 0.2], [0.3, 0.0, 0.2]])  # the middle hinge at zero: i and k align
    result = px.rollout(machine, q0, np.zeros((2, 3)), steps=2)
    assert np.array_equal(result.diverged, [False, True])
    assert 1 <= result.divergence.step[1] <= 2  # rounding may leave the first step a huge number
    with pytest.raises(px.SimulationError, match="left finite numbers"):
        px.simulate(machine, q0[1], duration=0.01)
    # a single call says it by numbers that are not finite, or of the size of 1 / rounding
    d = px.Dynamics(machine)
    assert not np.abs(d.forward_dynamics(q0[1], np.zeros(3), np.ones(3))).max() < 1e12
    assert np.isfinite(d.forward_dynamics(q0[0], np.zeros(3), np.ones(3))).all()


FLOATER = Mechanism(
    "floater",
    [Body("root"), Body("b", 1.0, np.array([0.1, 0, 0]), np.diag([0.1, 0.2, 0.25]))],
    [Joint("free", "root", "b", Floating())],
)


@pytest.mark.parametrize("scale", [0.0, 0.5, 1.001, 1e200])
def test_runs_begin_with_unit_quaternions(scale):
    q0 = np.tile(FLOATER.neutral(), (3, 1))
    q0[1, 3:] = np.array([0.1, 0.2, 0.3, 0.4]) / np.sqrt(0.3) * scale
    with pytest.raises(px.InvalidInput, match=r"joint 'free' in q0\[1\] has length .*expected 1"):
        px.rollout(FLOATER, q0, np.zeros((3, 6)), steps=1)
    with pytest.raises(px.InvalidInput, match=r"joint 'free' in q0 has length .*expected 1"):
        px.simulate(FLOATER, q0[1], duration=0.01)
