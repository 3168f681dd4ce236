"""Machines whose data leave the mass matrix without an inverse, and those whose data do not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

import phalanx as px
from evaluate import Numbers, close
from phalanx.equations.mass_matrix import composite_body
from phalanx.mechanism import (
    Body,
    Cylindrical,
    Floating,
    Joint,
    Mechanism,
    Mimic,
    Motion,
    Planar,
    Pose,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)
from phalanx.mechanism.inertia import joints_without_inertia, mass_matrix
from strategies import moving

SOLID = 0.1 * np.eye(3)


def at(x: float, y: float = 0.0, z: float = 0.0) -> Pose:
    return Pose(translation=np.array([x, y, z]))


def link(name: str, x: float = 0.3) -> Body:
    return Body(name, 1.0, np.array([x, 0, 0]), SOLID)


def alone(motion: Motion, body: Body, **numbers) -> Mechanism:
    joint = Joint("j", "root", body.name, motion, **numbers)
    return Mechanism("alone", [Body("root"), body], [joint])


def two_on_one_axis(between: Body) -> Mechanism:
    joints = [
        Joint("first", "root", between.name, Revolute((0, 0, 1))),
        Joint("second", between.name, "load", Revolute((0, 0, 1)), at(0, 0, 0.2)),
    ]
    return Mechanism("coaxial", [Body("root"), between, link("load")], joints)


def massless_base(arms: int) -> Mechanism:
    axes = ((0, 0, 1), (0, 1, 0), (1, 0, 0))
    names = [f"arm_{k}" for k in range(arms)]
    joints = [
        Joint(f"hinge_{k}", "hub", name, Revolute(axes[k]), at(0.1 * k, 0.2, 0))
        for k, name in enumerate(names)
    ]
    hub = Mechanism("hub", [Body("hub"), *(link(name) for name in names)], joints)
    return px.with_floating_base(hub)


# what is wrong, and the joints that are to blame
SINGULAR = {
    "a point mass on the axis it turns about": (
        alone(Revolute((0, 0, 1)), Body("p", 1.0, np.array([0, 0, 0.7]))),
        ("j",),
    ),
    "the same, by a frame that is turned": (
        alone(Revolute((1, 2, 3)), Body("p", 1.0, 0.7 * np.array([1.0, 2, 3]))),
        ("j",),
    ),
    "a rod on a ball joint, without a moment about itself": (
        alone(Spherical(), Body("rod", 1.0, np.array([0, 0, 0.5]), np.diag([0.1, 0.1, 0]))),
        ("j",),
    ),
    "a point mass that floats": (alone(Floating(), Body("p", 1.0)), ("j",)),
    "a point mass in a plane": (alone(Planar((0, 0, 1)), Body("p", 1.0)), ("j",)),
    "a point mass in a sleeve": (alone(Cylindrical((0, 0, 1)), Body("p", 1.0)), ("j",)),
    "a point mass at a universal joint": (
        alone(Universal(), Body("p", 1.0)),
        ("j",),
    ),
    "two hinges on one axis, nothing between them": (two_on_one_axis(Body("sleeve")), ("first",)),
    "a point mass between them, on the axis": (
        two_on_one_axis(Body("sleeve", 1.0, np.array([0, 0, 0.1]))),
        ("first",),
    ),
    "two slides on one axis": (
        Mechanism(
            "telescope",
            [Body("root"), Body("tube"), link("rod")],
            [
                Joint("outer", "root", "tube", Prismatic((1, 0, 0))),
                Joint("inner", "tube", "rod", Prismatic((1, 0, 0))),
            ],
        ),
        ("outer",),
    ),
    "a massless floating base with one hinge": (massless_base(1), ("floating_base",)),
    "four hinges through one point, mass beyond the last": (
        Mechanism(
            "gimbals",
            [Body("root"), Body("a"), Body("b"), Body("c"), link("load")],
            [
                Joint("i", "root", "a", Revolute((1, 0, 0))),
                Joint("j", "a", "b", Revolute((0, 1, 0))),
                Joint("k", "b", "c", Revolute((0, 0, 1))),
                Joint("l", "c", "load", Revolute((1, 0, 0))),
            ],
        ),
        ("i",),
    ),
}


@pytest.mark.parametrize("case", SINGULAR)
def test_data_that_leave_no_inverse_are_found_and_blamed(case):
    machine, joints = SINGULAR[case]
    assert joints_without_inertia(machine) == joints
    # what it means, of machines of about 1 kg and 1 m: no digit of an inertia is left, wherever
    for q in machine.random_positions(5, seed=7):
        assert np.linalg.eigvalsh(mass_matrix(machine, q))[0] < 1e-14


@pytest.mark.parametrize("case", SINGULAR)
def test_accelerations_of_such_a_machine_are_refused_at_the_door(case):
    machine, joints = SINGULAR[case]
    dynamics = px.Dynamics(machine)
    q, v = machine.random_positions(seed=1), np.zeros(machine.nv)
    message = f"singular in every posture: joint '{joints[0]}'"
    for name in ("forward_dynamics", "forward_dynamics_derivatives"):
        with pytest.raises(px.InvalidModel, match=message):
            getattr(dynamics, name)
    for run in (
        lambda: px.simulate(machine, q, v, duration=0.01),
        lambda: px.rollout(machine, q, v, steps=2),
        lambda: px.LiveRun(machine, q, v),
    ):
        with pytest.raises(px.InvalidModel, match=message):
            run()


def test_all_else_of_such_a_machine_is_there():
    machine = massless_base(1)
    dynamics = px.Dynamics(machine)
    q, v, a = machine.random_positions(seed=1), np.ones(machine.nv), np.ones(machine.nv)
    tau = dynamics.inverse_dynamics(q, v, a)
    close(tau, dynamics.mass_matrix(q) @ a + dynamics.bias(q, v), 1e-12)
    assert np.isfinite(dynamics.forward_kinematics(q, frame="arm_0")).all()
    assert dynamics.singular_joints == ("floating_base",)
    text = dynamics.info()
    assert "mass matrix singular in every posture: joint 'floating_base'" in text
    assert "forward_dynamics" not in text


REGULAR = {
    "a rotor makes up for a point mass on its axis": alone(
        Revolute((0, 0, 1)), Body("p", 1.0, np.array([0, 0, 0.7])), rotor_inertia=1e-4
    ),
    "a point mass beside its axis": alone(
        Revolute((0, 0, 1)), Body("p", 1.0, np.array([1e-3, 0, 0]))
    ),
    "a speck between two hinges on one axis": two_on_one_axis(
        Body("speck", 1e-6, inertia=1e-10 * np.eye(3))
    ),
    "a massless base with two hinges across each other": massless_base(2),
    "a machine of the size of a cell": alone(
        Revolute((0, 0, 1)), Body("cell", 1e-15, np.array([1e-6, 0, 0]))
    ),
}


@pytest.mark.parametrize("case", REGULAR)
def test_little_inertia_is_not_none(case):
    machine = REGULAR[case]
    assert joints_without_inertia(machine) == ()
    q, v = machine.random_positions(seed=3), np.zeros(machine.nv)
    d = px.Dynamics(machine)
    a = np.random.default_rng(0).standard_normal(machine.nv)
    # inverse and forward dynamics agree to the digits that the condition leaves
    tau = d.inverse_dynamics(q, v, a)
    M = mass_matrix(machine, q)
    scale = np.sqrt(np.diag(M))
    condition = np.linalg.cond(M / scale / scale[:, None])
    close(d.forward_dynamics(q, v, tau), a, 1e-14 * condition)


def test_numbers_that_are_arguments_are_not_decided_by_data():
    machine = two_on_one_axis(Body("sleeve", 1.0))
    d = px.Dynamics(machine, parameters=["sleeve.inertia"])
    a = d.forward_dynamics(np.zeros(2), np.zeros(2), np.ones(2), [0.1, 0, 0, 0.1, 0, 0.1])
    assert np.isfinite(a).all()
    with pytest.raises(px.InvalidModel, match="'first'"):
        _ = px.Dynamics(machine, parameters=["gravity"]).forward_dynamics


def test_a_mimic_may_have_no_inertia_as_its_leader_has():
    machine = alone(Revolute((0, 0, 1)), link("a"))
    follower = Joint("f", "a", "b", Revolute((1, 0, 0)), mimic=Mimic("j", 2.0))
    both = replace(machine, bodies=[*machine.bodies, Body("b")], joints=[*machine.joints, follower])
    assert joints_without_inertia(both) == ()
    free = replace(
        machine,
        bodies=[*machine.bodies, Body("b", 1.0)],
        joints=[machine.joints[0], replace(follower, mimic=None)],
    )
    assert joints_without_inertia(free) == ("f",)


@given(moving())
def test_the_sum_over_bodies_is_the_mass_matrix(machine):
    mechanism, x = machine
    close(mass_matrix(mechanism, x.q), Numbers(mechanism)(composite_body, x.q), 1e-12)


@pytest.mark.parametrize("name", px.library.names())
def test_machines_of_the_library_can_be_simulated(name):
    assert joints_without_inertia(px.library.by_name(name)) == ()
