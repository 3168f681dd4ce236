"""Analytic derivatives against central differences along the tangent."""

import numpy as np
from hypothesis import given

import phalanx as px
from evaluate import Numbers, close
from phalanx import equations as eq
from strategies import menagerie, moving, state_of

DIFFERENCES = 1e-8  # fourth-order differences at h = 1e-4 round at 1e-12 of the value


def columns(f, n: Numbers, q, count: int) -> np.ndarray:
    return np.transpose([n.along(f, q, unit) for unit in np.eye(count)])


def straight(f, x: np.ndarray, h: float = 1e-3) -> np.ndarray:
    """Differences by a vector; quadratic functions are differenced without truncation."""
    return np.transpose([(f(x + h * unit) - f(x - h * unit)) / (2 * h) for unit in np.eye(len(x))])


def check_inverse(mechanism, x):
    n = Numbers(mechanism)
    by_q, by_v, by_a = n(px.inverse_dynamics.derivatives, x.q, x.v, x.a)
    count = mechanism.nv
    scale = 1 + np.abs(n.inverse(x.q, x.v, x.a)).max()
    differences = columns(lambda q: n.inverse(q, x.v, x.a), n, x.q, count)
    close(by_q, differences, DIFFERENCES * scale, "dtau/dq")
    by_velocity = straight(lambda v: n.inverse(x.q, v, x.a), x.v)
    close(by_v, by_velocity, DIFFERENCES * scale, "dtau/dv")
    close(by_a, n.mass_matrix(x.q), 1e-12, "dtau/da")  # the same sums in another order


@given(moving())
def test_of_inverse_dynamics(machine):
    check_inverse(*machine)


def test_of_inverse_dynamics_with_every_joint_at_once():
    mechanism = menagerie()
    check_inverse(mechanism, state_of(mechanism, 4))


@given(moving(max_bodies=5, max_freedoms=9))
def test_of_forward_dynamics(machine):
    mechanism, x = machine
    n = Numbers(mechanism)
    by_q, by_v, by_tau = n(px.forward_dynamics.derivatives, x.q, x.v, x.tau)
    count = mechanism.nv
    M = n.mass_matrix(x.q)
    # accelerations, and so their differences, are worse than forces by the condition of M
    scale = DIFFERENCES * (1 + np.abs(n.forward(x.q, x.v, x.tau)).max()) * np.linalg.cond(M)
    close(by_q, columns(lambda q: n.forward(q, x.v, x.tau), n, x.q, count), scale, "da/dq")
    close(by_v, straight(lambda v: n.forward(x.q, v, x.tau), x.v), scale, "da/dv")
    close(by_tau @ M, np.eye(count), 1e-14 * np.linalg.cond(M) + 1e-12, "da/dtau")


@given(moving(max_bodies=5, max_freedoms=9))
def test_of_forward_dynamics_solve_those_of_inverse_dynamics(machine):
    # M da/dq + dtau/dq = 0: no differences, so no condition of M in the tolerance
    mechanism, x = machine
    n = Numbers(mechanism)
    by_q, by_v, _ = n(px.forward_dynamics.derivatives, x.q, x.v, x.tau)
    a, M = n.forward(x.q, x.v, x.tau), n.mass_matrix(x.q)
    dtau_dq, dtau_dv, _ = n(px.inverse_dynamics.derivatives, x.q, x.v, a)
    close(M @ by_q, -dtau_dq, 1e-9)
    close(M @ by_v, -dtau_dv, 1e-9)


@given(moving())
def test_by_velocity_at_rest_vanish(machine):
    # forces are even in velocity
    mechanism, x = machine
    n = Numbers(mechanism)
    _, by_v, _ = n(px.inverse_dynamics.derivatives, x.q, 0 * x.v, x.a)
    close(by_v, np.zeros_like(by_v), 1e-13)


@given(moving())
def test_by_velocity_are_the_coriolis_matrix_twice_over(machine):
    # forces are quadratic in velocity: dtau/dv v = 2 C v
    mechanism, x = machine
    n = Numbers(mechanism)
    _, by_v, _ = n(px.inverse_dynamics.derivatives, x.q, x.v, x.a)
    close(by_v @ x.v, 2 * n(eq.coriolis_matrix, x.q, x.v) @ x.v, 1e-11)
