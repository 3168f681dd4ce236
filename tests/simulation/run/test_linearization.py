"""Linearisation about an equilibrium, against closed forms and against runs."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

import phalanx as px

G = 9.81


def on_a_spring(mass=2.0, stiffness=50.0, damping=0.0, friction=0.0):
    """A mass that slides along x on a spring."""
    slide = px.Joint(
        "slide",
        "base",
        "cart",
        px.Prismatic([1.0, 0.0, 0.0]),
        stiffness=stiffness,
        damping=damping,
        friction=friction,
    )
    return px.Mechanism("on_a_spring", [px.Body("base"), px.Body("cart", mass)], [slide])


def pendulum(length=0.8, mass=1.5):
    """A point mass on a rod that hangs down at zero and swings about y."""
    hinge = px.Joint("hinge", "base", "bob", px.Revolute([0.0, 1.0, 0.0]))
    bob = px.Body("bob", mass, [0.0, 0.0, -length])
    return px.Mechanism("pendulum", [px.Body("base"), bob], [hinge], gravity=[0.0, 0.0, -G])


def test_a_mass_on_a_spring():
    near = px.linearize(on_a_spring())
    assert near.natural_frequencies == pytest.approx([5.0], rel=1e-12)
    assert near.eigenvalues == pytest.approx([-5.0j, 5.0j], rel=1e-12)
    assert near.is_stable
    assert near.sampling_period() == pytest.approx(2 * np.pi / (20 * 5.0), rel=1e-12)
    assert near.sampling_period(4) == pytest.approx(2 * np.pi / (4 * 5.0), rel=1e-12)


@pytest.mark.parametrize("damping", [0.4, 20.0, 200.0])
def test_damping_moves_the_eigenvalues_and_no_natural_frequency(damping):
    near = px.linearize(on_a_spring(damping=damping))
    assert near.natural_frequencies == pytest.approx([5.0], rel=1e-12)
    roots = np.roots([2.0, damping, 50.0])
    assert np.sort_complex(near.eigenvalues) == pytest.approx(np.sort_complex(roots), rel=1e-6)


def test_dry_friction_is_left_out():
    near = px.linearize(on_a_spring(friction=3.0))
    assert near.eigenvalues == pytest.approx([-5.0j, 5.0j], rel=1e-12)


@pytest.mark.parametrize("length", [0.8, 500.0])
def test_a_pendulum_below_and_above(length):
    below = px.linearize(pendulum(length))
    assert below.natural_frequencies == pytest.approx([np.sqrt(G / length)], rel=1e-12)
    above = px.linearize(pendulum(length), [np.pi])
    assert not above.is_stable
    assert above.growth_rate == pytest.approx(np.sqrt(G / length), rel=1e-9)
    assert above.natural_frequencies.tolist() == [0.0]
    grown = 1 / np.sqrt(G / length)
    with pytest.raises(
        px.InvalidInput, match=f"unstable: small motions grow by e in {grown:.3g} s"
    ):
        above.sampling_period()


def test_a_pendulum_is_held_aside():
    """Its weight pulls back with the cosine of the angle."""
    near = px.linearize(pendulum(), [1.0], hold=True)
    assert near.hold == pytest.approx([1.5 * G * 0.8 * np.sin(1.0)], rel=1e-12)
    assert near.natural_frequencies == pytest.approx([np.sqrt(G / 0.8 * np.cos(1.0))], rel=1e-12)
    with pytest.raises(px.InvalidInput, match=r"joint 'hinge' accelerates by .*hold=True"):
        px.linearize(pendulum(), [1.0])


def test_a_double_pendulum():
    near = px.linearize(px.library.double_pendulum())
    squares = px.library.double_pendulum().gravity[2] * -np.array([2 - np.sqrt(2), 2 + np.sqrt(2)])
    assert near.natural_frequencies**2 == pytest.approx(squares, rel=1e-9)


def test_a_puma_with_pd_gains():
    """Without gravity: those of M⁻¹K, with K the gains."""
    arm = replace(px.library.puma560(), gravity=np.zeros(3))
    gains = np.array([2000.0, 1500.0, 800.0, 90.0, 60.0, 30.0])
    q = np.array([0.2, -0.4, 0.7, 0.1, 0.5, -0.3])
    pd = px.proportional_derivative(q, stiffness=gains, damping=0.1 * gains)
    near = px.linearize(arm, q, control=pd, forces=())
    M = px.Dynamics(arm).mass_matrix(q)
    squares = np.sort(np.linalg.eigvals(np.linalg.solve(M, np.diag(gains))).real)
    assert near.natural_frequencies**2 == pytest.approx(squares, rel=1e-9)
    assert near.damping == pytest.approx(-np.linalg.solve(M, np.diag(0.1 * gains)), rel=1e-9)


def test_computed_torque_makes_unit_masses_of_all_joints():
    law = px.computed_torque(np.zeros(6), stiffness=900.0, damping=60.0)
    near = px.linearize(px.library.puma560(), control=law, forces=())
    assert near.natural_frequencies == pytest.approx(np.full(6, 30.0), rel=1e-9)
    assert near.sampling_period() == pytest.approx(2 * np.pi / 600, rel=1e-9)


def test_arms_of_5_to_10_hz_need_100_to_200_samples_a_second():
    """Dhanaraj (1990), 1.1: Δt = 1/(20 f); he reads 1 to 2 kHz off it, ten times too many."""
    for frequency, rate in [(5.0, 100.0), (10.0, 200.0)]:
        omega = 2 * np.pi * frequency
        law = px.computed_torque(np.zeros(6), stiffness=omega**2, damping=2 * omega)
        near = px.linearize(px.library.puma560(), control=law, forces=())
        assert 1 / near.sampling_period() == pytest.approx(rate, rel=1e-9)


def test_a_body_on_quaternions_hangs_in_its_ball_joint():
    joint = px.Joint("ball", "base", "bob", px.Spherical())
    bob = px.Body("bob", 2.0, [0.0, 0.0, -0.5], np.diag([0.1, 0.15, 0.08]))
    m = px.Mechanism("hanging", [px.Body("base"), bob], [joint], gravity=[0.0, 0.0, -G])
    near = px.linearize(m)
    squares = [2 * G * 0.5 / (I + 2 * 0.25) for I in (0.1, 0.15)]
    assert near.natural_frequencies**2 == pytest.approx([0.0, squares[1], squares[0]], abs=1e-9)


def test_a_linkage_swings_as_a_run_does():
    """A four-bar: the linear model follows a run of small amplitude."""
    m = px.library.four_bar()
    start = px.simulate(m, duration=0.001)["q"][0]
    springs = px.proportional_derivative(start, stiffness=300.0, damping=1.0)
    near = px.linearize(m, start, control=springs, hold=True)
    assert near.directions.shape == (m.nv, 1)
    assert near.is_stable
    held = near.hold

    def law(model, t, q, v):
        return springs(model, t, q, v, {}) + ca.DM(held)

    x0 = 1e-5
    q0 = px.assemble(m, start + near.directions[:, 0] * x0, held=[m.actuated_joints[0].name]).q
    run = px.simulate(m, q0, duration=0.5, control=px.Law(law))
    x = (run["q"] - start) @ near.directions[:, 0]
    values, vectors = np.linalg.eig(near.matrix)
    weights = np.linalg.solve(vectors, [x[0], 0.0])
    wanted = (vectors[0] * weights * np.exp(np.outer(run.time, values))).sum(axis=1).real
    assert np.abs(x - wanted).max() < 1e-3 * x0


def test_nothing_oscillates():
    free = replace(px.library.double_pendulum(), gravity=np.zeros(3))
    near = px.linearize(free)
    assert near.natural_frequencies.tolist() == [0.0, 0.0]
    with pytest.raises(px.InvalidInput, match="nothing oscillates"):
        near.sampling_period()


SPRING = px.proportional_derivative([0.0, 0.0], stiffness=1.0, damping=1.0)
TIMED = px.Law(lambda model, t, q, v: ca.vertcat(ca.sin(t), 0.0) - q)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"control": lambda t, q, v: -q}, "a linearization differentiates a Law"),
        ({"control": px.proportional_derivative(stiffness=1.0, damping=1.0)}, "input 'target'"),
        ({"control": TIMED}, "depends on time"),
        ({"q": [0.0]}, "expected 2 finite numbers"),
        ({"q": [0.3, 0.0]}, "does not stay at rest"),
    ],
)
def test_what_cannot_be_linearized(given, message):
    with pytest.raises(px.InvalidInput, match=message):
        px.linearize(px.library.double_pendulum(), **given)


def test_what_a_setup_may_not_have():
    arm = px.library.double_pendulum()
    with pytest.raises(px.InvalidInput, match="has parameters"):
        px.linearize(px.Setup(arm, control=SPRING, parameters=("lower.mass",)))
    with pytest.raises(px.InvalidInput, match="control= comes beside a Setup"):
        px.linearize(px.Setup(arm), control=SPRING)
    with pytest.raises(px.InvalidInput, match="written out for up to"):
        px.linearize(px.library.chain(1000))


def test_a_posture_beyond_the_motors_strength():
    m = replace(pendulum(), joints=(replace(pendulum().joints[0], effort_limit=1.0),))
    with pytest.raises(px.InvalidInput, match="within their effort limits"):
        px.linearize(m, [1.0], hold=True)


def test_what_it_says_of_itself():
    assert repr(px.linearize(on_a_spring())) == (
        "<Linearization of 1 directions: 5 to 5 rad/s, stable>"
    )
