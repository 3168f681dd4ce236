"""Checks 3, 4, 5 and 19: exact formulations agree with each other and with reference numbers.

The thesis prints no state with its accelerations; the reference numbers were computed by a program
independent of this one.
"""

from functools import lru_cache

import casadi as ca
import numpy as np
import pytest

import phalanx as px
from evaluate import Numbers, close
from phalanx.equations import loops
from phalanx.equations.loops.legs.complement import complement
from phalanx.equations.loops.legs.consistent import consistent_velocity
from phalanx.equations.loops.legs.inertia import generalized_inertia
from phalanx.equations.loops.legs.platform import platform_of
from phalanx.equations.loops.numbers.bases import FrozenBasis, Gaussian, ProjectorSvd, Qr, Svd, held
from phalanx.equations.model_of import model_of
from phalanx.simulation.formulations import Embedding, FreshProjection
from phalanx.studies.khan import as_written as thesis
from phalanx.studies.khan import recursion
from phalanx.studies.khan.bench import bench

from .states import MOTORS, golden, scattered, terms, with_motor_rates

FRAME = np.linalg.qr(np.random.default_rng(1).standard_normal((9, 3)))[0]
SYMBOLIC = {
    "multipliers": (loops.multipliers, {}),
    "partition": (loops.projection, {"independent": ("drive_1", "drive_2", "drive_3")}),
    "other partition": (loops.projection, {"independent": ("elbow_1", "drive_2", "elbow_3")}),
    "recursive": (loops.recursive, {}),
}
NUMERIC = {"svd": Svd(), "qr": Qr(), "projector svd": ProjectorSvd()}
HELD = {"gaussian": Gaussian(), "frozen": FrozenBasis(), "frozen svd": FrozenBasis(Svd())}


@lru_cache(maxsize=1)
def numbers():
    return Numbers(bench().mechanism)


def by_basis(name, q, v, tau):
    """Accelerations by a numeric basis."""

    def control(t, q, v):
        return tau

    if name in NUMERIC:
        machine = FreshProjection(bench().mechanism, NUMERIC[name])
        return machine.rate(0.0, machine.begin(q, v), control)[9:]
    machine = Embedding(bench().mechanism, HELD[name])
    z = machine.begin(q, v)[9:]
    basis = held(machine.derivative(q), machine.N)
    found = machine.evaluate(0.0, q, z, basis, control)
    return basis.S @ found.along + found.across


def check_golden(a):
    q, v, _ = golden()
    found = thesis.accelerations(q, v, a)
    assert found[[0, 2, 4]] == pytest.approx((11.546424655, 12.229332559, -0.615034273), abs=1e-8)
    assert found[6:] == pytest.approx((11.704483957, -1.233411286, -2.486163950), abs=1e-8)


@pytest.mark.parametrize("name", SYMBOLIC)
def test_golden_state(name):
    method, options = SYMBOLIC[name]
    check_golden(numbers()(method, *golden(), **options))


@pytest.mark.parametrize("name", [*NUMERIC, *HELD])
def test_golden_state_by_bases(name):
    check_golden(by_basis(name, *golden()))


def test_golden_state_with_a_frozen_basis_compiled():
    check_golden(numbers()(loops.projection, *golden(), basis=FRAME))


def test_golden_state_by_the_equations_as_written():
    q, v, tau = golden()
    a, _ = thesis.multipliers(thesis.coordinates(q), thesis.rates(q, v), tau[list(MOTORS)])
    assert a[[0, 2, 4]] == pytest.approx((11.546424655, 12.229332559, -0.615034273), abs=1e-8)


def test_golden_loop_forces():
    """Ours are in the platform's axes, the reference in the base's."""
    q, v, tau = golden()
    _, force = numbers()(loops.constrained, q, v, tau)
    in_base = (thesis.R(q[8]) @ force.reshape(3, 2).T).T.ravel()
    reference = (20.2527, -15.77115, -22.66187, 14.40704, -7.45812, 59.95480)
    assert in_base == pytest.approx(reference, abs=1e-4)


