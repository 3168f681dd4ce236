"""Efficiency curves: what they are between their points, and which are refused."""

import casadi as ca
import numpy as np
import pytest
from scipy.interpolate import CubicSpline, PchipInterpolator

import phalanx as px
from phalanx.actuators import EfficiencyCurve, puma560_efficiency
from phalanx.mechanism.library.puma560 import EFFICIENCY_POINTS


def values(curve: EfficiencyCurve, shares) -> np.ndarray:
    x = ca.SX.sym("x")
    return np.array(ca.Function("curve", [x], [curve(x)])(ca.DM(shares)))[:, 0]


def test_monotone_curve_is_scipys():
    shares, efficiencies = [0.05, 0.2, 0.5, 0.9], [0.2, 0.5, 0.55, 0.8]
    x = np.linspace(0, 1, 401)
    wanted = PchipInterpolator(shares, efficiencies)(np.clip(x, 0.05, 0.9))
    np.testing.assert_allclose(
        values(EfficiencyCurve(shares, efficiencies), x), wanted, rtol=0, atol=1e-14
    )


def test_spline_is_scipys():
    shares, efficiencies = [0.05, 0.2, 0.5, 0.9], [0.3, 0.5, 0.62, 0.8]
    x = np.linspace(0, 1, 401)
    spline = CubicSpline(shares, efficiencies, bc_type="natural")
    wanted = spline(np.clip(x, 0.05, 0.9))
    curve = EfficiencyCurve(shares, efficiencies, "spline")
    np.testing.assert_allclose(values(curve, x), wanted, rtol=0, atol=1e-14)
    monotone = EfficiencyCurve(shares, efficiencies)
    assert np.abs(values(monotone, x) - wanted).max() > 1e-3


def test_a_spline_that_overshoots_is_refused():
    shares, efficiencies = [0.0, 0.1, 0.2, 0.3, 1.0], [0.3, 0.35, 0.97, 0.98, 0.99]
    with pytest.raises(px.InvalidInput, match="take between='monotone'"):
        EfficiencyCurve(shares, efficiencies, "spline")


def test_linear_curve_is_numpys():
    shares, efficiencies = [0.0, 0.2, 0.5, 1.0], [0.2, 0.5, 0.55, 0.8]
    x = np.linspace(0, 1, 401)
    curve = EfficiencyCurve(shares, efficiencies, "linear")
    np.testing.assert_allclose(
        values(curve, x), np.interp(x, shares, efficiencies), rtol=0, atol=1e-14
    )


def test_constant_curve():
    assert (values(EfficiencyCurve.constant(0.7), [0.0, 0.5, 1.0]) == 0.7).all()


def test_the_puma_curve_goes_through_the_points_of_the_source_and_two_assumed_ends():
    points = [(0.0, 0.2), *EFFICIENCY_POINTS, (1.0, 0.8)]
    np.testing.assert_allclose(
        values(puma560_efficiency(), [x for x, _ in points]), [y for _, y in points], rtol=1e-14
    )
    assert (np.diff(values(puma560_efficiency(), np.linspace(0, 1, 2001))) > 0).all()


@pytest.mark.parametrize(
    ("shares", "efficiencies", "message"),
    [
        ([0.0, 0.5], [0.6, 0.5], r"must increase; points 0 and 1"),
        ([0.5, 0.5], [0.5, 0.6], r"must increase; points 0 and 1"),
        ([0.0, 5e-324], [0.5, 0.6], r"must increase; points 0 and 1"),
        ([0.0, 0.5], [0.0, 0.5], r"point 0 .* has 0.0"),
        ([0.0, 0.5], [0.5, 1.1], r"point 1 .* has 1.1"),
        ([0.0, 1.5], [0.5, 0.6], r"point 1 .* at 1.5"),
        ([0.0], [0.5, 0.6], r"as many shares as efficiencies"),
        ([0.0, float("nan")], [0.5, 0.6], r"point 1 .* at nan"),
        # twice the load with three times the efficiency
        ([0.1, 0.2], [0.3, 0.9], r"more output would need less input"),
    ],
)
def test_refused_curves(shares, efficiencies, message):
    with pytest.raises(px.InvalidInput, match=message):
        EfficiencyCurve(shares, efficiencies, "linear")


def test_unknown_interpolation():
    with pytest.raises(px.InvalidInput, match="expected 'monotone', 'spline' or 'linear'"):
        EfficiencyCurve([0.0, 1.0], [0.5, 0.6], "quadratic")
