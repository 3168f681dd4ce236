"""Check 13: the recursion within legs, over the whole motion; why open-loop errors are large."""

from functools import lru_cache

import numpy as np
import pytest

import phalanx as px
from phalanx.equations.loops.assembly.closed_loops import closed_loops
from phalanx.equations.loops.assembly.open_loop import OpenLoop
from phalanx.simulation.formulations import Adaptive, Minimal, Motors, RungeKutta, run
from phalanx.studies.khan import as_written as thesis
from phalanx.studies.khan.bench import DURATION, bench, replay

from .states import golden


def follow(formulation, steps):
    start = bench().q[0], bench().v[0]
    return run(formulation, *start, replay(bench()), duration=DURATION, steps=steps)


def largest_error(history):
    return np.abs(bench().position_error(history.t, history.q)).max()


@lru_cache(maxsize=1)
def motors():
    return Motors(bench().mechanism)


@pytest.mark.parametrize(("step", "error", "opening"), [(0.01, 1e-3, 1e-8), (0.001, 1e-6, 1e-12)])
def test_fixed_steps(step, error, opening):
    history = follow(motors(), RungeKutta(step))
    assert largest_error(history) < error
    assert np.abs(closed_loops(bench().mechanism).search.openings(history.q[-1])).max() < opening


def test_adaptive_steps_are_as_many_as_published_if_none_is_longer_than_10_ms():
    """The thesis counts 301 at a tolerance of 1e-3 and 319 at 1e-6, and names no longest step.

    With one of 10 ms it is 301 at both tolerances; the 319 are not reproduced.
    """
    for relative in (1e-3, 1e-6):
        history = follow(motors(), Adaptive(relative, 1e-6, longest=0.01))
        assert abs(history.steps + 1 - 301) <= 5
    free = follow(motors(), Adaptive(1e-3, 1e-6))
    assert free.steps < 100


def test_minimal_state_with_displacement_analysis_is_the_same_motion():
    """Six numbers: positions and velocities of the motors."""
    minimal = Minimal(bench().mechanism)
    assert minimal.begin(bench().q[0], bench().v[0]).shape == (6,)
    history = follow(minimal, RungeKutta(0.05))
    extended = follow(motors(), RungeKutta(0.05))
    openings_of = [
        np.abs(closed_loops(bench().mechanism).search.openings(q)).max() for q in history.q
    ]
    assert max(openings_of) < 1e-12
    # both of fourth order: they differ by as much as each errs
    assert np.abs(history.q - extended.q).max() < 10 * largest_error(extended)
    assert largest_error(history) < 10 * largest_error(extended)


def test_minimal_state_has_the_velocities_and_accelerations_of_the_thesis():
    """At the golden state: all velocities by partition of A, accelerations as published."""
    q, v, tau = golden()
    minimal = Minimal(bench().mechanism)
    x = minimal.begin(q, v)
    found, velocities = minimal.state(0.0, x)
    assert np.abs(found - q).max() < 1e-12
    T = thesis.partition(thesis.jacobian(thesis.coordinates(q)))
    assert np.abs(thesis.rates(q, velocities) - T @ x[3:]).max() < 1e-12
    rates = minimal.rate(0.0, x, lambda t, q, v: tau)
    assert rates[:3] == pytest.approx((0.3, -0.2, 0.5), abs=1e-12)
    assert rates[3:] == pytest.approx((11.546424655, 12.229332559, -0.615034273), abs=1e-8)


def test_motors_that_lead_a_minimal_state_out_of_reach_are_reported():
    minimal = Minimal(bench().mechanism)
    x = minimal.begin(bench().q[0], bench().v[0])
    x[:3] = np.radians([150, 90, 120])
    with pytest.raises(OpenLoop, match="do not close"):
        minimal.state(0.0, x)


def test_open_loop_errors_grow_because_the_machine_is_unstable_not_its_integrator():
    """Held still by constant torques, the machine falls: a pair ±5 /s, not an eigenvalue zero."""
    for t, reference in ((0.0, 5.19), (1.0, 4.70), (2.0, 3.85), (3.0, 4.84)):
        q0 = bench().q[np.searchsorted(bench().t, t - 1e-9)]
        assert fastest_growth(q0) == pytest.approx(reference, abs=0.01)
        near = px.linearize(bench().mechanism, q0, forces=(), hold=True)
        assert near.growth_rate == pytest.approx(fastest_growth(q0), rel=1e-8)
        assert not near.is_stable


def fastest_growth(q0):
    x0 = thesis.coordinates(q0)

    def gravity_at(shift):
        x = x0.copy()
        x[thesis.ACTUATED] += shift
        rest = [k for k in range(9) if k not in thesis.ACTUATED]
        for _ in range(20):
            A = thesis.jacobian(x)
            x[rest] -= np.linalg.solve(A[:, rest], thesis.closure(x))
        T = thesis.partition(thesis.jacobian(x))
        return T.T @ thesis.inertia_and_bias(x, np.zeros(9))[1]

    h = 1e-5
    K = np.array([(gravity_at(h * e) - gravity_at(-h * e)) / (2 * h) for e in np.eye(3)]).T
    T = thesis.partition(thesis.jacobian(x0))
    M = T.T @ thesis.inertia_and_bias(x0, np.zeros(9))[0] @ T
    squares = np.linalg.eigvals(-np.linalg.solve(M, K))
    return np.sqrt(squares.real.max())
