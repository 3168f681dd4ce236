"""Guesses by extrapolation: exact for polynomials of their order, and never out of the future."""

from __future__ import annotations

import numpy as np
import pytest

from phalanx.base.errors import InvalidInput
from phalanx.dynamics.evaluators.warm_starts import CUBIC, PREVIOUS, Polynomial, SolutionHistory

# unequal steps, as an integrator with error control takes them
TIMES = (0.0, 0.1, 0.15, 0.4, 0.42, 0.7, 1.1)


def curve(order: int, t: float) -> np.ndarray:
    """Two numbers on polynomials of that order."""
    powers = t ** np.arange(order + 1)
    return np.array([powers @ np.arange(1.0, order + 2), powers @ np.linspace(-2, 3, order + 1)])


@pytest.mark.parametrize("order", range(6))
def test_a_polynomial_of_its_order_is_continued_exactly(order):
    history = SolutionHistory(Polynomial(order))
    for t in TIMES:
        history.keep(t, curve(order, t))
    assert np.allclose(history.guess(1.3), curve(order, 1.3), rtol=1e-10)
    assert len(history) == order + 1


def test_a_polynomial_of_a_higher_order_is_not():
    history = SolutionHistory(CUBIC)
    for t in TIMES:
        history.keep(t, curve(4, t))
    assert not np.allclose(history.guess(1.3), curve(4, 1.3), rtol=1e-3)


@pytest.mark.parametrize("known", range(1, 5))
def test_the_order_is_lower_until_there_are_enough_samples(known):
    history = SolutionHistory(CUBIC)
    for t in TIMES[:known]:
        history.keep(t, curve(known - 1, t))
    assert np.allclose(history.guess(2.0), curve(known - 1, 2.0))


def test_the_previous_solution():
    history = SolutionHistory(PREVIOUS)
    assert history.guess(0.0) is None
    for t in TIMES:
        history.keep(t, [t, -t])
    assert np.array_equal(history.guess(9.0), [1.1, -1.1])


def test_a_cold_start_knows_nothing():
    history = SolutionHistory(None)
    history.keep(0.0, [1.0])
    assert history.guess(1.0) is None and len(history) == 0


def test_samples_of_a_step_that_was_given_up_are_dropped():
    """They are later than the moment that is asked for, or at it."""
    history = SolutionHistory(CUBIC)
    for t in TIMES[:4]:
        history.keep(t, curve(1, t))
    history.keep(0.6, [1e9, -1e9])
    assert np.allclose(history.guess(0.5), curve(1, 0.5))
    assert history.times == (0.1, 0.15, 0.4)
    assert np.allclose(history.guess(0.4), curve(1, 0.4)) and history.times == (0.1, 0.15)


def test_a_second_evaluation_at_a_moment_takes_the_place_of_the_first():
    history = SolutionHistory(Polynomial(1))
    history.keep(0.0, [0.0])
    history.keep(0.5, [77.0])
    history.keep(0.5, [1.0])
    assert history.times == (0.0, 0.5)
    assert np.allclose(history.guess(1.0), [2.0])


def test_a_jump_clears_it():
    history = SolutionHistory()
    history.keep(0.0, [1.0])
    history.clear()
    assert history.guess(1.0) is None
    history.keep(0.0, [1.0, 2.0])  # another system may follow
    assert np.array_equal(history.guess(1.0), [1.0, 2.0])


def test_what_is_kept_is_not_what_the_caller_goes_on_to_change():
    history, f = SolutionHistory(PREVIOUS), np.array([1.0])
    history.keep(0.0, f)
    f[:] = 5.0
    assert history.guess(1.0) == 1.0


def test_what_cannot_be_continued_is_refused():
    history = SolutionHistory()
    with pytest.raises(InvalidInput, match="not finite"):
        history.keep(0.0, [np.nan])
    with pytest.raises(InvalidInput, match="t=inf"):
        history.guess(np.inf)
    history.keep(0.0, [1.0])
    with pytest.raises(InvalidInput, match=r"shape \(2,\), those before have \(1,\)"):
        history.keep(1.0, [1.0, 2.0])
    with pytest.raises(InvalidInput, match="order of 0 or more, got -1"):
        Polynomial(-1)
