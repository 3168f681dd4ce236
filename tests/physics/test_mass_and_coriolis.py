"""Mass matrix and Coriolis matrix: energy, symmetry, skewness, differences."""

import numpy as np
from hypothesis import given

import phalanx as px
from evaluate import Numbers, close
from phalanx import equations as eq
from strategies import menagerie, moving, state_of

ROUNDING = 1e-11  # some hundred operations that cancel at most a few digits
DIFFERENCES = 1e-8  # fourth-order central differences at h = 1e-4: rounding 1e-12, some margin


@given(moving())
def test_kinetic_energy_is_the_quadratic_form_of_the_mass_matrix(machine):
    mechanism, x = machine
    n = Numbers(mechanism)
    close(n(eq.kinetic_energy, x.q, x.v), x.v @ n.mass_matrix(x.q) @ x.v / 2, ROUNDING)


@given(moving())
def test_mass_matrix_is_symmetric_and_positive_definite(machine):
    mechanism, x = machine
    M = Numbers(mechanism).mass_matrix(x.q)
    close(M, M.T, 0.0)  # both halves are the same expression
    assert np.linalg.eigvalsh(M)[0] > 0


@given(moving())
def test_columns_of_the_mass_matrix_are_forces_of_unit_accelerations(machine):
    mechanism, x = machine
    n = Numbers(mechanism)
    bias = n(eq.bias, x.q, x.v)
    columns = [n.inverse(x.q, x.v, unit) - bias for unit in np.eye(mechanism.nv)]
    close(np.transpose(columns), n.mass_matrix(x.q), ROUNDING * (1 + np.abs(bias).max()))


@given(moving())
def test_coriolis_matrix_times_velocity_and_gravity_make_the_bias(machine):
    mechanism, x = machine
    n = Numbers(mechanism)
    total = n(eq.coriolis_matrix, x.q, x.v) @ x.v + n(eq.gravity, x.q)
    close(total, n(eq.bias, x.q, x.v), ROUNDING)


@given(moving())
def test_rate_of_the_mass_matrix_less_twice_the_coriolis_matrix_is_skew(machine):
    mechanism, x = machine
    n = Numbers(mechanism)
    C = n(eq.coriolis_matrix, x.q, x.v)
    rate = n.along(n.mass_matrix, x.q, x.v)
    # C + Cᵀ = dM/dt says the same and shows both sides
    close(C + C.T, rate, DIFFERENCES)


@given(moving())
def test_coriolis_matrix_is_linear_in_velocity(machine):
    mechanism, x = machine
    n = Numbers(mechanism)
    C = n(eq.coriolis_matrix, x.q, x.v)
    close(n(eq.coriolis_matrix, x.q, -3 * x.v), -3 * C, ROUNDING)


@given(moving(kinds=("revolute", "prismatic", "universal", "cylindrical", "fixed"), mimics=True))
def test_coriolis_matrix_is_that_of_the_christoffel_symbols(machine):
    # for joints whose velocities are the rates of their positions, C is given by M alone
    mechanism, x = machine
    n = Numbers(mechanism)
    dM = np.array([n.along(n.mass_matrix, x.q, unit) for unit in np.eye(mechanism.nv)])
    # dM[k] is the derivative by the k-th position
    by_k, by_j, by_i = (
        np.einsum(indices, dM, x.v) for indices in ("kij,k->ij", "jik,k->ij", "ijk,k->ij")
    )
    close(n(eq.coriolis_matrix, x.q, x.v), (by_k + by_j - by_i) / 2, DIFFERENCES)


def test_entries_between_branches_are_structural_zeros():
    mechanism = menagerie()
    M = px.expression(px.mass_matrix.composite_body, mechanism).sparsity_out(0)
    at = {name: s.start for name, s in mechanism.v_slices.items()}
    for inner, outer in (("j1", "j2"), ("j1", "j5"), ("j2", "j3"), ("j5", "j6")):
        assert M.has_nz(at[inner], at[outer]) and M.has_nz(at[outer], at[inner])
    for left in ("j2", "j3"):
        for right in ("j5", "j6"):
            assert not M.has_nz(at[left], at[right]) and not M.has_nz(at[right], at[left])


def test_every_joint_at_once():
    mechanism = menagerie()
    n, x = Numbers(mechanism), state_of(mechanism, 2)
    C, M = n(eq.coriolis_matrix, x.q, x.v), n.mass_matrix(x.q)
    close(C @ x.v + n(eq.gravity, x.q), n(eq.bias, x.q, x.v), ROUNDING)
    close(C + C.T, n.along(n.mass_matrix, x.q, x.v), DIFFERENCES)
    close(n(eq.kinetic_energy, x.q, x.v), x.v @ M @ x.v / 2, ROUNDING)
