"""Screws: a turn and a shift in one coordinate, against closed forms, a hinge with a slide held to
it, and Pinocchio."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import phalanx as px
from evaluate import Numbers, close
from phalanx import equations as eq
from phalanx.mechanism import (
    Body,
    Cylindrical,
    Joint,
    Loop,
    Mechanism,
    Pose,
    Revolute,
    Screw,
)
from strategies import moving, random_body, random_pose

ROUNDING = 1e-11


def nut(pitch: float) -> Mechanism:
    """A nut that runs down an upright thread by its weight."""
    inertia = np.diag([2e-4, 2e-4, 3e-4])
    return Mechanism(
        "nut",
        [Body("thread"), Body("nut", 0.5, inertia=inertia)],
        [Joint("turn", "thread", "nut", Screw((0, 0, 1), pitch))],
    )


@pytest.mark.parametrize("pitch", [0.01, -0.01, 2.0])
def test_a_nut_falls_down_its_thread(pitch):
    d = px.Dynamics(nut(pitch), threads=1)
    expected = -0.5 * 9.81 * pitch / (3e-4 + 0.5 * pitch**2)
    assert d.forward_dynamics([0.3], [4.0], [0.0])[0] == pytest.approx(expected, rel=1e-14)
    assert d.potential_energy([0.3]) == pytest.approx(0.5 * 9.81 * pitch * 0.3, rel=1e-14)
    run = px.simulate(nut(pitch), [0.0], [0.0], duration=0.1, step=1e-3)
    assert run["q"][-1, 0] == pytest.approx(expected * 0.1**2 / 2, rel=1e-10)
    X = d.forward_kinematics(run["q"][-1], frame="nut")
    assert X[2, 3] == pytest.approx(pitch * run["q"][-1, 0], rel=1e-14)


@given(st.integers(0, 2**32 - 1))
def test_a_screw_is_a_cylindrical_joint_whose_shift_is_held_to_its_angle(seed):
    rng = np.random.default_rng(seed)
    pitch = float(rng.uniform(-0.5, 0.5))
    axis = rng.standard_normal(3)

    def machine(motion):
        bodies = [
            Body("base"),
            *(random_body(np.random.default_rng(seed + k), f"b{k}", False) for k in (1, 2, 3)),
        ]
        poses = np.random.default_rng(seed)
        joints = [
            Joint("first", "base", "b1", Revolute((0, 1, 0)), random_pose(poses, False)),
            Joint("screw", "b1", "b2", motion, random_pose(poses, False)),
            Joint("last", "b2", "b3", Revolute((1, 1, 0)), random_pose(poses, False)),
        ]
        return Numbers(Mechanism("m", bodies, joints))

    screw, free = machine(Screw(axis, pitch)), machine(Cylindrical(axis))
    G = np.array([[1, 0, 0], [0, 1, 0], [0, pitch, 0], [0, 0, 1.0]])
    q, v, a = rng.standard_normal((3, 3))
    close(screw.inverse(q, v, a), G.T @ free.inverse(G @ q, G @ v, G @ a), ROUNDING)
    close(screw.mass_matrix(q), G.T @ free.mass_matrix(G @ q) @ G, ROUNDING)
    J = free(eq.jacobian, G @ q, frame="b3") @ G
    close(screw(eq.jacobian, q, frame="b3"), J, ROUNDING)


@given(moving(kinds=("screw", "revolute", "prismatic", "fixed"), mimics=False, max_bodies=6))
def test_screws_are_those_of_pinocchio(machine):
    pin = pytest.importorskip("pinocchio")
    from phalanx.bench.peers.pinocchio import build_model

    mechanism, x = machine
    model = build_model(mechanism)
    data, n = model.createData(), Numbers(mechanism)
    close(n.inverse(x.q, x.v, x.a), pin.rnea(model, data, x.q, x.v, x.a), 1e-10)
    M = pin.crba(model, data, x.q)
    close(n.mass_matrix(x.q), np.triu(M) + np.triu(M, 1).T, 1e-10)


@pytest.mark.parametrize("pitch", [(), (0.0,)], ids=["not given", "zero"])
def test_a_screw_has_a_pitch(pitch):
    with pytest.raises(px.InvalidModel, match="other than zero"):
        Screw((0, 0, 1), *pitch)


def test_no_loop_is_closed_by_a_screw():
    with pytest.raises(px.InvalidModel, match="Cut the loop at another joint"):
        Loop("nut", "a", "b", Screw((0, 0, 1), 0.1))


def test_a_graph_keeps_its_screw_in_the_tree():
    """A jack: legs of two bars that a spindle spreads, whichever way the spindle is written."""
    bodies = [Body(name, 1.0, inertia=np.eye(3)) for name in ("base", "nut", "bar", "rod")]
    spread = [
        Joint("hinge_1", "base", "bar", Revolute((0, 1, 0))),
        Joint("hinge_2", "bar", "rod", Revolute((0, 1, 0)), Pose(translation=(0.5, 0, 0.5))),
        Joint("hinge_3", "rod", "nut", Revolute((0, 1, 0)), Pose(translation=(0.5, 0, -0.5))),
    ]
    for ends in (("base", "nut"), ("nut", "base")):
        screw = Joint("spindle", *ends, Screw((1, 0, 0), 0.1))
        made = px.from_graph("jack", bodies, [*spread, screw], root="base")
        assert isinstance(made.joint("spindle").motion, Screw)
        assert [loop.motion.kind for loop in made.loops] == ["revolute"]
