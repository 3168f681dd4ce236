"""The trajectory register of Lathrop (1983), ch. VIII: acceptance check 23, in its four parts."""

from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
from phalanx.planning.trajectory import IntegratedRegister, TrajectoryRegister

ARM = px.library.puma560()
STEP = 0.1


@pytest.fixture
def rows():
    """A horizon of 40 rows of a smooth motion."""
    return px.trajectory.demo_waypoints(ARM, duration=39 * STEP).path().sample(STEP)


def serial_torque(q, v, a):
    """The torque of one row by another method, interpreted: no code is shared with the register."""
    tau = px.expression(px.inverse_dynamics.conventional, ARM)(q, v, a)
    return np.array(tau).ravel()


def test_editing_one_cell_changes_the_torques_of_that_row_alone(rows):
    register = TrajectoryRegister.of(ARM, rows)
    for name in ("q", "v", "a"):
        before = register.torque.copy()
        value = getattr(register, name)[17].copy()
        value[2] += 0.3
        register.edit(17, **{name: value})
        changed = np.flatnonzero((register.torque != before).any(axis=1))
        assert changed.tolist() == [17], name
        row = register.q[17], register.v[17], register.a[17]
        np.testing.assert_allclose(register.torque[17], serial_torque(*row), rtol=1e-11, atol=1e-10)


def test_rows_flow_out_in_order_m_steps_after_they_came(rows):
    register = TrajectoryRegister.of(ARM, rows)
    m = len(register)
    assert register.delay == pytest.approx(m * STEP)
    q, v, a = rows.parts
    entered, left = {}, []
    for k in range(2 * m + 3):
        new = (q[k % m] + 0.001 * k, v[k % m], a[k % m])
        entered[k] = new
        left.append(register.shift(new))
    for k, row in enumerate(left[:m]):  # those it was filled with
        np.testing.assert_array_equal(row.q, q[k])
    for k, row in enumerate(left[m:]):  # those that came by shifts, each m shifts later
        np.testing.assert_array_equal(row.q, entered[k][0])
        np.testing.assert_allclose(row.torque, serial_torque(*entered[k]), rtol=1e-11, atol=1e-10)
    times = [row.time for row in left]
    np.testing.assert_allclose(times, STEP * np.arange(len(left)), atol=1e-12)


def test_what_exceeds_a_torque_limit_is_seen_before_it_is_executed(rows):
    limit = np.full(6, np.inf)
    limit[1] = 1.2 * np.abs(TrajectoryRegister.of(ARM, rows).torque[:, 1]).max()
    register = TrajectoryRegister.of(ARM, rows, torque_limits=limit)
    assert register.violations == ()
    violent = register.a[-1].copy()
    violent[1] += 500.0
    register.shift((register.q[-1].copy(), register.v[-1].copy(), violent))
    (seen,) = register.violations
    assert (seen.joint, seen.quantity) == ("joint_2", "torque")
    rows_before_execution = seen.row
    assert rows_before_execution == len(register) - 1 >= 1
    # it comes nearer, one row a step, and is seen at every one of them
    for k in range(rows_before_execution):
        assert register.violations[0].row == rows_before_execution - k
        assert abs(register.executed.torque[1]) <= limit[1]
        register.shift(rows[0])
    # and can be mended while it is still there
    assert register.violations[0].row == 0
    register.edit(0, a=register.a[1].copy())
    assert register.violations == ()


def test_accelerations_that_are_integrated_never_make_a_step_in_position(rows):
    rng = np.random.default_rng(7)
    m, n = 30, ARM.nv
    register = IntegratedRegister(
        ARM, rng.normal(0, 5, (m, n)), STEP, q=rows.parts[0][0], v=np.zeros(n)
    )
    seen = []  # all rows that were executed, then those still in the register
    for k in range(50):
        if k % 3 == 0:  # whoever edits, however wildly
            register.edit(int(rng.integers(m)), rng.normal(0, 100, n))
        seen.append(register.shift(rng.normal(0, 50, n)))
    inside = register.rows
    q = np.vstack([*(row.q for row in seen), inside.q])
    v = np.vstack([*(row.v for row in seen), inside.v])
    a = np.vstack([*(row.a for row in seen), inside.a])
    np.testing.assert_allclose(np.diff(v, axis=0), STEP * a[:-1], atol=1e-9)
    np.testing.assert_allclose(np.diff(q, axis=0), STEP * v[:-1] + STEP**2 / 2 * a[:-1], atol=1e-9)
