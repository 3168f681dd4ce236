"""Steps: orders, error control as the source states it, budgets."""

import numpy as np
import pytest

from phalanx.base.errors import InvalidInput
from phalanx.simulation.formulations import Adaptive, BudgetExhausted, Euler, RungeKutta, StepFailed
from phalanx.simulation.formulations.stepping import Counted

from .test_sliding_block import Growth, Oscillator

START = np.array([1.0, 0.0])


def error(steps, end=2.0):
    *_, (t, x) = steps.states(Oscillator(), 0.0, START, end)
    assert t == pytest.approx(end)
    return np.abs(x - [np.cos(end), -np.sin(end)]).max()


@pytest.mark.parametrize(("method", "order"), [(Euler, 1), (RungeKutta, 4)])
def test_orders(method, order):
    assert np.log2(error(method(0.02)) / error(method(0.01))) == pytest.approx(order, abs=0.1)


def test_errors_follow_the_tolerance():
    errors = [error(Adaptive(tolerance, tolerance)) for tolerance in (1e-4, 1e-6, 1e-8, 1e-10)]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 1e-9


def test_every_number_is_held_to_its_own_bound():
    """One large and one small oscillator: the small one is not hidden by the large one."""

    class Two(Oscillator):
        def __call__(self, t, x):
            return np.array([x[1], -x[0], 30 * x[3], -30 * x[2]])

    start = np.array([1e6, 0.0, 1e-3, 0.0])
    *_, (_, x) = Adaptive(1e-6, 1e-9).states(Two(), 0.0, start, 1.0)
    assert x[2] == pytest.approx(1e-3 * np.cos(30), abs=1e-7)


def test_no_step_is_longer_than_allowed():
    times = [t for t, _ in Adaptive(1e-3, 1e-3, longest=0.01).states(Oscillator(), 0.0, START, 1.0)]
    assert np.diff([0.0, *times]).max() <= 0.01 + 1e-12
    assert times[-1] == 1.0


def test_evaluations_are_counted_and_limited():
    field = Counted(Oscillator(), budget=40)
    with pytest.raises(BudgetExhausted, match=r"40 evaluations .* t = 0\.1"):
        list(RungeKutta(0.01).states(field, 0.0, START, 1.0))
    assert field.evaluations == 40


@pytest.mark.parametrize("steps", [RungeKutta(0.1), Adaptive(1e-6, 1e-6)])
def test_a_state_that_grows_without_bound_is_reported(steps):
    with np.errstate(all="ignore"), pytest.raises(StepFailed):
        list(steps.states(Growth(), 0.0, np.array([5.0, 5.0]), 5.0))


@pytest.mark.parametrize("step", [0.0, -1.0, 0.3, float("inf")])
def test_a_step_is_a_part_of_the_run(step):
    with pytest.raises(InvalidInput, match="expected a part of 1 s"):
        list(RungeKutta(step).states(Oscillator(), 0.0, START, 1.0))


def test_tolerances_are_positive():
    with pytest.raises(InvalidInput, match="must be positive"):
        Adaptive(0.0, 1e-6)
