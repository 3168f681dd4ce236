from __future__ import annotations

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.actuators.hydraulics import Relief

from .machines import pump

PUMP = pump(pressure=28e6, margin=1e6, flow=5e-3, power=50e3, relief=Relief(30e6, 1e6, 5e-3))
P = SX.sym("p")
DELIVERED = ca.Function("delivered", [P], [PUMP.delivered(P)])


def delivered(pressures):
    return np.array([float(DELIVERED(p)) for p in pressures])


def test_never_more_than_its_flow_its_power_and_its_pressure_allow():
    p = np.linspace(-1e5, 40e6, 1601)
    q = delivered(p)
    assert (q >= 0).all() and (q <= 5e-3).all()
    assert (p * q <= 50e3).all()
    assert (q[p >= 28e6] == 0).all()


def test_full_flow_at_low_pressure_and_nearly_full_power_between():
    assert delivered([0.0])[0] == 5e-3
    assert (delivered([2e6]) > 0.999 * 5e-3).all()
    p = np.array([20e6, 26e6])
    # flow · p is 2 and 2.6 times the power there: x / (1 + x⁴)^¼ of it is left
    x = p * 5e-3 / 50e3
    np.testing.assert_allclose(p * delivered(p), 50e3 * x / (1 + x**4) ** 0.25, rtol=1e-12)
    assert (p * delivered(p) > 0.98 * 50e3).all()


def test_flow_falls_in_a_line_to_zero_at_the_set_pressure():
    q = delivered([28e6 - 1e4, 28e6 - 2e4, 28e6 - 5e4])
    # power is no limit so near the end: x⁴ / 4 of the flow
    np.testing.assert_allclose(q, 5e-3 * np.array([0.01, 0.02, 0.05]), rtol=1e-4)
