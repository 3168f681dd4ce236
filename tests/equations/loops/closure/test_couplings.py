"""Joints that follow others by polynomials: the same motion by every method, and by hand."""

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

import phalanx as px
from evaluate import Numbers, close
from phalanx.equations.loops import constrained, loop_wrenches, projection, reduced_mass_matrix
from phalanx.equations.loops.closure.equations import constraint, lengths_in_rows
from phalanx.equations.model_of import model_of
from phalanx.mechanism import (
    Body,
    Fixed,
    Joint,
    JointCoupling,
    Loop,
    Mechanism,
    Mimic,
    Pose,
    Prismatic,
    Revolute,
    Spherical,
    lock,
    merge_fixed,
    subtree,
)

P = (0.05, 0.3, -0.2, 0.1, 0.02)


def link(name: str) -> Body:
    return Body(name, 1.2, np.array([0.1, 0.02, 0.03]), np.diag([0.02, 0.03, 0.025]))


LIFT = Prismatic((0, 0, 1))


def cam(coefficients=P, follower=LIFT, coupled=True) -> Mechanism:
    """A crank, a follower on the ground that it lifts, and a swinging arm on the follower."""
    joints = [
        Joint("crank", "ground", "disc", Revolute((0, 1, 0))),
        Joint("lift", "ground", "tappet", follower, Pose(translation=np.array([0.2, 0, 0]))),
        Joint("swing", "tappet", "arm", Revolute((1, 0, 0)), Pose(translation=np.array([0, 0, 1]))),
    ]
    bodies = [Body("ground"), link("disc"), link("tappet"), link("arm")]
    loop = Loop.coupled("cam", joints[1], joints[0], coefficients)
    return Mechanism("cam", bodies, joints, loops=[loop] if coupled else [])


FOLLOWERS = [LIFT, Revolute((1, 1, 0))]


def moving(m: Mechanism, q=0.4, v=1.5):
    return px.assemble(m, [q, 0.0, 0.2], [v, 0.0, -0.7], held=["crank"])


@pytest.mark.parametrize("follower", FOLLOWERS, ids=lambda x: x.kind)
def test_position_velocity_and_acceleration_follow(follower):
    """p, p' v and p' a + p'' v² by hand."""
    m = cam(follower=follower)
    x = px.assemble(m, [0.4, 0.0, 0.2], [1.5, 0.0, 0.0], [0.9, 0.0, 0.0], held=["crank"])
    assert x.mobility == 2 and x.redundant == 0
    p = np.polynomial.Polynomial(P)
    close(x.q[1], p(0.4), 1e-14)
    close(x.v[1], p.deriv()(0.4) * 1.5, 1e-14)
    close(x.a[1], p.deriv()(0.4) * 0.9 + p.deriv(2)(0.4) * 1.5**2, 1e-13)


@pytest.mark.parametrize("follower", FOLLOWERS, ids=lambda x: x.kind)
def test_methods_agree(follower):
    m = cam(follower=follower)
    x, tau = moving(m), np.array([0.4, 0.0, -0.1])
    a, _ = Numbers(m)(constrained, x.q, x.v, tau)
    close(a, Numbers(m)(projection, x.q, x.v, tau), 1e-10)
    # by hand, in the free velocities: v = T z with the polynomial's slope in T
    p = np.polynomial.Polynomial(P)
    T = np.array([[1.0, 0.0], [p.deriv()(x.q[0]), 0.0], [0.0, 1.0]])
    g = np.array([0.0, p.deriv(2)(x.q[0]) * x.v[0] ** 2, 0.0])
    tree = Numbers(cam(follower=follower, coupled=False))
    M = np.asarray(tree(px.mass_matrix.composite_body, x.q))
    needed = np.ravel(tree(px.inverse_dynamics.recursive, x.q, x.v, g))
    z = np.linalg.solve(T.T @ M @ T, T.T @ (tau - needed))
    close(np.ravel(a), T @ z + g, 1e-10)
    close(Numbers(m)(reduced_mass_matrix, x.q, independent=["crank", "swing"]), T.T @ M @ T, 1e-12)


def test_accelerations_are_those_of_mujoco():
    """Along free motions to the last digits; across them to what MuJoCo's softness leaves.

    From rest, since MuJoCo leaves out p'' v².
    """
    pytest.importorskip("mujoco")
    from phalanx.bench.peers.mujoco import Mujoco

    m = cam()
    q, v, tau = moving(m).q, np.zeros(3), np.array([0.4, 0.0, -0.1])
    ours = np.ravel(Numbers(m)(constrained, q, v, tau)[0])
    theirs = Mujoco(m).one("forward_dynamics", None)(q, v, tau)
    T = np.array([[1.0, 0.0], [np.polynomial.Polynomial(P).deriv()(q[0]), 0.0], [0.0, 1.0]])
    M = np.asarray(Numbers(cam(coupled=False))(px.mass_matrix.composite_body, q))
    close(T.T @ M @ theirs, T.T @ M @ ours, 1e-9)
    close(theirs, ours, 1e-2)