def test_five_hundred_states():
    """Against the thesis's equations in its own coordinates, written out with NumPy."""
    q, v, tau = scattered()
    assert len(q) == 500
    wanted = [
        thesis.multipliers(thesis.coordinates(x), thesis.rates(x, w), u[list(MOTORS)])[0]
        for x, w, u in zip(q, v, tau, strict=True)
    ]
    # the other partition is singular at some of these postures, as any may be
    for name in ("multipliers", "partition", "recursive"):
        method, options = SYMBOLIC[name]
        a = px.compile(px.expression(method, bench().mechanism, **options))(q, v, tau)
        for k in range(len(q)):
            close(thesis.accelerations(q[k], v[k], a[k]), wanted[k], 1e-10, f"{name} {k}")


@pytest.mark.parametrize("name", [*NUMERIC, *HELD])
def test_five_hundred_states_by_bases(name):
    q, v, tau = scattered()
    reference = px.compile(px.expression(loops.multipliers, bench().mechanism))(q, v, tau)
    given = {}

    def control(t, q, v):
        return given["tau"]

    kind = FreshProjection if name in NUMERIC else Embedding
    machine = kind(bench().mechanism, (NUMERIC | HELD)[name])
    for k in range(len(q)):
        given["tau"] = tau[k]
        rate = machine.rate(0.0, machine.begin(q[k], v[k]), control)[9:]
        wanted = reference[k] if name in NUMERIC else machine.N.T @ reference[k]
        close(rate, wanted, 1e-10, f"{name} {k}")


def at(expression_of):
    """A function of q from what the complement of the machine says."""
    model = model_of(bench().mechanism)
    q = ca.SX.sym("q", 9)
    platform = platform_of(model, q)
    return ca.Function("f", [q], expression_of(platform, complement(platform)))


def test_projectors_are_those_of_the_thesis():
    f = at(lambda _, found: [found.K, *(leg.Phi for leg in found.legs)])
    q, _, _ = golden()
    K, *projectors = (np.array(x) for x in f(q))
    assert np.linalg.cond(K) == pytest.approx(15.5055, abs=1e-4)
    for leg, Phi in enumerate(projectors):
        close(Phi, recursion.LegComputer(thesis.coordinates(q), leg).Phi2, 1e-12)
        close(Phi @ Phi, Phi, 1e-12)


def test_complement_is_the_product_of_the_thesis_and_that_of_coordinate_partition():
    """J = P̄ L B P, its blocks put together from S and the projected screws of each leg."""
    f = at(
        lambda _, found: [
            found.J,
            *found.S,
            *(a for leg in found.legs for a in leg.rates),
            *(leg.motor for leg in found.legs),
        ]
    )
    for q in scattered()[0][:50]:
        J, *rest = (np.array(x) for x in f(q))
        S, a, b = rest[:3], rest[3:12], rest[12:]
        P = np.zeros((9, 27))
        L = np.zeros((27, 9))
        B = np.zeros((9, 3))
        for i in range(3):
            B[3 * i : 3 * i + 3, i] = b[i][:, 0]
            for k in range(3):
                row = 3 * i + k
                P[row, 3 * row : 3 * row + 3] = a[row][:, 0]
                rows = slice(3 * row, 3 * row + 3)
                own = slice(3 * i, 3 * i + 3)
                if k == 0:
                    L[rows, own] = np.eye(3)
                else:
                    L[rows] = np.hstack(S)
                    L[rows, own] -= np.eye(3)
        close(J, P @ L @ B, 1e-10)
        T = thesis.partition(thesis.jacobian(thesis.coordinates(q)))
        relative = []
        for i in range(3):
            first, second = T[2 * i], T[2 * i + 1]
            relative += [first, second - first, T[6] - second]
        close(J, np.array(relative), 1e-10)


