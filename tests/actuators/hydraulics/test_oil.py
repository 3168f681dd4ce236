from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from casadi import SX

from phalanx.actuators.hydraulics import Oil
from phalanx.actuators.hydraulics.oil import ATMOSPHERE

P = SX.sym("p")


def modulus(oil: Oil, *pressures: float) -> np.ndarray:
    f = ca.Function("modulus", [P], [oil.modulus(P)])
    return np.array([float(f(p)) for p in pressures])


def test_without_air_oil_is_the_same_at_every_pressure():
    np.testing.assert_array_equal(modulus(Oil(1.2e9, air=0.0), -1e5, 0.0, 30e6), 1.2e9)


def test_modulus_is_that_of_oil_and_compressed_air_in_parallel():
    """V(P) = V_oil exp(-p / bulk) + V_air p_0 / P, differentiated where oil has its volume."""
    oil, step = Oil(1.2e9, air=0.01), 1.0
    for pressure in (0.0, 0.2e6, 3e6):

        def volume(p, at=pressure):
            return np.exp(-(p - at) / 1.2e9) + 0.01 * ATMOSPHERE / (p + ATMOSPHERE)

        slope = (volume(pressure + step) - volume(pressure - step)) / (2 * step)
        assert modulus(oil, pressure)[0] == pytest.approx(-1 / slope, rel=1e-6)


def test_air_vanishes_under_pressure_and_nothing_is_softer_than_at_boiling():
    oil = Oil(1.2e9, air=0.005)
    assert modulus(oil, 25e6)[0] == pytest.approx(1.2e9, rel=2e-3)
    low, lower = modulus(oil, -1e5, -5e5)
    assert 0 < low == lower < 1e4
