"""Transmissions both ways: what goes in for an output, what comes out for an input."""

import casadi as ca
import numpy as np
import pytest

import phalanx as px
from phalanx.actuators import EfficiencyCurve, Transmission, puma560_efficiency

CURVES = {
    "puma560": puma560_efficiency(),
    "lines": EfficiencyCurve([0.1, 0.5], [0.3, 0.6], "linear"),
    "steep": EfficiencyCurve([0.0, 0.01, 0.03], [0.05, 0.3, 0.5]),
    "constant": EfficiencyCurve.constant(0.7),
}
OUTPUTS = np.concatenate([np.linspace(-300, 300, 1201), np.linspace(-5, 5, 1000), [1e-9, 0.0]])


def gear(curve: str) -> Transmission:
    return Transmission(CURVES[curve], rated=100.0, break_away=5.0)


def both_ways(transmission: Transmission) -> ca.Function:
    x, s, kept = ca.SX.sym("x"), ca.SX.sym("s"), ca.SX.sym("kept")
    into = transmission.input(x, s)
    back = transmission.output(into + kept * x, s, kept)
    return ca.Function("both", [x, s, kept], [into, back])


@pytest.mark.parametrize("kept", [0.0, 0.2, 5.0])
@pytest.mark.parametrize("direction", [1.0, -1.0, 0.0, 0.4])
@pytest.mark.parametrize("curve", CURVES)
def test_out_and_in_again(curve, direction, kept):
    _, back = both_ways(gear(curve))(ca.DM(OUTPUTS).T, direction, kept)
    np.testing.assert_allclose(np.array(back)[0], OUTPUTS, rtol=0, atol=1e-9)


@pytest.mark.parametrize("curve", CURVES)
def test_more_output_needs_more_input(curve):
    for direction in (1.0, -1.0):
        into, _ = both_ways(gear(curve))(ca.DM(np.sort(OUTPUTS[:-2])).T, direction, 0.0)
        steps = np.diff(np.array(into)[0])
        # the break-away torque follows the velocity, so nothing jumps where the load changes sign
        assert (steps >= 0).all() and steps.max() < 12.0


def test_a_backdriven_joint_needs_the_gear_to_let_go():
    # output that just idles the gear from behind: out · η = break-away
    transmission = Transmission(EfficiencyCurve.constant(0.5), 100.0, break_away=5.0)
    x = ca.SX.sym("x")
    back = ca.Function("back", [x], [transmission.input(x, ca.SX(-1))])
    assert float(back(10.0)) == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ((0.0, 1.0), "rated output .* is 0.0"),
        ((float("inf"), 1.0), "rated output .* is inf"),
        ((10.0, -1.0), "break-away torque .* is -1.0"),
    ],
)
def test_refused_numbers(numbers, message):
    with pytest.raises(px.InvalidInput, match=message):
        Transmission(EfficiencyCurve.constant(0.5), *numbers)
