"""Methods by complements and in one frame: the numbers of the other methods, for every joint."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import phalanx as px
from evaluate import Numbers, close
from phalanx.equations.mass_matrix.dense_solvers import cholesky, lu
from phalanx.mechanism import Revolute
from strategies import menagerie, moving, state_of

ROUNDING = 1e-11  # sums over eight bodies of terms of one size
SOLVED = 1e-9  # residuals of M, as in test_forward_and_inverse
WRENCH = np.array([3.0, -5.0, 7.0, 0.4, -0.2, 0.9])

MASS_MATRICES = [
    px.mass_matrix.orthogonal_complement,
    px.mass_matrix.in_root_frame.composite_body,
    px.mass_matrix.in_root_frame.accumulated_inertia,
    px.mass_matrix.in_root_frame.spatial_composite,
]
INVERSE = [px.inverse_dynamics.orthogonal_complement, px.inverse_dynamics.natural_complement]
FORWARD = [
    px.forward_dynamics.orthogonal_complement,
    px.forward_dynamics.in_root_frame.articulated_body,
]
NAMED = {"ids": lambda method: method.__module__.rpartition("equations.")[2]}


@pytest.mark.parametrize("method", MASS_MATRICES, **NAMED)
@given(moving(max_bodies=5))
def test_mass_matrix(method, machine):
    mechanism, x = machine
    n = Numbers(mechanism)
    close(n(method, x.q), n.mass_matrix(x.q), ROUNDING)


@pytest.mark.parametrize("method", MASS_MATRICES, **NAMED)
def test_joints_on_different_branches_share_no_inertia(method):
    torso = px.library.torso()
    paths = torso.path_matrix
    apart = (paths.T @ paths) == 0
    filled = Numbers(torso).function(method).sparsity_out(0)
    assert apart.any()
    assert not any(filled.has_nz(i, j) for i, j in np.argwhere(apart).tolist())


@pytest.mark.parametrize("method", INVERSE, **NAMED)
@given(moving(max_bodies=5))
def test_inverse_dynamics_under_a_wrench(method, machine):
    mechanism, x = machine
    n = Numbers(mechanism)
    for frame in ("tool", mechanism.bodies[-1].name):
        state = (x.q, x.v, x.a, WRENCH)
        wanted = n(px.inverse_dynamics.recursive, *state, wrenches=[frame])
        close(n(method, *state, wrenches=[frame]), wanted, ROUNDING)


@pytest.mark.parametrize("method", INVERSE, **NAMED)
@given(moving(max_bodies=5), st.integers(0, 2**32 - 1))
def test_inverse_dynamics_on_a_moving_base(method, machine, seed):
    mechanism, x = machine
    base, dbase = np.random.default_rng(seed).standard_normal((2, 6))
    n = Numbers(mechanism)
    state = (x.q, x.v, x.a, base, dbase)
    wanted = n(px.inverse_dynamics.recursive, *state, moving_base=True)
    # velocities of the base square into forces some ten times the machine's own
    close(n(method, *state, moving_base=True), wanted, 10 * ROUNDING)


@pytest.mark.parametrize("method", FORWARD, **NAMED)
@given(moving(mimics=False, max_bodies=5), st.integers(0, 2**32 - 1))
def test_forward_dynamics_undoes_inverse_dynamics(method, machine, seed):
    mechanism, x = machine
    base, dbase = np.random.default_rng(seed).standard_normal((2, 6))
    n = Numbers(mechanism)
    options = {"wrenches": ["tool"], "moving_base": True}
    a = n(method, x.q, x.v, x.tau, WRENCH, base, dbase, **options)
    tau = n(px.inverse_dynamics.recursive, x.q, x.v, a, WRENCH, base, dbase, **options)
    close(tau, x.tau, SOLVED)


@pytest.mark.parametrize("solve", [cholesky, lu], ids=lambda f: f.__name__)
@given(moving(mimics=False, max_bodies=5))
def test_dense_solvers_forget_the_tree_and_find_the_same(solve, machine):
    mechanism, x = machine
    n = Numbers(mechanism)
    a = n(px.forward_dynamics.orthogonal_complement, x.q, x.v, x.tau, solve=solve)
    close(n.inverse(x.q, x.v, a), x.tau, SOLVED)


def test_mimics_rotors_and_massless_bodies():
    mechanism = menagerie()
    n, x = Numbers(mechanism), state_of(mechanism, 3)
    for method in MASS_MATRICES:
        close(n(method, x.q), n.mass_matrix(x.q), ROUNDING)
    tau = n.inverse(x.q, x.v, x.a)
    for method in INVERSE:
        close(n(method, x.q, x.v, x.a), tau, ROUNDING)
    close(n(px.forward_dynamics.orthogonal_complement, x.q, x.v, tau), x.a, SOLVED)


def test_numbers_of_the_machine_may_stay_open():
    arm = px.library.puma600()
    opened = ("link_3.mass", "link_3.com", "link_3.inertia", "link_4_hinge.position", "gravity")
    n, x = Numbers(arm, opened), state_of(arm, 4)
    rng = np.random.default_rng(4)
    values = (3.0, rng.standard_normal(3), rng.random(6), rng.standard_normal(3), rng.random(3))
    wanted = n(px.inverse_dynamics.recursive, x.q, x.v, x.a, *values)
    for method in INVERSE:
        close(n(method, x.q, x.v, x.a, *values), wanted, ROUNDING)


def test_regrouped_masses_have_no_centres():
    n = Numbers(Numbers(px.library.puma600()).model.regrouped)
    with pytest.raises(px.InvalidModel, match="before regrouping"):
        n(px.mass_matrix.orthogonal_complement, np.zeros(6))


def test_a_body_that_spins_in_a_still_frame_is_named():
    wheel = px.Mechanism(
        "wheel",
        [px.Body("stand"), px.Body("wheel", 2.0, inertia=np.diag([0.1, 0.1, 0.2]))],
        [px.Joint("axle", "stand", "wheel", Revolute())],
    )
    n = Numbers(Numbers(wheel).model.lightest)
    with pytest.raises(px.InvalidModel, match="'axle' spins in a frame that stands still"):
        n(px.mass_matrix.orthogonal_complement, np.zeros(1))


def test_loops_are_refused_by_name():
    bar = Numbers(px.library.four_bar())
    zero = np.zeros(3)
    for method in FORWARD:
        with pytest.raises(px.InvalidModel, match=rf"{method.__name__} is for trees"):
            bar(method, zero, zero, zero)


def test_what_is_no_method_of_the_mass_matrix_is_refused():
    with pytest.raises(px.InvalidInput, match=r"phalanx\.mass_matrix\.composite_body, got mass_ma"):
        px.Dynamics(px.library.puma600(), mass_matrix="composite")


def test_kernels_take_the_methods_as_values():
    arm = px.library.puma600()
    x = arm.random_positions(9, seed=1)
    v, a = np.random.default_rng(1).standard_normal((2, 9, 6))
    plain = px.Dynamics(arm)
    by_complement = px.Dynamics(
        arm,
        inverse=px.inverse_dynamics.orthogonal_complement,
        forward=px.forward_dynamics.orthogonal_complement,
        mass_matrix=px.mass_matrix.orthogonal_complement,
    )
    np.testing.assert_allclose(
        by_complement.mass_matrix(x), plain.mass_matrix(x), rtol=0, atol=1e-12
    )
    tau = plain.inverse_dynamics(x, v, a)
    np.testing.assert_allclose(by_complement.inverse_dynamics(x, v, a), tau, rtol=0, atol=1e-11)
    np.testing.assert_allclose(by_complement.forward_dynamics(x, v, tau), a, rtol=0, atol=1e-9)
