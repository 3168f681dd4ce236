"""Wong (1991): accelerations, torques and mass matrices of his three machines, to printed digits.

Numbers are those of the spec (specs/wong-1991.md, §5, acceptance check 6), computed there from the
thesis's data by an independent program. PUMA 600 and torso follow the profile of §4.
"""

import numpy as np
import pytest

import phalanx as px
from evaluate import Numbers
from phalanx import equations as eq

# The spec prints five or six decimals; half a unit of the last one.
FIVE, SIX = 0.5e-5 * 1.001, 0.5e-6 * 1.001
STATE = (np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]), np.array([0.6, 0.5, 0.4, 0.3, 0.2, 0.1]))
METHODS = [px.forward_dynamics.factorized, px.forward_dynamics.articulated_body]


def profile(t: float, period: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Angles, rates and accelerations of all six joints at time t."""
    w = 2 * np.pi / period
    q = (w * t - np.sin(w * t)) / 2
    v = (w - w * np.cos(w * t)) / 2
    a = w * w * np.sin(w * t) / 2
    return np.full(6, q), np.full(6, v), np.full(6, a)


@pytest.mark.parametrize(
    ("t", "torques"),
    [
        (0.0, (0, -69.71323, -0.48167, 0, 0, 0)),
        (2.5, (3.6037, -76.98941, -13.59989, 0.06615, -0.05354, 0.00581)),
        (5.0, (-0.0645, 0.41187, 0.46762, 0.09667, 0.00392, 0)),
        (7.5, (-3.52965, 76.05402, 12.64165, -0.06147, 0.08531, -0.0003)),
        (10.0, (0, 68.74989, -0.48167, 0, 0, 0)),
    ],
)
def test_puma_torques_along_the_profile(t, torques):
    tau = Numbers(px.library.puma600()).inverse(*profile(t, 10.0))
    np.testing.assert_allclose(tau, torques, rtol=0, atol=FIVE)


@pytest.mark.parametrize("forward", METHODS, ids=lambda f: f.__name__)
def test_puma_accelerations_without_torque(forward):
    a = Numbers(px.library.puma600())(forward, *STATE, np.zeros(6))
    wanted = (-0.158781, 6.108585, -3.284603, 0.331757, -1.987493, -0.364339)
    np.testing.assert_allclose(a, wanted, rtol=0, atol=SIX)


def test_torso_torques_at_half_time():
    tau = Numbers(px.library.torso_as_printed()).inverse(*profile(2.5, 5.0))
    wanted = (-2.12236, -5.886, 11.34228, 0.46427, 11.34228, 0.46427)
    np.testing.assert_allclose(tau, wanted, rtol=0, atol=FIVE)


@pytest.mark.parametrize("forward", METHODS, ids=lambda f: f.__name__)
def test_torso_accelerations_without_torque(forward):
    a = Numbers(px.library.torso_as_printed())(forward, *STATE, np.zeros(6))
    wanted = (-0.103527, 11.650938, -2.309286, -17.209485, -7.43907, -13.127972)
    np.testing.assert_allclose(a, wanted, rtol=0, atol=FIVE)


def test_torso_moment_about_the_hips():
    M = Numbers(px.library.torso_as_printed()).mass_matrix(np.zeros(6))
    np.testing.assert_allclose(M[0, 0], 2.99655, rtol=0, atol=FIVE)


def test_excavator_mass_matrix():
    M = Numbers(px.library.cat215b()).mass_matrix(np.zeros(4))
    wanted = np.array(
        [
            [145082.8151, -110.528, -51.968, -40.96],
            [-110.528, 80419.26, 13474, 2178],
            [-51.968, 13474, 4130.64, 846.8],
            [-40.96, 2178, 846.8, 386],
        ]
    )
    np.testing.assert_allclose(M, wanted, rtol=0, atol=0.5e-4 * 1.001)


def test_excavator_gravity_torques():
    g = Numbers(px.library.cat215b())(eq.gravity, np.zeros(4))
    np.testing.assert_allclose(g, (0, 120131.298, 17626.608, 2511.36), rtol=0, atol=0.5e-3 * 1.001)


@pytest.mark.parametrize("forward", METHODS, ids=lambda f: f.__name__)
def test_excavator_accelerations_without_torque(forward):
    q, v = np.array([0.1, 0.5, -1.2, -0.5]), np.array([0.2, -0.1, 0.3, 0.1])
    a = Numbers(px.library.cat215b())(forward, q, v, np.zeros(4))
    np.testing.assert_allclose(a, (-0.024659, -1.425012, -1.044203, 2.429899), rtol=0, atol=SIX)


MACHINES = [px.library.puma600, px.library.torso_as_printed, px.library.torso, px.library.cat215b]


@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: m.__name__)
def test_mass_matrix_from_jacobians(machine):
    # F9: M = sum of m B_T' B_T + B_R' J B_R over the bodies, at their centres of gravity
    mechanism = machine()
    n = Numbers(mechanism)
    for q in mechanism.random_positions(20, seed=4):
        M = np.zeros((mechanism.nv, mechanism.nv))
        for body in mechanism.bodies[1:]:
            R = n(eq.forward_kinematics, q, frame=body.name)[:3, :3]
            J = n(eq.jacobian, q, frame=body.name)
            B_R, lever = J[3:], R @ body.com
            B_T = J[:3] + np.cross(B_R.T, lever).T
            M += body.mass * B_T.T @ B_T + B_R.T @ R @ body.inertia @ R.T @ B_R
        composite = n.mass_matrix(q)
        # acceptance check 1 asks 1e-9
        np.testing.assert_allclose(composite, M, rtol=0, atol=1e-9 * np.abs(M).max())
        np.linalg.cholesky(composite)


@pytest.mark.parametrize("machine", MACHINES, ids=lambda m: m.__name__)
def test_forward_and_inverse_dynamics_are_inverse(machine):
    # acceptance check 3: 1e-10 relative, articulated bodies 1e-9
    mechanism = machine()
    n = Numbers(mechanism)
    rng = np.random.default_rng(5)
    for q in mechanism.random_positions(20, seed=rng):
        v, a = rng.standard_normal((2, mechanism.nv))
        tau = n.inverse(q, v, a)
        np.testing.assert_allclose(n.forward(q, v, tau), a, rtol=0, atol=1e-10 * np.abs(a).max())
        by_bodies = n(px.forward_dynamics.articulated_body, q, v, tau)
        np.testing.assert_allclose(by_bodies, a, rtol=0, atol=1e-9 * np.abs(a).max())


def test_relabelling_branches_only_permutes_the_mass_matrix():
    # acceptance check 5, last part
    torso = px.library.torso()
    joints = list(torso.joints)
    swapped = px.Mechanism("swapped", torso.bodies, joints[::-1], gravity=torso.gravity)
    assert [j.name for j in swapped.joints] != [j.name for j in joints]
    q = torso.random_positions(seed=6)
    order = [torso.v_slices[j.name].start for j in swapped.joints]
    M = Numbers(torso).mass_matrix(q)
    np.testing.assert_allclose(
        Numbers(swapped).mass_matrix(q[order]), M[np.ix_(order, order)], rtol=0, atol=1e-13
    )
