"""Formulations of any machine with loops: same motion, closed loops, kept energy; bad starts."""

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest
from scipy.interpolate import make_interp_spline

import phalanx as px
from phalanx.base.errors import InvalidInput
from phalanx.equations import energy, loops
from phalanx.equations.loops.assembly.assemble import assemble
from phalanx.equations.loops.assembly.closed_loops import closed_loops
from phalanx.equations.loops.numbers.bases import FrozenBasis, Gaussian, Qr
from phalanx.simulation.formulations import (
    Accelerations,
    DrivenJoint,
    Embedding,
    FreshProjection,
    Motors,
    RungeKutta,
    run,
)
from phalanx.studies.khan.bench import bench, replay

DURATION = 0.2
FORMULATIONS = {
    "multipliers": lambda m: Accelerations(m, loops.multipliers),
    "elimination": lambda m: Embedding(m, Gaussian(), decay=5.0),
    "frozen": lambda m: Embedding(m, FrozenBasis()),
    "qr": lambda m: FreshProjection(m, Qr()),
}


@lru_cache(maxsize=8)
def machine(name):
    return px.library.by_name(name)


@lru_cache(maxsize=8)
def swinging(name):
    """A closed posture, moving."""
    m = machine(name)
    return assemble(m, None, 0.5 * np.random.default_rng(3).standard_normal(m.nv))


def follow(name, formulation):
    x = swinging(name)

    def free(t, q, v):
        return np.zeros(machine(name).nv)

    return run(formulation, x.q, x.v, free, duration=DURATION, steps=RungeKutta(1e-3))


@lru_cache(maxsize=32)
def history(name, method):
    return follow(name, FORMULATIONS[method](machine(name)))


@pytest.mark.parametrize("method", FORMULATIONS)
@pytest.mark.parametrize("name", ["four_bar", "slider_crank", "stewart"])
def test_loops_stay_closed_and_energy_is_kept(name, method):
    found = history(name, method)
    assert (
        max(np.abs(closed_loops(machine(name)).search.openings(q)).max() for q in found.q[::20])
        < 1e-8
    )
    kernel = px.compile(px.expression(energy, machine(name)))
    E = kernel(found.q, found.v).ravel()
    moved = np.abs(kernel(found.q[0], 0 * found.v[0]) - E[0]) + 1.0
    assert np.abs(E - E[0]).max() < 1e-7 * moved


@pytest.mark.parametrize("method", ["elimination", "frozen", "qr"])
@pytest.mark.parametrize("name", ["four_bar", "slider_crank", "stewart"])
def test_all_give_the_same_motion(name, method):
    wanted = history(name, "multipliers")
    assert np.abs(history(name, method).q - wanted.q).max() < 1e-7


def test_motors_of_a_stewart_platform():
    """The recursion in space, over time; slides are driven, or here left free."""
    found = follow("stewart", Motors(machine("stewart")))
    assert np.abs(found.q - history("stewart", "multipliers").q).max() < 1e-7


def test_a_partition_that_is_singular_at_the_start():
    """Where a slider-crank is stretched, its slider stands still: it says nothing of the crank."""
    m = machine("slider_crank")
    slider = m.v_slices[m.joints[-1].name].start
    stretched = assemble(m, np.zeros(m.nq))
    with pytest.raises(InvalidInput, match="partition by independent joints is singular"):
        run(
            Embedding(m, Gaussian((slider,))),
            stretched.q,
            stretched.v,
            lambda t, q, v: 0 * v,
            duration=0.1,
            steps=RungeKutta(0.01),
        )


@pytest.mark.parametrize(("q", "v"), [(np.zeros(2), np.zeros(3)), (np.zeros(3), [0, np.nan, 0])])
def test_states_of_the_wrong_shape(q, v):
    formulation = Embedding(machine("four_bar"))
    with pytest.raises(InvalidInput, match="expected"):
        run(formulation, q, v, lambda t, q, v: v, duration=0.1, steps=RungeKutta(0.01))


def test_a_duration_is_positive():
    x = swinging("four_bar")
    with pytest.raises(InvalidInput, match="duration=0"):
        run(
            Embedding(machine("four_bar")),
            x.q,
            x.v,
            lambda t, q, v: 0 * v,
            duration=0,
            steps=RungeKutta(0.01),
        )


