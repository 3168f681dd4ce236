"""Recordings of chosen joints and bodies: the same numbers, fewer of them."""

from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
from phalanx.mechanism.pose import Pose, rotation_about
from phalanx.mechanism.quaternions import quaternions_of

MACHINE = px.library.chain(3, "spherical")
Q = MACHINE.random_positions(seed=0)
V = np.random.default_rng(1).standard_normal(9)
OPTIONS = {"duration": 0.02, "step": 1e-3, "integrator": px.SemiImplicitEuler()}


def test_chosen_joints_are_columns_of_the_whole():
    whole = px.simulate(MACHINE, Q, V, **OPTIONS)
    part = px.simulate(MACHINE, Q, V, joints=["joint_3", "joint_1"], **OPTIONS)
    assert part.signal("q").labels[:4] == tuple(f"joint_3.{k}" for k in ("qx", "qy", "qz", "qw"))
    assert np.array_equal(part["q"], whole["q"][:, [8, 9, 10, 11, 0, 1, 2, 3]])
    for name in ("v", "tau"):
        assert np.array_equal(part[name], whole[name][:, [6, 7, 8, 0, 1, 2]])
    assert np.array_equal(part["energy"], whole["energy"])
    bare = px.simulate(MACHINE, Q, V, joints=(), **OPTIONS)
    assert list(bare.signals) == ["energy", "work", "loss", "energy_balance"]


@pytest.mark.parametrize("duration", [0.02, 2.1], ids=["steps", "native loop"])
def test_bodies_are_where_kinematics_puts_them(duration, tmp_path):
    options = OPTIONS | {"duration": duration, "every": 10}
    bodies = ["link_3", "link_1", "base"]
    whole = px.simulate(MACHINE, Q, V, **options)
    run = px.simulate(
        MACHINE, Q, V, joints=(), bodies=bodies, path=tmp_path / "run.mcap", **options
    )
    dynamics = px.Dynamics(MACHINE)
    for k, body in enumerate(bodies):
        X = dynamics.forward_kinematics(whole["q"], frame=body)
        assert np.abs(run["position"][:, 3 * k : 3 * k + 3] - X[:, :3, 3]).max() < 1e-12
        for row, pose in zip(run["orientation"], X, strict=True):
            turned = Pose.from_quaternion(np.zeros(3), row[4 * k : 4 * k + 4]).rotation
            assert np.abs(turned - pose[:3, :3]).max() < 1e-11
        u = dynamics.frame_velocity(whole["q"], whole["v"], frame=body)[:, :3]
        assert np.abs(run["velocity"][:, 3 * k : 3 * k + 3] - u).max() < 1e-12
    again = px.Recording.read(tmp_path / "run.mcap")
    assert np.array_equal(again["position"], run["position"])
    assert again.signal("position").labels[:3] == ("link_3.x", "link_3.y", "link_3.z")


def test_every_rotation_has_a_quaternion():
    """Also half turns about each axis, where the scalar part vanishes."""
    rng = np.random.default_rng(2)
    axes = [*np.eye(3), *(a / np.linalg.norm(a) for a in rng.standard_normal((20, 3)))]
    R = np.array([rotation_about(a, x) for a in axes for x in (0.0, 1e-9, 1.0, np.pi, 3.0, -2.0)])
    q = quaternions_of(R)
    assert np.abs(np.linalg.norm(q, axis=1) - 1).max() < 1e-15
    assert (q[:, 3] >= 0).all()
    for matrix, x in zip(R, q, strict=True):
        assert np.abs(Pose.from_quaternion(np.zeros(3), x).rotation - matrix).max() < 1e-11


def test_unknown_and_double_names_are_refused():
    with pytest.raises(px.UnknownName, match="moving joint 'joint_4'"):
        px.simulate(MACHINE, joints=["joint_4"], **OPTIONS)
    with pytest.raises(px.UnknownName, match="link_33"):
        px.simulate(MACHINE, bodies=["link_33"], **OPTIONS)
    with pytest.raises(px.InvalidInput, match="twice"):
        px.simulate(MACHINE, bodies=["link_1", "link_1"], **OPTIONS)
    with pytest.raises(px.InvalidInput, match="twice"):
        px.simulate(MACHINE, joints=["joint_1", "joint_1"], **OPTIONS)
