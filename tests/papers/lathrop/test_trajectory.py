"""The trajectory table of Lathrop (1983), ch. VIII: acceptance check 23, in its four parts."""

from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
from phalanx.planning import IntegratedTable, TrajectoryTable

ARM = px.library.puma560()
STEP = 0.1


@pytest.fixture
def rows():
    """A horizon of 40 rows of a smooth motion."""
    return px.planning.demo_waypoints(ARM, duration=39 * STEP).path().sample(STEP)


def serial_torque(q, v, a):
    """The torque of one row by another method, interpreted: no code is shared with the table."""
    tau = px.expression(px.inverse_dynamics.conventional, ARM)(q, v, a)
    return np.array(tau).ravel()


def test_editing_one_cell_changes_the_torques_of_that_row_alone(rows):
    table = TrajectoryTable.of(ARM, rows)
    for name in ("q", "v", "a"):
        before = table.torque.copy()
        value = getattr(table, name)[17].copy()
        value[2] += 0.3
        table.edit(17, **{name: value})
        changed = np.flatnonzero((table.torque != before).any(axis=1))
        assert changed.tolist() == [17], name
        row = table.q[17], table.v[17], table.a[17]
        np.testing.assert_allclose(table.torque[17], serial_torque(*row), rtol=1e-11, atol=1e-10)


def test_rows_flow_out_in_order_m_steps_after_they_came(rows):
    table = TrajectoryTable.of(ARM, rows)
    m = len(table)
    assert table.delay == pytest.approx(m * STEP)
    q, v, a = rows.parts
    entered, left = {}, []
    for k in range(2 * m + 3):
        new = (q[k % m] + 0.001 * k, v[k % m], a[k % m])
        entered[k] = new
        left.append(table.shift(new))
    for k, row in enumerate(left[:m]):  # those it was filled with
        np.testing.assert_array_equal(row.q, q[k])
    for k, row in enumerate(left[m:]):  # those that came by shifts, each m shifts later
        np.testing.assert_array_equal(row.q, entered[k][0])
        np.testing.assert_allclose(row.torque, serial_torque(*entered[k]), rtol=1e-11, atol=1e-10)
    times = [row.time for row in left]
    np.testing.assert_allclose(times, STEP * np.arange(len(left)), atol=1e-12)


def test_what_exceeds_a_torque_limit_is_seen_before_it_is_executed(rows):
    limit = np.full(6, np.inf)
    limit[1] = 1.2 * np.abs(TrajectoryTable.of(ARM, rows).torque[:, 1]).max()
    table = TrajectoryTable.of(ARM, rows, torque_limits=limit)
    assert table.violations == ()
    violent = table.a[-1].copy()
    violent[1] += 500.0
    table.shift((table.q[-1].copy(), table.v[-1].copy(), violent))
    (seen,) = table.violations
    assert (seen.joint, seen.quantity) == ("joint_2", "torque")
    rows_before_execution = seen.row
    assert rows_before_execution == len(table) - 1 >= 1
    # it comes nearer, one row a step, and is seen at every one of them
    for k in range(rows_before_execution):
        assert table.violations[0].row == rows_before_execution - k
        assert abs(table.executed.torque[1]) <= limit[1]
        table.shift(rows[0])
    # and can be mended while it is still there
    assert table.violations[0].row == 0
    table.edit(0, a=table.a[1].copy())
    assert table.violations == ()


def test_accelerations_that_are_integrated_never_make_a_step_in_position(rows):
    rng = np.random.default_rng(7)
    m, n = 30, ARM.nv
    table = IntegratedTable(ARM, rng.normal(0, 5, (m, n)), STEP, q=rows.parts[0][0], v=np.zeros(n))
    seen = []  # all rows that were executed, then those still in the table
    for k in range(50):
        if k % 3 == 0:  # whoever edits, however wildly
            table.edit(int(rng.integers(m)), rng.normal(0, 100, n))
        seen.append(table.shift(rng.normal(0, 50, n)))
    inside = table.rows
    q = np.vstack([*(row.q for row in seen), inside.q])
    v = np.vstack([*(row.v for row in seen), inside.v])
    a = np.vstack([*(row.a for row in seen), inside.a])
    np.testing.assert_allclose(np.diff(v, axis=0), STEP * a[:-1], atol=1e-9)
    np.testing.assert_allclose(np.diff(q, axis=0), STEP * v[:-1] + STEP**2 / 2 * a[:-1], atol=1e-9)
