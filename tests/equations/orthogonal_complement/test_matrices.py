"""The matrices of the Newton-Euler state space: what is orthogonal to what, and the dynamics left.

Wong (1991), §2.2.4, §3.1 and appendices A, B; acceptance check 4 of the spec.
"""

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

import phalanx as px
from evaluate import Numbers
from phalanx import equations as eq
from phalanx.equations.model_of import model_in_given_frames
from phalanx.equations.orthogonal_complement.body_frames import body_frames
from phalanx.equations.orthogonal_complement.mixed_frames import mixed_frames
from phalanx.equations.orthogonal_complement.transmitted import transmitted

MACHINES = [px.library.puma600, px.library.torso_as_printed, px.library.cat215b]
ROUNDING = 1e-12


class Matrices:
    """Matrices of a machine as numbers, at a state of it."""

    def __init__(self, machine, seed: int = 2) -> None:
        self.mechanism = machine()
        self.model = model_in_given_frames(self.mechanism)
        rng = np.random.default_rng(seed)
        self.q = self.mechanism.random_positions(seed=rng)
        self.v, self.a = rng.standard_normal((2, self.mechanism.nv))
        self.numbers = Numbers(self.mechanism)

    def value(self, x: ca.SX) -> np.ndarray:
        q, v = self.symbols
        return np.array(ca.Function("x", [q, v], [ca.densify(x)])(self.q, self.v))

    @property
    def symbols(self) -> tuple[ca.SX, ca.SX]:
        if not hasattr(self, "_symbols"):
            n = self.mechanism.nv
            self._symbols = ca.SX.sym("q", n), ca.SX.sym("v", n)
        return self._symbols

    def of(self, form):
        return form(self.model, *self.symbols)


@pytest.fixture(params=MACHINES, ids=lambda m: m.__name__)
def at(request) -> Matrices:
    return Matrices(request.param)


def test_what_hinges_transmit_is_orthogonal_to_the_complement(at):
    x = at.of(mixed_frames)
    annihilated = at.value(x.annihilator @ ca.vertcat(x.H1, x.H2))
    assert np.abs(annihilated).max() < ROUNDING
    assert np.abs(at.value(x.C.T @ x.N1)).max() < ROUNDING


def test_joint_torques_pass_through_the_complement_one_by_one(at):
    x = at.of(mixed_frames)
    about_z = ca.kron(ca.SX.eye(at.mechanism.nv), ca.SX([0, 0, 1]))
    np.testing.assert_allclose(
        at.value(x.C.T @ x.E @ about_z), np.eye(at.mechanism.nv), rtol=0, atol=ROUNDING
    )


def test_paths_are_the_inverse_of_the_incidence_matrix(at):
    x = at.of(mixed_frames)
    np.testing.assert_array_equal(at.value(x.U @ x.paths), np.eye(3 * at.mechanism.nv))


def test_spins_and_centres_are_those_of_kinematics(at):
    # C v and U⁻¹ Q C v against the velocities of the bodies, found another way
    x, mechanism = at.of(mixed_frames), at.mechanism
    moved = at.value(x.motions @ at.symbols[1]).reshape(2, -1, 3)
    for i, body in enumerate(mechanism.bodies[1:]):
        X = at.numbers(eq.forward_kinematics, at.q, frame=body.name)
        V = at.numbers(eq.frame_velocity, at.q, at.v, frame=body.name)
        R = X[:3, :3]
        np.testing.assert_allclose(moved[0, i], R.T @ V[3:], rtol=0, atol=1e-11)
        centre = V[:3] + np.cross(V[3:], R @ body.com)
        np.testing.assert_allclose(moved[1, i], centre, rtol=0, atol=1e-11)


@pytest.mark.parametrize("form", [mixed_frames, body_frames], ids=lambda f: f.__name__)
def test_what_is_left_is_the_equation_of_motion(at, form):
    x = at.of(form)
    M, forces = at.value(x.mass_matrix), at.value(x.free_forces(ca.SX(at.mechanism.nv, 1)))[:, 0]
    by_recursion = at.numbers(px.mass_matrix.orthogonal_complement, at.q)
    np.testing.assert_allclose(M, by_recursion, rtol=0, atol=1e-10 * np.abs(M).max())
    bias = at.numbers(px.inverse_dynamics.orthogonal_complement, at.q, at.v, 0 * at.v)
    np.testing.assert_allclose(-forces, bias, rtol=0, atol=1e-10 * np.abs(bias).max())


