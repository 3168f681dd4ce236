"""Inverse dynamics is linear in the inertial parameters."""

import numpy as np
from hypothesis import given

import phalanx as px
from evaluate import Numbers, close
from phalanx.mechanism import Body, Mechanism
from strategies import menagerie, moving, state_of


def parameters(body: Body) -> list[float]:
    """m, m·com, and the inertia tensor about the body's origin: xx, xy, yy, xz, yz, zz."""
    c = body.com
    I = body.inertia + body.mass * (c @ c * np.eye(3) - np.outer(c, c))
    moments = [I[0, 0], I[0, 1], I[1, 1], I[0, 2], I[1, 2], I[2, 2]]
    return [body.mass, *(body.mass * c), *moments]


def check(mechanism: Mechanism, x) -> None:
    n = Numbers(mechanism)
    Y = n(px.inverse_dynamics.regressor, x.q, x.v, x.a)
    assert Y.shape == (mechanism.nv, 10 * (len(mechanism.bodies) - 1))
    theta = np.concatenate([parameters(body) for body in mechanism.bodies[1:]])
    close(Y @ theta, n.inverse(x.q, x.v, x.a), 1e-11)  # the same sums, body by body


@given(moving(rotors=False))
def test_regressor_times_parameters_is_inverse_dynamics_without_rotors(machine):
    check(*machine)


def test_a_chain_and_an_arm():
    for mechanism in (px.library.chain(4, "spherical"), px.library.torso()):
        check(mechanism, state_of(mechanism, 9))


def test_columns_of_bodies_fixed_to_the_root_are_zero():
    mechanism = menagerie()
    x = state_of(mechanism, 10)
    pedestal = px.attach(mechanism, "b0", Body("pedestal", 5.0, np.ones(3)))
    Y = Numbers(pedestal)(px.inverse_dynamics.regressor, x.q, x.v, x.a)
    k = pedestal.body_index("pedestal") - 1
    close(Y[:, 10 * k : 10 * k + 10], np.zeros((mechanism.nv, 10)), 0.0)