def test_inertia_that_the_motors_feel():
    f = at(lambda platform, found: [generalized_inertia(platform, found)])
    q, _, _ = golden()
    M = np.array(f(q))
    reference = [
        [1.554945254, -0.385945765, -0.565171753],
        [-0.385945765, 1.087862922, 0.069471037],
        [-0.565171753, 0.069471037, 1.567015453],
    ]
    assert M == pytest.approx(np.array(reference), abs=1e-8)
    for x in scattered()[0]:
        M = np.array(f(x))
        close(M, M.T, 1e-14)
        assert np.linalg.eigvalsh(M).min() > 0
        T = thesis.partition(thesis.jacobian(thesis.coordinates(x)))
        I, _ = thesis.inertia_and_bias(thesis.coordinates(x), np.zeros(9))
        close(M, T.T @ I @ T, 1e-10)


SHARES = [(1 / 3, 1 / 3, 1 / 3), (0.6, 0.3, 0.1), (1.0, 0.0, 0.0)]


def test_how_the_platform_is_shared_out_changes_only_redundant_motors():
    q, v, tau = golden()
    a = numbers()(loops.multipliers, q, v, tau)
    motors, everywhere, accelerations = [], [], []
    for shares in SHARES:
        one, all_joints = numbers()(loops.recursive_inverse, q, v, a, shares=shares)
        motors.append(one)
        everywhere.append(all_joints)
        accelerations.append(numbers()(loops.recursive, q, v, tau, shares=shares))
        x, w, b = thesis.coordinates(q), thesis.rates(q, v), thesis.accelerations(q, v, a)
        written = recursion.inverse_dynamics(x, w[thesis.ACTUATED], b[thesis.ACTUATED], shares)
        close(all_joints, written[1], 1e-10)
    for k in (1, 2):
        close(motors[k], motors[0], 1e-10)
        close(accelerations[k], accelerations[0], 1e-10)
        assert np.abs(everywhere[k] - everywhere[0]).max() > 1.0
    close(motors[0], tau, 1e-10)


def test_a_leg_that_is_nearly_stretched_is_spared():
    """Shares by the condition number of each leg's Jacobian, against the thesis's screws."""
    for q in scattered()[0][:20]:
        nodes = [recursion.LegComputer(thesis.coordinates(q), leg) for leg in range(3)]
        legs = [np.stack([n.BP1 @ n.p[0], n.BP2 @ n.p[1], n.BP3 @ n.p[2]], axis=1) for n in nodes]
        weights = np.array([1 / np.linalg.cond(J) for J in legs])
        shares = loops.shares_by_condition(bench().mechanism, q)
        close(shares, weights / weights.sum(), 1e-10)
    v = with_motor_rates(q, (1.0, -1.0, 0.5))
    a = numbers()(loops.multipliers, q, v, np.zeros(9))
    even, _ = numbers()(loops.recursive_inverse, q, v, a)
    spared, _ = numbers()(loops.recursive_inverse, q, v, a, shares=shares)
    close(spared, even, 1e-10)


def test_motors_in_every_joint_do_the_same_work():
    """τ̃ as forces of nine joints is one way to move the machine: same power, same motion."""
    q, v, tau = golden()
    a = numbers()(loops.multipliers, q, v, tau)
    _, everywhere = numbers()(loops.recursive_inverse, q, v, a, shares=SHARES[1])
    w = thesis.rates(q, v)
    rates = []
    for i in range(3):
        rates += [w[2 * i], w[2 * i + 1] - w[2 * i], w[6] - w[2 * i + 1]]
    assert everywhere @ np.array(rates) == pytest.approx(tau @ v, rel=1e-12)


def test_velocities_of_all_joints_from_those_of_the_motors():
    q, v, _ = golden()
    only_motors = np.where(np.isin(np.arange(9), MOTORS), v, np.nan)
    close(numbers()(consistent_velocity, q, only_motors), v, 1e-12)
    assert np.abs(terms().place(q)[2] @ with_motor_rates(q, (1, 2, 3))).max() < 1e-14
