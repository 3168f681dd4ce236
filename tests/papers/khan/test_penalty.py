"""Checks 6, 7, 8 and 14: loops held by springs and dampers."""

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

from evaluate import Numbers, close
from phalanx.equations import loops
from phalanx.equations.loops.numbers.bases import held, pseudo_inverse, selector
from phalanx.simulation.formulations import (
    Accelerations,
    Adaptive,
    Euler,
    Motors,
    RungeKutta,
    run,
)
from phalanx.simulation.formulations.projected import terms_of
from phalanx.studies.khan import as_written as thesis
from phalanx.studies.khan.bench import DURATION, bench, correction, feedback, in_base_axes, replay

from .states import MOTORS, golden

STIFFNESSES = (1e3, 1e4, 1e5, 1e6)


@lru_cache(maxsize=1)
def machine():
    return in_base_axes(bench().mechanism)


@lru_cache(maxsize=8)
def springs(stiffness):
    return Accelerations(machine(), loops.penalty, stiffness=stiffness)


def follow(formulation, control, steps, **options):
    return run(
        formulation, bench().q[0], bench().v[0], control, duration=DURATION, steps=steps, **options
    )


def test_accelerations_are_those_of_the_thesis():
    """Dyads and platform with λ = k c + d A v in the thesis's coordinates, off the closed state."""
    q, v, tau = golden()
    q = q + 0.01 * np.cos(np.arange(9.0))
    v = v + 0.1 * np.sin(np.arange(9.0))
    a = Numbers(machine())(loops.penalty, q, v, tau, stiffness=1e4)
    x, w = thesis.coordinates(q), thesis.rates(q, v)
    I, b = thesis.inertia_and_bias(x, w)
    A = thesis.jacobian(x)
    force = 1e4 * thesis.closure(x) + 200.0 * A @ w
    wanted = np.linalg.solve(I, thesis.motors(tau[list(MOTORS)]) - b - A.T @ force)
    close(thesis.accelerations(q, v, a), wanted, 1e-11)


def test_springs_without_load_let_the_machine_fall_apart():
    """On an exactly closed state the acceleration is that of a machine without loops."""
    q, v, tau = golden()
    n = Numbers(machine())
    a = n(loops.penalty, q, v, tau, stiffness=1e6)
    cut_open = Numbers(replace(machine(), loops=()))
    close(a, cut_open.forward(q, v, tau), 1e-6)
    assert np.abs(a - n(loops.multipliers, q, v, tau)).max() > 10


def test_error_of_loaded_springs_falls_with_their_stiffness():
    """Ten times as stiff, a tenth of the error."""
    q, v, tau = golden()
    n = Numbers(machine())
    exact, force = n(loops.constrained, q, v, tau)
    errors = []
    for k in STIFFNESSES:
        loaded = opened(q, force[[0, 1, 3, 4, 6, 7]] / k)
        basis = held(terms_of(machine()).place(loaded)[2], selector(9, MOTORS))
        a = n(loops.penalty, loaded, basis.S @ v[list(MOTORS)], tau, stiffness=k)
        errors.append(np.abs(a - exact).max())
    ratios = np.array(errors[:-1]) / np.array(errors[1:])
    assert ratios == pytest.approx(np.full(3, 10.0), rel=0.1)


def opened(q, by):
    """The nearest posture whose loops are open by so much."""
    for _ in range(10):
        _, c, A = terms_of(machine()).place(q)
        q = q + terms_of(machine()).motion(q, pseudo_inverse(A) @ (by - c))[2]
    assert np.abs(terms_of(machine()).place(q)[1] - by).max() < 1e-13
    return q


RUNS = {0.01: {1e3}, 0.001: {1e3, 1e4, 1e5}}


@pytest.mark.parametrize("method", [Euler, RungeKutta])
@pytest.mark.parametrize("step", RUNS)
def test_which_springs_a_fixed_step_survives(step, method):
    """The matrix of sec. 4.1; the thesis does not name its integrator, and these two agree."""
    for k in STIFFNESSES:
        history = follow(springs(k), replay(bench()), method(step), partial=True)
        assert (not history.stopped) == (k in RUNS[step]), f"k = {k:g}, h = {step}"


def test_stiffness_decides_which_step_is_stable():
    """Fast modes are as fast as the linearisation says: μ = eig(A M⁻¹ Aᵀ), λ² + dμλ + kμ = 0."""
    x = thesis.coordinates(bench().q[0])
    I, _ = thesis.inertia_and_bias(x, np.zeros(9))
    A = thesis.jacobian(x)
    mu = np.linalg.eigvalsh(A @ np.linalg.solve(I, A.T))
    assert (mu[0], mu[-1]) == pytest.approx((0.242, 2.310), abs=5e-4)
    fastest = [
        max(np.abs(np.roots([1, 2 * np.sqrt(k) * m, k * m])).max() for m in mu) for k in STIFFNESSES
    ]
    assert fastest == pytest.approx([128, 405, 1281, 4050], rel=2e-3)
    # classical Runge-Kutta is stable down to h λ = -2.785
    for step, survives in RUNS.items():
        assert {
            k for k, f in zip(STIFFNESSES, fastest, strict=True) if f * step < 2.785
        } == survives


def test_adaptive_steps_pay_for_stiffness():
    taken = [
        follow(springs(k), replay(bench()), Adaptive(1e-3, 1e-6)).evaluations for k in STIFFNESSES
    ]
    assert taken == sorted(taken)
    assert taken[-1] >= 5 * taken[0]


def test_feedback_corrects_springs_by_less_than_fifteen_per_cent():
    history = follow(springs(1e5), feedback(bench()), RungeKutta(1e-3))
    added = correction(bench(), history.t, history.q, history.v)
    assert added.max(axis=0) == pytest.approx((9.9, 7.5, 14.0), abs=0.06)
    assert added.max() <= 15
    # all of it while the springs take up their load
    assert added[history.t > 0.3].max() < 1


def test_feedback_has_nothing_to_correct_with_exact_loops():
    history = follow(Motors(bench().mechanism), feedback(bench()), RungeKutta(1e-3))
    added = correction(bench(), history.t, history.q, history.v)
    assert added.max() < 1e-4  # the thesis finds about one per cent
    assert np.abs(bench().position_error(history.t, history.q)).max() < 1e-9
