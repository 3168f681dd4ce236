"""Springs are checked data and follow edits of their machine."""

from dataclasses import replace

import numpy as np
import pytest

import phalanx as px
from phalanx.base.errors import InvalidModel, UnknownName
from phalanx.mechanism import (
    Body,
    Fixed,
    Floating,
    Frame,
    Joint,
    Mechanism,
    Planar,
    Pose,
    Revolute,
    Spherical,
    Spring,
    attach,
    lock,
    merge_fixed,
    subtree,
    with_floating_base,
)
from phalanx.mechanism.describe import describe


def machine(*springs: Spring, name: str = "lift") -> Mechanism:
    bodies = [Body(f"{name}_post"), Body(f"{name}_arm", 1.0), Body(f"{name}_hand", 1.0)]
    joints = [
        Joint(f"{name}_hinge", bodies[0].name, bodies[1].name, Revolute(), stiffness=2.0, rest=0.1),
        Joint(f"{name}_wrist", bodies[1].name, bodies[2].name, Fixed()),
    ]
    tip = Frame(f"{name}_tip", bodies[2].name, Pose(translation=np.ones(3)))
    return Mechanism(name, bodies, joints, [tip], springs=springs)


COIL = Spring("coil", "lift_post", "lift_tip", 10.0, 0.5, 0.2)


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ({"stiffness": -1.0}, "stiffness of spring 'c' is -1"),
        ({"stiffness": float("nan")}, "stiffness of spring 'c' is nan"),
        ({"stiffness": 1.0, "damping": -2.0}, "damping of spring 'c' is -2"),
        ({"stiffness": 1.0, "rest_length": -0.1}, "rest length of spring 'c' is -0.1"),
        ({"stiffness": 1.0, "preload": float("inf")}, "preload of spring 'c' is inf"),
        ({"stiffness": 1e300}, "stiffness of spring 'c'"),
        ({"stiffness": "stiff"}, "stiffness"),
        ({"stiffness": 1.0, "frame_b": "a"}, "ties frame 'a' to itself"),
    ],
)
def test_what_is_refused(numbers, message):
    with pytest.raises(InvalidModel, match=message):
        Spring(**({"name": "c", "frame_a": "a", "frame_b": "b"} | numbers))


def test_springs_end_on_frames_of_different_bodies():
    with pytest.raises(UnknownName, match="lift_tipp"):
        machine(replace(COIL, frame_b="lift_tipp"))
    with pytest.raises(InvalidModel, match="joins two points of body 'lift_hand'"):
        machine(replace(COIL, frame_a="lift_hand"))
    with pytest.raises(InvalidModel, match="two springs and joints named 'lift_hinge'"):
        machine(replace(COIL, name="lift_hinge"))
    with pytest.raises(InvalidModel, match="two springs and joints named 'coil'"):
        machine(COIL, COIL)
    assert machine(COIL).spring("coil") is COIL
    with pytest.raises(UnknownName, match="Did you mean 'coil'"):
        machine(COIL).spring("coyl")


@pytest.mark.parametrize(
    ("motion", "numbers", "message"),
    [
        (Revolute(), {"stiffness": -1.0}, "stiffness of joint 'j'"),
        (Revolute(), {"stiffness": float("inf")}, "stiffness of joint 'j'"),
        (Revolute(), {"rest": float("nan")}, "rest position of joint 'j'"),
        (Revolute(), {"rest": (1.0, 2.0)}, r"shape \(1,\), got \(2,\)"),
        (Revolute(), {"rest": "here"}, "must be numbers"),
        (Spherical(), {"stiffness": (1.0, 2.0, 1.0)}, "one number for all three axes"),
        (Floating(), {"stiffness": (1, 2, 3, 4, 4, 5)}, "one number for all three axes"),
        (Spherical(), {"rest": 0.0}, r"shape \(4,\)"),
        (Spherical(), {"rest": np.zeros(4)}, "no quaternion"),
        (Revolute(), {"backward_friction": -1.0}, "backward friction of joint 'j'"),
        (Revolute(), {"backward_friction": "much"}, "backward friction of joint 'j'"),
    ],
)
def test_what_joints_refuse(motion, numbers, message):
    with pytest.raises(InvalidModel, match=message):
        Joint("j", "a", "b", motion, **numbers)


def test_springs_of_joints_rest_at_neutral_unless_said():
    np.testing.assert_array_equal(Joint("j", "a", "b", Planar()).rest_position, np.zeros(3))
    np.testing.assert_array_equal(Joint("j", "a", "b", Spherical()).rest_position, (0, 0, 0, 1))
    turned = Joint("j", "a", "b", Spherical(), rest=(0, 0, 2, 2))
    np.testing.assert_allclose(turned.rest_position, np.array([0, 0, 1, 1]) / np.sqrt(2))
    assert (Joint("j", "a", "b", Planar(), rest=0.3).rest_position == 0.3).all()


def test_friction_of_both_ways():
    joint = Joint("j", "a", "b", Revolute(), friction=2.0)
    assert [float(x[0]) for x in joint.dry_friction] == [2.0, 2.0]
    # a later change of one holds for both, as long as nobody said otherwise
    assert [float(x[0]) for x in replace(joint, friction=3.0).dry_friction] == [3.0, 3.0]
    uneven = replace(joint, backward_friction=0.5)
    assert [float(x[0]) for x in uneven.dry_friction] == [2.0, 0.5]


def test_edits_keep_springs():
    m = machine(COIL)
    both = attach(
        m,
        "lift_tip",
        machine(replace(COIL, name="other", frame_a="b_post", frame_b="b_tip"), name="b"),
    )
    assert [x.name for x in both.springs] == ["coil", "other"]
    assert subtree(both, "b_post").springs[0].name == "other"
    assert not subtree(m, "lift_arm").springs
    for edited in (merge_fixed(m), with_floating_base(m)):
        assert edited.springs == (COIL,) and edited.sprung_joints[0].rest_position == 0.1
    locked = lock(m, {"lift_hinge": 0.4})
    assert locked.springs == (COIL,) and not locked.sprung_joints


def test_edits_change_no_force():
    m = machine(COIL)
    expected = px.Dynamics(m, threads=1).passive_forces([0.7], [2.0])
    merged = px.Dynamics(merge_fixed(m), threads=1).passive_forces([0.7], [2.0])
    np.testing.assert_allclose(merged, expected, rtol=1e-13)
    free = px.Dynamics(with_floating_base(m), threads=1)
    base = np.array([0.3, -0.2, 0.5, 0.1, 0.2, -0.3, 0.9])
    forces = free.passive_forces([*base, 0.7], [*np.zeros(6), 2.0])
    # springs within a machine push no base
    np.testing.assert_allclose(forces, [*np.zeros(6), *expected], atol=1e-13)


def test_a_description_names_them():
    text = describe(machine(replace(COIL, preload=3.0)))
    assert "spring coil: lift_post - lift_tip (10 N/m beyond 0.2 m, 0.5 N·s/m, 3 N)" in text
    assert "spring 2 about 0.1" in text
