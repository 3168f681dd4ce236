"""Blocks of the complement for every kind of joint, and bodies about their centres of mass.

Wong (1991), §3.2 and the table of joints of §6.4.1.
"""

import casadi as ca
import numpy as np
import pytest
from hypothesis import given

import phalanx as px
from evaluate import Numbers, close
from phalanx import equations as eq
from phalanx.equations.model_of import model_in_given_frames, model_of
from phalanx.equations.orthogonal_complement.bodies import centred_bodies
from phalanx.equations.orthogonal_complement.loads import centre_accelerations, centre_velocities
from phalanx.equations.orthogonal_complement.recursion import complement, path, reaches
from phalanx.equations.tree.motion import BaseMotion
from phalanx.mechanism import (
    Cylindrical,
    Floating,
    Motion,
    Prismatic,
    Revolute,
    Spherical,
    Universal,
)
from phalanx.mechanism.pose import Pose
from strategies import moving, random_body, random_pose

RNG = np.random.default_rng(5)
LIMB, TIP = random_body(RNG, "limb", False), random_body(RNG, "tip", False)
PLACES = random_pose(RNG, False), random_pose(RNG, False)


def two_bodies(motion: Motion) -> px.Mechanism:
    """A limb on the joint in question, and a tip hinged to it."""
    joints = [
        px.Joint("joint", "root", "limb", motion, PLACES[0]),
        px.Joint("hinge", "limb", "tip", Revolute(), PLACES[1]),
    ]
    return px.Mechanism("two", [px.Body("root"), LIMB, TIP], joints)


