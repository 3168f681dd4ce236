"""Frames: where they are, how they move, and Jacobians."""

import numpy as np
from hypothesis import given

from evaluate import Numbers, close
from phalanx import equations as eq
from phalanx.mechanism import Mechanism
from phalanx.mechanism.motion import joint_pose
from strategies import menagerie, moving, state_of

ROUNDING = 1e-12
DIFFERENCES = 1e-9  # lengths of metres, fourth-order differences at h = 1e-4


def poses(mechanism: Mechanism, q: np.ndarray) -> dict[str, np.ndarray]:
    """Poses by multiplying matrices of numbers along the joints: no equations involved."""
    found = {mechanism.bodies[0].name: np.eye(4)}
    for joint in mechanism.joints:
        own = np.zeros(0)
        if joint.motion.nv and joint.mimic is None:
            own = q[mechanism.q_slices[joint.name]]
        elif joint.mimic is not None:
            leader = q[mechanism.q_slices[joint.mimic.leader]]
            own = joint.mimic.multiplier * leader + joint.mimic.offset
        X = joint.pose @ joint_pose(joint.motion, own)
        found[joint.child] = found[joint.parent] @ X.matrix
    for frame in mechanism.frames:
        found[frame.name] = found[frame.body] @ frame.pose.matrix
    return found


@given(moving())
def test_forward_kinematics_is_the_product_of_joint_poses(machine):
    mechanism, x = machine
    n = Numbers(mechanism)
    wanted = poses(mechanism, x.q)
    for name in mechanism.frame_names:
        close(n(eq.forward_kinematics, x.q, frame=name), wanted[name], ROUNDING, name)


def twist(n: Numbers, mechanism: Mechanism, q: np.ndarray, d: np.ndarray, frame: str) -> np.ndarray:
    """Velocity of a frame from differences of its pose: dR/dt Rᵀ is the angular part."""
    rate = n.along(lambda x: poses(mechanism, x)[frame], q, d)
    W = rate[:3, :3] @ poses(mechanism, q)[frame][:3, :3].T
    return np.array([*rate[:3, 3], W[2, 1], W[0, 2], W[1, 0]])


@given(moving())
def test_jacobian_columns_are_differences_of_poses(machine):
    mechanism, x = machine
    n = Numbers(mechanism)
    for frame in ("tool", mechanism.bodies[-1].name):
        columns = [twist(n, mechanism, x.q, unit, frame) for unit in np.eye(mechanism.nv)]
        close(n(eq.jacobian, x.q, frame=frame), np.transpose(columns), DIFFERENCES, frame)


@given(moving())
def test_jacobian_times_velocity_is_the_velocity_of_the_frame(machine):
    mechanism, x = machine
    n = Numbers(mechanism)
    for frame in mechanism.frame_names:
        V = n(eq.frame_velocity, x.q, x.v, frame=frame)
        close(n(eq.jacobian, x.q, frame=frame) @ x.v, V, ROUNDING, frame)


@given(moving())
def test_acceleration_is_jacobian_times_acceleration_plus_rate_times_velocity(machine):
    mechanism, x = machine
    n = Numbers(mechanism)
    for frame in mechanism.frame_names:
        J = n(eq.jacobian, x.q, frame=frame)
        dJ = n(eq.jacobian_rate, x.q, x.v, frame=frame)
        A = n(eq.frame_acceleration, x.q, x.v, x.a, frame=frame)
        close(J @ x.a + dJ @ x.v, A, ROUNDING, frame)


@given(moving())
def test_jacobian_rate_is_the_difference_of_jacobians(machine):
    mechanism, x = machine
    n = Numbers(mechanism)
    rate = n.along(lambda q: n(eq.jacobian, q, frame="tool"), x.q, x.v)
    close(n(eq.jacobian_rate, x.q, x.v, frame="tool"), rate, DIFFERENCES)


@given(moving())
def test_acceleration_is_the_rate_of_velocity(machine):
    mechanism, x = machine
    n = Numbers(mechanism)
    h = 1e-4

    def at(t: float) -> np.ndarray:
        return n(eq.frame_velocity, n.move(x.q, t * x.v), x.v + t * x.a, frame="tool")

    rate = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)
    close(n(eq.frame_acceleration, x.q, x.v, x.a, frame="tool"), rate, DIFFERENCES)


def test_every_joint_at_once():
    mechanism = menagerie()
    n, x = Numbers(mechanism), state_of(mechanism, 5)
    wanted = poses(mechanism, x.q)
    for name in mechanism.frame_names:
        close(n(eq.forward_kinematics, x.q, frame=name), wanted[name], ROUNDING, name)
        columns = [twist(n, mechanism, x.q, unit, name) for unit in np.eye(mechanism.nv)]
        close(n(eq.jacobian, x.q, frame=name), np.transpose(columns), DIFFERENCES, name)


@given(moving())
def test_quaternions_of_any_length_stand_for_the_same_attitude(machine):
    mechanism, x = machine
    n = Numbers(mechanism)
    q = x.q.copy()
    for joint in mechanism.moving_joints:
        if joint.motion.nq > joint.motion.nv:
            s = mechanism.q_slices[joint.name]
            q[s.stop - 4 : s.stop] *= -1.7
    close(n.inverse(q, x.v, x.a), n.inverse(x.q, x.v, x.a), 1e-12)
    close(
        n(eq.forward_kinematics, q, frame="tool"),
        n(eq.forward_kinematics, x.q, frame="tool"),
        1e-14,
    )
