"""Chains by the forces in their joints over time: both layouts go where recursion goes."""

from dataclasses import replace
from typing import final

import numpy as np
import pytest

import phalanx as px
from phalanx.base.errors import InvalidInput
from phalanx.dynamics.evaluators.constraint_forces.conjugate_gradient import ConjugateGradientJacobi
from phalanx.dynamics.evaluators.constraint_forces.direct import BlockElimination
from phalanx.dynamics.evaluators.constraint_forces.relaxation import GaussSeidel
from phalanx.dynamics.evaluators.constraint_forces.solution import DidNotConverge, LinearSolver
from phalanx.dynamics.evaluators.constraint_forces.stopping import Stopping
from phalanx.dynamics.evaluators.warm_starts import PREVIOUS
from phalanx.simulation.formulations import (
    Accelerations,
    Adaptive,
    BodyLayout,
    Euler,
    ForcesOverTime,
    JointLayout,
    Lsoda,
    RungeKutta,
    run,
    tied_stopping,
)

CHAIN = px.library.chain(3, "universal", damping=0.0)
Q, V = np.linspace(-0.4, 0.6, 6), np.linspace(0.5, -0.3, 6)
EXACT = ForcesOverTime(BlockElimination())


def no_force(t, q, v):
    return np.zeros(len(v))


def followed(layout, steps, duration=0.2):
    return run(layout, Q, V, no_force, duration=duration, steps=steps)


@pytest.mark.parametrize("steps", [Euler(0.002), RungeKutta(0.01)])
@pytest.mark.parametrize("layout", [JointLayout, BodyLayout])
def test_explicit_steps_of_one_length(layout, steps):
    """The same formula for joints: equal to rounding; for bodies: equal to its order."""
    found = followed(layout(CHAIN, EXACT), steps)
    wanted = followed(Accelerations(CHAIN, px.forward_dynamics.articulated_body), steps)
    near = 1e-11 if layout is JointLayout else (2e-3 if isinstance(steps, Euler) else 1e-6)
    assert np.allclose(found.q, wanted.q, atol=near)
    assert found.evaluations == wanted.evaluations


@pytest.mark.parametrize("layout", [JointLayout, BodyLayout])
def test_a_force_over_time_is_that_of_each_stage(layout):
    """A mass on a rail: F = cos 3t moves it by (1 - cos 3t) / 9 m, the order of the step beside."""
    block = px.Body("block", 2.0, np.zeros(3), np.eye(3))
    rail = px.Joint("rail", "ground", "block", px.Prismatic((0.0, 0.0, 1.0)))
    m = px.Mechanism("rail", [px.Body("ground"), block], [rail], gravity=np.zeros(3))
    found = run(
        layout(m, EXACT),
        np.zeros(1),
        np.zeros(1),
        lambda t, q, v: np.array([np.cos(3 * t)]),
        duration=0.6,
        steps=RungeKutta(0.02),
    )
    np.testing.assert_allclose(found.q[:, 0], (1 - np.cos(3 * found.t)) / 18, atol=1e-8)
    np.testing.assert_allclose(found.v[:, 0], np.sin(3 * found.t) / 6, atol=1e-8)


@pytest.mark.parametrize("layout", [JointLayout, BodyLayout])
def test_an_iteration_that_is_tied_to_lsoda_goes_where_a_direct_solution_goes(layout):
    steps = Lsoda(1e-8, 1e-8)
    iterated = layout(CHAIN, ForcesOverTime(stopping=tied_stopping(steps)))
    found, exact = followed(iterated, steps), followed(layout(CHAIN, EXACT), steps)
    assert np.allclose(found.q[-1], exact.q[-1], atol=1e-6)
    assert len(iterated.iterations) == found.evaluations == found.rounds
    assert 1 <= np.mean(iterated.iterations) < iterated.equations.jointed.structure.dimension


def test_every_joint_type_and_a_floating_base_in_both_layouts():
    heavy = px.Body("base", 2.0, np.zeros(3), np.eye(3))
    rope = px.library.chain(2, "spherical")
    rope = px.with_floating_base(replace(rope, bodies=[heavy, *rope.bodies[1:]]))
    q, v = rope.neutral(), np.linspace(-1, 1, rope.nv)
    ends = [
        run(made, q, v, no_force, duration=0.2, steps=RungeKutta(0.01)).q[-1]
        for made in (
            Accelerations(rope, px.forward_dynamics.articulated_body),
            JointLayout(rope, EXACT),
            BodyLayout(rope, EXACT),
        )
    ]
    assert np.allclose(ends[1], ends[0], atol=1e-10)
    assert np.allclose(ends[2], ends[0], atol=1e-6)


