"""Vectors, rotations, twists, wrenches and mass moments against plain matrices."""

import casadi as ca
import numpy as np
import pytest
from casadi import SX

from evaluate import close
from phalanx.equations.spatial import (
    Acceleration,
    MassMoments,
    Rotation,
    Transform,
    Twist,
    Wrench,
    acceleration_matrix,
    columnwise_cross,
    constant,
    symmetric_product,
    without_rounding,
)
from phalanx.mechanism import Pose

EXACT = 1e-14
rng = np.random.default_rng(1)


def value(x: SX) -> np.ndarray:
    return np.array(ca.DM(x))


def rotations() -> list[tuple[Rotation, np.ndarray]]:
    R = Pose.from_quaternion(np.zeros(3), rng.standard_normal(4)).rotation
    c, s = np.cos(0.7), np.sin(0.7)
    turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    return [(Rotation(constant(R)), R), (Rotation(constant(R), (SX(c), SX(s))), R @ turn)]


def random_mass() -> tuple[float, np.ndarray, np.ndarray, MassMoments]:
    m, c = 2.3, rng.standard_normal(3)
    A = rng.standard_normal((3, 3))
    J = A @ A.T
    I = np.trace(J) * np.eye(3) - J
    return m, c, I, MassMoments.of(SX(m), constant(c), constant(I))


@pytest.mark.parametrize(("rotation", "R"), rotations(), ids=["matrix", "turned"])
def test_rotation(rotation, R):
    v, J = rng.standard_normal((3, 2)), rng.standard_normal((3, 3))
    close(value(rotation.full()), R, EXACT)
    close(value(rotation.into_parent(constant(v))), R @ v, EXACT)
    close(value(rotation.into_child(constant(v))), R.T @ v, EXACT)
    close(value(rotation.tensor_into_parent(constant(J))), R @ J @ R.T, EXACT)
    symmetric = J + J.T
    close(value(rotation.symmetric_into_parent(constant(symmetric))), R @ symmetric @ R.T, EXACT)


def test_products_of_symmetric_matrices_take_any_matrix():
    A, J = rng.standard_normal((2, 3, 3))
    J = J + J.T
    close(value(symmetric_product(constant(A), constant(J))), A @ J @ A.T, EXACT)


@pytest.mark.parametrize(("left", "right"), [(1, 1), (1, 3), (3, 1), (3, 3)])
def test_columnwise_cross(left, right):
    a, b = rng.standard_normal((3, left)), rng.standard_normal((3, right))
    wanted = np.cross(a.T, b.T).T
    close(value(columnwise_cross(constant(a), constant(b))), wanted, EXACT)


def test_acceleration_matrix_gives_the_acceleration_of_a_point():
    w, dw, r = rng.standard_normal((3, 3))
    L = value(acceleration_matrix(constant(w), constant(dw)))
    close(L @ r, np.cross(dw, r) + np.cross(w, np.cross(w, r)), EXACT)


def test_mass_moments_know_their_inertia():
    m, c, I, mass = random_mass()
    about_origin = I + m * (c @ c * np.eye(3) - np.outer(c, c))
    close(value(mass.inertia), about_origin, EXACT * 10)
    close(value(mass.h)[:, 0], m * c, EXACT)


def test_momentum_and_wrench_of_a_body():
    m, c, I, mass = random_mass()
    w, u, dw, a = rng.standard_normal((4, 3))
    momentum = mass.momentum(Twist(constant(w), constant(u)))
    p = m * (u + np.cross(w, c))
    close(value(momentum.force)[:, 0], p, EXACT)
    close(value(momentum.moment)[:, 0], I @ w + np.cross(c, p), EXACT * 10)
    needed = mass.wrench(Acceleration(constant(w), constant(dw), constant(a)))
    force = m * (a + np.cross(dw, c) + np.cross(w, np.cross(w, c)))
    close(value(needed.force)[:, 0], force, EXACT * 10)
    moment = I @ dw + np.cross(w, I @ w) + np.cross(c, force)
    close(value(needed.moment)[:, 0], moment, EXACT * 10)


