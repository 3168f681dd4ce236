"""What is edited: moves, the way back, and what the buttons do."""

from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
from phalanx.planning import Infeasible, Limits, Waypoints, demo_waypoints
from phalanx.view.trajectory.editor import KEPT, MOST_ROWS, NEAREST, Editor

ARM = px.library.puma560()
DYNAMICS = px.Dynamics(ARM, threads=1)
TORQUE = np.array([97.6, 186.4, 89.4, 24.0, 20.0, 21.0])


@pytest.fixture
def editor():
    return Editor(DYNAMICS, demo_waypoints(ARM), 0.01, Limits.of(ARM, torque=TORQUE))


def test_torques_follow_a_move_and_come_back(editor):
    before = editor.table.torque.copy()
    assert editor.move(2, 1, 2.0, None, gesture=1) == ""
    assert editor.draft.waypoints.points[1][2, 1] == 2.0
    q, v, a = editor.table.rows.parts
    np.testing.assert_allclose(editor.table.torque, DYNAMICS.inverse_dynamics(q, v, a))
    assert np.abs(editor.table.torque - before).max() > 1.0
    editor.undo()
    np.testing.assert_array_equal(editor.table.torque, before)
    editor.redo()
    assert editor.draft.waypoints.points[1][2, 1] == 2.0


def test_one_gesture_is_one_step_back(editor):
    start = editor.draft.waypoints.points[1].copy()
    for k in range(20):
        editor.move(2, 1, 0.1 * k, None, gesture=1)
    editor.move(3, 0, 0.5, None, gesture=2)
    editor.undo()
    assert editor.draft.waypoints.points[1][2, 1] == pytest.approx(1.9)
    editor.undo()
    np.testing.assert_array_equal(editor.draft.waypoints.points[1], start)
    assert not editor.can_undo and editor.can_redo
    editor.undo()  # nothing is before: nothing happens
    editor.move(1, 0, 0.3, None, gesture=1)  # the same number, but another gesture by now
    assert editor.can_undo and not editor.can_redo


def test_the_way_back_is_long_but_ends(editor):
    for k in range(KEPT + 50):
        editor.move(2, 1, 0.001 * k, None, gesture=k)
    steps = 0
    while editor.can_undo:
        editor.undo()
        steps += 1
    assert steps == KEPT


def test_a_point_moves_in_time_between_its_neighbours(editor):
    times = editor.draft.waypoints.points[0]
    editor.move(2, 0, 0.0, 1.3, gesture=1)
    assert editor.draft.waypoints.points[0][2] == 1.3
    editor.move(2, 0, 0.0, 99.0, gesture=1)
    assert editor.draft.waypoints.points[0][2] == pytest.approx(times[3] - NEAREST)
    editor.move(2, 0, 0.0, -5.0, gesture=1)
    assert editor.draft.waypoints.points[0][2] == pytest.approx(times[1] + NEAREST)
    editor.move(5, 0, 0.0, 4.0, gesture=2)  # the last one: the path gets longer
    assert editor.table.rows.duration == pytest.approx(4.0)
    editor.move(0, 0, 0.0, 1.0, gesture=3)  # the first one stays
    assert editor.draft.waypoints.points[0][0] == 0.0


def test_a_point_more_leaves_the_curve_almost_as_it_is_and_one_less_takes_it_away(editor):
    q = editor.table.q.copy()
    editor.insert(1.5)
    assert len(editor.draft.waypoints) == 7
    assert np.abs(editor.table.q - q).max() < 0.05
    editor.remove(3)
    np.testing.assert_allclose(editor.table.q, q, atol=1e-12)
    for wrong in (0, 5, 6, -1):
        with pytest.raises(px.InvalidInput, match="stay"):
            editor.remove(wrong)
    for time in (-1.0, 0.0, 0.601, 5.0):
        with pytest.raises(px.InvalidInput, match="no room"):
            editor.insert(time)


def test_uniform_scaling_puts_one_joint_at_its_limit(editor):
    said = editor.scale()
    assert said.startswith("Scaled by 1.2") and "faster" in said
    share = np.abs(editor.table.torque / TORQUE).max()
    assert 0.98 < share <= 1 + 1e-9
    assert editor.table.violations == ()
    editor.undo()
    assert editor.table.rows.duration == pytest.approx(3.0)


def test_time_optimal_then_a_drag(editor):
    pytest.importorskip("toppra")
    assert "Time-optimal: 1.79" in editor.optimise()
    _limits_hold_between_rows(editor)
    duration = editor.table.rows.duration
    assert duration < 1.85 and editor.draft.timing is not None
    times = editor.draft.passed.points[0]
    assert times[0] == 0 and times[-1] == pytest.approx(editor.draft.path.duration)
    said = editor.scale()  # of the timing: a trifle
    assert said.startswith(("Scaled by 0.99", "Scaled by 1"))
    assert editor.table.violations == ()
    # points keep their times when one of them is dragged
    before = editor.draft.passed.points[0]
    assert "spline again" in editor.move(2, 1, 0.3, None, gesture=9)
    assert editor.draft.timing is None
    np.testing.assert_allclose(editor.draft.waypoints.points[0], before)
    editor.undo()
    assert editor.draft.timing is not None


def _limits_hold_between_rows(editor):
    path = editor.draft.path
    times = np.linspace(0.0, path.duration, 50 * len(editor.table))
    torque = DYNAMICS.inverse_dynamics(*path(times))
    assert (np.abs(torque) <= TORQUE * (1 + 1e-9)).all()
    assert editor.table.violations == ()


def test_time_optimal_after_a_drag_keeps_all_limits(editor):
    pytest.importorskip("toppra")
    editor.move(2, 1, 0.3, None, gesture=1)
    assert "all limits kept" in editor.optimise()
    _limits_hold_between_rows(editor)
    editor.scale()
    _limits_hold_between_rows(editor)
    editor.move(3, 0, 0.4, None, gesture=2)
    editor.optimise()
    _limits_hold_between_rows(editor)


def test_a_change_that_cannot_be_done_leaves_all_as_it_is(editor):
    before, torque = editor.draft, editor.table.torque.copy()
    with pytest.raises(px.InvalidInput):
        editor.move(9, 0, 0.0, None, gesture=1)
    with pytest.raises(px.InvalidInput, match="too many to follow the mouse"):
        editor.move(5, 0, 0.0, 3000.0, gesture=1)
    weak = Editor(DYNAMICS, demo_waypoints(ARM), 0.01, Limits.of(ARM, torque=5.0))
    with pytest.raises(Infeasible, match="gravity alone"):
        weak.scale()
    assert editor.draft is before and not editor.can_undo and not weak.can_undo
    np.testing.assert_array_equal(editor.table.torque, torque)


def test_reset_can_be_undone(editor):
    editor.move(2, 1, 2.0, None, gesture=1)
    editor.reset()
    np.testing.assert_array_equal(editor.draft.waypoints.points[1], demo_waypoints(ARM).points[1])
    editor.undo()
    assert editor.draft.waypoints.points[1][2, 1] == 2.0


def test_what_cannot_be_edited():
    with pytest.raises(px.InvalidInput, match="waypoints of 1 joints; 'puma560' has 6"):
        Editor(DYNAMICS, Waypoints([0, 1], [[0.0], [1.0]]), 0.01)
    with pytest.raises(px.InvalidInput, match=f"{MOST_ROWS:,} rows"):
        Editor(DYNAMICS, demo_waypoints(ARM), 1e-6)
