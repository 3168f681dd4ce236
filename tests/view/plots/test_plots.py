from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest

from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.simulation.record.lines import MOST_IN_PANEL
from phalanx.simulation.record.recording import Recording
from phalanx.simulation.record.signal import Signal
from phalanx.view.plots import plots
from simulation.runs import noisy, pendulum


def drawn(figure):
    """Render it, so that what Matplotlib only finds out while drawing is found."""
    figure.savefig(BytesIO(), format="png")
    return figure


def legend(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


def arm(joints, samples=50):
    t = np.linspace(0, 1, samples)
    labels = tuple(f"joint_{k}" for k in range(joints))
    q = np.sin(t[:, None] * np.arange(1, joints + 1))
    return Recording(t, [Signal("q", "rad", labels, q)], {"model": "arm"})


def test_trajectories_have_units_and_names():
    figure = drawn(plots.trajectories(pendulum(), "v"))
    (axes,) = figure.axes
    assert axes.get_xlabel() == "time [s]"
    assert axes.get_ylabel() == "v [rad/s]"
    assert axes.get_title(loc="left") == "pendulum: v"
    assert legend(axes) == ["hinge"]


@pytest.mark.parametrize("joints", [1, 4, 7, 30])
def test_a_line_a_label(joints):
    panels = drawn(plots.trajectories(arm(joints))).axes
    assert sum(len(axes.lines) for axes in panels) == joints
    for axes in panels:
        assert len(axes.lines) == len(legend(axes)) <= MOST_IN_PANEL
        looks = {(line.get_color(), line.get_linestyle()) for line in axes.lines}
        assert len(looks) == len(axes.lines)


def test_legends_cover_no_axes():
    for figure in (plots.trajectories(arm(7)), plots.energy_drift(pendulum())):
        for axes in drawn(figure).axes:
            if axes.get_legend():
                assert axes.get_legend().get_window_extent().x0 >= axes.get_window_extent().x1


def test_chosen_labels_and_scalars():
    (axes,) = drawn(plots.trajectories(arm(3), "q", ["joint_1"])).axes
    assert legend(axes) == ["joint_1"]
    (axes,) = drawn(plots.trajectories(pendulum(), "energy")).axes
    assert axes.get_legend() is None
    with pytest.raises(UnknownName, match="joint_0"):
        plots.trajectories(arm(3), "q", ["joint_9"])
    with pytest.raises(UnknownName, match="no signal 'x'"):
        plots.trajectories(arm(3), "x")


def test_names_are_not_formulas():
    t = np.arange(3.0)
    odd = Signal("q", "$^{", ("_hidden", "$x^{", "a_b"), np.zeros((3, 3)))
    (axes,) = drawn(plots.trajectories(Recording(t, [odd], {"model": "$\\frac"}))).axes
    assert len(legend(axes)) == 3


def test_torques_and_phase():
    assert drawn(plots.torques(pendulum())).axes[0].get_ylabel() == "tau [N·m]"
    (axes,) = drawn(plots.phase(pendulum(), "hinge")).axes
    assert axes.get_xlabel() == "q of hinge [rad]"
    assert axes.get_ylabel() == "v of hinge [rad/s]"
    with pytest.raises(UnknownName, match="Did you mean 'hinge'"):
        plots.phase(pendulum(), "hing")


def test_energy_drift_says_how_much():
    upper, lower = drawn(plots.energy_drift(pendulum())).axes
    assert "drift at most 0.2 J, 0.01 of the largest energy" in upper.get_title(loc="left")
    assert lower.get_ylabel() == "drift [J]"


def test_work_and_loss_account_for_energy():
    t = np.linspace(0, 1, 11)
    run = Recording(
        t,
        [
            Signal("energy", "J", ("kinetic", "potential"), np.stack([2 * t, -t], axis=1)),
            Signal("work", "J", (), 3 * t),
            Signal("loss", "J", (), 2 * t),
        ],
    )
    np.testing.assert_allclose(plots.unaccounted_energy(run), 0.0, atol=1e-15)
    assert legend(drawn(plots.energy_drift(run)).axes[0]) == ["energy", "work", "loss"]


def test_compare():
    a, b = pendulum(), pendulum(step=5e-4)
    figure = drawn(plots.compare(a, b))
    assert len(figure.axes) == 4
    assert "apart" in figure.axes[0].get_title(loc="left")
    assert len(drawn(plots.compare(a, b, ["q"])).axes[0].lines) == 2
    with pytest.raises(InvalidInput, match="no signal in common"):
        plots.compare(a, Recording(a.time, [Signal("x", "", (), a.time)]))


def test_many_samples_keep_their_outline():
    t = np.linspace(0, 1, 100_003)
    x = np.sin(5 * t)
    x[77_777], x[99_999], x[5] = 9.0, np.nan, -9.0
    run = Recording(t, [Signal("x", "", (), x)])
    (line,) = drawn(plots.trajectories(run, "x")).axes[0].lines
    assert line.get_xdata().size < 5_000
    assert np.nanmax(line.get_ydata()) == 9.0 and np.nanmin(line.get_ydata()) == -9.0
    assert line.get_xdata()[-1] == 1.0 and (np.diff(line.get_xdata()) > 0).all()


def test_no_samples():
    for figure in (plots.trajectories(noisy(0)), plots.phase(noisy(0), "shoulder")):
        drawn(figure)
    with pytest.raises(InvalidInput, match="no samples"):
        plots.energy_drift(noisy(0))
