from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from phalanx.base.errors import InvalidModel, UnknownName
from phalanx.mechanism import (
    Body,
    Fixed,
    Floating,
    Frame,
    Joint,
    Loop,
    Mechanism,
    Mimic,
    Prismatic,
    Revolute,
    Spherical,
    library,
)

A, B, C = Body("a", 1.0), Body("b", 1.0), Body("c", 1.0)


def hinge(name: str, parent: str, child: str, **more) -> Joint:
    return Joint(name, parent, child, Revolute(), **more)


def test_bodies_and_joints_are_stored_root_first():
    m = Mechanism("m", [C, B, A], [hinge("bc", "b", "c"), hinge("ab", "a", "b")])
    assert [body.name for body in m.bodies] == ["a", "b", "c"]
    assert [joint.child for joint in m.joints] == ["b", "c"]
    assert m.parents == (-1, 0, 1)


@given(st.randoms(use_true_random=False))
def test_any_order_of_input_gives_the_same_tree(random):
    torso = library.torso()
    bodies, joints = list(torso.bodies), list(torso.joints)
    random.shuffle(bodies)
    random.shuffle(joints)
    shuffled = replace(torso, bodies=bodies, joints=joints)
    for joint in torso.joints:
        assert shuffled.joint(joint.name).parent == joint.parent
    order = [shuffled.body_index(body.name) - 1 for body in torso.bodies[1:]]
    np.testing.assert_array_equal(shuffled.path_matrix[np.ix_(order, order)], torso.path_matrix)
    assert all(parent < i for i, parent in enumerate(shuffled.parents))


@pytest.mark.parametrize(
    ("reason", "bodies", "joints"),
    [
        ("no bodies", [], []),
        ("2 roots", [A, B], []),
        ("cycle", [A, B], [hinge("ab", "a", "b"), hinge("ba", "b", "a")]),
        ("cycle", [A, B, C], [hinge("bc", "b", "c"), hinge("cb", "c", "b")]),
        ("to itself", [A, B], [hinge("ab", "a", "a")]),
        ("two parents", [A, B, C], [hinge("ac", "a", "c"), hinge("bc", "b", "c")]),
        ("two bodies named 'a'", [A, A], [hinge("aa", "a", "a")]),
        ("two joints named 'j'", [A, B, C], [hinge("j", "a", "b"), hinge("j", "b", "c")]),
        ("without a name", [A, Body("", 1.0)], [hinge("j", "a", "")]),
    ],
)
def test_what_is_no_tree_is_refused_with_the_reason(reason, bodies, joints):
    with pytest.raises(InvalidModel, match=reason):
        Mechanism("m", bodies, joints)


def test_a_massless_body_may_move_what_has_mass():
    joints = [hinge("ab", "a", "b"), hinge("bc", "b", "c")]
    assert Mechanism("m", [A, Body("b"), C], joints).nv == 2


def test_a_rotor_is_mass_enough():
    joint = hinge("ab", "a", "b", rotor_inertia=0.1)
    assert Mechanism("m", [A, Body("b")], [joint]).nv == 1


def test_unknown_names_come_with_a_suggestion():
    m = Mechanism("arm", [A, B], [hinge("shoulder", "a", "b")])
    with pytest.raises(UnknownName, match="Did you mean 'shoulder'"):
        m.joint("sholder")
    for look_up in (m.body, m.body_index, m.frame):
        with pytest.raises(UnknownName, match="'arm' has no"):
            look_up("z")
    with pytest.raises(UnknownName, match="'ab'"):
        Mechanism("m", [A, B], [hinge("ab", "a", "bb")])
    with pytest.raises(UnknownName):
        Mechanism("m", [A], frames=[Frame("tip", "b")])
    with pytest.raises(UnknownName):
        Mechanism("m", [A], loops=[Loop("l", "a", "nowhere")])


