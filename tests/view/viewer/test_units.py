from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from phalanx.view.viewer.units import ANGLES, LENGTHS, STEPS, SliderScale, rounded_down

UNITS = (*ANGLES.values(), *LENGTHS.values())


@given(st.floats(-100, 100), st.floats(1e-3, 100), st.sampled_from(UNITS), st.floats(0, 1))
def test_a_scale_has_round_steps_and_says_values_to_half_its_last_digit(lower, span, unit, share):
    scale = SliderScale.over("joint", lower, lower + span, unit)
    assert (scale.greatest - scale.least) / scale.step >= STEPS - 1
    assert scale.step == pytest.approx(round(scale.step, scale.digits), rel=1e-12)
    digit = 0.5 * 10.0**-scale.digits
    value = lower + share * span
    assert scale.of(value) == pytest.approx(value / unit.size, abs=1.001 * digit + 1e-9)
    assert scale.of(lower - span) == scale.least and scale.of(lower + 2 * span) == scale.greatest
    assert scale.label.endswith(f"[{unit.symbol}]")


def test_a_turn_in_degrees_and_radians():
    degrees = SliderScale.over("hinge", -np.pi, np.pi, ANGLES["degrees"])
    assert (degrees.least, degrees.greatest, degrees.step) == (-180.0, 180.0, 0.5)
    assert degrees.of(np.pi / 3) == 60.0
    radians = SliderScale.over("hinge", -np.pi, np.pi, ANGLES["radians"])
    assert (radians.least, radians.greatest, radians.step) == (-3.14, 3.14, 0.01)


@pytest.mark.parametrize(("length", "step"), [(1.0, 1.0), (4.99, 2.0), (5.0, 5.0), (0.0123, 0.01)])
def test_round_numbers(length, step):
    assert rounded_down(length) == pytest.approx(step, rel=1e-12)
