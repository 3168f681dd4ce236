"""Finite displacements: on the manifold, additive along a line, the flow of the velocities."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluate import Numbers, close
from phalanx import equations as eq
from phalanx.mechanism import Body, Floating, Joint, Mechanism, Planar, Pose, Spherical
from phalanx.mechanism.motion import joint_pose
from strategies import moving

ROUNDING = 1e-13


def quaternions(mechanism: Mechanism, q: np.ndarray) -> list[np.ndarray]:
    slices = [
        mechanism.q_slices[j.name] for j in mechanism.moving_joints if j.motion.nq > j.motion.nv
    ]
    return [q[s.stop - 4 : s.stop] for s in slices]


@given(moving())
def test_quaternions_keep_their_length(machine):
    mechanism, x = machine
    moved = Numbers(mechanism).move(x.q, 3 * x.v)
    assert moved.shape == (mechanism.nq,)
    for part in quaternions(mechanism, moved):
        assert abs(np.linalg.norm(part) - 1) < 1e-15 * 4


@given(moving())
def test_a_displacement_is_the_sum_of_its_parts(machine):
    mechanism, x = machine
    n = Numbers(mechanism)
    steps = 16
    q = x.q
    for _ in range(steps):
        q = n.move(q, x.v / steps)
    close(q, n.move(x.q, x.v), ROUNDING)


@given(moving())
def test_the_way_back(machine):
    mechanism, x = machine
    n = Numbers(mechanism)
    close(n.move(n.move(x.q, x.v), -x.v), x.q, ROUNDING)


@given(moving())
def test_no_displacement_no_change(machine):
    mechanism, x = machine
    close(Numbers(mechanism).move(x.q, 0 * x.v), x.q, 1e-15)


@given(moving())
def test_frames_move_at_the_velocity_that_the_state_says(machine):
    # ties positions to velocities: with the Jacobian from poses alone this defines integrate
    mechanism, x = machine
    n = Numbers(mechanism)
    h = 1e-5
    for frame in mechanism.frame_names:
        ahead, behind = (
            n(eq.forward_kinematics, n.move(x.q, s * h * x.v), frame=frame)[:3, 3] for s in (1, -1)
        )
        speed = n(eq.frame_velocity, x.q, x.v, frame=frame)[:3]
        # second-order differences: h² times third derivatives of some 1e3
        close((ahead - behind) / (2 * h), speed, 1e-6)


def hat(w: np.ndarray) -> np.ndarray:
    return np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])


def exponential(A: np.ndarray) -> np.ndarray:
    """Matrix exponential by scaling and a Taylor series."""
    k = 12
    B, term = np.eye(len(A)), np.eye(len(A))
    for i in range(1, 20):
        term = term @ (A / 2**k) / i
        B = B + term
    for _ in range(k):
        B = B @ B
    return B


# around the switch between series and closed form (t² = 1e-4 and 0.05), and far from it
ANGLES = [0.0, 1e-9, 1e-3, 0.0099, 0.0101, 0.02, 0.2236, 0.2237, 0.4472, 1.0, 3.1, 6.2, 20.0]


@pytest.mark.parametrize("angle", ANGLES)
@pytest.mark.parametrize(
    "motion", [Spherical(), Floating(), Planar((0, 0, 1))], ids=lambda m: m.kind
)
def test_poses_move_along_the_exponential_of_their_group(motion, angle):
    rng = np.random.default_rng(3)
    body = Body("b", 1.0, inertia=np.eye(3))
    mechanism = Mechanism("one", [Body("root"), body], [Joint("j", "root", "b", motion)])
    q = mechanism.random_positions(seed=rng)
    d = rng.standard_normal(mechanism.nv)
    turn = slice(0, 3) if motion.kind == "spherical" else slice(-3, None)
    if motion.kind == "planar":
        d[2] = angle
        twist = np.array([d[0], d[1], 0, 0, 0, d[2]])
    else:
        d[turn] *= angle / np.linalg.norm(d[turn])
        twist = np.r_[np.zeros(3), d] if motion.kind == "spherical" else d
    A = np.zeros((4, 4))
    A[:3, :3], A[:3, 3] = hat(twist[3:]), twist[:3]
    wanted = joint_pose(motion, q).matrix @ exponential(A)
    moved = joint_pose(motion, Numbers(mechanism).move(q, d)).matrix
    # squaring twelve times costs 2¹² rounding errors
    close(moved, wanted, 1e-12)


@given(st.integers(0, 2**32 - 1))
def test_displacements_of_a_tilted_plane_are_in_its_child_axes(seed):
    rng = np.random.default_rng(seed)
    axis = rng.standard_normal(3)
    body = Body("b", 1.0, inertia=np.eye(3))
    mechanism = Mechanism(
        "plane", [Body("root"), body], [Joint("j", "root", "b", Planar(axis), Pose())]
    )
    n = Numbers(mechanism)
    q, d = mechanism.random_positions(seed=rng), rng.standard_normal(3)
    before, after = (joint_pose(Planar(axis), p) for p in (q, n.move(q, d)))
    # it stays in the plane and turns about its normal by d[2]
    normal = axis / np.linalg.norm(axis)
    close(normal @ (after.translation - before.translation), 0.0, ROUNDING)
    close(after.rotation @ normal, normal, ROUNDING)
    cosine = (np.trace(before.rotation.T @ after.rotation) - 1) / 2
    close(cosine, np.cos(d[2]), ROUNDING)