@final
class Watched(LinearSolver):
    """Conjugate gradients that remember whether they began from a guess."""

    name = "watched"

    def __init__(self):
        self.guessed = []

    def solve(self, system, start=None, **how):
        self.guessed.append(start is not None)
        return ConjugateGradientJacobi().solve(system, start, **how)


def test_after_a_projection_no_guess_is_made_of_the_forces_before():
    """Bodies that are brought together jump, and the polynomial through their past is void."""
    free = BodyLayout(CHAIN, ForcesOverTime())
    followed(free, RungeKutta(0.02))
    solver = Watched()
    largest = float(np.median([drift for _, drift in free.drifts]))
    bodies = BodyLayout(CHAIN, ForcesOverTime(solver), largest_drift=largest)
    followed(bodies, RungeKutta(0.02))
    assert 1 <= len(bodies.projections) < len(bodies.drifts)
    for k, (t, _) in enumerate(bodies.drifts[:-1]):
        first = 4 * (k + 1)  # evaluation of the step that begins at t
        assert solver.guessed[first] == (t not in bodies.projections)
    assert not solver.guessed[0] and all(solver.guessed[1:4])
    # what is brought together moves as the joints say
    t = bodies.projections[0]
    after = next(drift for at, drift in bodies.drifts if at > t)
    assert after < next(drift for at, drift in bodies.drifts if at == t)


def test_drift_is_watched_fades_and_is_removed():
    coarse = RungeKutta(0.05)
    free, fading = BodyLayout(CHAIN, EXACT), BodyLayout(CHAIN, EXACT, decay=10.0)
    held = BodyLayout(CHAIN, EXACT, largest_drift=1e-5)
    for layout in (free, fading, held):
        followed(layout, coarse, duration=1.0)
    drift = {layout: [d for _, d in layout.drifts] for layout in (free, fading, held)}
    assert drift[free][-1] > 1e-5 and not free.projections
    assert drift[fading][-1] < drift[free][-1] / 3
    assert held.projections and [t for t, d in held.drifts if d > 1e-5] == held.projections
    followed(free, coarse, duration=0.1)  # another run has a record of its own
    assert len(free.drifts) == 2


def test_guesses_save_iterations_and_are_forgotten_on_demand():
    """Of an iteration that takes many steps; conjugate gradients end after a few in any case."""
    cold = JointLayout(CHAIN, ForcesOverTime(GaussSeidel(), start=None))
    warm = JointLayout(CHAIN, ForcesOverTime(GaussSeidel()))
    for layout in (cold, warm):
        followed(layout, RungeKutta(0.005), duration=0.05)
    assert np.mean(warm.iterations) < np.mean(cold.iterations)
    x, at = warm.begin(Q, V), 0.5
    warm.rate(at, x, no_force)
    warm.forget()
    warm.rate(at + 1e-3, x, no_force)
    assert warm.iterations[0] == warm.iterations[1]  # both without a guess, of one system


def test_a_tolerance_that_goes_with_the_integrators():
    tied = tied_stopping(Lsoda(1e-6, 1e-3))
    assert (tied.change, tied.residual) == (pytest.approx(1e-7), pytest.approx(1e-7))
    paper = tied_stopping(Adaptive(1e-4), 0.5, by_residual=False)
    assert paper.change == pytest.approx(5e-5) and paper.residual is None
    with pytest.raises(InvalidInput, match="share=0"):
        tied_stopping(Lsoda(), 0.0)
    with pytest.raises(InvalidInput, match="integrator"):
        tied_stopping(RungeKutta(0.1))


def test_an_iteration_that_does_not_converge_says_so_or_falls_back_when_told():
    few = Stopping(1e-12, 1e-12, most=2)
    with pytest.raises(DidNotConverge, match="2 iterations"):
        followed(JointLayout(CHAIN, ForcesOverTime(stopping=few)), RungeKutta(0.1))
    told = ForcesOverTime(stopping=few, start=PREVIOUS, fallback=BlockElimination())
    found = followed(JointLayout(CHAIN, told), RungeKutta(0.1))
    exact = followed(JointLayout(CHAIN, EXACT), RungeKutta(0.1))
    assert np.allclose(found.q, exact.q, atol=1e-12)


def test_what_cannot_be_is_refused():
    with pytest.raises(InvalidInput, match=r"decay=-1\.0"):
        BodyLayout(CHAIN, decay=-1.0)
    with pytest.raises(InvalidInput, match=r"largest_drift=0\.0"):
        BodyLayout(CHAIN, largest_drift=0.0)