def test_a_line_is_a_mimic():
    """Two coordinates and an equation, or one coordinate: the same motion and energy."""
    line = cam((0.1, 0.6))
    joints = list(line.joints)
    follows = [
        replace(j, mimic=Mimic("crank", 0.6, 0.1)) if j.name == "lift" else j for j in joints
    ]
    mimic = replace(line, joints=follows, loops=[])
    x, tau = moving(line), np.array([0.4, 0.0, -0.1])
    own = [0, 2]
    a = np.ravel(Numbers(line)(constrained, x.q, x.v, tau)[0])
    close(
        a[own],
        np.ravel(Numbers(mimic)(px.forward_dynamics.factorized, x.q[own], x.v[own], tau[own])),
        1e-10,
    )


def test_a_cam_follower_that_is_itself_a_mimic_is_read_through_its_leader():
    m = cam(coupled=False)
    twin = Joint("twin", "ground", "other", Revolute((0, 1, 0)), mimic=Mimic("crank", -2.0, 0.5))
    both = replace(m, bodies=[*m.bodies, link("other")], joints=[*m.joints, twin])
    m = replace(both, loops=[Loop.coupled("cam", m.joint("lift"), twin, (0.0, 0.0, 1.0))])
    x = px.assemble(m, [0.4, 0.0, 0.0], held=["crank"])
    close(x.q[m.q_slices["lift"]], [(0.5 - 2 * 0.4) ** 2], 1e-14)


def test_a_run_keeps_energy_and_follows():
    m = cam()
    x = moving(m)
    run = px.simulate(m, x.q, x.v, duration=0.5, step=1e-3)
    q = run["q"]
    assert np.ptp(q[:, 0]) > 0.1
    close(q[:, 1], np.polynomial.Polynomial(P)(q[:, 0]), 1e-10)
    energy = px.Dynamics(m).energy(q, run["v"])
    close(energy, np.full_like(energy, energy[0]), 1e-6)


def test_forces_in_a_coupling_take_its_place():
    """Along the axes of its joints they make the open tree move as the closed machine."""
    m = cam()
    x, tau = moving(m), np.array([0.4, 0.0, -0.1])
    a, force = Numbers(m)(constrained, x.q, x.v, tau)
    W = np.asarray(Numbers(m)(loop_wrenches, x.q, force))
    tree = cam(coupled=False)
    f = px.expression(px.forward_dynamics.factorized, tree, wrenches=["disc", "tappet"])
    # both joints stand on the ground, which takes the reactions
    found = f(x.q, x.v, tau, W[0, :6], W[0, 6:])
    close(np.asarray(found).ravel(), np.ravel(a), 1e-10)


def test_a_joint_may_be_held():
    m = cam()
    held = replace(m, loops=[Loop.coupled("cam", m.joint("lift"), None, [0.3])])
    x = px.assemble(held, [1.0, 0.0, 0.0])
    assert x.mobility == 2
    close(x.q[1], 0.3, 1e-14)
    close(
        lock(m, {"crank": 0.4}).loops[0].motion.coefficients, [m.loops[0].motion.position(0.4)], 0
    )


def test_locks_know_couplings():
    m = cam()
    both = lock(m, {"crank": 0.4, "lift": float(np.polynomial.Polynomial(P)(0.4))})
    assert not both.loops and both.nv == 1
    assert px.assemble(merge_fixed(lock(m, {"crank": 0.4}))).mobility == 1
    with pytest.raises(px.InvalidInput, match=r"'lift' is locked at 0.*'cam' wants"):
        lock(m, {"crank": 0.4, "lift": 0.0})
    with pytest.raises(px.InvalidInput, match="'lift' follows 'crank' by loop 'cam'"):
        lock(m, "lift")
    assert not subtree(m, "tappet").loops


def test_wrong_couplings_are_named():
    m = cam()
    for coefficients in ((), (np.nan,), ("1",), (1e60,)):
        with pytest.raises(px.InvalidModel, match="'lift'"):
            JointCoupling("lift", "crank", coefficients)
    with pytest.raises(px.InvalidModel, match="follow itself"):
        JointCoupling("lift", "lift", (1.0,))
    with pytest.raises(px.InvalidModel, match="no leader"):
        JointCoupling("lift", None, (1.0, 2.0))
    with pytest.raises(px.InvalidModel, match=r"'lift', which moves 'tappet'.*'arm'"):
        replace(m, loops=[Loop("x", "disc", "arm", JointCoupling("lift", "crank", (1.0,)))])
    with pytest.raises(px.InvalidModel, match="coupling 'cam' is of 'lift' and 'crank'; expected"):
        Loop.coupled("cam", "lift", "crank", [0.0, 1.0])
    with pytest.raises(px.UnknownName, match="'gone'"):
        replace(m, loops=[Loop("x", "disc", "tappet", JointCoupling("lift", "gone", (1.0,)))])
    for motion in (Spherical(), Fixed()):
        stiff = [replace(j, motion=motion) if j.name == "crank" else j for j in m.joints]
        with pytest.raises(px.InvalidModel, match=r"'crank', which is .* not exactly one"):
            replace(m, joints=stiff)


def test_the_equation_is_a_length_or_an_angle():
    for follower, unit in zip(FOLLOWERS, (True, False), strict=True):
        model = model_of(cam(follower=follower))
        assert lengths_in_rows(model).tolist() == [unit]
        q, v = ca.SX.sym("q", 3), ca.SX.sym("v", 3)
        assert constraint(model, q, v).c.numel() == 1
