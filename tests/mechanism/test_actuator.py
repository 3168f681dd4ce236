"""Actuators as data: what they may hold, and what edits leave of them."""

import pickle
from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

import phalanx as px
from phalanx.base.errors import InvalidInput, InvalidModel, UnknownName
from phalanx.equations.model_of import model_of
from phalanx.mechanism import (
    Actuator,
    Body,
    Joint,
    Mechanism,
    Mimic,
    Revolute,
    attach,
    lock,
    subtree,
)
from phalanx.mechanism.read import ModelWarning

ARM = px.library.puma560()
PULL = Actuator("pull", ("joint_1", "joint_3"), np.array([2.0, -1.0]), [1, 0.5, 0], [0, -3, -2])
SERVO = Actuator.position("servo", "joint_2", kp=100.0, kv=5.0)
DRIVEN = replace(ARM, actuators=[PULL, SERVO, Actuator.velocity("pace", "joint_4", 7.0)])


def exerted(machine: Mechanism, q, v, u) -> np.ndarray:
    symbols = [ca.SX.sym(name, len(x)) for name, x in (("q", q), ("v", v), ("u", u))]
    tau, _ = px.ModelActuators().act(model_of(machine), *symbols[:2], ca.SX(0, 1), symbols[2])
    return ca.Function("f", symbols, [ca.densify(tau)])(q, v, u).full().ravel()


def test_forces_follow_the_formula():
    q, v, u = 0.1 * np.arange(6), 0.2 * np.arange(6) - 0.3, np.array([0.4, 0.5, 0.6])
    length, rate = 2 * q[0] - q[2], 2 * v[0] - v[2]
    pull = (1 + 0.5 * length) * u[0] - 3 * length - 2 * rate
    wanted = [2 * pull, 100 * (u[1] - q[1]) - 5 * v[1], -pull, 7 * (u[2] - v[3]), 0, 0]
    np.testing.assert_allclose(exerted(DRIVEN, q, v, u), wanted, atol=1e-13)


def test_commands_forces_and_joints_have_ranges():
    motor = Actuator.motor("m", "joint_1", gear=10.0)
    q, v = np.zeros(6), np.zeros(6)
    for changes, command, force in (
        ({"control_range": [-1, 2]}, 5.0, 20.0),
        ({"force_range": [-3, 0.5]}, 5.0, 5.0),
        ({}, -500.0, -4000.0),
    ):
        joints = [replace(j, effort_limit=4000.0) if j.name == "joint_1" else j for j in ARM.joints]
        machine = replace(ARM, joints=joints, actuators=[replace(motor, **changes)])
        assert exerted(machine, q, v, [command])[0] == force


def test_a_follower_passes_force_to_its_leader():
    joints = [
        replace(j, mimic=Mimic("joint_1", -2.0, 0.3)) if j.name == "joint_2" else j
        for j in ARM.joints
    ]
    machine = replace(ARM, joints=joints, actuators=[SERVO])
    q = np.array([0.5, 0, 0, 0, 0])
    force = exerted(machine, q, np.zeros(5), [1.0])
    np.testing.assert_allclose(force[0], -2 * 100 * (1.0 - (-2 * 0.5 + 0.3)), rtol=1e-13)


def test_they_are_equal_by_content_and_survive_a_pickle():
    again = pickle.loads(pickle.dumps(DRIVEN))
    assert again == DRIVEN and again != ARM and hash(again) == hash(DRIVEN)
    assert again.actuators[0].gears.flags.writeable is False


def test_what_is_not_honoured_makes_no_difference_but_is_kept():
    noted = replace(ARM, unsupported=["sensors: 3"])
    assert noted == ARM and hash(noted) == hash(ARM)
    assert pickle.loads(pickle.dumps(noted)).unsupported == ("sensors: 3",)
    assert lock(noted, ["joint_1"]).unsupported == ("sensors: 3",)


def test_locking_a_joint_leaves_the_rest_of_an_actuator():
    locked = lock(DRIVEN, {"joint_3": 0.4, "joint_2": 0.0})
    assert [a.name for a in locked.actuators] == ["pull", "pace"]
    q, v, u = np.array([0.1, 0.2, 0.3, 0.4]), np.array([1.0, 2, 3, 4]), np.array([0.5, 0.6])
    whole = exerted(DRIVEN, [0.1, 0, 0.4, *q[1:]], [1.0, 0, 0, *v[1:]], [0.5, 0, 0.6])
    np.testing.assert_allclose(exerted(locked, q, v, u), whole[[0, 3, 4, 5]], atol=1e-13)


def test_cutting_out_and_attaching():
    wrist = subtree(DRIVEN, "link_3")
    assert [a.name for a in wrist.actuators] == ["pace"]
    motor = Actuator.motor("grip", "finger")
    finger = Joint("finger", "palm", "tip", Revolute((0, 0, 1)))
    hand = Mechanism("hand", [Body("palm"), Body("tip", 1.0)], [finger], actuators=[motor])
    assert attach(DRIVEN, "link_6", hand).actuators == (*DRIVEN.actuators, motor)


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: Actuator("a", (), []), InvalidModel, "expected one or more"),
        (lambda: Actuator("a", ("j", "j"), [1, 2]), InvalidModel, "each once"),
        (lambda: Actuator("a", ("j",), [1, 2]), InvalidModel, "gears of actuator 'a'"),
        (lambda: Actuator.motor("a", "j", np.nan), InvalidModel, "gears.*NaN"),
        (
            lambda: replace(PULL, control_range=[2, 1]),
            InvalidModel,
            r"control range of actuator 'pull' is \[2.0, 1.0\]",
        ),
        (
            lambda: replace(ARM, actuators=[Actuator.motor("a", "jiont_1")]),
            UnknownName,
            "joint_1",
        ),
        (lambda: replace(ARM, actuators=[SERVO, SERVO]), InvalidModel, "servo"),
        (
            lambda: replace(
                px.library.chain(2, "spherical"), actuators=[Actuator.motor("a", "joint_1")]
            ),
            InvalidModel,
            "not exactly one degree",
        ),
        (
            lambda: px.simulate(ARM, duration=0.1, actuation=px.ModelActuators()),
            InvalidInput,
            "has no actuators",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(make, error, message):
    with pytest.raises(error, match=message):
        make()


def test_urdf_leaves_them_out_and_says_so(tmp_path):
    with pytest.warns(ModelWarning, match="actuators.*left out.*: pull, servo, pace"):
        px.export_urdf(DRIVEN, tmp_path / "arm.urdf")


def test_single_runs_batches_and_live_runs_take_their_commands():
    t, q, v = ca.SX.sym("t"), ca.SX.sym("q", 6), ca.SX.sym("v", 6)
    law = ca.Function("law", [t, q, v], [ca.DM([0.1, 0.2, 0.3]) * ca.cos(t)])
    setup = px.Setup(DRIVEN, actuation=px.ModelActuators(), control=law)
    run = px.simulate(setup, duration=0.02, step=1e-3)
    assert run["command"].shape[-1] == 3 and run["tau"].shape[-1] == 6
    batch = px.rollout(setup, np.zeros(6), np.zeros(6), steps=20, step=1e-3)
    np.testing.assert_allclose(batch.q[-1], run["q"][-1], atol=1e-13)
    pacing = px.Pacing(speed=1e6, policy=px.CatchUp(np.inf))
    live = px.LiveRun(setup, duration=0.02, step=1e-3, record=True, pacing=pacing)
    live.run()
    np.testing.assert_allclose(live.recording["q"][-1], run["q"][-1], atol=1e-13)
