"""The table: what is written, what comes out, what is seen of it, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
from phalanx.planning import Rows, TrajectoryTable, demo_waypoints
from planning.trajectory.arms import cart, pendulum, pendulum_torque

ARM = px.library.puma560()
ROWS = demo_waypoints(ARM).path().sample(0.1)
TOOL = ARM.frame_names[-1]


def test_torques_are_those_of_the_closed_form():
    q, v, a = np.linspace(-1, 1, 11), np.linspace(0, 3, 11), np.linspace(5, -5, 11)
    table = TrajectoryTable(pendulum(), q[:, None], v[:, None], a[:, None], 0.01)
    np.testing.assert_allclose(table.torque[:, 0], pendulum_torque(q, a), atol=1e-12)


def test_rows_written_at_once_and_one_by_one_are_the_same():
    at_once = TrajectoryTable.of(ARM, ROWS)
    one_by_one = TrajectoryTable.of(ARM, Rows(*(0 * part for part in ROWS.parts), ROWS.step))
    for _ in range(13):  # wherever the ring stands
        one_by_one.shift((np.zeros(6),) * 3)
    for k in range(len(ROWS)):
        row = ROWS[k]
        tau = one_by_one.edit(k, q=row.q, v=row.v, a=row.a)
        np.testing.assert_array_equal(tau, at_once.torque[k])
    np.testing.assert_array_equal(one_by_one.torque, at_once.torque)
    one_by_one.write(ROWS)
    np.testing.assert_array_equal(one_by_one.torque, at_once.torque)


def test_the_end_of_rows_is_written_from_one_on():
    table = TrajectoryTable.of(ARM, ROWS)
    for _ in range(20):
        table.shift(ROWS[0])
    before = table.torque.copy()
    table.write(Rows(*(part[25:] for part in ROWS.parts), ROWS.step), first=25)
    np.testing.assert_array_equal(table.torque[:25], before[:25])
    np.testing.assert_array_equal(table.q[25:], ROWS.parts[0][25:])
    whole = TrajectoryTable.of(ARM, ROWS)
    np.testing.assert_array_equal(table.torque[25:], whole.torque[25:])


def test_a_frame_is_a_further_output_of_every_row():
    dynamics = px.Dynamics(ARM)
    table = TrajectoryTable.of(dynamics, ROWS, frame=TOOL)
    table.edit(4, q=ROWS.parts[0][9], v=ROWS.parts[1][9])
    table.shift(ROWS[3])
    q, v = table.q.copy(), table.v.copy()
    poses = dynamics.forward_kinematics(q, frame=TOOL)
    np.testing.assert_array_equal(table.end_positions, poses[:, :3, 3])
    np.testing.assert_array_equal(table.end_velocities, dynamics.frame_velocity(q, v, frame=TOOL))
    # velocities are the rates of the positions: by differences
    h = 1e-6
    ahead = dynamics.forward_kinematics(q + h * v, frame=TOOL)[:, :3, 3]
    np.testing.assert_allclose(
        (ahead - table.end_positions) / h, table.end_velocities[:, :3], atol=1e-4
    )


def test_arrays_of_the_register_are_to_look_at():
    table = TrajectoryTable.of(ARM, ROWS)
    for name in ("q", "v", "a", "torque"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(table, name)[0, 0] = 1.0


def test_violations_of_every_kind_are_runs_with_their_worst_row():
    machine = cart(lower=-1.0, upper=1.0, velocity_limit=2.0, effort_limit=10.0)
    q = np.zeros((20, 1))
    v, a = q.copy(), q.copy()
    q[3:6, 0] = 1.1, 1.5, 1.2
    v[8:10, 0] = -2.5, -2.2
    a[12:15, 0] = 5.5, 6.0, 5.2  # of 2 kg: 11, 12, 10.4 N
    table = TrajectoryTable(machine, q, v, a, 0.1, rate_limits=105.0)
    found = {one.quantity: one for one in table.violations}
    assert len(table.violations) == 4
    position, velocity, torque = found["position"], found["velocity"], found["torque"]
    assert (position.first, position.row, position.last) == (3, 4, 5)
    assert (position.value, position.limit) == (1.5, 1.0)
    assert position.excess == pytest.approx(0.5) and position.time == pytest.approx(0.4)
    assert (velocity.first, velocity.row, velocity.last) == (8, 8, 9)
    assert (velocity.value, velocity.limit) == (-2.5, -2.0)
    assert (torque.first, torque.row, torque.last) == (12, 13, 14)
    assert torque.excess == pytest.approx(2.0)
    # from 0 to 11 N in a tenth of a second is too much; from 10.4 to 0 is not
    rate = found["torque rate"]
    assert (rate.first, rate.row, rate.last) == (12, 12, 12)
    assert rate.value == pytest.approx(110.0)
    assert "rails: torque 12 is 2 above 10 at 1.3 s (row 13, worst of 12 to 14)" == str(torque)


def test_the_torque_rate_is_seen_from_the_row_that_was_executed_last():
    q = np.zeros((3, 1))
    table = TrajectoryTable(cart(), q, q, q, 0.1, rate_limits=30.0)
    assert table.violations == ()
    for row in range(3):
        table.edit(row, a=[5.0])  # 10 N; before the first row nobody knows what motors did
    assert table.violations == ()
    table.shift((np.zeros(1), np.zeros(1), [5.0]))
    assert table.violations == ()
    for row in range(3):
        table.edit(row, a=[7.0])  # from 10 N, executed, to 14 N: 40 N/s
    (seen,) = table.violations
    assert (seen.quantity, seen.first, seen.last) == ("torque rate", 0, 0)
    assert seen.value == pytest.approx(40.0)


def test_what_is_at_a_limit_is_not_beyond_it():
    q = np.zeros((5, 1))
    a = np.full((5, 1), 0.1 + 0.2)  # times 2 kg: a rounding beyond 0.6
    machine = cart(effort_limit=0.6)
    assert TrajectoryTable(machine, q, q, a, 0.1).violations == ()
    assert TrajectoryTable(machine, q, q, a * (1 + 1e-6), 0.1).violations != ()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"row": 40}, "no row 40; rows are 0, executed next, to 30"),
        ({"row": -1}, "no row -1"),
        ({"row": True}, "no row True"),
        ({"row": 0, "q": [1.0]}, r"q=\[1.0\], of shape"),
        ({"row": 0, "q": [np.nan] * 6}, "finite"),
        ({"row": 0, "a": np.full(6, np.inf)}, "finite"),
        ({"row": 0, "v": "fast"}, "v='fast'"),
    ],
)
def test_an_edit_that_is_none_changes_nothing(given, words):
    table = TrajectoryTable.of(ARM, ROWS)
    before = table.torque.copy(), table.q.copy()
    with pytest.raises(px.InvalidInput, match=words):
        table.edit(**given)
    np.testing.assert_array_equal(table.torque, before[0])
    np.testing.assert_array_equal(table.q, before[1])


def test_a_row_that_is_none_does_not_enter():
    table = TrajectoryTable.of(ARM, ROWS)
    for wrong in (
        (np.zeros(6),) * 2,
        (np.zeros(5),) * 3,
        (np.zeros(6), np.full(6, np.nan), [0] * 6),
    ):
        with pytest.raises(px.InvalidInput):
            table.shift(wrong)
    assert table.shifted == 0 and table.executed is None
    np.testing.assert_array_equal(table.q, ROWS.parts[0])


@pytest.mark.parametrize(
    ("machine", "error", "words"),
    [
        (px.library.four_bar(), px.InvalidModel, "closed loops"),
        (px.with_floating_base(px.library.double_pendulum()), px.InvalidModel, "floating"),
        (px.Dynamics(ARM, parameters=["gravity"]), px.InvalidInput, "further arguments"),
        (px.Dynamics(ARM, dtype="float32"), px.InvalidInput, "float64"),
        ("puma560", px.InvalidInput, "got str"),
        (px.library.double_pendulum(), px.InvalidInput, "rows of 6 joints; .* has 2"),
    ],
)
def test_machines_that_have_no_such_register(machine, error, words):
    with pytest.raises(error, match=words):
        TrajectoryTable.of(machine, ROWS)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"torque_limits": [1.0, 2.0]}, "one number or 6"),
        ({"torque_limits": -5.0}, "'joint_1' is -5; expected a positive"),
        ({"torque_limits": np.tile([5.0, -5.0], (6, 1))}, "'joint_1' are 5 and -5"),
        ({"rate_limits": 0.0}, "torque rates of joint 'joint_1'"),
        ({"rate_limits": [np.nan] * 6}, "positive"),
    ],
)
def test_limits_that_are_none(options, words):
    with pytest.raises(px.InvalidInput, match=words):
        TrajectoryTable.of(ARM, ROWS, **options)


def test_a_frame_that_is_not_there():
    with pytest.raises(px.UnknownName, match="no frame 'tooth'"):
        TrajectoryTable.of(ARM, ROWS, frame="tooth")
    with pytest.raises(px.InvalidInput, match="make it with frame="):
        TrajectoryTable.of(ARM, ROWS).end_positions  # noqa: B018


def test_rows_of_another_length_or_step_are_not_written():
    table = TrajectoryTable.of(ARM, ROWS)
    short = Rows(*(part[1:] for part in ROWS.parts), ROWS.step)
    with pytest.raises(px.InvalidInput, match=r"expected \(31, 6\)"):
        table.write(short)
    with pytest.raises(px.InvalidInput, match=r"at 0\.2 s"):
        table.write(Rows(*ROWS.parts, 0.2))
