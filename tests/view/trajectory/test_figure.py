"""The picture of a trajectory has units, limits, and red where it is beyond."""

from __future__ import annotations

import numpy as np

import phalanx as px
from phalanx.planning import TrajectoryTable, demo_waypoints
from phalanx.view.trajectory.figure import BEYOND, draw_trajectory

ARM = px.library.stanford()


def test_what_is_drawn():
    rows = demo_waypoints(ARM).path().sample(0.01)
    free = TrajectoryTable.of(ARM, rows)
    limit = np.full(6, np.inf)
    limit[1] = 0.6 * np.abs(free.torque[:, 1]).max()
    figure = draw_trajectory(TrajectoryTable.of(ARM, rows, torque_limits=limit))
    positions, *torques = figure.axes
    assert positions.get_ylabel() == "position [deg or m]"
    assert len(positions.lines) == 6 and len(torques) == 6
    labels = [axes.get_ylabel() for axes in torques]
    assert labels[1] == "joint_2\n[N·m]" and labels[2] == "joint_3\n[N]"
    assert torques[-1].get_xlabel() == "time [s]"
    # the curve, two limits, and the red part
    assert [len(axes.lines) for axes in torques] == [1, 4, 1, 1, 1, 1]
    red = torques[1].lines[-1]
    assert red.get_color() == BEYOND
    shown = np.isfinite(red.get_ydata())
    assert shown.any() and (np.abs(red.get_ydata()[shown]) > limit[1]).all()