def test_a_frame_may_not_have_a_body_s_name():
    with pytest.raises(InvalidModel, match="two frames named 'a'"):
        Mechanism("m", [A], frames=[Frame("a", "a")])


def chain_of_followers(*leaders: str | None) -> Mechanism:
    """Hinges j0, j1, … one on the other; each follows by ratio 2 and offset 1."""
    bodies = [Body(f"b{k}", 1.0) for k in range(len(leaders) + 1)]
    joints = [
        hinge(f"j{k}", f"b{k}", f"b{k + 1}", mimic=leader and Mimic(leader, 2.0, 1.0))
        for k, leader in enumerate(leaders)
    ]
    return Mechanism("m", bodies, joints)


def test_a_mimic_of_a_mimic_follows_the_first_of_them():
    m = chain_of_followers("j2", None, "j3", "j1")
    # q3 = 2 q1 + 1, q2 = 2 q3 + 1, q0 = 2 q2 + 1
    assert m.joint("j3").mimic == Mimic("j1", 2.0, 1.0)
    assert m.joint("j2").mimic == Mimic("j1", 4.0, 3.0)
    assert m.joint("j0").mimic == Mimic("j1", 8.0, 7.0)
    assert m.nq == 1 and [joint.name for joint in m.moving_joints] == ["j1"]


@pytest.mark.parametrize(
    ("leaders", "cycle"),
    [(["j0"], "j0 → j0"), (["j1", "j2", "j1"], "j1 → j2 → j1"), (["j1", "j0"], "j0 → j1 → j0")],
)
def test_mimics_in_a_cycle_are_named(leaders, cycle):
    with pytest.raises(InvalidModel, match=f"in a cycle: {cycle}"):
        chain_of_followers(*leaders)


def test_mimics_follow_a_joint_with_coordinates_of_its_own():
    leader = hinge("ab", "a", "b")
    follower = hinge("bc", "b", "c", mimic=Mimic("ab", -1.0))
    m = Mechanism("m", [A, B, C], [follower, leader])
    assert (m.nq, m.nv) == (1, 1)
    with pytest.raises(UnknownName):
        Mechanism("m", [A, B], [replace(leader, mimic=Mimic("gone"))])
    ball = Joint("ab", "a", "b", Spherical())
    with pytest.raises(InvalidModel, match="exactly one"):
        Mechanism("m", [A, B, C], [ball, follower])


def test_gravity_is_checked():
    with pytest.raises(InvalidModel, match="gravity"):
        Mechanism("m", [A], gravity=np.array([0, 0, np.inf]))


def test_sizes_and_slices():
    m = Mechanism(
        "m",
        [A, B, C, Body("d", 1.0)],
        [
            Joint("float", "a", "b", Floating()),
            Joint("weld", "b", "c", Fixed()),
            Joint("slide", "c", "d", Prismatic(), lower=1.0, upper=2.0, damping=0.5),
        ],
    )
    assert (m.nq, m.nv) == (8, 7)
    assert m.q_slices == {"float": slice(0, 7), "slide": slice(7, 8)}
    assert m.v_slices == {"float": slice(0, 6), "slide": slice(6, 7)}
    np.testing.assert_array_equal(m.per_freedom("damping"), [0] * 6 + [0.5])
    np.testing.assert_array_equal(m.neutral(), [0, 0, 0, 0, 0, 0, 1, 0])
    q = m.random_positions((4, 3))
    assert q.shape == (4, 3, 8)
    np.testing.assert_allclose(np.linalg.norm(q[..., 3:7], axis=-1), 1)
    assert (q[..., 7] >= 1).all() and (q[..., 7] <= 2).all()
    assert "nq=8, nv=7" in repr(m)


def test_a_body_alone_is_a_mechanism():
    m = Mechanism("stone", [A])
    assert m.nq == m.nv == 0
    assert m.neutral().shape == m.per_freedom("lower").shape == (0,)