def test_mass_moments_in_another_frame():
    m, c, I, mass = random_mass()
    X = Pose.from_quaternion(rng.standard_normal(3), rng.standard_normal(4))
    R, p = X.rotation, X.translation
    moved = mass.into_parent(Transform(Rotation(constant(R)), constant(p)))
    wanted = MassMoments.of(SX(m), constant(R @ c + p), constant(R @ I @ R.T))
    close(value(moved.h), value(wanted.h), EXACT * 10)
    close(value(moved.J), value(wanted.J), EXACT * 10)


def random_pair(kind, columns=1):
    return kind(*(constant(x) for x in rng.standard_normal((2, 3, columns))))


def random_transform() -> Transform:
    X = Pose.from_quaternion(rng.standard_normal(3), rng.standard_normal(4))
    return Transform(Rotation(constant(X.rotation)), constant(X.translation))


def six(pair) -> np.ndarray:
    return value(pair.numbers)


def by_matrix(V: Twist) -> np.ndarray:
    """The 6×6 matrix of V × for numbers with the linear part first."""
    w, u = (np.array(ca.DM(ca.skew(x))) for x in (V.angular, V.linear))
    return np.block([[w, u], [np.zeros((3, 3)), w]])


@pytest.mark.parametrize("kind", [Twist, Wrench])
def test_pairs_add_up_and_scale_like_six_numbers(kind):
    a, b = random_pair(kind, 2), random_pair(kind, 2)
    amounts = rng.standard_normal((2, 1))
    close(six(a + b), six(a) + six(b), EXACT)
    close(six(a - b), six(a) - six(b), EXACT)
    close(six(2.5 * a), 2.5 * six(a), EXACT)
    close(six(a @ constant(amounts)), six(a) @ amounts, EXACT)
    close(six(kind.of(a.numbers)), six(a), EXACT)
    assert not six(kind.none()).any()


def test_cross_products_are_those_of_spatial_algebra():
    V, S, F = random_pair(Twist), random_pair(Twist, 2), random_pair(Wrench)
    close(six(V.cross(S)), by_matrix(V) @ six(S), EXACT * 10)
    # wrenches are dual to motions: V ×* F does along S what F does along S × V
    close(value(S.dot(V.cross_wrench(F))), -six(V.cross(S)).T @ six(F), 1e-13)
    close(value(S.dot(F)), value(F.dot(S)).T, EXACT)


def test_wrench_and_motion_do_the_same_work_in_either_frame():
    X, F, V = random_transform(), random_pair(Wrench), random_pair(Twist)
    close(value(F.dot(V.into_child(X))), value(F.into_parent(X).dot(V)), EXACT * 10)
    close(six(F.into_parent(X).into_child(X)), six(F), EXACT * 10)
    close(six(F.acting_at(X.translation).about(X.translation)), six(F), EXACT * 10)


def test_a_twist_at_a_point_is_the_velocity_of_that_point():
    V, r = random_pair(Twist), rng.standard_normal(3)
    w, u = value(V.angular)[:, 0], value(V.linear)[:, 0]
    close(value(V.at(constant(r)).linear)[:, 0], u + np.cross(w, r), EXACT)
    A = Acceleration(constant(w), constant(u), constant(r))
    wanted = r + np.cross(u, w) + np.cross(w, np.cross(w, w))
    close(value(A.at(constant(w)))[:, 0], wanted, EXACT * 10)


def test_what_rounding_left_is_removed_and_symbols_stay():
    x = SX.sym("x")
    cleaned = without_rounding(ca.vertcat(1.0, 1e-15, x, 1e-9))
    assert cleaned[1].is_zero()
    assert float(cleaned[3]) == 1e-9
    assert ca.is_equal(cleaned[2], x)
