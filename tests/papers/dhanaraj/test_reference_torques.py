"""Dhanaraj (1990): torques of the PUMA 560 and Stanford arms, to the printed digits.

Numbers are the reference torques of the spec (specs/dhanaraj-1990.md, §5, acceptance check 4),
computed there by an independent Newton-Euler program for the data of Tables 2.1 to 2.8 and of the
listings D.1.2, D.2, D.3. They are printed to six decimals.
"""

import numpy as np
import pytest

import phalanx as px
from evaluate import Numbers
from phalanx import equations as eq
from phalanx.mechanism import Floating

PRINTED = 0.5e-6 * 1.001  # half a unit of the last digit

Q = np.array([0.1, -0.2, 0.3, -0.4, 0.5, -0.6])
V = np.array([0.5, -0.4, 0.3, -0.2, 0.1, 0.6])
A = np.array([1.0, -1.0, 0.5, -0.5, 0.25, 2.0])
STANFORD = (
    np.array([0.1, -0.2, 0.5, 0.3, 0.4, -0.5]),
    np.array([0.3, -0.2, 0.1, 0.4, -0.3, 0.2]),
    np.array([0.5, 0.4, -0.3, 0.2, 0.1, -0.6]),
)

REFERENCE = [
    pytest.param(
        px.library.puma560_listing,
        (Q, V, A),
        (4.909456, -22.106408, -1.690729, 0.525704, -0.035091, 0.483626),
        id="puma560, listing set, correct lambda_1",
    ),
    pytest.param(
        px.library.puma560,
        (Q, V, A),
        (4.414029, -44.520713, -0.751141, -0.099564, 0.026484, 0.386100),
        id="puma560, corrected tables, rotors on their own joints",
    ),
    pytest.param(
        px.library.puma560_arm,
        (Q[:3], V[:3], A[:3]),
        (4.302992, -21.454317, -1.145107),
        id="puma560, three joints of D.1.2",
    ),
    pytest.param(
        px.library.stanford_listing,
        STANFORD,
        (0.890428, 2.963657, 60.230705, 0.053132, -0.158910, 0.003626),
        id="stanford, canonical geometry, coded inertias",
    ),
]


@pytest.mark.parametrize(("machine", "state", "torques"), REFERENCE)
def test_inverse_dynamics(machine, state, torques):
    tau = Numbers(machine()).inverse(*state)
    np.testing.assert_allclose(tau, torques, rtol=0, atol=PRINTED)


@pytest.mark.parametrize(("machine", "state", "torques"), REFERENCE)
def test_inverse_dynamics_compiled(machine, state, torques):
    tau = px.Dynamics(machine()).inverse_dynamics(*state)
    np.testing.assert_allclose(tau, torques, rtol=0, atol=PRINTED)


@pytest.mark.parametrize(("machine", "state", "torques"), REFERENCE)
def test_forward_dynamics_returns_the_acceleration(machine, state, torques):
    n = Numbers(machine())
    q, v, a = state
    # torques are printed to 5e-7, which the inverse of M (largest entry below 60) turns into 3e-5
    np.testing.assert_allclose(n.forward(q, v, torques), a, rtol=0, atol=3e-5)


def test_standing_still_the_listing_set_needs_these_torques():
    tau = Numbers(px.library.puma560_listing())(eq.gravity, np.zeros(6))
    np.testing.assert_allclose(tau, (0, -13.757387, 0.248675, 0, 0, 0), rtol=0, atol=PRINTED)


def test_standing_still_the_tables_ask_more_of_the_shoulder():
    # gap 5 of the spec: the sign of the second link's centre of gravity is worth 23 N·m
    tau = Numbers(px.library.puma560())(eq.gravity, np.zeros(6))
    np.testing.assert_allclose(tau[1], -36.948107, rtol=0, atol=PRINTED)


def modified_frames(q: np.ndarray, rows) -> list[np.ndarray]:
    """T_i of F3: Rot(x, alpha) Trans(x, a) Rot(z, theta) Trans(z, d), chained."""
    frames, T = [], np.eye(4)
    for angle, (alpha, a, d) in zip(q, rows, strict=True):
        ca, sa, ct, st = np.cos(alpha), np.sin(alpha), np.cos(angle), np.sin(angle)
        T = T @ np.array(
            [
                [ct, -st, 0, a],
                [st * ca, ct * ca, -sa, -d * sa],
                [st * sa, ct * sa, ca, d * ca],
                [0, 0, 0, 1],
            ]
        )
        frames.append(T)
    return frames


def test_frames_are_those_of_the_denavit_hartenberg_table():
    # Table 2.1: alpha_{i-1}, a_{i-1}, d_i
    right = np.pi / 2
    rows = [
        *[(0, 0, 0), (-right, 0, 0.2435), (0, 0.4318, -0.0934)],
        *[(right, -0.0203, 0.4331), (-right, 0, 0), (right, 0, 0)],
    ]
    n = Numbers(px.library.puma560())
    for i, T in enumerate(modified_frames(Q, rows), start=1):
        X = n(eq.forward_kinematics, Q, frame=f"link_{i}")
        np.testing.assert_allclose(X, T, rtol=0, atol=1e-14)


@pytest.mark.parametrize(
    ("joint", "force", "moment"),
    [
        (1, (-6.2249, 0.0010, 231.1822), (51.1068, -21.4543, 4.3030)),
        (2, (39.828, -227.8106, 0.0010), (-4.8250, -2.3017, -21.4543)),
        (3, (-8.8532, -61.2061, 2.1258), (-0.1074, -0.0196, -1.1451)),
    ],
)
def test_reactions_of_the_three_joint_arm(joint, force, moment):
    # what a joint carries is what a floating joint in its place needs for the same motion
    arm = px.library.puma560_arm()
    joints = list(arm.joints)
    freed = joints[joint - 1]
    joints[joint - 1] = px.Joint(freed.name, freed.parent, freed.child, Floating(), freed.pose)
    loose = px.Mechanism("loose", arm.bodies, joints, gravity=arm.gravity)
    q, v, a = (list(x[:3]) for x in (Q, V, A))
    turn = q[joint - 1] / 2
    q[joint - 1 : joint] = [0, 0, 0, 0, 0, np.sin(turn), np.cos(turn)]
    v[joint - 1 : joint] = [0, 0, 0, 0, 0, v[joint - 1]]
    a[joint - 1 : joint] = [0, 0, 0, 0, 0, a[joint - 1]]
    wrench = Numbers(loose).inverse(q, v, a)[loose.v_slices[freed.name]]
    # printed to four decimals, one of them to three
    np.testing.assert_allclose(wrench, [*force, *moment], rtol=0, atol=0.5e-4 * 1.01 + 5e-5)
