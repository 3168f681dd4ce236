"""Machines whose equations stand in every textbook."""

import numpy as np
import pytest

import phalanx as px
from evaluate import Numbers, close
from phalanx import equations as eq
from phalanx.mechanism import Body, Floating, Joint, Mechanism, Prismatic, Revolute, Spherical

EXACT = 1e-13  # a dozen operations
rng = np.random.default_rng(1)


@pytest.mark.parametrize("angle", [0.0, 0.4, -2.0, 3.0])
def test_simple_pendulum(angle):
    # tau = (I + m c²) a + m g c sin(q)
    m, c, I, g = 2.0, 0.7, 0.05, 9.81
    body = Body("bob", m, np.array([0, 0, -c]), np.diag([I, I, I]))
    pendulum = Mechanism(
        "p", [Body("base"), body], [Joint("j", "base", "bob", Revolute((0, 1, 0)))]
    )
    n = Numbers(pendulum)
    q, v, a = np.array([angle]), np.array([1.3]), np.array([-0.8])
    tau = (I + m * c * c) * a + m * g * c * np.sin(q)
    close(n.inverse(q, v, a), tau, EXACT)
    close(n.forward(q, v, tau), a, EXACT)
    close(n(eq.potential_energy, q), -m * g * c * np.cos(angle), EXACT)
    close(n(eq.kinetic_energy, q, v), (I + m * c * c) * 1.3**2 / 2, EXACT)


@pytest.mark.parametrize("seed", range(3))
def test_double_pendulum(seed):
    """Goldstein's equations, with the second angle counted from the first rod."""
    (m1, m2), (l1, l2), g = (1.3, 0.8), (0.9, 1.1), 9.81
    n = Numbers(px.library.double_pendulum((l1, l2), (m1, m2)))
    q, v, a = np.random.default_rng(seed).standard_normal((3, 2))
    c2, s2 = np.cos(q[1]), np.sin(q[1])
    M11 = (m1 + m2) * l1**2 + m2 * l2**2 + 2 * m2 * l1 * l2 * c2
    M12 = m2 * l2**2 + m2 * l1 * l2 * c2
    M = np.array([[M11, M12], [M12, m2 * l2**2]])
    h = m2 * l1 * l2 * s2
    coriolis = np.array([-h * (2 * v[0] * v[1] + v[1] ** 2), h * v[0] ** 2])
    s12 = np.sin(q[0] + q[1])
    weight = g * np.array([(m1 + m2) * l1 * np.sin(q[0]) + m2 * l2 * s12, m2 * l2 * s12])
    close(n.mass_matrix(q), M, EXACT)
    close(n(eq.gravity, q), weight, EXACT)
    close(n.inverse(q, v, a), M @ a + coriolis + weight, EXACT)
    C = np.array([[-h * v[1], -h * (v[0] + v[1])], [h * v[0], 0]])
    close(n(eq.coriolis_matrix, q, v), C, EXACT)


def test_cart_and_pole():
    M, m, l, g = 3.0, 0.5, 0.8, 9.81
    cart, pole = Body("cart", M), Body("pole", m, np.array([0, 0, l]))
    joints = [
        Joint("slide", "rail", "cart", Prismatic((1, 0, 0))),
        Joint("hinge", "cart", "pole", Revolute((0, 1, 0))),
    ]
    n = Numbers(Mechanism("cart_pole", [Body("rail"), cart, pole], joints))
    q, v, a = np.array([0.3, 0.6]), np.array([1.0, -2.0]), np.array([0.5, 0.7])
    c, s = np.cos(q[1]), np.sin(q[1])
    force = (M + m) * a[0] + m * l * (c * a[1] - s * v[1] ** 2)
    torque = m * l * l * a[1] + m * l * c * a[0] - m * g * l * s
    close(n.inverse(q, v, a), [force, torque], EXACT)


def free_body(I: np.ndarray, com=(0.0, 0.0, 0.0)) -> Mechanism:
    body = Body("body", 2.0, np.array(com), I)
    return Mechanism("free", [Body("world"), body], [Joint("j", "world", "body", Floating())])


