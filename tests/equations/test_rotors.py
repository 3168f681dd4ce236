"""Round bodies at the ends of a tree: their angle matters to nobody."""

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

import phalanx as px
from evaluate import Numbers, close
from phalanx.equations.model_of import model_of
from phalanx.mechanism import Body, Joint, Mechanism, Mimic, Pose, Revolute
from strategies import state_of


def wheeled(*, round_wheel: bool = True, mimic: bool = False) -> Mechanism:
    """An arm of two joints that carries two wheels on oblique axles."""
    rng = np.random.default_rng(5)

    def pose() -> Pose:
        return Pose.from_quaternion(rng.standard_normal(3), rng.standard_normal(4))

    arm = [Body(f"arm_{i}", 2.0, rng.standard_normal(3), np.diag([0.3, 0.4, 0.5])) for i in (1, 2)]
    across = 0.02 if round_wheel else 0.025
    wheels = [
        Body(f"wheel_{i}", 0.7, np.array([0.0, 0.0, 0.1 * i]), np.diag([0.02, across, 0.035]))
        for i in (1, 2)
    ]
    z = np.array([0.0, 0.0, 1.0])
    follows = Mimic("axle_1", multiplier=-2.0, offset=0.3) if mimic else None
    return Mechanism(
        "wheeled",
        [Body("base"), *arm, *wheels],
        [
            Joint("shoulder", "base", "arm_1", Revolute(axis=z), pose()),
            Joint("elbow", "arm_1", "arm_2", Revolute(axis=z), pose()),
            Joint("axle_1", "arm_1", "wheel_1", Revolute(axis=z), pose(), rotor_inertia=0.01),
            Joint("axle_2", "arm_2", "wheel_2", Revolute(axis=z), pose(), mimic=follows),
        ],
    )


@pytest.mark.parametrize("mimic", [False, True])
def test_wheels_that_spin_in_frames_that_do_not(mimic):
    """Against the textbook's Newton-Euler, which turns every frame."""
    mechanism = wheeled(mimic=mimic)
    spinning = {n.joint for n in model_of(mechanism).lightest.nodes if n.spin is not None}
    assert spinning == {"axle_1", "axle_2"}
    n, x = Numbers(mechanism), state_of(mechanism, 8)
    plain = n(px.inverse_dynamics.conventional, x.q, x.v, x.a)
    close(n.inverse(x.q, x.v, x.a), plain, 1e-12)
    close(n(px.forward_dynamics.factorized, x.q, x.v, plain), x.a, 1e-10)


def test_nothing_depends_on_the_angle_of_a_wheel():
    mechanism = wheeled()
    function = Numbers(mechanism).function(px.inverse_dynamics.recursive)
    axle = mechanism.q_slices["axle_1"].start
    depends = np.asarray(ca.DM(function.sparsity_jac(0, 0), 1))
    assert depends.any() and not depends[:, axle].any()


def test_a_wrench_on_a_wheel_turns_with_it():
    mechanism = wheeled()
    x = state_of(mechanism, 9)
    push = np.array([1.0, -2.0, 0.5, 0.1, 0.2, -0.3])
    tau = px.Dynamics(mechanism, wrenches=["wheel_1"]).inverse_dynamics(x.q, x.v, x.a, push)
    d = px.Dynamics(mechanism)
    R = d.forward_kinematics(x.q, frame="wheel_1")[:3, :3]
    in_world = np.concatenate([R @ push[:3], R @ push[3:]])
    work = d.jacobian(x.q, frame="wheel_1").T @ in_world
    close(tau, d.inverse_dynamics(x.q, x.v, x.a) - work, 1e-12)


def test_what_is_not_round_or_carries_something_turns():
    nodes = model_of(wheeled(round_wheel=False)).lightest.nodes
    assert all(node.spin is None for node in nodes)
    arm = px.library.puma560()
    spins = [node.spin is not None for node in model_of(arm).lightest.nodes]
    assert spins == [False] * 5 + [True]


def test_a_symbolic_inertia_is_not_taken_for_round():
    mechanism = wheeled()
    model = model_of(mechanism, ("wheel_1.inertia",))
    assert [node.joint for node in model.lightest.nodes if node.spin is not None] == ["axle_2"]
    x = state_of(mechanism, 4)
    uneven = np.array([0.02, 0.0, 0.0, 0.03, 0.0, 0.035])
    body = replace(mechanism.body("wheel_1"), inertia=np.diag([0.02, 0.03, 0.035]))
    changed = replace(
        mechanism, bodies=[body if b.name == "wheel_1" else b for b in mechanism.bodies]
    )
    tau = px.Dynamics(mechanism, parameters=["wheel_1.inertia"]).inverse_dynamics(
        x.q, x.v, x.a, uneven
    )
    close(tau, Numbers(changed).inverse(x.q, x.v, x.a), 1e-12)