def tip_block(motion: Motion) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Block (tip, joint): angular and linear part; rho, from the tip's centre to the joint.

    A joint of two nodes has the columns of both, as its rates come.
    """
    mechanism = two_bodies(motion)
    model = model_in_given_frames(mechanism)
    q = ca.SX.sym("q", mechanism.nq)
    bodies = centred_bodies(model, q)
    last = len(bodies) - 1
    seen, H = reaches(bodies), complement(bodies)
    own = [j for j in path(bodies, last) if j != last]
    blocks = [
        ca.horzcat(*(H[last, j].angular for j in own)),
        ca.horzcat(*(H[last, j].linear for j in own)),
        seen[last, own[-1]].rho,
    ]
    f = ca.Function("blocks", [q], [ca.densify(x) for x in blocks])
    return tuple(np.array(x) for x in f(mechanism.random_positions(seed=9)))


def turned_axes(motion: Motion) -> np.ndarray:
    """Axes of the limb as the tip sees them, columns."""
    mechanism = two_bodies(motion)
    n, q = Numbers(mechanism), mechanism.random_positions(seed=9)
    R = {b: n(eq.forward_kinematics, q, frame=b)[:3, :3] for b in ("limb", "tip")}
    # a hinge's node frame is that of its body, for axes along z
    return R["tip"].T @ R["limb"]


def columnwise_cross(rho: np.ndarray, c: np.ndarray) -> np.ndarray:
    return np.cross(rho[:, 0], c.T).T


def test_a_hinge_has_its_axis_and_its_arm():
    c, u, rho = tip_block(Revolute())
    close(c[:, 0], turned_axes(Revolute())[:, 2], 1e-12)
    close(u, columnwise_cross(rho, c), 1e-12)


def test_a_slide_moves_every_body_beyond_it_alike():
    c, u, _ = tip_block(Prismatic((0, 0, 1)))
    assert np.abs(c).max() == 0
    close(u[:, 0], turned_axes(Prismatic((0, 0, 1)))[:, 2], 1e-12)


def test_a_cylinder_has_both():
    c, u, rho = tip_block(Cylindrical((0, 0, 1)))
    axis = turned_axes(Cylindrical((0, 0, 1)))[:, [2]]
    close(c, np.hstack([axis, 0 * axis]), 1e-12)
    close(u, np.hstack([columnwise_cross(rho, axis), axis]), 1e-12)


def test_a_universal_joint_has_two_axes_through_one_point():
    motion = Universal((0, 1, 0), (0, 0, 1))
    c, u, rho = tip_block(motion)
    n, q = Numbers(two_bodies(motion)), two_bodies(motion).random_positions(seed=9)
    R = n(eq.forward_kinematics, q, frame="tip")[:3, :3]
    first = PLACES[0].rotation @ np.array([0, 1.0, 0])  # fixed in the root
    close(c, np.column_stack([R.T @ first, turned_axes(motion)[:, 2]]), 1e-12)
    close(u, columnwise_cross(rho, c), 1e-12)


def test_a_ball_has_three_axes_through_one_point():
    c, u, rho = tip_block(Spherical())
    close(c, turned_axes(Spherical()), 1e-12)
    close(u, columnwise_cross(rho, c), 1e-12)


def test_a_floating_base_turns_its_arm_with_it():
    # [0 A; A rho~ A]; the source prints rho~ alone, which is the arm in other axes
    c, u, rho = tip_block(Floating())
    A = turned_axes(Floating())
    close(c, np.hstack([np.zeros((3, 3)), A]), 1e-12)
    arm = columnwise_cross(rho, A)
    close(u, np.hstack([A, arm]), 1e-12)
    assert np.abs(columnwise_cross(rho, np.eye(3)) - arm).max() > 0.1


@given(moving(mimics=False, max_bodies=5))
def test_the_complement_is_the_jacobian_of_all_centres_of_mass(machine):
    mechanism, x = machine
    model = model_of(mechanism)
    q, v = ca.SX.sym("q", mechanism.nq), ca.SX.sym("v", mechanism.nv)
    bodies = centred_bodies(model, q)
    moved = centre_velocities(model, bodies, v, BaseMotion.still())
    found = []
    for i, V in enumerate(moved):
        total = ca.SX.zeros(6, 1)
        for j in path(bodies, i):
            block = complement(bodies)[i, j] @ bodies[j].node.rate(v)
            total += ca.vertcat(block.angular, block.linear)
        found.append(ca.horzcat(total, ca.vertcat(V.angular, V.linear)))
    f = ca.Function("f", [q, v], [ca.densify(ca.vertcat(*found))])
    by_blocks, by_sweep = np.array(f(x.q, x.v)).T
    close(by_blocks, by_sweep, 1e-12)


def test_accelerations_of_centres_are_rates_of_their_velocities():
    # in body axes: p'' + g = du/dt + w × u
    arm = px.library.puma600()
    model = model_of(arm)
    q, v, a = (ca.SX.sym(name, 6) for name in "qva")
    bodies = centred_bodies(model, q)
    still = BaseMotion.still()
    V = centre_velocities(model, bodies, v, still)
    A = centre_accelerations(model, bodies, v, a, still)
    down = model.gravity
    errors = []
    for body, V_i, A_i in zip(bodies, V, A, strict=True):
        R = body.rotation
        down = R.into_child(down)
        rate = ca.jacobian(V_i.linear, q) @ v + ca.jacobian(V_i.linear, v) @ a
        errors.append(A_i.a + down - rate - ca.cross(V_i.angular, V_i.linear))
        errors.append(A_i.dw - ca.jacobian(V_i.angular, q) @ v - ca.jacobian(V_i.angular, v) @ a)
    f = ca.Function("errors", [q, v, a], [ca.densify(ca.vertcat(*errors))])
    rng = np.random.default_rng(2)
    assert np.abs(np.array(f(*rng.standard_normal((3, 6))))).max() < 1e-12


def test_a_hinge_that_slides_has_a_moving_l():
    slider = px.library.stanford()
    q = ca.SX.sym("q", slider.nq)
    bodies = centred_bodies(model_in_given_frames(slider), q)
    moving_l = [i for i, body in enumerate(bodies) if not body.l_parent.is_constant()]
    assert [bodies[i].freedom.name for i in moving_l] == ["SLIDE"]


def test_twists_are_given_where_axes_differ_by_a_twist():
    general = px.Mechanism(
        "general",
        [px.Body("root"), LIMB],
        [px.Joint("j", "root", "limb", Revolute(), Pose.from_rpy((0, 0, 0), (0.3, 0.4, 0.5)))],
    )
    (body,) = centred_bodies(model_in_given_frames(general), ca.SX.sym("q", 1))
    assert body.twist is None
    puma = centred_bodies(model_in_given_frames(px.library.puma600()), ca.SX.sym("q", 6))
    assert [round(np.degrees(b.twist)) for b in puma] == [0, -90, 0, 90, -90, 90]


@pytest.mark.parametrize("child", [1, 2, 4])
def test_d_leads_from_a_childs_hinge_to_the_bodys_own(child):
    q = ca.SX.sym("q", 6)
    trunk = centred_bodies(model_in_given_frames(px.library.torso()), q)[0]
    torso = px.library.torso()
    hinge = torso.joints[child].pose.translation  # from the trunk's own hinge
    np.testing.assert_allclose(np.array(ca.DM(trunk.d(child))).ravel(), -hinge, atol=1e-15)
