"""Parameters left open: the same machine as one rebuilt with the numbers."""

from dataclasses import replace

import numpy as np
import pytest

import phalanx as px
from evaluate import Numbers, close
from phalanx import equations as eq
from phalanx.mechanism import Mechanism
from strategies import menagerie, random_body, state_of

ROUNDING = 1e-11
NAMES = (
    "b2.mass",
    "b3.com",
    "b7.inertia",
    "j2.position",
    "j4.position",  # of a fixed joint
    "j3.rotor_inertia",
    "j1.gear_ratio",
    "j12.rotor_inertia",  # of a mimic
    "gravity",
)


def other_values(seed: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    I = random_body(rng, "b", aligned=False).inertia
    return {
        "b2.mass": rng.uniform(1, 4, 1),
        "b3.com": rng.uniform(-0.3, 0.3, 3),
        "b7.inertia": I[np.triu_indices(3)],
        "j2.position": rng.uniform(-1, 1, 3),
        "j4.position": rng.uniform(-1, 1, 3),
        "j3.rotor_inertia": rng.uniform(0, 0.1, 3),
        "j1.gear_ratio": rng.uniform(1, 5, 1),
        "j12.rotor_inertia": rng.uniform(0, 0.1, 1),
        "gravity": rng.standard_normal(3),
    }


def rebuilt(mechanism: Mechanism, values: dict[str, np.ndarray]) -> Mechanism:
    """The mechanism with these numbers in its data."""
    bodies = {body.name: body for body in mechanism.bodies}
    joints = {joint.name: joint for joint in mechanism.joints}
    gravity = mechanism.gravity
    for name, value in values.items():
        owner, _, attribute = name.rpartition(".")
        if name == "gravity":
            gravity = value
        elif attribute == "position":
            joint = joints[owner]
            joints[owner] = replace(joint, pose=px.Pose(joint.pose.rotation, value))
        elif attribute == "inertia":
            xx, xy, xz, yy, yz, zz = value
            tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            bodies[owner] = replace(bodies[owner], inertia=tensor)
        elif owner in bodies:
            value = float(value[0]) if attribute == "mass" else value
            bodies[owner] = replace(bodies[owner], **{attribute: value})
        else:
            joints[owner] = replace(joints[owner], **{attribute: value})
    return replace(
        mechanism, bodies=list(bodies.values()), joints=list(joints.values()), gravity=gravity
    )


@pytest.mark.parametrize("seed", range(3))
def test_every_parameter_at_once(seed):
    mechanism = menagerie()
    values = other_values(seed)
    x = state_of(mechanism, seed)
    opened, closed = Numbers(mechanism, NAMES), Numbers(rebuilt(mechanism, values))
    given = list(values.values())
    inverse = px.inverse_dynamics.recursive
    close(opened(inverse, x.q, x.v, x.a, *given), closed(inverse, x.q, x.v, x.a), ROUNDING)
    forward = px.forward_dynamics.factorized
    close(opened(forward, x.q, x.v, x.tau, *given), closed(forward, x.q, x.v, x.tau), 1e-9)
    for equation, arguments in (
        (px.mass_matrix.composite_body, (x.q,)),
        (eq.coriolis_matrix, (x.q, x.v)),
        (eq.energy, (x.q, x.v)),
        (eq.center_of_mass, (x.q,)),
        (px.inverse_dynamics.regressor, (x.q, x.v, x.a)),
    ):
        close(opened(equation, *arguments, *given), closed(equation, *arguments), ROUNDING)
    for equation, arguments in (
        (eq.forward_kinematics, (x.q,)),
        (eq.jacobian, (x.q,)),
        (eq.frame_acceleration, (x.q, x.v, x.a)),
    ):
        wanted = closed(equation, *arguments, frame="tool")
        close(opened(equation, *arguments, *given, frame="tool"), wanted, ROUNDING)


@pytest.mark.parametrize("name", NAMES)
def test_one_parameter_alone(name):
    mechanism = menagerie()
    value = other_values(5)[name]
    x = state_of(mechanism, 5)
    inverse = px.inverse_dynamics.recursive
    closed = Numbers(rebuilt(mechanism, {name: value})).inverse(x.q, x.v, x.a)
    close(Numbers(mechanism, (name,))(inverse, x.q, x.v, x.a, value), closed, ROUNDING)
    # and it matters
    assert np.abs(closed - Numbers(mechanism).inverse(x.q, x.v, x.a)).max() > 1e-6


def test_articulated_bodies_with_parameters():
    arm = px.library.puma560()
    x = state_of(arm, 6)
    names = ("link_2.mass", "joint_3.position", "gravity")
    assert arm.joints[2].name == names[1].split(".")[0]
    values = [np.array([12.0]), np.array([0.3, 0.1, -0.1]), np.array([0, 1.0, -5])]
    changed = rebuilt(arm, dict(zip(names, values, strict=True)))
    forward = px.forward_dynamics.articulated_body
    wanted = Numbers(changed)(forward, x.q, x.v, x.tau)
    close(Numbers(arm, names)(forward, x.q, x.v, x.tau, *values), wanted, 1e-10)


def test_batched_through_dynamics():
    mechanism = px.library.puma560()
    names = ["link_3.mass", "link_3.com", "joint_2.rotor_inertia", "gravity"]
    d = px.Dynamics(mechanism, parameters=names)
    rng = np.random.default_rng(1)
    samples = 9
    q, v, a = rng.standard_normal((3, samples, 6))
    mass, com = rng.uniform(1, 9, samples), rng.uniform(-0.2, 0.2, (samples, 3))
    rotor, fall = rng.uniform(0, 1, samples), rng.standard_normal((samples, 3))
    tau = d.inverse_dynamics(q, v, a, mass, com, rotor, fall)
    for k in range(samples):
        values = [np.array([mass[k]]), com[k], np.array([rotor[k]]), fall[k]]
        machine = rebuilt(mechanism, dict(zip(names, values, strict=True)))
        close(tau[k], Numbers(machine).inverse(q[k], v[k], a[k]), ROUNDING)
