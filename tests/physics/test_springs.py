"""Springs and dampers: forces are slopes of energies, and what dampers take is lost."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import phalanx as px
from evaluate import Numbers, close
from phalanx import equations as eq
from phalanx.distribute import ChainJob
from phalanx.dynamics.evaluators.choice import SIZES, Sizes
from phalanx.mechanism import (
    Body,
    Frame,
    Joint,
    Mechanism,
    Mimic,
    Pose,
    Prismatic,
    Spherical,
    Spring,
)
from strategies import moving, state_of, with_springs


def rate(along, h: float = 1e-4) -> float:
    """The slope of a function of time at zero, to fourth order."""
    return (8 * (along(h) - along(-h)) - (along(2 * h) - along(-2 * h))) / (12 * h)


def far_from_half_turns(mechanism: Mechanism, q: np.ndarray) -> bool:
    """Where no ball is turned by half a turn from rest, at which its spring changes sides."""
    for joint in mechanism.sprung_joints:
        if joint.motion.nq != joint.motion.nv and joint.mimic is None:
            x, rest = q[mechanism.q_slices[joint.name]][-4:], joint.rest_position[-4:]
            if abs(x @ rest) < 1e-2:
                return False
    return True


@given(moving(), st.integers(0, 2**32 - 1))
def test_energy_grows_by_the_power_of_motors_less_that_of_dampers(machine, seed):
    plain, x = machine
    mechanism = with_springs(plain, seed)
    assume(far_from_half_turns(mechanism, x.q))
    n = Numbers(mechanism)
    passive = n(eq.passive_forces, x.q, x.v)
    damping = passive - n(eq.passive_forces, x.q, np.zeros_like(x.v))
    # accelerations a under motor forces tau: M a + c = tau + passive
    tau = n.inverse(x.q, x.v, x.a) - passive
    grows = rate(lambda t: n(eq.energy, n.move(x.q, t * x.v), x.v + t * x.a))
    close(grows, x.v @ tau + x.v @ damping, 1e-7 * (1 + np.abs(x.v * tau).max()))
    assert x.v @ damping <= 1e-12


@given(moving(), st.integers(0, 2**32 - 1))
def test_springs_leave_rigid_body_dynamics_alone(machine, seed):
    mechanism, x = machine
    a, b = Numbers(mechanism), Numbers(with_springs(mechanism, seed))
    close(b.inverse(x.q, x.v, x.a), a.inverse(x.q, x.v, x.a), 1e-14)
    close(b(eq.kinetic_energy, x.q, x.v), a(eq.kinetic_energy, x.q, x.v), 1e-14)


# -- closed forms --------------------------------------------------------------------------------


def mass_on_a_spring(stiffness: float = 50.0, **numbers: float) -> Mechanism:
    """Two kilograms on a slide, held by a spring to a wall half a metre away."""
    return Mechanism(
        "oscillator",
        [Body("wall"), Body("mass", 2.0)],
        [Joint("slide", "wall", "mass", Prismatic((1, 0, 0)), Pose(translation=(0.5, 0, 0)))],
        springs=[Spring("coil", "wall", "mass", stiffness, **numbers)],
        gravity=np.zeros(3),
    )


def test_a_mass_on_a_damped_spring():
    m = mass_on_a_spring(damping=1.5, rest_length=0.5)
    run = px.simulate(m, [0.1], duration=2.0, step=1e-3)
    decay, natural = 1.5 / (2 * 2.0), 50.0 / 2.0
    w = np.sqrt(natural - decay**2)
    t = run.time
    expected = 0.1 * np.exp(-decay * t) * (np.cos(w * t) + decay / w * np.sin(w * t))
    np.testing.assert_allclose(run["q"][:, 0], expected, atol=1e-10)
    gone = run["energy"][0] - run["energy"]
    np.testing.assert_allclose(run["loss"], gone, atol=1e-9)
    assert run["energy"][0] == pytest.approx(50 * 0.1**2 / 2)


def test_a_pull_at_rest_length_and_a_gas_spring():
    d = px.Dynamics(mass_on_a_spring(rest_length=0.3, preload=4.0), threads=1)
    assert d.passive_forces([0.0], [0.0])[0] == pytest.approx(-(50 * 0.2 + 4))
    gas = px.Dynamics(mass_on_a_spring(0.0, rest_length=0.3, preload=-7.0), threads=1)
    np.testing.assert_allclose(gas.passive_forces([[0.0], [0.3]], [[0.0], [1.0]]), 7.0)


@pytest.mark.parametrize("rest_length", [0.0, 0.4])
def test_ends_that_coincide_are_no_nan(rest_length):
    m = mass_on_a_spring(damping=2.0, rest_length=rest_length, preload=1.0)
    d = px.Dynamics(m, threads=1)
    assert d.passive_forces([-0.5], [3.0])[0] == 0.0
    assert d.energy([-0.5], [0.0]) == pytest.approx((25 * rest_length - 1) * rest_length)
    # beside the point it is what it is anywhere
    pull = 50 * (1e-9 - rest_length) + 1.0
    assert d.passive_forces([-0.5 + 1e-9], [0.0])[0] == pytest.approx(-pull, rel=1e-6)


def test_a_torsion_pendulum_on_a_ball_joint():
    body = Body("bob", 1.0, inertia=0.2 * np.eye(3))
    x, y, z, w = 0.1, -0.2, 0.3, 0.9
    joint = Joint("ball", "ground", "bob", Spherical(), stiffness=0.8, rest=(x, y, z, w))
    m = Mechanism("torsion", [Body("ground"), body], [joint], gravity=np.zeros(3))
    axis = np.array([2.0, -1.0, 2.0]) / 3
    quaternion = np.array([x, y, z, w]) / np.linalg.norm([x, y, z, w])
    d = px.Dynamics(m, threads=1)
    start = d.integrate(quaternion, 0.7 * axis)
    np.testing.assert_allclose(d.passive_forces(start, np.zeros(3)), -0.8 * 0.7 * axis)
    run = px.simulate(m, start, duration=np.pi / np.sqrt(0.8 / 0.2), step=np.pi / 2e3)
    # half a period later on the other side, about the same axis
    other = d.integrate(quaternion, -0.7 * axis)
    assert abs(run["q"][-1] @ other) == pytest.approx(1.0, abs=1e-12)


def test_a_spring_in_a_joint_that_follows_acts_on_its_leader():
    bodies = [Body("base"), Body("a", 1.0), Body("b", 1.0)]
    joints = [
        Joint("lead", "base", "a", Prismatic((1, 0, 0))),
        Joint(
            "follow",
            "base",
            "b",
            Prismatic((0, 1, 0)),
            mimic=Mimic("lead", -2.0, 0.1),
            stiffness=3.0,
            rest=0.4,
            damping=0.5,
        ),
    ]
    d = px.Dynamics(Mechanism("m", bodies, joints), threads=1)
    x = -2.0 * 0.7 + 0.1
    expected = -2.0 * (-3.0 * (x - 0.4) - 0.5 * (-2.0 * 1.5))
    assert d.passive_forces([0.7], [1.5])[0] == pytest.approx(expected)
    assert d.potential_energy([0.7]) == pytest.approx(3.0 * (x - 0.4) ** 2 / 2)


# -- in runs -------------------------------------------------------------------------------------


def sprung_four_bar() -> Mechanism:
    m = px.library.four_bar()
    bodies = [body.name for body in m.bodies]
    springs = [Spring("strut", bodies[0], bodies[-1], 40.0, 1.0, 0.1)]
    joints = [replace(m.joints[0], stiffness=2.0, rest=0.3, damping=0.1), *m.joints[1:]]
    return replace(m, joints=joints, springs=springs)


def test_energy_of_a_linkage_with_springs_is_accounted_for():
    m = sprung_four_bar()
    run = px.simulate(m, duration=0.5, step=5e-4)
    missing = run["energy"] - run["energy"][0] - run["work"] + run["loss"]
    assert np.ptp(run["energy"]) > 1e-2 and run["loss"][-1] > 1e-3
    assert np.abs(missing).max() < 1e-6 * np.ptp(run["energy"])
    swinging = replace(m, springs=(), joints=[replace(j, stiffness=0.0) for j in m.joints])
    other = px.simulate(swinging, duration=0.5, step=5e-4)
    assert np.abs(run["q"] - other["q"]).max() > 1e-2


def test_without_damping_dampers_are_off_and_springs_are_not():
    m = mass_on_a_spring(damping=1.5, rest_length=0.5)
    run = px.simulate(m, [0.1], duration=0.5, step=1e-3, forces=())
    np.testing.assert_allclose(run["q"][:, 0], 0.1 * np.cos(5 * run.time), atol=1e-10)
    assert not run["loss"].any()


def test_stiffness_of_each_run():
    m = mass_on_a_spring(rest_length=0.5)
    stiffness = np.array([50.0, 8.0, 0.5])
    runs = px.rollout(
        m,
        np.full((3, 1), 0.1),
        np.zeros(1),
        steps=400,
        step=1e-3,
        parameters={"coil.stiffness": stiffness},
    )
    expected = 0.1 * np.cos(np.sqrt(stiffness / 2)[:, None] * runs.time)
    np.testing.assert_allclose(runs.q[:, :, 0], expected, atol=1e-10)


def test_numbers_of_springs_are_parameters():
    base = px.library.double_pendulum()
    names = [joint.name for joint in base.moving_joints]
    frames = [Frame("hook", base.bodies[0].name, Pose(translation=(0.3, 0.2, 0.4)))]
    m = replace(
        base,
        frames=[*base.frames, *frames],
        springs=[Spring("band", "hook", base.bodies[-1].name, 1.0)],
    )
    told = {
        f"{names[0]}.stiffness": 3.0,
        f"{names[0]}.rest": 0.2,
        f"{names[1]}.damping": 0.7,
        "band.stiffness": 20.0,
        "band.damping": 2.0,
        "band.rest_length": 0.1,
        "band.preload": 0.5,
    }
    d = px.Dynamics(m, threads=1, parameters=list(told))
    first = replace(m.joint(names[0]), stiffness=3.0, rest=0.2)
    second = replace(m.joint(names[1]), damping=0.7)
    others = [j for j in m.joints if j.name not in names[:2]]
    numbers = replace(
        m,
        joints=[first, second, *others],
        springs=[Spring("band", "hook", base.bodies[-1].name, 20.0, 2.0, 0.1, 0.5)],
    )
    expected = px.Dynamics(numbers, threads=1)
    x = state_of(m, 2)
    values = list(told.values())
    for name in ("passive_forces", "energy"):
        np.testing.assert_allclose(
            getattr(d, name)(x.q, x.v, *values), getattr(expected, name)(x.q, x.v), rtol=1e-13
        )
    with pytest.raises(px.UnknownName, match="stiffnes"):
        px.Dynamics(m, parameters=["band.stiffnes"])
    with pytest.raises(px.UnknownName, match=r"Did you mean 'band\.stiffness'"):
        px.Dynamics(m, parameters=["bnad.stiffness"])


def test_a_long_chain_on_springs(monkeypatch):
    """Traversal and equations of the whole chain move it alike, and lose no energy."""
    chain = px.library.chain(6)
    joints = [
        replace(j, stiffness=4.0, rest=0.1, damping=0.05) if j.motion.nv else j
        for j in chain.joints
    ]
    ends = chain.bodies[0].name, chain.bodies[-1].name
    m = replace(chain, joints=joints, springs=[Spring("tie", *ends, 30.0, 0.5, 0.5)])
    q = m.random_positions(seed=1)

    written = px.simulate(m, q, duration=0.05, step=1e-3)
    monkeypatch.setitem(SIZES, "run", Sizes(0, 400))
    traversed = px.simulate(m, q, duration=0.05, step=1e-3)
    for name in ("q", "v", "energy", "loss"):
        np.testing.assert_allclose(traversed[name], written[name], rtol=1e-9, atol=1e-9)
    missing = traversed["energy"] - traversed["energy"][0] + traversed["loss"]
    assert np.abs(missing).max() < 1e-6 * np.ptp(traversed["loss"])


def test_a_spring_pulls_a_stuck_joint_off_when_it_can():
    """Friction holds 3 N; the spring pulls with 2.5 N, then with 5 N."""
    m = Mechanism(
        "stuck",
        [Body("wall"), Body("mass", 2.0)],
        [Joint("slide", "wall", "mass", Prismatic((1, 0, 0)), friction=3.0, stiffness=10.0)],
        gravity=np.zeros(3),
    )
    forces = (px.Stiction(),)
    held = px.simulate(m, [0.25], duration=0.2, step=1e-3, forces=forces)
    assert (held["q"] == 0.25).all()
    slips = px.simulate(m, [0.5], duration=0.1, step=1e-3, forces=forces)
    w = np.sqrt(10 / 2)
    expected = 0.3 + 0.2 * np.cos(w * slips.time)
    np.testing.assert_allclose(slips["q"][:, 0], expected, atol=1e-9)


def test_a_chain_in_parts_refuses_springs_between_frames():
    """Those in joints act there; tests of loads compare them with a run in one part."""
    chain = px.library.chain(4)
    ends = chain.bodies[0].name, chain.bodies[-1].name
    m = replace(chain, springs=[Spring("tie", *ends, 30.0, 0.5, 0.5)])
    with pytest.raises(px.UnsupportedLoad, match=r"spring.* between frames"):
        ChainJob(m, duration=0.01, step=0.01).on(2)
