"""Blocks of moments: order, rounds, and what a block costs in accuracy."""

import numpy as np
import pytest

from phalanx.base.errors import InvalidInput
from phalanx.simulation.formulations import SlidingBlock, StepFailed
from phalanx.simulation.formulations.sliding_block import coefficients
from phalanx.simulation.formulations.stepping import Counted

POINTS = (1, 2, 3, 4)


class Oscillator:
    """x'' = -x, whose motion is known."""

    def __call__(self, t, x):
        return np.array([x[1], -x[0]])

    def many(self, t, x):
        return np.array([self(0.0, row) for row in x])


class Growth(Oscillator):
    """A field that leaves every bound."""

    def __call__(self, t, x):
        return x**3


def error(step, points, end=6.0):
    *_, (t, x) = SlidingBlock(step, points).states(Oscillator(), 0.0, np.array([1.0, 0.0]), end)
    assert t == pytest.approx(end)
    return np.abs(x - [np.cos(end), -np.sin(end)]).max()


def test_one_point_is_adams_bashforth_moulton():
    predictor, corrector = coefficients(1)
    assert 720 * predictor[0] == pytest.approx([251, -1274, 2616, -2774, 1901])
    assert 720 * corrector[0] == pytest.approx([-19, 106, -264, 646, 251])


@pytest.mark.parametrize("points", POINTS)
def test_polynomials_of_degree_four_are_integrated_exactly(points):
    predictor, corrector = coefficients(points)
    past, new = np.arange(-4.0, 1.0), np.arange(1.0, points + 1)
    for power in range(5):
        exact = new ** (power + 1) / (power + 1)
        assert predictor @ past**power == pytest.approx(exact)
        nodes = np.concatenate([past[points:], new])
        assert corrector @ nodes**power == pytest.approx(exact)


@pytest.mark.parametrize("points", POINTS)
def test_order_is_five(points):
    coarse, fine = error(0.04, points), error(0.02, points)
    assert np.log2(coarse / fine) > 4.7


def test_larger_blocks_are_less_accurate():
    """More is extrapolated: the price of fewer rounds."""
    errors = [error(0.04, points) for points in POINTS]
    assert errors == sorted(errors)
    assert errors[-1] < 1e-4


@pytest.mark.parametrize("points", POINTS)
def test_two_rounds_a_block(points):
    field = Counted(Oscillator())
    states = list(SlidingBlock(0.01, points).states(field, 0.0, np.array([1.0, 0.0]), 1.24))
    start = 1 + 4 * 6
    assert len(states) == 124
    assert field.evaluations == start + 2 * 120
    assert field.rounds == start + 2 * 120 / points


def test_a_last_block_may_be_short():
    states = list(SlidingBlock(0.1, 4).states(Oscillator(), 0.0, np.array([1.0, 0.0]), 1.1))
    assert [t for t, _ in states] == pytest.approx(0.1 * np.arange(1, 12))
    assert states[-1][1][0] == pytest.approx(np.cos(1.1), abs=1e-4)


def test_fewer_moments_than_a_block_remembers():
    states = list(SlidingBlock(0.1, 4).states(Oscillator(), 0.0, np.array([1.0, 0.0]), 0.3))
    assert states[-1][1][0] == pytest.approx(np.cos(0.3), abs=1e-8)


@pytest.mark.parametrize("points", [0, 5])
def test_a_block_has_one_to_four_moments(points):
    with pytest.raises(InvalidInput, match="1 to 4"):
        SlidingBlock(0.01, points)


def test_a_state_that_grows_without_bound_is_reported():
    with pytest.raises(StepFailed, match="no longer finite"):
        list(SlidingBlock(0.1, 2).states(Growth(), 0.0, np.array([5.0, 5.0]), 5.0))
