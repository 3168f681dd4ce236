"""A path is a law that machines follow, a table, and takes another timing."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import phalanx as px

ARM = px.library.puma560()
START, END = np.zeros(6), np.array([0.5, -0.4, 0.3, 0.2, -0.6, 0.8])
LIMITS = {"velocity_limit": 1.0, "acceleration_limit": 2.0}
VIA = np.array([START, END / 2 + 0.1, END])
PATHS = {
    "quintic": px.planning.quintic(START, END, 1.0),
    "trapezoid": px.planning.trapezoid(START, END, **LIMITS),
    "spline": px.planning.spline(VIA, **LIMITS),
    "blends": px.planning.parabolic_blends(VIA, **LIMITS),
    "overlap": px.planning.overlap(
        px.planning.quintic(START, END, 1.0), px.planning.quintic(END, START, 1.0), 0.5
    ),
}


@pytest.mark.parametrize("kind", PATHS)
def test_a_machine_follows_it_as_a_law(kind):
    path = PATHS[kind]
    law = px.track(path.trajectory, stiffness=900.0, damping=60.0)
    lasting = np.ceil(path.duration / 1e-3) * 1e-3
    run = px.simulate(ARM, path(0.0)[0], control=law, duration=lasting, step=1e-3)
    wanted = path(run.time)
    assert np.abs(run["q"] - wanted[0]).max() < 1e-4
    assert np.abs(run["q"][-1] - path(path.duration)[0]).max() < 1e-4


def test_rollouts_follow_it_and_equal_paths_compile_once():
    path = PATHS["trapezoid"]
    law = px.track(path.trajectory, stiffness=900.0, damping=60.0)
    starts = START + np.random.default_rng(0).normal(size=(5, 6)) * 0.01
    runs = px.rollout(ARM, starts, np.zeros(6), control=law, steps=800, step=2e-3)
    np.testing.assert_allclose(runs.q[:, -1], np.repeat(path(1.6)[0][None], 5, axis=0), atol=1e-3)
    again = px.planning.trapezoid(START, END, **LIMITS)
    one, two = (
        px.Setup(ARM, control=px.track(p.trajectory, stiffness=9.0, damping=6.0))
        for p in (path, again)
    )
    assert one == two and hash(one) == hash(two)


def test_another_timing_keeps_the_curve():
    path = PATHS["spline"]
    timing = px.planning.quintic([0.0], [path.duration], 3.0)
    timed = path.timed(timing)
    t, h = np.linspace(0.01, 2.99, 50), 1e-5
    s = timing(t)[0][:, 0]
    np.testing.assert_allclose(timed(t)[0], path(s)[0], atol=1e-13)
    before, now, after = timed(t - h), timed(t), timed(t + h)
    np.testing.assert_allclose((after[0] - before[0]) / (2 * h), now[1], atol=1e-7)
    np.testing.assert_allclose((after[1] - before[1]) / (2 * h), now[2], atol=2e-4)
    for law, table in zip(timed.trajectory(t), now, strict=True):
        np.testing.assert_allclose(law, table, atol=1e-11)
    for wrong in (
        px.planning.quintic([0.0], [9.0], 1.0),
        px.planning.quintic([0.0, 0], [1, 1.0], 1.0),
    ):
        with pytest.raises(px.InvalidInput, match="a timing from"):
            path.timed(wrong)


def test_any_path_becomes_polynomials_through_its_rows():
    slow = px.planning.Path(
        2.0, lambda t: (np.sin(t)[:, None], np.cos(t)[:, None], -np.sin(t)[:, None])
    )
    path = px.planning.through(slow.sample(0.05))
    t = np.linspace(0, 2, 101)
    for one, other in zip(path.trajectory(t), slow(t), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-7)


def test_a_table_is_read_as_it_was_written(tmp_path):
    path = PATHS["trapezoid"]
    rows = path.sample(path.duration / 100)
    px.planning.write_rows(rows, tmp_path / "rows.csv", ARM)
    read = px.planning.read_motion(tmp_path / "rows.csv", ARM)
    for one, other in zip(read(rows.times), rows.parts, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-9)
    with pytest.raises(px.InvalidInput, match="rows of 6 joints; 'double_pendulum' has 2"):
        px.planning.write_rows(rows, tmp_path / "rows.csv", px.library.double_pendulum())
    with pytest.raises(px.WriteError):
        px.planning.write_rows(rows, tmp_path / "none" / "rows.csv", ARM)


def test_the_fastest_timing_of_a_line_in_space_keeps_it_and_torques():
    pytest.importorskip("toppra")
    d = px.Dynamics(ARM, threads=1)
    q0 = np.array([0.1, -0.6, 0.3, 0.2, 0.8, 0.1])
    X = d.forward_kinematics(q0, frame="tool")
    Y = X.copy()
    Y[:3, 3] += [0.1, 0.2, -0.1]
    path = px.planning.follow_frame(d, px.planning.line(X, Y, 2.0), q0, frame="tool")
    limits = px.planning.Limits.of(ARM, torque=[97.6, 186.4, 89.4, 24, 20, 21])
    timing = px.planning.time_optimal(d, path, 1e-3, limits)
    assert timing.path.duration < 1.0 and timing.slowdown < 0.01
    p = d.forward_kinematics(timing.rows.parts[0], frame="tool")[:, :3, 3]
    way = (Y - X)[:3, 3] / np.linalg.norm((Y - X)[:3, 3])
    beside = (p - X[:3, 3]) - np.outer((p - X[:3, 3]) @ way, way)
    assert np.abs(beside).max() < 2e-6
    law = timing.path.trajectory(np.linspace(0, timing.path.duration, 20))
    np.testing.assert_allclose(
        law[0], timing.path(np.linspace(0, timing.path.duration, 20))[0], atol=1e-9
    )


def made():
    """A path of every kind."""
    P, a, b = px.planning, np.zeros(6), np.full(6, 0.3)
    there, back = P.quintic(a, b, 1.0), P.quintic(b, a, 1.0)
    limits = {"velocity_limit": 1.0, "acceleration_limit": 2.0}
    yield there
    yield there.faster(2.0)
    yield P.join(there, back)
    yield P.overlap(there, back, 0.4)
    yield P.round_corner(there, back, 0.3)
    yield P.trapezoid(a, b, **limits)
    yield P.spline([a, b, a], [0.0, 1.0, 2.0])
    yield P.parabolic_blends([a, b, a], **limits)
    yield P.through(there.sample(0.1))
    d, q = px.Dynamics(px.library.puma560()), np.array([0.1, -0.6, 0.3, 0.2, 0.8, 0.1])
    here = d.forward_kinematics(q, frame="tool")
    line = P.line(here, here + np.outer([1, 1, 1, 0], [0, 0, 0, 0.05]), **limits)
    yield P.follow_frame(d, line, q, frame="tool")


def test_every_path_and_its_law_travel_by_pickle():
    t = np.linspace(-0.1, 2.5, 50)
    for path in made():
        again = pickle.loads(pickle.dumps(path))
        for one, other in zip(path(t), again(t), strict=True):
            np.testing.assert_array_equal(one, other)
        law = px.track(path.trajectory, stiffness=100.0, damping=20.0)
        setup = px.Setup(px.library.puma560(), control=law)
        assert pickle.loads(pickle.dumps(setup)) == setup


def test_a_path_is_known_by_how_long_it_takes():
    assert repr(px.planning.quintic([0.0], [1.0], 1.5)) == "Path(duration=1.5)"
