"""Joints that form cycles become a tree and loops that move as the machine does."""

from dataclasses import replace

import numpy as np
import pytest

from equations.loops.random_loops import world_poses
from evaluate import Numbers, close
from phalanx.base.errors import InvalidModel, UnknownName
from phalanx.equations.loops import constrained
from phalanx.equations.loops.assembly.assemble import assemble
from phalanx.mechanism import (
    Body,
    Fixed,
    Floating,
    Frame,
    Joint,
    Mechanism,
    Mimic,
    Pose,
    Revolute,
    Spherical,
    from_graph,
    library,
)


def named(loop_machine: Mechanism, flip: tuple[str, ...] = ()) -> tuple[list[Joint], list[Frame]]:
    """All connections of a machine as joints between frames: those of its tree and of its loops.

    A joint that is flipped runs from its child to its parent, about the opposite axis.
    """
    joints = [
        *loop_machine.joints,
        *(
            Joint(loop.name, loop.frame_a, loop.frame_b, loop.motion, effort_limit=0.0)
            for loop in loop_machine.loops
        ),
    ]
    frames = list(loop_machine.frames)
    for k, joint in enumerate(joints):
        if joint.name in flip:
            seat = f"{joint.name}_seat"
            frames.append(Frame(seat, joint.parent, joint.pose))
            back = replace(joint.motion, axis=-joint.motion.axis)
            joints[k] = replace(joint, parent=joint.child, child=seat, motion=back, pose=Pose())
    return joints, frames


def accelerations(mechanism: Mechanism, rates: dict[str, float], forces: dict[str, float]):
    """Accelerations by joint name, at the posture of zero, of joints that two machines share."""
    v, tau = np.zeros(mechanism.nv), np.zeros(mechanism.nv)
    for name, rate in rates.items():
        v[mechanism.v_slices[name]] = rate
    for name, force in forces.items():
        tau[mechanism.v_slices[name]] = force
    x = assemble(mechanism, mechanism.neutral(), v, held=list(rates))
    a, _ = Numbers(mechanism)(constrained, x.q, x.v, tau)
    return {name: a[part] for name, part in mechanism.v_slices.items()}


@pytest.mark.parametrize("flip", [(), ("rocker",), ("coupler", "rocker"), ("crank",)], ids=str)
def test_a_graph_of_four_bars_moves_like_the_tree_with_a_loop(flip):
    hand = library.four_bar(angle=0.7)
    joints, frames = named(hand, flip)
    m = from_graph("four_bar", hand.bodies, joints, frames, root="ground")
    assert len(m.loops) == 1 and m.nv == 3 and "crank" in m.v_slices
    x = assemble(m)
    np.testing.assert_array_equal(x.q, 0.0)
    assert x.mobility == 1
    wanted = accelerations(hand, {"crank": 2.0}, {"crank": 3.0})
    found = accelerations(m, {"crank": 2.0}, {"crank": 3.0})
    for name in set(wanted) & set(found):
        close(found[name], wanted[name], 1e-10, name)


@pytest.mark.parametrize("cut", ["coupler", "rocker", "pin"])
def test_whichever_joint_is_cut_the_machine_is_the_same(cut):
    hand = library.four_bar(angle=0.7)
    joints, frames = named(hand)
    keep = [joint.name for joint in joints if joint.name != cut]
    m = from_graph("four_bar", hand.bodies, joints, frames, root="ground", keep=keep)
    assert [loop.name for loop in m.loops] == [cut]
    wanted = accelerations(hand, {"crank": 2.0}, {"crank": 3.0})["crank"]
    close(accelerations(m, {"crank": 2.0}, {"crank": 3.0})["crank"], wanted, 1e-10)


def test_chains_are_short_and_drives_stay():
    """Of the planar 3-RRR without its joint to the base, legs meet in the platform."""
    hand = library.planar_3rrr()
    pins = [
        Joint(f"pin_{i}", f"tip_{i}", f"vertex_{i}", Revolute(), effort_limit=0.0)
        for i in (1, 2, 3)
    ]
    joints = [joint for joint in hand.joints if joint.name != "platform"] + pins
    m = from_graph("3rrr", hand.bodies, joints, hand.frames, gravity=hand.gravity)
    assert m.bodies[0].name == "base" and len(m.loops) == 2
    assert {f"drive_{i}" for i in (1, 2, 3)} <= set(m.v_slices)
    x = assemble(m, held=[j.name for j in m.moving_joints if j.name.startswith("drive")])
    assert x.mobility == 3 and x.redundant == 6
    rates = {"drive_1": 0.3, "drive_2": -0.2, "drive_3": 0.5}
    forces = {"drive_1": 5.0, "drive_2": -10.0, "drive_3": 40.0}
    wanted = accelerations(hand, rates, forces)
    v, tau = np.zeros(m.nv), np.zeros(m.nv)
    for name in rates:
        v[m.v_slices[name]], tau[m.v_slices[name]] = rates[name], forces[name]
    y = assemble(m, x.q, v, held=list(rates))
    a, _ = Numbers(m)(constrained, y.q, y.v, tau)
    for name in rates:
        close(a[m.v_slices[name]], wanted[name], 1e-9, name)


