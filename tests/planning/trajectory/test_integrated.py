"""Accelerations are written, the rest follows."""

from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
from phalanx.planning import IntegratedTable
from planning.trajectory.arms import cart

STEP = 0.05


def test_constant_acceleration_is_a_parabola():
    a = np.full((21, 1), 3.0)
    table = IntegratedTable(cart(), a, STEP, q=[0.5], v=[-1.0])
    t = STEP * np.arange(21)
    rows = table.rows
    np.testing.assert_allclose(rows.parts[0][:, 0], 0.5 - t + 1.5 * t**2, atol=1e-13)
    np.testing.assert_allclose(rows.parts[1][:, 0], -1 + 3 * t, atol=1e-13)
    np.testing.assert_allclose(table.torque[:, 0], 6.0)


def test_an_edit_moves_this_row_and_all_later_ones_and_says_so():
    rng = np.random.default_rng(0)
    arm = px.library.puma560()
    a = rng.normal(0, 1, (40, 6))
    table = IntegratedTable(arm, a, STEP, q=np.zeros(6), v=np.zeros(6))
    before, torque = table.rows, table.torque.copy()
    a[15] += 2.0
    assert table.edit(15, a[15]) == 25
    after = table.rows
    for old, new in zip(before.parts[:2], after.parts[:2], strict=True):
        np.testing.assert_array_equal(new[:16], old[:16])  # the row begins where it began
        assert (new[16:] != old[16:]).all()
    np.testing.assert_array_equal(table.torque[:15], torque[:15])
    fresh = IntegratedTable(arm, a, STEP, q=np.zeros(6), v=np.zeros(6))
    np.testing.assert_allclose(after.parts[0], fresh.rows.parts[0], atol=1e-12)
    np.testing.assert_allclose(table.torque, fresh.torque, atol=1e-9)


def test_limits_and_the_register_inside_are_seen():
    table = IntegratedTable(cart(), np.zeros((10, 1)), STEP, q=[0.0], v=[0.0], torque_limits=5.0)
    assert table.violations == () and len(table) == 10
    table.edit(4, [3.0])
    (one,) = table.violations
    assert (one.row, one.excess) == (4, pytest.approx(1.0))
    table.shift([0.0])
    assert table.violations[0].row == 3
    assert table.table.shifted == 1


@pytest.mark.parametrize("a", [np.zeros((5, 2)), np.zeros(5), np.zeros((0, 1)), [[np.nan]]])
def test_accelerations_that_are_none(a):
    with pytest.raises(px.InvalidInput):
        IntegratedTable(cart(), a, STEP, q=[0.0], v=[0.0])
