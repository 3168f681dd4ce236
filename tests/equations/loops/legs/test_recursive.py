"""Recursions within legs: in the plane and in space, every joint at the platform, bad machines."""

from dataclasses import replace

import numpy as np
import pytest

import phalanx as px
from equations.loops.machines import moving, numbers
from equations.loops.random_loops import world_poses
from evaluate import Numbers, close
from phalanx.equations import loops
from phalanx.equations.loops.assembly.assemble import assemble
from phalanx.mechanism import (
    Body,
    Cylindrical,
    FixedDistance,
    Floating,
    Frame,
    Joint,
    Loop,
    Mechanism,
    Planar,
    PlanarPin,
    Pose,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)
from phalanx.mechanism.joint import Z
from phalanx.mechanism.pose import rotation_about

INERTIA = np.array([[0.02, 0.003, 0.001], [0.003, 0.03, -0.002], [0.001, -0.002, 0.025]])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", ["planar_3rrr", "stewart"])
def test_forward_is_that_of_multipliers(name, seed):
    """With forces on passive joints and on the platform as well."""
    q, v, tau = moving(name, seed)
    n = numbers(name)
    close(n(loops.recursive, q, v, tau), n(loops.multipliers, q, v, tau), 1e-9)


@pytest.mark.parametrize("name", ["planar_3rrr", "stewart"])
def test_inverse_is_that_of_multipliers(name):
    q, v, tau = moving(name)
    n = numbers(name)
    motors = [joint.name for joint in n.mechanism.actuated_joints]
    a = n(loops.multipliers, q, v, tau)
    found, _ = n(loops.recursive_inverse, q, v, a)
    wanted, _ = n(loops.actuation, q, v, a, actuated=tuple(motors))
    driven = [n.mechanism.v_slices[m].start for m in motors]
    close(found[driven], wanted, 1e-9)


# at the leg's end and before it: six freedoms a leg, one of them the motor's
ENDS = {
    "revolute": (Spherical(), Revolute(np.array([1.0, 0.3, 0.1]))),
    "prismatic": (Spherical(), Prismatic(np.array([0.2, 0.3, 1.0]))),
    "universal": (Universal(), Universal(np.array([1.0, 0.0, 0.2]), np.array([0.0, 1.0, 0.1]))),
    "cylindrical": (Universal(), Cylindrical(np.array([0.2, 0.3, 1.0]))),
    "spherical": (Revolute(np.array([1.0, 0.1, 0.0])), Spherical()),
}


def on_circle(radius, angle):
    return radius * np.array([np.cos(angle), np.sin(angle), 0.0])


def spatial(wrist, closure):
    """A platform on six legs of hinge, slide and wrist."""
    platform = Body("platform", 5.0, np.array([0.02, 0.01, 0.03]), 4 * INERTIA)
    above = Pose(translation=np.array([0.0, 0.0, 0.9]))
    bodies, frames, closures = [Body("base"), platform], [], []
    joints = [Joint("free", "base", "platform", Floating(), above, effort_limit=0.0)]
    for i in range(6):
        angle, side = np.pi / 3 * i, (-1) ** i
        foot = Pose(rotation_about(Z, angle), on_circle(1.0, angle + 0.2 * side))
        hip = Revolute(np.array([0.2, 1.0, 0.1]))
        up = Pose(translation=np.array([0.0, 0.0, 0.4]))
        slide = Prismatic(np.array([0.1, 0.0, 1.0]))
        bodies += [
            Body(f"{part}_{i}", 1.0 + k, np.array([0.05, 0.02, 0.2]), INERTIA)
            for k, part in enumerate(("lower", "upper", "hand"))
        ]
        joints += [
            Joint(f"hip_{i}", "base", f"lower_{i}", hip, foot, effort_limit=0.0),
            Joint(f"slide_{i}", f"lower_{i}", f"upper_{i}", slide, up, rotor_inertia=0.3),
            Joint(f"wrist_{i}", f"upper_{i}", f"hand_{i}", wrist, up, effort_limit=0.0),
        ]
        seat = Pose(foot.rotation, on_circle(0.7, angle - 0.3 * side))
        end = Pose(translation=np.array([0.03, -0.05, 0.2]))
        frames += [Frame(f"end_{i}", f"hand_{i}", end), Frame(f"seat_{i}", "platform", seat)]
        # both ways round
        ends = (f"end_{i}", f"seat_{i}") if i % 2 else (f"seat_{i}", f"end_{i}")
        closures.append(Loop(f"leg_{i}", *ends, closure))
    return Mechanism("spatial", bodies, joints, frames, closures)