def rod(name: str) -> Body:
    return Body(name, 1.0, np.array([0.1, 0, 0]), 0.01 * np.eye(3))


def ring(**changes) -> list[Joint]:
    """A ring of four bodies by four hinges, with something else about some of them."""
    ends = {
        "a": ("base", "one"),
        "b": ("one", "two"),
        "c": ("two", "three"),
        "d": ("base", "three"),
    }
    return [Joint(n, *ends[n], Revolute(), **changes.get(n, {})) for n in ends]


BODIES = [Body("base"), rod("one"), rod("two"), rod("three")]


def loops_of(joints, **options) -> list[str]:
    return [loop.name for loop in from_graph("ring", BODIES, joints, **options).loops]


def test_the_tree_is_balanced():
    """From the base both ways: the last body hangs on the joint that comes first."""
    assert loops_of(ring()) == ["c"]
    m = from_graph("ring", BODIES, ring())
    assert sorted(m.parents) == [-1, 0, 0, 1]


@pytest.mark.parametrize(
    "kept",
    [
        {"damping": 0.1},
        {"friction": 0.1},
        {"rotor_inertia": 0.1},
        {"mimic": Mimic("a", 2.0)},
    ],
    ids=lambda kept: next(iter(kept)),
)
def test_joints_that_do_more_than_move_are_not_cut(kept):
    assert loops_of(ring(c=kept)) != ["c"]


def test_driven_joints_are_not_cut_once_some_are_passive():
    passive = {"effort_limit": 0.0}
    assert loops_of(ring(b=passive)) == ["b"]
    assert loops_of(ring(c=passive, b=passive)) == ["c"]
    with pytest.raises(InvalidModel, match="closes a cycle of joints that may not be cut"):
        loops_of(ring(), keep=["a", "b", "c", "d"])


def test_fixed_and_spherical_joints_close_loops_too():
    joints = [*ring()[:2], Joint("weld", "two", "three", Fixed()), ring()[3]]
    m = from_graph("ring", BODIES, joints)
    assert isinstance(m.loops[0].motion, Fixed) and m.loops[0].frame_b == "three"
    balls = [replace(joint, motion=Spherical()) for joint in ring()]
    assert isinstance(from_graph("ring", BODIES, balls).loops[0].motion, Spherical)


def test_a_floating_joint_that_is_cut_leaves_nothing():
    free = Joint("free", "two", "three", Floating())
    m = from_graph("ring", BODIES, [*ring()[:2], ring()[3], free])
    assert not m.loops and m.nv == 3


def test_a_tree_stays_as_it_is():
    arm = library.puma560()
    m = from_graph(arm.name, arm.bodies, arm.joints, arm.frames, gravity=arm.gravity)
    assert [j.name for j in m.joints] == [j.name for j in arm.joints] and not m.loops
    q, v, a = np.random.default_rng(0).standard_normal((3, 6))
    close(Numbers(m).inverse(q, v, a), Numbers(arm).inverse(q, v, a), 1e-14)


def test_a_tree_from_its_tip_has_the_same_coordinates():
    """Rooted at its hand, the chain's joints turn by the same angles as before."""
    chain = library.chain(3, gravity=(0, 0, 0), alternate=True)
    heavy = [replace(body, mass=body.mass or 1.0) for body in chain.bodies]
    m = from_graph("chain", heavy, chain.joints, root="link_3", gravity=(0, 0, 0))
    assert m.bodies[0].name == "link_3" and set(m.q_slices) == set(chain.q_slices)
    q = np.array([0.3, -0.5, 0.8])
    at = {name: q[part] for name, part in chain.q_slices.items()}
    turned = np.concatenate([at[joint.name] for joint in m.moving_joints])
    there = world_poses(m, turned)
    here = world_poses(chain, q)
    for body in chain.bodies:
        seen = here["link_3"].inverse() @ here[body.name]
        np.testing.assert_allclose(there[body.name].matrix, seen.matrix, atol=1e-14)


WRONG = {
    "no joint of mechanism 'ring' connects three": {"joints": ring()[:2]},
    "Did you mean 'three'": {"joints": [*ring()[:3], Joint("d", "base", "thre", Revolute())]},
    "joins 'one' to itself": {"joints": [*ring(), Joint("e", "one", "one", Revolute())]},
    "two joints named 'a'": {"joints": [*ring(), ring()[0]]},
    "has no body 'floor'": {"joints": ring(), "root": "floor"},
    "has no joint 'e'": {"joints": ring(), "keep": ["e"]},
    "joint 'ball' .* Swap its parent and child": {
        "joints": [*ring()[:2], Joint("ball", "three", "base", Spherical())],
        "root": "base",
    },
}


@pytest.mark.parametrize("reason", WRONG)
def test_graphs_that_are_no_machine(reason):
    with pytest.raises((InvalidModel, UnknownName), match=reason):
        from_graph("ring", BODIES, **WRONG[reason])
