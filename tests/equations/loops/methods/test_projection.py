"""Accelerations along free directions are those of multipliers, whatever determines the motion."""

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

import phalanx as px
from equations.loops.four_bar import GUESS, Y, four_bar
from equations.loops.machines import NAMES, moving, numbers
from evaluate import Numbers, close
from phalanx.equations import loops
from phalanx.equations.loops.assembly.assemble import assemble
from phalanx.equations.loops.assembly.free_joints import independent_velocities
from phalanx.equations.loops.assembly.independent import independent_rows
from phalanx.equations.loops.closure.equations import closure, constraint
from phalanx.equations.loops.methods.projection import embedded
from phalanx.equations.loops.numbers.bases import (
    FrozenBasis,
    Gaussian,
    ProjectorSvd,
    Qr,
    Svd,
    condition,
    held,
    jump,
    left_over,
    selector,
)
from phalanx.mechanism import Body, Frame, Joint, Loop, Mechanism, PlanarPin, Revolute


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", NAMES)
def test_library(name, seed):
    q, v, tau = moving(name, seed)
    n = numbers(name)
    close(n(loops.projection, q, v, tau), n(loops.multipliers, q, v, tau), 1e-9, name)


@pytest.mark.parametrize("joint", ["a", "b", "c"])
def test_any_joint_of_a_four_bar_determines_the_others(joint):
    mechanism = four_bar(Revolute(axis=Y))
    x = assemble(mechanism, GUESS, np.array([2.0, 0.0, 0.0]))
    n, tau = Numbers(mechanism), np.array([0.3, -0.2, 0.5])
    a = n(loops.projection, x.q, x.v, tau, independent=(joint,))
    close(a, n(loops.multipliers, x.q, x.v, tau), 1e-11)


def derivative(name, q):
    n = numbers(name)
    at, v = ca.SX.sym("q", n.mechanism.nq), ca.SX.sym("v", n.mechanism.nv)
    A = constraint(n.model, at, v, independent_rows(n.mechanism)).A
    return np.array(ca.Function("A", [at], [ca.densify(A)])(q))


@pytest.mark.parametrize("name", ["bucket_linkage", "planar_3rrr"])
def test_a_constant_basis_compiled(name):
    q, v, tau = moving(name)
    n = numbers(name)
    N = FrozenBasis().select(derivative(name, q))
    close(n(loops.projection, q, v, tau, basis=N), n(loops.multipliers, q, v, tau), 1e-10)


def test_embedded_rates_are_those_of_the_state():
    """v = T z at closed loops, and dz/dt is Nᵀ a."""
    q, v, tau = moving("planar_3rrr")
    n = numbers("planar_3rrr")
    picked = independent_velocities(n.mechanism)
    at, z, u = ca.SX.sym("q", 9), ca.SX.sym("z", 3), ca.SX.sym("tau", 9)
    f = ca.Function("f", [at, z, u], list(embedded(n.model, at, z, u, decay=10.0)))
    velocity, rate = (np.array(x).ravel() for x in f(q, v[picked], tau))
    close(velocity, v, 1e-11)
    close(rate, n(loops.multipliers, q, v, tau)[picked], 1e-11)


def test_embedded_velocities_close_open_loops():
    """dc/dt = -decay c, by differences along the velocities."""
    q, v, tau = moving("planar_3rrr")
    n = numbers("planar_3rrr")
    at, z, u = ca.SX.sym("q", 9), ca.SX.sym("z", 3), ca.SX.sym("tau", 9)
    f = ca.Function("f", [at, z, u], list(embedded(n.model, at, z, u, decay=7.0)))
    q = q + 0.01 * np.cos(np.arange(9))
    velocity = np.array(f(q, v[:3], tau)[0]).ravel()
    c = ca.Function("c", [at], [closure(n.model, at)])

    def opening(x):
        return np.array(c(x)).ravel()

    close(n.along(opening, q, velocity), -7.0 * opening(q), 1e-9)


BASES = [ProjectorSvd(), Svd(), Qr()]