def test_levers_in_body_frames_are_the_columns_of_the_recursion(at):
    x = at.of(body_frames)
    np.testing.assert_allclose(
        at.value(x.levers @ x.C), at.value(x.arms), rtol=0, atol=ROUNDING * 10
    )


def test_body_frames_and_mixed_frames_differ_by_turning_the_centres(at):
    mixed, own = at.of(mixed_frames), at.of(body_frames)
    n = at.mechanism.nv
    centres = at.value(mixed.paths @ mixed.Q).reshape(n, 3, 3 * n)
    for i, body in enumerate(at.mechanism.bodies[1:]):
        R = at.numbers(eq.forward_kinematics, at.q, frame=body.name)[:3, :3]
        np.testing.assert_allclose(
            R.T @ centres[i], at.value(own.levers)[3 * i : 3 * i + 3], rtol=0, atol=1e-11
        )


def test_forces_in_hinges_balance_every_body(at):
    # F10: the equations of all bodies with gamma, lambda and tau, before anything is projected
    x, n = at.of(mixed_frames), at.mechanism.nv
    a = ca.DM(at.a)
    in_hinges = transmitted(at.model, *at.symbols, ca.SX(a))
    dw = x.C @ a + x.C_rate
    needed = ca.vertcat(x.J @ dw, x.m @ (x.paths @ (x.Q @ dw + x.rates)))
    given = (
        ca.vertcat(x.f, x.g)
        + ca.vertcat(x.H1, x.H2) @ in_hinges.gamma
        + ca.vertcat(x.N1, ca.SX(3 * n, 2 * n)) @ in_hinges.lamda
        + ca.vertcat(x.E, ca.SX(3 * n, 3 * n)) @ in_hinges.torques
    )
    needed, given = at.value(needed), at.value(given)
    np.testing.assert_allclose(given, needed, rtol=0, atol=1e-11 * np.abs(needed).max())


def test_forces_in_hinges_are_the_reactions(at):
    in_hinges = transmitted(at.model, *at.symbols, ca.SX(ca.DM(at.a)))
    f, n = at.numbers.function(eq.reactions)(at.q, at.v, at.a)
    f, n = np.array(f), np.array(n)
    gamma = at.value(in_hinges.gamma).reshape(-1, 3)
    for i, joint in enumerate(at.mechanism.joints):
        R = at.numbers(eq.forward_kinematics, at.q, frame=joint.child)[:3, :3]
        np.testing.assert_allclose(R.T @ gamma[i], f[i], rtol=0, atol=1e-11 * np.abs(f).max())
    moments = np.c_[at.value(in_hinges.lamda).reshape(-1, 2), at.value(in_hinges.tau)]
    np.testing.assert_allclose(moments, n, rtol=0, atol=1e-11 * np.abs(n).max())


def missed(at, form) -> float:
    """How far the forces of a form are from the bias, as a share of it."""
    forces = at.value(form.free_forces(ca.SX(at.mechanism.nv, 1)))[:, 0]
    bias = at.numbers(px.inverse_dynamics.recursive, at.q, at.v, 0 * at.v)
    return np.abs(forces + bias).max() / np.abs(bias).max()


def test_the_printed_signs_of_centripetal_accelerations_are_wrong(at):
    # eqs. 3.11 and 3.35 add them; the appendices have them the other way round
    for form in (at.of(mixed_frames), at.of(body_frames)):
        assert missed(at, form) < 1e-10
        assert missed(at, replace(form, rates=-form.rates)) > 1e-3


def test_the_minus_of_gyroscopic_moments_is_needed(at):
    # the appendices list f without it
    for form in (at.of(mixed_frames), at.of(body_frames)):
        assert missed(at, replace(form, f=-form.f)) > 1e-6


def test_the_printed_sign_of_hinge_vectors_annihilates_nothing(at):
    # eq. 2.28 has k~ w' and l~ w' with the other sign: Q of the kinematics becomes -Q
    x = at.of(mixed_frames)
    wrong = replace(x, Q=-x.Q)
    left = at.value(wrong.annihilator @ ca.vertcat(x.H1, x.H2))
    assert np.abs(left).max() > 0.01


def test_a_joint_that_slides_is_named():
    slider = px.library.slider_crank()
    q = ca.SX.sym("q", slider.nq)
    with pytest.raises(px.InvalidModel, match="is no hinge"):
        mixed_frames(model_in_given_frames(slider), q, q)
