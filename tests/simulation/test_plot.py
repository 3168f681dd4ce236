"""Runs as figures: what is drawn is what was recorded."""

import numpy as np
import pytest

import phalanx as px
from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.mechanism import Revolute
from phalanx.simulation.record.lines import MOST_IN_PANEL, SOME
from phalanx.simulation.record.signal import Signal

T = np.linspace(0.0, 1.0, 201)


def run(joints=2, **more):
    names = tuple(f"joint_{k}" for k in range(joints))
    q = np.sin(T[:, None] * (1 + np.arange(joints)))
    signals = [Signal("q", "rad", names, q), Signal("v", "rad/s", names, 2 * q)]
    signals.append(Signal("energy", "J", (), T))
    return px.Recording(T, signals, {"model": "arm"} | more)


def batch(runs, joints=2):
    arm = px.library.chain(joints)
    q0 = np.random.default_rng(0).uniform(-1, 1, (runs, joints))
    return px.rollout(arm, q0, np.zeros(joints), steps=30, step=1e-2)


def lines(axes):
    return [line for line in axes.get_lines() if len(line.get_xdata())]


def legend(axes):
    found = axes.get_legend()
    return [] if found is None else [text.get_text() for text in found.get_texts()]


def test_a_row_a_signal_with_units_and_all_samples():
    recording = run()
    upper, lower = recording.plot().axes
    assert (upper.get_ylabel(), lower.get_ylabel()) == ("q [rad]", "v [rad/s]")
    assert lower.get_xlabel() == "time [s]" and upper.get_title(loc="left") == "arm"
    for axes, name in ((upper, "q"), (lower, "v")):
        for k, line in enumerate(lines(axes)):
            np.testing.assert_array_equal(line.get_xdata(), T)
            np.testing.assert_array_equal(line.get_ydata(), recording[name][:, k])
    assert legend(upper) == ["joint_0", "joint_1"] and legend(lower) == []


def test_signals_and_joints_are_chosen():
    recording = run(joints=3)
    (axes,) = recording.plot("v", joints="joint_2").axes
    (line,) = lines(axes)
    np.testing.assert_array_equal(line.get_ydata(), recording["v"][:, 2])
    figure = recording.plot(["energy", "q"], joints=["joint_0", "joint_1"])
    assert [a.get_ylabel() for a in figure.axes] == ["energy [J]", "q [rad]"]
    assert [len(lines(a)) for a in figure.axes] == [1, 2]


def test_a_joint_of_several_freedoms_has_all_its_lines():
    balls = px.library.chain(2, "spherical")
    recording = px.simulate(balls, balls.neutral(), duration=0.01)
    position, velocity = recording.plot(["q", "v"], joints="joint_2").axes
    assert (len(lines(position)), len(lines(velocity))) == (4, 3)


@pytest.mark.parametrize("joints", [1, 44])
def test_every_joint_has_a_look_of_its_own(joints):
    every = run(joints).plot("q").axes
    assert sum(len(lines(axes)) for axes in every) == joints
    for axes in every:
        looks = {(str(line.get_color()), line.get_linestyle()) for line in lines(axes)}
        assert len(looks) == len(legend(axes)) <= MOST_IN_PANEL


def test_units_have_panels_of_their_own():
    solid = [px.Body(name, 1.0, inertia=np.eye(3)) for name in ("trunk", "arm", "leg")]
    joints = [px.Joint(f"{body.name} hinge", "trunk", body.name, Revolute()) for body in solid[1:]]
    free = px.with_floating_base(px.Mechanism("free", solid, joints))
    recording = px.simulate(free, free.neutral(), duration=0.01)
    axes = recording.plot(["q", "v"]).axes
    assert [a.get_ylabel() for a in axes] == ["q [m]", "q", "q [rad]", "v [m/s]", "v [rad/s]"]
    assert [len(lines(a)) for a in axes] == [3, 4, 2, 3, 5]


def test_of_very_many_joints_some_are_drawn_and_it_is_said():
    (axes,) = run(300).plot("q").axes
    assert len(lines(axes)) == SOME
    assert axes.get_legend().get_title().get_text() == f"{SOME} of 300"


def test_what_is_not_there():
    with pytest.raises(UnknownName, match="signal 'pressure'"):
        run().plot("pressure")
    with pytest.raises(UnknownName, match="joint 'joint_9'"):
        run().plot(joints=["joint_0", "joint_9"])
    with pytest.raises(InvalidInput, match="nothing to draw"):
        px.Recording(T, []).plot()
    with pytest.raises(InvalidInput, match="joints=3; expected a name"):
        run().plot(joints=3)


def test_a_run_that_exploded_is_drawn_as_far_as_it_goes():
    q = np.where(T < 0.5, T, np.inf)[:, None]
    (axes,) = px.Recording(T, [Signal("q", "rad", ("a",), q)]).plot().axes
    (line,) = lines(axes)
    assert np.isnan(line.get_ydata()).sum() == (T >= 0.5).sum()


def test_few_runs_are_a_line_each():
    done = batch(4)
    figure = done.plot("q")
    assert len(lines(figure.axes[0])) == 4 * 2
    assert "4 runs" in figure.axes[0].get_title(loc="left")
    (line,) = lines(done.plot("q", joints="joint_2", runs=3).axes[0])
    np.testing.assert_array_equal(line.get_ydata(), done.q[3, :, 1])


def test_many_runs_are_a_median_and_a_band():
    done = batch(60)
    (axes,) = done.plot("q", joints="joint_1").axes
    (median,) = lines(axes)
    np.testing.assert_allclose(median.get_ydata(), np.median(done.q[..., 0], axis=0))
    (band,) = axes.collections
    low, high = np.percentile(done.q[..., 0], (5, 95), axis=0)
    corners = band.get_paths()[0].vertices[:, 1]
    assert (corners.min(), corners.max()) == (pytest.approx(low.min()), pytest.approx(high.max()))


def test_runs_that_diverge_leave_the_band():
    done = batch(60)
    done.q[:50, 10:] = np.nan
    done.q[:, 20:] = np.inf
    (median,) = lines(done.plot("q", joints="joint_1").axes[0])
    values = median.get_ydata()
    np.testing.assert_allclose(values[15], np.median(done.q[50:, 15, 0]))
    assert np.isnan(values[20:]).all()


def test_runs_that_are_not_there():
    with pytest.raises(InvalidInput, match=r"runs=7.*0 to 3"):
        batch(4).plot(runs=7)
    arm = px.library.chain(2)
    with pytest.raises(InvalidInput, match="nothing to draw"):
        px.rollout(arm, np.zeros(2), np.zeros(2), steps=3, record=()).plot()
