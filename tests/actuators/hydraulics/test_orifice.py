from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from casadi import SX

from phalanx.actuators.hydraulics import Orifice

ORIFICE = Orifice(flow=2e-3, drop=1e6, laminar=1e5)
DROP = SX.sym("drop")


def curve(expression):
    f = ca.Function("f", [DROP], [expression, ca.jacobian(expression, DROP)])
    return lambda x: tuple(np.array([float(f(y)[k]) for y in np.atleast_1d(x)]) for k in (0, 1))


BOTH, ONE = curve(ORIFICE.both_ways(DROP)), curve(ORIFICE.one_way(DROP))


def test_far_above_the_laminar_drop_flow_is_the_root_and_meets_the_catalogue():
    drops = np.array([1e7, 3e7])
    root = 2e-3 * np.sqrt(drops / 1e6)
    # (1 + (δ/Δ)²)^(-1/4) and ^(-3/4) leave 1/4 and 3/4 of (δ/Δ)²
    np.testing.assert_allclose(BOTH(drops)[0], root * (1 - (1e5 / drops) ** 2 / 4), rtol=1e-8)
    np.testing.assert_allclose(ONE(drops)[0], root * (1 - 0.75 * (1e5 / drops) ** 2), rtol=1e-8)


def test_both_ways_is_odd_with_a_finite_slope_at_zero():
    drops = np.array([1.0, 1e4, 1e6, 2e7])
    np.testing.assert_array_equal(BOTH(-drops)[0], -BOTH(drops)[0])
    flow, slope = BOTH(0.0)
    assert flow == 0
    assert slope[0] == pytest.approx(ORIFICE.gain / np.sqrt(1e5), rel=1e-14)


def test_one_way_lets_nothing_back_and_closes_without_a_corner():
    flow, slope = ONE(np.array([-1e7, -1.0, 0.0]))
    np.testing.assert_array_equal(flow, 0)
    np.testing.assert_array_equal(slope, 0)
    flow, slope = ONE(np.linspace(1, 3e7, 50))
    assert (flow > 0).all() and (slope > 0).all()
    assert ONE(1e-3)[1][0] < 1e-7 * BOTH(0.0)[1][0]