def told(angle, rate):
    """A joint that swings: position, velocity, acceleration."""
    return lambda t: (
        angle * (1 - np.cos(rate * t)),
        angle * rate * np.sin(rate * t),
        angle * rate**2 * np.cos(rate * t),
    )


@pytest.mark.parametrize("kind", ["held", "fresh"])
def test_a_joint_that_is_driven_follows_its_function_of_time(kind):
    """A crank that is told: the four-bar has no freedom left, and follows to rounding and decay."""
    m = machine("four_bar")
    drive = [DrivenJoint(m.joints[0].name, told(0.4, 5.0))]
    formulation = (
        Embedding(m, decay=50.0, driven=drive)
        if kind == "held"
        else FreshProjection(m, Qr(), decay=50.0, driven=drive)
    )
    start = assemble(m).q
    found = run(
        formulation, start, np.zeros(3), lambda t, q, v: 0 * v, duration=0.5, steps=RungeKutta(2e-3)
    )
    wanted = np.array([told(0.4, 5.0)(t) for t in found.t])
    at = m.q_slices[m.joints[0].name].start
    assert np.abs(found.q[:, at] - wanted[:, 0]).max() < 1e-8
    assert np.abs(found.v[:, at] - wanted[:, 1]).max() < 1e-6
    assert np.abs(closed_loops(m).search.openings(found.q[-1])).max() < 1e-8


def test_what_is_not_driven_moves_by_itself():
    """Two motors of the 3-RRR told, the third given its torque: the whole motion comes back."""
    motion = bench()

    def part(k):
        def at(t):
            _, angles, rates = motion.at(t)
            return angles[k], rates[k], accelerations(t)[k]

        return at

    accelerations = make_interp_spline(motion.t, motion.a[:, list(motion.motors)], k=5)
    driven = [DrivenJoint(f"drive_{k + 1}", part(k)) for k in (0, 1)]
    formulation = Embedding(motion.mechanism, FrozenBasis(), decay=10.0, driven=driven)
    tau = replay(motion)

    def third_only(t, q, v):
        return tau(t, q, v) * (np.arange(9) == 4)

    found = run(
        formulation, motion.q[0], motion.v[0], third_only, duration=1.0, steps=RungeKutta(5e-3)
    )
    error = np.abs(motion.position_error(found.t, found.q))
    assert error[:, :2].max() < 1e-9 and error[:, 2].max() < 1e-6
    assert len(formulation.begin(motion.q[0], motion.v[0])) == 9 + 1


def test_only_joints_of_one_freedom_are_driven():
    with pytest.raises(InvalidInput, match="'platform' has not one freedom"):
        Embedding(machine("planar_3rrr"), driven=[DrivenJoint("platform", told(1.0, 1.0))])


def test_joints_that_are_driven_against_each_other():
    """A four-bar has one freedom: crank and rocker cannot both be told."""
    m = machine("four_bar")
    names = [joint.name for joint in m.moving_joints]
    both = [DrivenJoint(name, told(0.1, 1.0)) for name in (names[0], names[-1])]
    with pytest.raises(InvalidInput, match="more than the machine has freedoms"):
        Embedding(m, driven=both)


@pytest.mark.parametrize("method", FORMULATIONS)
def test_damping_and_springs_of_joints_act(method):
    """As in a run of the library, which has them from the same model."""
    plain = machine("four_bar")
    rubbed = replace(
        plain, joints=tuple(replace(j, damping=0.8, stiffness=3.0) for j in plain.joints)
    )
    x = assemble(rubbed, None, swinging("four_bar").v)
    history = run(
        FORMULATIONS[method](rubbed),
        x.q,
        x.v,
        lambda t, q, v: np.zeros(rubbed.nv),
        duration=DURATION,
        steps=RungeKutta(1e-3),
    )
    wanted = px.simulate(rubbed, x.q, x.v, duration=DURATION, step=1e-3)
    assert np.abs(history.q[-1] - wanted["q"][-1]).max() < 1e-8
    free = px.simulate(plain, x.q, x.v, duration=DURATION, step=1e-3)
    assert np.abs(history.q[-1] - free["q"][-1]).max() > 1e-3
