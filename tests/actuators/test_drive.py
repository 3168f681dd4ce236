"""Drives as data: what is refused, and what the joints' own numbers make."""

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

import phalanx as px
from phalanx import actuators
from phalanx.actuators import Drive, Journal, Linear, Thrust


def torques(machine, drives):
    return px.expression(actuators.drive_torques, machine, drives=drives)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Journal(-0.1, 0.1, 0.1), "friction of a journal bearing is -0.1"),
        (lambda: Journal(0.1, -0.1, 0.1), "radius of a journal bearing is -0.1"),
        (lambda: Journal(0.1, 0.1, 0.0), "span of a journal bearing is 0.0"),
        (lambda: Linear(float("nan"), 0.1), "friction of a linear bearing is nan"),
        (lambda: Thrust(0.1, -1), "radius of a thrust bearing is -1"),
        (lambda: Drive(viscous=-1.0), "viscous friction of a drive is -1.0"),
        (lambda: Drive(coulomb=-2.0), "coulomb friction of a drive is -2.0"),
        (lambda: Drive(backward_coulomb=-3.0), "backward coulomb friction of a drive is -3.0"),
        (lambda: actuators.Smooth(0.0), "slip velocity of friction must be positive"),
    ],
)
def test_refused_numbers(make, message):
    with pytest.raises(px.InvalidInput, match=message):
        make()


def test_unknown_joint_is_named_with_the_nearest():
    with pytest.raises(px.UnknownName, match=r"'joint_9'\. Did you mean 'joint_"):
        torques(px.library.puma560_arm(), {"joint_9": Drive()})


@pytest.mark.parametrize(
    ("joint", "bearing", "message"),
    [
        ("joint_3", Journal(0.1, 0.1, 0.1), r"'joint_3' slides .* use Linear"),
        ("joint_1", Linear(0.1, 0.1), r"'joint_1' turns .* use Journal or Thrust"),
    ],
)
def test_bearings_that_do_not_fit(joint, bearing, message):
    with pytest.raises(px.InvalidInput, match=message):
        torques(px.library.stanford(), {joint: Drive([bearing])})


def test_only_joints_with_one_freedom_have_drives():
    free = px.with_floating_base(px.library.double_pendulum())
    name = free.moving_joints[0].name
    with pytest.raises(px.InvalidInput, match=f"joint '{name}' is floating"):
        torques(free, {name: Drive()})


def test_what_is_not_a_drive():
    with pytest.raises(px.InvalidInput, match="expected a Drive"):
        torques(px.library.puma560_arm(), {"joint_1": 0.3})


def test_drives_from_the_joints_own_numbers():
    arm = px.library.double_pendulum()
    joints = [replace(joint, damping=0.3, friction=0.7) for joint in arm.joints]
    arm = replace(arm, joints=joints)
    drives = actuators.joint_drives(arm)
    q, v, a = [0.1, 0.2], np.array([0.5, -0.4]), [1.0, 2.0]
    _, friction, *_ = torques(arm, drives).call([ca.DM(x) for x in (q, v, a)])
    wanted = 0.3 * v + 0.7 * np.sign(v)
    np.testing.assert_allclose(np.array(friction)[:, 0], wanted, rtol=1e-15)
    dry = actuators.joint_drives(arm, damping=False)
    assert {drive.viscous for drive in dry.values()} == {0.0}


def test_dry_friction_of_each_direction():
    arm = px.library.double_pendulum()
    joints = [replace(joint, friction=0.7, backward_friction=0.2) for joint in arm.joints]
    drives = actuators.joint_drives(replace(arm, joints=joints))
    for v in ([0.5, -0.4], [-0.5, 0.4]):
        _, friction, *_ = torques(arm, drives).call([ca.DM(x) for x in ([0, 0], v, [0, 0])])
        wanted = [0.7 if speed > 0 else -0.2 for speed in v]
        np.testing.assert_allclose(np.array(friction)[:, 0], wanted, rtol=1e-15)
    assert Drive(backward_coulomb=0.1).is_dry and not Drive().is_dry


def test_without_friction_motors_do_inverse_dynamics():
    # with gears: rotors turn faster, motors feel less
    arm = px.library.puma560()
    ratios = np.array([60.0, 100.0, 50.0, 70.0, 70.0, 70.0])
    joints = [
        replace(joint, gear_ratio=ratio, rotor_inertia=2e-4)
        for joint, ratio in zip(arm.joints, ratios, strict=True)
    ]
    arm = replace(arm, joints=joints)
    rng = np.random.default_rng(3)
    q, v, a = rng.uniform(-2, 2, (3, 6))
    motor = np.array(torques(arm, {}).call([ca.DM(x) for x in (q, v, a)])[-1])[:, 0]
    tau = px.Dynamics(arm).inverse_dynamics(q, v, a)
    np.testing.assert_allclose(motor * ratios, tau, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("direction", "v", "tau", "wanted"),
    [
        (actuators.Sign(), (2.0, -3.0, 0.0), (1.0, 1.0, 5.0), (1.0, -1.0, 0.0)),
        (actuators.AboutToMove(), (2.0, 0.0, 0.0), (-1.0, -1.0, 5.0), (1.0, -1.0, 1.0)),
        (actuators.Smooth(0.1), (0.1, -10.0, 0.0), (0, 0, 0), (np.tanh(1.0), -1.0, 0.0)),
    ],
)
def test_directions(direction, v, tau, wanted):
    x, y = ca.SX.sym("v", 3), ca.SX.sym("tau", 3)
    made = ca.Function("direction", [x, y], [direction(x, y)])(ca.DM(v), ca.DM(tau))
    np.testing.assert_allclose(np.array(made)[:, 0], wanted, rtol=1e-15)


def test_an_axis_that_is_not_z_has_the_same_friction():
    # the same machine with its joint along x and along z
    down = np.array([-1.0, -1.0, -1.0])

    def pendulum(axis, com):
        body = px.Body("bob", 2.0, np.array(com), np.zeros((3, 3)))
        joint = px.Joint("hinge", "ground", "bob", px.mechanism.Revolute(axis))
        return px.Mechanism("pendulum", [px.Body("ground", 0.0), body], [joint], gravity=down)

    drive = {"hinge": Drive([Journal(0.1, 0.1, 0.2), Thrust(0.1, 0.1)])}
    frictions = []
    for axis, com in (((0, 0, 1), (0.3, 0.1, 0.2)), ((1, 0, 0), (0.2, 0.3, 0.1))):
        made = torques(pendulum(axis, com), drive).call([ca.DM(x) for x in (0.0, 0.5, 2.0)])
        frictions.append(float(made[1]))
    assert frictions[0] == pytest.approx(frictions[1], rel=1e-13)
    assert frictions[0] > 0.05