def test_a_body_falls_and_keeps_its_spin():
    # centre of mass falls at g; Euler's equations about it: I dw + w × I w = 0
    I = np.diag([0.2, 0.35, 0.4])
    mechanism = free_body(I)
    n = Numbers(mechanism)
    q = mechanism.random_positions(seed=3)
    v = np.array([0.5, -1.0, 2.0, 1.0, -2.0, 3.0])
    u, w = v[:3], v[3:]
    R = n(eq.forward_kinematics, q, frame="body")[:3, :3]
    a = n.forward(q, v, np.zeros(6))
    # velocities are in body axes, which turn: du/dt = Rᵀ g - w × u
    close(a[:3], R.T @ mechanism.gravity - np.cross(w, u), EXACT)
    close(a[3:], np.linalg.solve(I, -np.cross(w, I @ w)), EXACT)
    A = n(eq.frame_acceleration, q, v, a, frame="body")
    close(A[:3], mechanism.gravity, EXACT)


def test_a_body_held_off_its_centre_falls_the_same():
    I, com = np.diag([0.2, 0.35, 0.4]), np.array([0.1, -0.3, 0.2])
    mechanism = free_body(I, com)
    n = Numbers(mechanism)
    q = mechanism.random_positions(seed=4)
    v = rng.standard_normal(6)
    a = n.forward(q, v, np.zeros(6))
    R = n(eq.forward_kinematics, q, frame="body")[:3, :3]
    A = n(eq.frame_acceleration, q, v, a, frame="body")
    w, dw, c = R @ v[3:], A[3:], R @ com
    close(A[:3] + np.cross(dw, c) + np.cross(w, np.cross(w, c)), mechanism.gravity, 1e-12)


@pytest.mark.parametrize("spin", [0.0, 5.0, -12.0])
def test_symmetric_top(spin):
    """Lagrange's top precesses steadily: I_1 p² cos(t) - I_3 s p + m g l = 0 with s the spin.

    With tilt t and precession rate p the angular velocity is p along the vertical plus the rest of
    the spin along the axis; nothing else accelerates.
    """
    m, l, I1, I3, g, tilt = 0.7, 0.3, 0.08, 0.02, 9.81, 0.6
    # moments about the pivot; the body has them about its centre of mass
    I_com = np.diag([I1 - m * l * l, I1 - m * l * l, I3])
    body = Body("top", m, np.array([0, 0, l]), I_com)
    n = Numbers(
        Mechanism("top", [Body("ground"), body], [Joint("j", "ground", "top", Spherical())])
    )
    q = np.array([np.sin(tilt / 2), 0, 0, np.cos(tilt / 2)])  # leans by a turn about x
    R = n(eq.forward_kinematics, q, frame="top")[:3, :3]
    up, axis = np.array([0, 0, 1.0]), R[:, 2]
    p = 0.9
    # total spin along the axis s = w · axis; pick w = p up + (s - p cos t) axis
    w = p * up + (spin - p * np.cos(tilt)) * axis
    # steady motion: w turns about the vertical at p, so dw/dt = p up × w in the world
    dw = np.cross(p * up, w)
    # angular momentum balance about the pivot, in the world
    I_world = R @ np.diag([I1, I1, I3]) @ R.T
    moment = I_world @ dw + np.cross(w, I_world @ w) - np.cross(l * axis, m * g * -up)
    # a is the rate of body-axis components, and w × w = 0, so it is Rᵀ dw
    tau = n.inverse(q, R.T @ w, R.T @ dw)
    close(tau, R.T @ moment, EXACT)
    # about the horizontal line of nodes, and nowhere else: the classical condition
    needed = (I1 * p * p * np.cos(tilt) - I3 * spin * p + m * g * l) * np.sin(tilt)
    nodes = np.array([1.0, 0, 0])
    close(moment, -needed * nodes, EXACT)


def test_elevator_with_a_geared_motor():
    # a rotor of inertia J behind a gear of ratio r weighs J r² on the slide
    m, J, r, g = 4.0, 0.003, 50.0, 9.81
    joint = Joint("lift", "base", "cab", Prismatic(), rotor_inertia=J, gear_ratio=r)
    n = Numbers(Mechanism("lift", [Body("base"), Body("cab", m)], [joint]))
    one = np.ones(1)
    close(n.inverse(one, one, 2 * one), [(m + J * r * r) * 2 + m * g], EXACT)
    close(n(eq.kinetic_energy, one, 3 * one), (m + J * r * r) * 9 / 2, EXACT)
    close(n(eq.potential_energy, one), m * g, EXACT)