@pytest.mark.parametrize("basis", BASES, ids=lambda b: type(b).__name__)
def test_fresh_bases_span_the_null_space(basis):
    A = np.random.default_rng(0).standard_normal((4, 7))
    found = basis.of(A)
    close(A @ found.S, np.zeros((4, 3)), 1e-12)
    close(found.S.T @ found.S, np.eye(3), 1e-12)
    close(A @ found.R, np.eye(4), 1e-12)


@pytest.mark.parametrize("basis", [Gaussian(), FrozenBasis(), FrozenBasis(Svd())], ids=str)
def test_held_bases_span_the_null_space_of_other_postures_too(basis):
    rng = np.random.default_rng(0)
    A = rng.standard_normal((4, 7))
    N = basis.select(A)
    near = A + 0.05 * rng.standard_normal(A.shape)
    found = held(near, N)
    close(near @ found.S, np.zeros((4, 3)), 1e-12)
    close(N.T @ found.S, np.eye(3), 1e-12)
    close(near @ found.R, np.eye(4), 1e-12)
    close(N.T @ found.R, np.zeros((3, 4)), 1e-12)


def test_total_pivoting_takes_the_largest_entry_first():
    A = np.array([[1.0, 2.0, 0.0, 0.5], [0.1, 2.0, 5.0, 0.2]])
    # 5 in column 2, then 2 in column 1
    assert left_over(A) == (0, 3)


def test_a_selector_that_leaves_a_singular_part_has_no_condition():
    A = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    assert condition(A, selector(3, (2,))) == pytest.approx(1.0)
    assert condition(A, selector(3, (1,))) > 1e15


def test_a_direction_that_reverses_is_a_jump_of_two():
    A = np.eye(2, 3)
    ahead, back = Svd().of(A), Svd().of(A)
    assert jump(ahead, back) == 0
    assert jump(ahead, type(back)(-back.S, back.R)) == pytest.approx(2.0)


def test_too_many_joints():
    with pytest.raises(px.InvalidInput, match=r"1 degrees of freedom .* independent joints have 2"):
        px.expression(loops.projection, four_bar(PlanarPin(Y)), independent=("a", "b"))


def test_a_joint_that_is_not_there():
    with pytest.raises(px.UnknownName, match="joint 'x'"):
        px.expression(loops.projection, four_bar(PlanarPin(Y)), independent=("x",))


def test_joints_that_do_not_determine_the_motion():
    """Two joints of one loop say nothing of the other."""
    with pytest.raises(px.InvalidInput, match="determine 1 of them"):
        px.expression(loops.projection, two_separate_loops(), independent=("left a", "left b"))


def two_separate_loops():
    parts = [four_bar(PlanarPin(Y)) for _ in range(2)]
    bodies, joints, frames, loops_ = [Body("ground")], [], [], []
    for side, part in zip(("left", "right"), parts, strict=True):
        bodies += [replace(b, name=f"{side} {b.name}") for b in part.bodies[1:]]
        for j in part.joints:
            parent = "ground" if j.parent == "ground" else f"{side} {j.parent}"
            joints.append(Joint(f"{side} {j.name}", parent, f"{side} {j.child}", j.motion, j.pose))
        frames += [Frame(f"{side} {f.name}", f"{side} {f.body}", f.pose) for f in part.frames]
        loops_.append(
            Loop(f"{side} pin", f"{side} coupler_end", f"{side} rocker_end", PlanarPin(Y))
        )
    return Mechanism("two", bodies, joints, frames, loops_)


def test_a_basis_of_the_wrong_shape():
    with pytest.raises(px.InvalidInput, match=r"shape \(2, 1\); expected \(3, 1\)"):
        px.expression(loops.projection, four_bar(PlanarPin(Y)), basis=np.zeros((2, 1)))


def test_joints_and_a_basis():
    with pytest.raises(px.InvalidInput, match="not both"):
        px.expression(
            loops.projection, four_bar(PlanarPin(Y)), independent=("a",), basis=np.ones((3, 1))
        )
