"""LSODA as a way through time: errors follow the tolerance, evaluations are counted and limited."""

import numpy as np
import pytest

from phalanx.base.errors import InvalidInput
from phalanx.simulation.formulations import BudgetExhausted, Lsoda, StepFailed
from phalanx.simulation.formulations.stepping import Counted

from .test_sliding_block import Growth, Oscillator

START = np.array([1.0, 0.0])


def test_errors_follow_the_tolerance():
    errors = []
    for tolerance in (1e-4, 1e-6, 1e-8, 1e-10):
        *_, (t, x) = Lsoda(tolerance, tolerance).states(Oscillator(), 0.0, START, 2.0)
        assert t == 2.0
        errors.append(np.abs(x - [np.cos(2.0), -np.sin(2.0)]).max())
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 1e-8


def test_states_stay_as_they_were_given():
    given = [x for _, x in Lsoda().states(Oscillator(), 0.0, START, 1.0)]
    assert len({x.tobytes() for x in given}) == len(given) > 2


def test_it_looks_at_moments_again():
    """Why what is remembered over time has to forget what is not before a moment."""
    times = []

    class Watched(Oscillator):
        def __call__(self, t, x):
            times.append(t)
            return super().__call__(t, x)

    list(Lsoda().states(Watched(), 0.0, START, 5.0))
    assert len(set(times)) < len(times)


def test_evaluations_are_counted_and_limited():
    field = Counted(Oscillator(), budget=40)
    with pytest.raises(BudgetExhausted, match="40 evaluations"):
        list(Lsoda(1e-10, 1e-10).states(field, 0.0, START, 50.0))


def test_a_state_that_grows_without_bound_is_reported():
    with np.errstate(all="ignore"), pytest.raises(StepFailed):
        list(Lsoda().states(Growth(), 0.0, np.array([5.0, 5.0]), 5.0))


def test_tolerances_are_positive():
    with pytest.raises(InvalidInput, match="must be positive"):
        Lsoda(0.0, 1e-6)
