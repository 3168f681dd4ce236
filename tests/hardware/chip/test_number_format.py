"""Words of chips: rounding like the hardware they stand for, and errors where nothing fits."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.hardware.chip import Double, FixedPoint, Single, TooNarrow, number_format
from phalanx.hardware.chip.number_format import fitted

SINGLES = st.floats(width=32, allow_nan=False, allow_infinity=False)
OPERATIONS = [
    ("product", np.multiply, lambda a, b: a * b),
    ("total", np.add, lambda a, b: a + b),
    ("difference", np.subtract, lambda a, b: a - b),
]


@pytest.mark.parametrize(("name", "numpy", "_"), OPERATIONS)
@given(SINGLES, SINGLES)
def test_single_is_what_numpy_computes(name, numpy, _, a, b):
    with np.errstate(all="ignore"):
        expected = numpy(np.float32(a), np.float32(b))
    if np.isfinite(expected):
        assert getattr(Single(), name)(a, b) == float(expected)
    else:
        with pytest.raises(TooNarrow, match="single"):
            getattr(Single(), name)(a, b)


@pytest.mark.parametrize(("name", "_", "exact"), OPERATIONS)
@given(st.integers(-(2**15), 2**15 - 1), st.integers(-(2**15), 2**15 - 1), st.integers(-3, 20))
def test_fixed_point_is_the_exact_result_rounded_to_units(name, _, exact, a, b, fraction):
    words = FixedPoint(16, fraction)
    unit = Fraction(2) ** -fraction
    nearest = math.floor(exact(a * unit, b * unit) / unit + Fraction(1, 2))  # halves go up
    if -(2**15) <= nearest < 2**15:
        found = getattr(words, name)(a, b)
        assert found == nearest and isinstance(found, int)
    else:
        with pytest.raises(TooNarrow, match=f"fixed:16.{fraction}"):
            getattr(words, name)(a, b)


@given(st.floats(-2000, 2000))
def test_a_value_becomes_the_nearest_fixed_point(value):
    words = FixedPoint(24, 12)
    assert abs(words.value(words.word(value)) - value) <= words.unit / 2


@given(st.floats(1e-6, 1e6), st.integers(16, 64))
def test_a_fitted_point_leaves_room_and_no_more_than_a_bit_to_spare(largest, width):
    words = fitted(width, largest)
    assert words.width == width
    assert words.value(words.word(1.5 * largest)) == pytest.approx(1.5 * largest, abs=words.unit)
    with pytest.raises(TooNarrow):
        words.word(4.0 * largest)


def test_doubles_are_python_numbers_and_overflow_is_an_error():
    words = Double()
    assert words.product(0.1, 3.0) == 0.1 * 3.0 and words.difference(0.3, 0.1) == 0.3 - 0.1
    with pytest.raises(TooNarrow, match="inf"):
        words.product(1e200, 1e200)
    with pytest.raises(TooNarrow):
        words.word(math.nan)


def test_names_and_their_formats():
    assert number_format("double") == Double()
    assert number_format("single") == Single()
    assert number_format("fixed:32.16") == FixedPoint(32, 16)
    assert number_format("fixed:24", 100.0) == FixedPoint(24, 15)  # 7 bits, a sign, one to spare
    for words in (Double(), Single(), FixedPoint(32, 16)):
        assert number_format(words.name) == words


@pytest.mark.parametrize(
    ("name", "error", "said"),
    [
        ("singel", UnknownName, "Did you mean 'single'"),
        ("fixed", UnknownName, "fixed:24"),
        ("fixed:x", InvalidInput, "fixed:WIDTH"),
        ("fixed:24.y", InvalidInput, "fixed:WIDTH"),
        ("fixed:8.4", InvalidInput, "expected 16 to 128"),
        ("fixed:4000.4", InvalidInput, "expected 16 to 128"),
        ("fixed:16.999", InvalidInput, "after the point"),
        ("fixed:24", InvalidInput, "leaves the fraction open"),
    ],
)
def test_names_of_no_format(name, error, said):
    with pytest.raises(error, match=said):
        number_format(name)


def test_an_overflow_says_value_format_and_place():
    with pytest.raises(TooNarrow) as caught:
        FixedPoint(16, 8).word(200.0)
    assert "200 does not fit into fixed:16.8, whose largest value is 127.996" in str(caught.value)
    assert "(chip 3)" in str(caught.value.at("chip 3"))
