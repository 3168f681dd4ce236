from __future__ import annotations

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.actuators.hydraulics import Relief


def test_relief_is_shut_below_its_setting_and_then_a_line():
    p = SX.sym("p")
    q = Relief(pressure=30e6, override=1e6, flow=5e-3).passed(p)
    passed = ca.Function("passed", [p], [q, ca.jacobian(q, p)])
    assert [float(passed(x)[0]) for x in (-1e5, 0, 29e6, 30e6)] == [0, 0, 0, 0]
    assert float(passed(30e6)[1]) == 0  # no corner
    # the soft seat takes (1 + 0.1²)^(-1/2) at the rated point, and less beyond
    np.testing.assert_allclose(float(passed(31e6)[0]), 5e-3 / np.sqrt(1.01), rtol=1e-14)
    np.testing.assert_allclose(float(passed(40e6)[0]), 5e-2, rtol=1e-4)
