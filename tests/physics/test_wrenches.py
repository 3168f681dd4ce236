"""External wrenches: they enter as Jᵀ w, and forward dynamics answers to the same."""

import numpy as np
import pytest
from hypothesis import given

import phalanx as px
from evaluate import Numbers, close
from phalanx import equations as eq
from strategies import menagerie, moving, state_of

ROUNDING = 1e-11
WRENCH = np.array([3.0, -5.0, 7.0, 0.4, -0.2, 0.9])


def generalized(n: Numbers, q: np.ndarray, frame: str) -> np.ndarray:
    """Jᵀ w with the wrench turned from the frame's axes to the world's."""
    R = n(eq.forward_kinematics, q, frame=frame)[:3, :3]
    return n(eq.jacobian, q, frame=frame).T @ np.array([*(R @ WRENCH[:3]), *(R @ WRENCH[3:])])


@given(moving())
def test_inverse_dynamics_is_relieved_of_what_the_outside_supplies(machine):
    mechanism, x = machine
    n = Numbers(mechanism)
    for frame in ("tool", mechanism.bodies[-1].name):
        tau = n(px.inverse_dynamics.recursive, x.q, x.v, x.a, WRENCH, wrenches=[frame])
        close(tau, n.inverse(x.q, x.v, x.a) - generalized(n, x.q, frame), ROUNDING)


@pytest.mark.parametrize("forward", ["factorized", "articulated_body"])
@given(moving(mimics=False, max_bodies=5))
def test_forward_dynamics_undoes_inverse_dynamics_under_wrenches(forward, machine):
    mechanism, x = machine
    n = Numbers(mechanism)
    frames = ["tool", mechanism.bodies[-1].name]
    loads = [WRENCH, 2 * WRENCH]
    method = getattr(px.forward_dynamics, forward)
    a = n(method, x.q, x.v, x.tau, *loads, wrenches=frames)
    tau = n(px.inverse_dynamics.recursive, x.q, x.v, a, *loads, wrenches=frames)
    close(tau, x.tau, 1e-9)  # a residual of M, as in test_forward_and_inverse


def test_wrenches_add_up():
    mechanism = menagerie()
    n, x = Numbers(mechanism), state_of(mechanism, 6)
    frames = ["tool", "b3", "b10", "b0"]
    tau = n(px.inverse_dynamics.recursive, x.q, x.v, x.a, *[WRENCH] * 4, wrenches=frames)
    total = sum(generalized(n, x.q, frame) for frame in frames)
    close(tau, n.inverse(x.q, x.v, x.a) - total, ROUNDING)


def test_the_root_bears_a_wrench_by_itself():
    mechanism = menagerie()
    n, x = Numbers(mechanism), state_of(mechanism, 6)
    tau = n(px.inverse_dynamics.recursive, x.q, x.v, x.a, WRENCH, wrenches=["b0"])
    close(tau, n.inverse(x.q, x.v, x.a), 0.0)


def test_a_weight_on_a_frame_is_a_body_of_that_mass_held_still():
    arm = px.library.puma560()
    n = Numbers(arm)
    q = arm.random_positions(seed=8)
    load = px.attach(arm, "tool", px.Body("load", 2.5))
    R = n(eq.forward_kinematics, q, frame="tool")[:3, :3]
    weight = np.array([*(R.T @ (2.5 * arm.gravity)), 0, 0, 0])
    still = np.zeros(6)
    held = n(px.inverse_dynamics.recursive, q, still, still, weight, wrenches=["tool"])
    close(held, Numbers(load)(eq.gravity, q), ROUNDING)