@pytest.mark.parametrize(
    "end",
    [
        *("revolute", "spherical"),
        *(
            pytest.param(end, marks=pytest.mark.slow)
            for end in ("cylindrical", "prismatic", "universal")
        ),
    ],
)
def test_every_joint_between_leg_and_platform(end):
    mechanism = spatial(*ENDS[end])
    n = Numbers(mechanism)
    rng = np.random.default_rng(0)
    guess = n.move(assemble(mechanism).q, 0.05 * rng.standard_normal(mechanism.nv))
    x = assemble(mechanism, guess, rng.standard_normal(mechanism.nv))
    assert x.mobility == 6 and not x.redundant
    tau = rng.standard_normal(mechanism.nv)
    a = n(loops.recursive, x.q, x.v, tau)
    close(a, n(loops.multipliers, x.q, x.v, tau), 1e-8)


def sliding_3rpr():
    """A platform on legs that turn, slide and turn, upright in the xz-plane; slides drive."""
    y = np.array([0.0, 1.0, 0.0])
    bodies = [Body("base"), Body("platform", 3.0, np.array([0.01, 0.0, 0.02]), INERTIA)]
    up = Pose(translation=np.array([0.0, 0.0, 0.8]))
    joints = [Joint("free", "base", "platform", Planar(y), up, effort_limit=0.0)]
    frames, closures = [], []
    for i, x in enumerate((-0.6, 0.1, 0.7)):
        bodies += [Body(f"barrel_{i}", 1.0, np.array([0.0, 0.0, 0.2]), INERTIA)]
        bodies += [Body(f"rod_{i}", 0.5, np.array([0.0, 0.0, 0.1]), INERTIA)]
        foot, out = Pose(translation=np.array([x, 0.0, 0.0])), Pose()
        joints += [
            Joint(f"turn_{i}", "base", f"barrel_{i}", Revolute(y), foot, effort_limit=0.0),
            Joint(f"drive_{i}", f"barrel_{i}", f"rod_{i}", Prismatic(), out),
        ]
        seat = Pose(translation=np.array([0.3 * x, 0.0, 0.1 * i]))
        frames += [
            Frame(f"end_{i}", f"rod_{i}", Pose(translation=np.array([0.0, 0.0, 0.6]))),
            Frame(f"seat_{i}", "platform", seat),
        ]
        closures.append(Loop(f"leg_{i}", f"seat_{i}", f"end_{i}", PlanarPin(y)))
    return Mechanism("3rpr", bodies, joints, frames, closures)


def test_motors_need_not_be_the_first_joints_nor_the_plane_xy():
    mechanism = sliding_3rpr()
    n = Numbers(mechanism)
    x = assemble(mechanism, None, np.linspace(-1, 1, 9))
    tau = np.linspace(2, -3, 9)
    close(n(loops.recursive, x.q, x.v, tau), n(loops.multipliers, x.q, x.v, tau), 1e-10)
    turns = ("turn_0", "turn_1", "turn_2")
    a = n(loops.recursive, x.q, x.v, tau, actuated=turns)
    close(a, n(loops.multipliers, x.q, x.v, tau), 1e-9)


@pytest.mark.parametrize("name", ["four_bar", "delta", "bucket_linkage", "puma560"])
def test_machines_that_are_no_platform_on_legs(name):
    with pytest.raises(px.InvalidModel, match="not a platform on legs"):
        px.expression(loops.recursive, px.library.by_name(name))


def test_a_rod_is_no_joint_of_a_leg():
    machine = px.library.planar_3rrr()
    rods = [replace(loop, motion=FixedDistance(0.1)) for loop in machine.loops]
    with pytest.raises(px.InvalidModel, match="fixed distance, which is not a joint"):
        px.expression(loops.recursive, replace(machine, loops=rods))


def test_a_loop_between_two_legs():
    machine = px.library.planar_3rrr()
    # a rod as long as the tips are apart: the machine can be assembled
    tips = [world_poses(machine, machine.neutral())[tip].translation for tip in ("tip_1", "tip_2")]
    across = Loop(
        "across", "tip_1", "tip_2", FixedDistance(float(np.linalg.norm(tips[1] - tips[0])))
    )
    with pytest.raises(px.InvalidModel, match=r"'across' .* does not join a leg and the platform"):
        px.expression(loops.recursive, replace(machine, loops=[*machine.loops, across]))


def test_a_leg_that_leaves_the_plane():
    machine = px.library.planar_3rrr()
    tilted = [
        replace(j, motion=Revolute(np.array([0.3, 0.0, 1.0]))) if j.name == "elbow_2" else j
        for j in machine.joints
    ]
    with pytest.raises(px.InvalidModel, match="moves in a plane"):
        px.expression(loops.recursive, replace(machine, joints=tilted))


@pytest.mark.parametrize("actuated", [("drive_1", "drive_2"), ("drive_1", "elbow_1", "drive_3")])
def test_one_motor_a_leg(actuated):
    with pytest.raises(px.InvalidInput, match="one a leg"):
        px.expression(loops.recursive, px.library.planar_3rrr(), actuated=actuated)


@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.5, 0.5, 0.5), (np.nan, 0.5, 0.5)])
def test_shares_add_up_to_one(shares):
    with pytest.raises(px.InvalidInput, match="add up to 1"):
        px.expression(loops.recursive_inverse, px.library.planar_3rrr(), shares=shares)
