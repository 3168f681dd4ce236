"""Reactions in joints: along the axes they are inverse dynamics, across them statics and Newton."""

import casadi as ca
import numpy as np
import pytest

import phalanx as px
from phalanx import equations as eq
from phalanx.equations.inverse_dynamics.recursive import carried_wrenches
from phalanx.equations.model_of import model_in_given_frames
from phalanx.equations.quantities.reactions import loaded_joints
from phalanx.mechanism import Prismatic, Revolute

MACHINES = [px.library.puma560, px.library.stanford, px.library.cat215b, px.library.torso]


def state(machine, seed=1):
    rng = np.random.default_rng(seed)
    q = machine.random_positions(seed=seed)
    return q, rng.uniform(-1, 1, machine.nv), rng.uniform(-2, 2, machine.nv)


def reactions(machine, *inputs, **options):
    function = px.expression(eq.reactions, machine, **options)
    return tuple(np.array(x) for x in function.call([ca.DM(x) for x in inputs]))


@pytest.mark.parametrize("make", MACHINES)
def test_along_the_axes_they_are_inverse_dynamics_without_rotors(make):
    machine = make()
    q, v, a = state(machine)
    f, n = reactions(machine, q, v, a)
    tau = px.Dynamics(machine).inverse_dynamics(q, v, a)
    tau = tau - machine.per_freedom("gear_ratio") ** 2 * machine.per_freedom("rotor_inertia") * a
    for k, joint in enumerate(loaded_joints(machine)):
        row = machine.v_slices[joint.name].start
        if isinstance(joint.motion, Prismatic):
            along = f[k] @ joint.motion.axis
        elif isinstance(joint.motion, Revolute):
            along = n[k] @ joint.motion.axis
        else:
            continue
        assert along == pytest.approx(tau[row], rel=1e-10, abs=1e-10)


@pytest.mark.parametrize("make", [px.library.puma560, px.library.stanford])
def test_they_stand_in_the_frames_the_mechanism_has(make):
    # nodes of these arms are the links themselves when no origin is moved
    machine = make()
    q, v, a = (ca.SX.sym(name, machine.nv) for name in "qva")
    model = model_in_given_frames(machine)
    carried = carried_wrenches(model, q, v, a)
    rows = [ca.vertcat(*(F.force.T for F in carried)), ca.vertcat(*(F.moment.T for F in carried))]
    direct = ca.Function("direct", [q, v, a], rows)
    x = state(machine)
    ours = reactions(machine, *x)
    for mine, wanted in zip(ours, direct.call([ca.DM(part) for part in x]), strict=True):
        for k, joint in enumerate(machine.moving_joints):
            place = model.place(joint.child)
            R = np.array(ca.DM(place.pose.rotation.full()))
            assert not np.array(ca.DM(place.pose.translation)).any()
            np.testing.assert_allclose(mine[k], R.T @ np.array(wanted)[k], rtol=1e-10, atol=1e-10)


def test_the_first_joint_of_an_arm_at_rest_carries_its_weight():
    arm = px.library.puma560()
    q, still = arm.random_positions(seed=4), np.zeros(6)
    f, n = reactions(arm, q, still, still)
    mass = sum(body.mass for body in arm.bodies)
    np.testing.assert_allclose(f[0], (0, 0, 9.8 * mass), rtol=1e-12, atol=1e-12)
    # its first axis is that of the base, so the moment is that of the weight about the base
    com = px.Dynamics(arm).center_of_mass(q)
    R = px.Dynamics(arm).forward_kinematics(q, frame="link_1")[:3, :3]
    moment = np.cross(com, (0, 0, 9.8 * mass))
    np.testing.assert_allclose(R @ n[0], moment, rtol=1e-10, atol=1e-10)


def test_a_wrench_on_the_tool_passes_through_every_joint():
    arm = px.library.puma560()
    q, v, a = state(arm)
    wrench = np.array([1.0, 2.0, 3.0, 0.4, 0.5, 0.6])
    with_it = reactions(arm, q, v, a, wrench, wrenches=["tool"])
    without = reactions(arm, q, v, a)
    d = px.Dynamics(arm)
    tool = d.forward_kinematics(q, frame="tool")
    force, moment = tool[:3, :3] @ wrench[:3], tool[:3, :3] @ wrench[3:]
    for k in range(6):
        X = d.forward_kinematics(q, frame=f"link_{k + 1}")
        about = moment + np.cross(tool[:3, 3] - X[:3, 3], force)
        np.testing.assert_allclose(
            with_it[0][k] - without[0][k], -X[:3, :3].T @ force, rtol=0, atol=1e-11
        )
        np.testing.assert_allclose(
            with_it[1][k] - without[1][k], -X[:3, :3].T @ about, rtol=0, atol=1e-11
        )
