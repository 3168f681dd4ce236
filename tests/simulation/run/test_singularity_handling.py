"""Through singular postures: on the branch that velocity chooses, or not at all."""

import numpy as np
import pytest

import phalanx as px
from equations.loops.flat_four_bars import ALONG, OneCoordinate, parallelogram, row_of_four_bars
from phalanx import SingularPosture

ALLOWED = 1e-6  # [J]


def passages(angles):
    """How often a crank was flat, which it is at every half turn."""
    return np.count_nonzero(np.diff(np.floor(angles / np.pi)))


@pytest.mark.parametrize("step", [1e-3, 1e-4, 2e-5])
def test_shorter_steps_do_not_make_it_wrong(step):
    """Five seconds through many flat postures: energy, and the angle by Lagrange's equation."""
    machine, every = parallelogram(), round(0.05 / step)
    run = px.simulate(
        machine, 0.5 * ALONG, 2 * ALONG, duration=5.0, step=step, forces=(), every=every
    )
    energy, q = run["energy"], run["q"]
    assert np.abs(energy - energy[0]).max() < ALLOWED
    assert np.abs(q - q[:, :1] * ALONG).max() < 1e-9
    expected = OneCoordinate().motion(0.5, 2.0, run.time)
    assert passages(expected) >= 4
    np.testing.assert_allclose(q[:, 0], expected, rtol=0, atol=1e-7)


@pytest.mark.parametrize("step", [5e-5])
def test_two_loops_that_lie_flat_at_once(step):
    machine = row_of_four_bars()
    up = np.array([1, -1, 1, -1, 1])
    run = px.simulate(
        machine, np.pi / 2 * up, -1.0 * up, duration=10.0, step=step, forces=(), every=20
    )
    assert np.ptp(run["q"][:, 0]) > np.pi
    assert np.abs(run["energy"] - run["energy"][0]).max() < ALLOWED
    assert np.abs(run["q"] - run["q"][:, :1] * up).max() < 1e-8


@pytest.mark.parametrize(("step", "allowed"), [(1e-3, 1e-5), (5e-4, ALLOWED), (1e-4, ALLOWED)])
def test_a_branch_that_is_curved(step, allowed):
    """The antiparallelogram: joints do not move in proportion, and stages miss the branch.

    Up to 8 rad/s and 167 J; the longest step loses an order where its stages are next to flat, and
    was off by 2.6e-6 J.
    """
    machine, other = parallelogram(), OneCoordinate(crossed=True)
    start = px.assemble(machine, other.posture(0.5), [3.0, 0.0, 0.0], held=["crank"])
    run = px.simulate(machine, start.q, start.v, duration=2.0, step=step, forces=(), every=10)
    expected = other.motion(0.5, 3.0, run.time)
    assert passages(expected) >= 3
    np.testing.assert_allclose(run["q"][:, 0], expected, rtol=0, atol=2e-6)
    assert np.abs(run["energy"] - run["energy"][0]).max() < allowed


@pytest.mark.parametrize("integrator", [None, px.DormandPrince(), px.Cvodes()])
@pytest.mark.parametrize("share", [1.0, 1.0 - 1e-6, 1.0 + 1e-4])
def test_a_machine_that_comes_to_rest_there_stops(share, integrator):
    """Nothing says whether it falls as a parallelogram or as its mirror image."""
    speed = share * OneCoordinate().still(-0.5)
    with pytest.raises(px.SimulationError, match=r"singular posture at t = 0\.4.*'pin'") as error:
        px.simulate(
            parallelogram(),
            -0.5 * ALONG,
            speed * ALONG,
            duration=1.0,
            forces=(),
            integrator=integrator,
        )
    assert isinstance(error.value, SingularPosture)
    assert 0.4 < error.value.time < 0.45
    np.testing.assert_allclose(error.value.q, np.zeros(3), rtol=0, atol=1e-3)
    assert len(error.value.recording.time) == round(error.value.time / 1e-3)


def test_it_stops_in_native_loops_as_it_does_step_by_step():
    speed = OneCoordinate().still(-0.5)
    ends = []
    for duration in (1.0, 2.5):  # short runs need no loop
        with pytest.raises(SingularPosture) as error:
            px.simulate(parallelogram(), -0.5 * ALONG, speed * ALONG, duration=duration, forces=())
        ends.append(error.value)
    assert ends[0].time == ends[1].time
    np.testing.assert_array_equal(ends[0].q, ends[1].q)
    energies = ends[1].recording["energy"]
    assert np.ptp(energies) < ALLOWED


def test_turning_back_before_it_is_a_motion_like_others():
    speed = (1 - 1e-3) * OneCoordinate().still(-0.5)
    run = px.simulate(parallelogram(), -0.5 * ALONG, speed * ALONG, duration=1.0, forces=())
    assert -2e-3 < run["q"][:, 0].max() < -5e-4
    assert np.ptp(run["energy"]) < ALLOWED


@pytest.mark.parametrize("method", ["DOP853", "RK45"])
def test_adaptive_methods_pass(method):
    adaptive = px.DormandPrince(1e-10, 1e-10, method)
    run = px.simulate(
        parallelogram(),
        0.5 * ALONG,
        2 * ALONG,
        duration=2.0,
        step=0.01,
        forces=(),
        integrator=adaptive,
    )
    assert np.abs(run["energy"] - run["energy"][0]).max() < ALLOWED
    expected = OneCoordinate().motion(0.5, 2.0, run.time)
    np.testing.assert_allclose(run["q"][:, 0], expected, rtol=0, atol=1e-7)


def test_batches_say_which_runs_stopped():
    still = OneCoordinate().still(-0.5)
    shares = np.array([0.9, 1.0, 1.5, 1.0 + 1e-4])
    starts = still * shares[:, None] * ALONG
    runs = px.CompiledRollout(px.Setup(parallelogram(), forces=()))
    batch = runs(-0.5 * ALONG, starts, steps=600)
    stopped = batch.singular
    np.testing.assert_array_equal(stopped, [False, True, False, True])
    for k in np.flatnonzero(stopped):
        with pytest.raises(SingularPosture) as error:
            px.simulate(parallelogram(), -0.5 * ALONG, starts[k], duration=0.6, forces=())
        step = batch.divergence.step[k]
        assert step == round(error.value.time / 1e-3)
        finite = np.isfinite(batch.q[k]).all(axis=1)
        np.testing.assert_array_equal(finite, np.arange(600) < step - 1)
    alone = runs(-0.5 * ALONG, starts[~stopped], steps=600)
    np.testing.assert_array_equal(batch.q[~stopped], alone.q)
    assert not alone.singular.any() and not alone.diverged.any()
    later = runs(-0.5 * ALONG, starts[1], steps=600, start=7.0)
    assert later.singular and later.divergence.step == batch.divergence.step[1]


def test_a_start_at_rest_next_to_it_stops_at_once():
    with pytest.raises(SingularPosture, match=r"t = 0\.001 s"):
        px.simulate(parallelogram(), 1e-5 * ALONG, duration=0.1, forces=())


def test_trees_carry_nothing_for_it():
    machine = px.library.double_pendulum()
    batch = px.rollout(machine, np.zeros((3, 2)), np.zeros(2), steps=5)
    np.testing.assert_array_equal(batch.singular, [False] * 3)
