"""Newton's and Euler's laws, body by body, against the recursions.

The principle of virtual power needs only where bodies are and how they accelerate: joint forces are
the sum of Jᵀ (force of inertia less weight) over the bodies. Kinematics is checked elsewhere
against differences of poses, so this pins inverse dynamics for every kind of joint.
"""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from evaluate import Numbers, close
from phalanx import equations as eq
from phalanx.mechanism import Mechanism
from strategies import mechanisms, menagerie, moving, state_of, states

ROUNDING = 1e-11  # sums over eight bodies of terms of one size
DIFFERENCES = 1e-8  # fourth-order central differences


def virtual_power(mechanism: Mechanism, n: Numbers, x) -> np.ndarray:
    tau = np.zeros(mechanism.nv)
    for body in mechanism.bodies[1:]:
        R = n(eq.forward_kinematics, x.q, frame=body.name)[:3, :3]
        J = n(eq.jacobian, x.q, frame=body.name)
        V = n(eq.frame_velocity, x.q, x.v, frame=body.name)
        A = n(eq.frame_acceleration, x.q, x.v, x.a, frame=body.name)
        w, dw, c, I = V[3:], A[3:], R @ body.com, R @ body.inertia @ R.T
        a_com = A[:3] + np.cross(dw, c) + np.cross(w, np.cross(w, c))
        force = body.mass * (a_com - mechanism.gravity)
        moment = I @ dw + np.cross(w, I @ w)
        tau += J[:3].T @ force + J[3:].T @ (moment + np.cross(c, force))
    for joint in mechanism.joints:
        if joint.motion.nv:
            leader = joint.mimic.leader if joint.mimic else joint.name
            scale = joint.mimic.multiplier if joint.mimic else 1.0
            s = mechanism.v_slices[leader]
            tau[s] += scale**2 * joint.reflected_inertia * x.a[s]
    return tau


@given(moving())
def test_inverse_dynamics_is_the_virtual_power_of_all_bodies(machine):
    mechanism, x = machine
    n = Numbers(mechanism)
    close(n.inverse(x.q, x.v, x.a), virtual_power(mechanism, n, x), ROUNDING)


def test_every_joint_at_once():
    mechanism = menagerie()
    n, x = Numbers(mechanism), state_of(mechanism, 3)
    close(n.inverse(x.q, x.v, x.a), virtual_power(mechanism, n, x), ROUNDING)


@given(moving())
def test_momentum_is_the_sum_over_bodies(machine):
    mechanism, x = machine
    n = Numbers(mechanism)
    linear, spin, moving_bodies = np.zeros(3), np.zeros(3), []
    com = n(eq.center_of_mass, x.q)
    total, moment = 0.0, np.zeros(3)
    for body in mechanism.bodies:
        place = n.model.place(body.name)
        if place.node < 0:
            continue  # part of the root, which stands still and does not count
        X = n(eq.forward_kinematics, x.q, frame=body.name)
        R, c = X[:3, :3], X[:3, :3] @ body.com
        V = n(eq.frame_velocity, x.q, x.v, frame=body.name)
        p = body.mass * (V[:3] + np.cross(V[3:], c))
        linear += p
        spin += np.cross(X[:3, 3] + c - com, p) + R @ body.inertia @ R.T @ V[3:]
        total += body.mass
        moment += body.mass * (X[:3, 3] + c)
        moving_bodies.append(body)
    close(com, moment / total, ROUNDING)
    close(n(eq.momentum, x.q, x.v), [*linear, *spin], ROUNDING)


@given(moving())
def test_momentum_is_mass_times_the_velocity_of_the_centre_of_mass(machine):
    mechanism, x = machine
    n = Numbers(mechanism)
    mass = sum(b.mass for b in mechanism.bodies if n.model.place(b.name).node >= 0)
    rate = n.along(lambda q: n(eq.center_of_mass, q), x.q, x.v)
    close(n(eq.momentum, x.q, x.v)[:3], mass * rate, DIFFERENCES)


@given(st.data())
def test_a_machine_in_free_flight_gains_only_the_momentum_of_its_weight(data):
    mechanism = data.draw(mechanisms(floating_base=True, rotors=False))
    x = data.draw(states(mechanism))
    n = Numbers(mechanism)
    tau = x.tau.copy()
    tau[mechanism.v_slices["j1"]] = 0.0  # motors inside, nothing outside
    a = n.forward(x.q, x.v, tau)
    mass = sum(b.mass for b in mechanism.bodies if n.model.place(b.name).node >= 0)
    h = 1e-4

    def momentum_at(t: float) -> np.ndarray:
        # second order in t: enough for a central difference of the first derivative
        return n(eq.momentum, n.move(x.q, t * x.v + t * t / 2 * a), x.v + t * a)

    rate = (momentum_at(h) - momentum_at(-h)) / (2 * h)
    wanted = np.array([*(mass * mechanism.gravity), 0.0, 0.0, 0.0])
    # truncation h² times third derivatives, which for these machines reach 1e2 of the rates
    close(rate, wanted, 1e-5 * (1 + np.abs(a).max()))
