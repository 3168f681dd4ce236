"""Forward dynamics of chains in logarithmic depth is that of the recursion, in any order."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import phalanx as px
import strategies
from dynamics.evaluators import extended_precision
from phalanx.base.errors import InvalidInput, InvalidModel
from phalanx.dynamics.evaluators.bodies import bodies_of
from phalanx.dynamics.evaluators.method import Method, still_root
from phalanx.dynamics.evaluators.scan import kernels, method, segments
from phalanx.dynamics.evaluators.scan.blocks import block_tips
from phalanx.dynamics.evaluators.scan.method import Scan
from phalanx.dynamics.evaluators.serial import Serial
from phalanx.equations import forward_dynamics
from phalanx.equations.forward_dynamics.articulated_inertia import ArticulatedInertia
from phalanx.equations.forward_dynamics.segment import Segment, Turning
from phalanx.equations.spatial import Twist
from phalanx.equations.tree.motion import BaseMotion
from phalanx.mechanism import Body, Joint, Mechanism, Pose, Revolute, Spherical

Array = np.ndarray


class Interpreted:
    """In the place of a kernel: the same function, evaluated by CasADi."""

    def __init__(self, function: ca.Function, threads: int | None = None) -> None:
        self.function = function

    def on_arrays(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> Callable[[], None]:
        def evaluate() -> None:
            rows = math.prod(outputs[0].shape[:2])
            columns = [ca.DM(x.reshape(rows, -1).T) for x in inputs]
            found = self.function.map(rows).call(columns)
            for x, y in zip(outputs, found, strict=True):
                x[...] = np.array(y).T.reshape(x.shape)

        return evaluate


INTERPRETED_PAIRS = kernels.PairKernels(1)  # traced once for all


def unrolled(m: px.Mechanism, q: Array, v: Array, tau: Array, root: Array, push: Array) -> Array:
    """By the equations of the whole machine, with a wrench on the frame ``tool``."""
    symbols = [ca.SX.sym("x", x.shape[1]) for x in (q, v, tau, root, push)]
    w, dw, a = ca.vertsplit(symbols[3], 3)
    base = BaseMotion(Twist(w, ca.SX(3, 1)), Twist(dw, a + ca.DM(m.gravity)))
    expression = forward_dynamics.articulated_body(
        m, *symbols[:3], wrenches={"tool": symbols[4]}, base=base
    )
    function = ca.Function("unrolled", symbols, [expression])
    columns = [ca.DM(x.T) for x in (q, v, tau, root, push)]
    return np.array(function.map(len(q)).call(columns)[0]).T


@given(
    strategies.mechanisms(chain=True, mimics=False, max_bodies=10, max_freedoms=16),
    st.integers(1, 4),
    st.integers(0, 1),
    st.integers(1, 3),
    st.integers(0, 2**32 - 1),
)
@settings(max_examples=8, deadline=None)
def test_any_chain_moved_at_its_root_and_pushed(
    m: px.Mechanism, block: int, refine: int, samples: int, seed: int
) -> None:
    bodies, rng = bodies_of(m), np.random.default_rng(seed)
    q = m.random_positions(samples, seed)
    v, tau = 2 * rng.standard_normal((2, samples, m.nv))
    root, push = rng.standard_normal((samples, 9)), rng.standard_normal((samples, 6))
    node, R, p = bodies.place("tool")
    external = np.zeros((samples, len(bodies), 6))
    if node >= 0:
        external[:, node, :3] = push[:, :3] @ R.T
        external[:, node, 3:] = push[:, 3:] @ R.T + np.cross(p, push[:, :3] @ R.T)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "compile", Interpreted)
        patch.setattr(method, "pair_kernels", lambda threads: INTERPRETED_PAIRS)
        found = Scan(block, refine).solver(bodies, 1).accelerations(q, v, tau, root, external)
    expected = unrolled(m, q, v, tau, root, push)
    # chains of the strategy have mass matrices of a condition up to 1e5
    np.testing.assert_allclose(found, expected, atol=1e-10 * (1 + np.abs(expected).max()))


@pytest.mark.parametrize("block", [1, 4])
def test_chains_of_all_lengths(block: int) -> None:
    for n in (1, 2, 3, 7, 8, 9, 33):
        m = px.library.chain(n, alternate=True)
        q = m.random_positions(3)
        v, tau = np.random.default_rng(n).standard_normal((2, 3, n))
        expected = Serial().solver(bodies_of(m), 1).accelerations(q, v, tau, still_root(m, 3))
        if n == 9:
            np.testing.assert_allclose(expected, px.Dynamics(m).forward_dynamics(q, v, tau))
        a = Scan(block).solver(bodies_of(m), 1).accelerations(q, v, tau, still_root(m, 3))
        np.testing.assert_allclose(a, expected, atol=1e-12 * (1 + np.abs(expected).max()))


def test_samples_and_threads_change_nothing() -> None:
    """To the bit: every row of a kernel is computed alike, wherever it lies."""
    m = px.library.chain(40, alternate=True)
    q = m.random_positions(9)
    v, tau = np.random.default_rng(0).standard_normal((2, 9, m.nv))
    bodies, root = bodies_of(m), still_root(m, 9)
    together = Scan(4).solver(bodies, 1).accelerations(q, v, tau, root)
    solver = Scan(4).solver(bodies, 2)
    np.testing.assert_array_equal(solver.accelerations(q, v, tau, root), together)
    for k in range(9):
        one = slice(k, k + 1)
        alone = solver.accelerations(q[one], v[one], tau[one], root[one])
        np.testing.assert_array_equal(alone[0], together[k])


Parts = tuple[ca.DM, ...]


def segment(seed: int) -> Parts:
    """One that exists: inertia and give positive, any reach, a rotation."""
    rng = np.random.default_rng(seed)

    def positive() -> ca.DM:
        A = rng.standard_normal((6, 4))
        return ca.DM(ArticulatedInertia.from_matrix(ca.SX(ca.DM(A @ A.T))).numbers)

    R = strategies.random_pose(rng, aligned=False).rotation
    turned = np.concatenate([R.ravel(), rng.standard_normal(3)])
    return positive(), ca.DM(rng.standard_normal(36)), positive(), ca.DM(turned)


def none() -> Parts:
    return tuple(map(ca.DM, (*Segment.none().columns, Turning.none().numbers)))


def joined(first: Parts, second: Parts) -> Parts:
    *both, _ = segments.joined(*(ca.SX(part) for part in (*first, *second)))
    return tuple(map(ca.DM, both))


def assert_same(first: Parts, second: Parts, tolerance: float) -> None:
    for parts in zip(first, second, strict=True):
        x, y = (np.array(part) for part in parts)
        np.testing.assert_allclose(x, y, atol=tolerance * (1 + np.abs(y).max()))


@given(st.integers(0, 2**32 - 4))
@settings(max_examples=5, deadline=None)
def test_joining_is_associative(seed: int) -> None:
    a, b, c = segment(seed), segment(seed + 1), segment(seed + 2)
    # 1 + I G has a condition of some hundreds here
    assert_same(joined(joined(a, b), c), joined(a, joined(b, c)), 1e-11)


def test_a_segment_of_no_node_changes_nothing() -> None:
    a = segment(1)
    assert_same(joined(a, none()), a, 0.0)
    assert_same(joined(none(), a), a, 0.0)


@pytest.mark.parametrize("n", [1, 2, 3, 8, 9, 1000, 1024, 1025])
def test_depth_is_logarithmic(n: int) -> None:
    """Four ways through the levels, and a step at the nodes before or after each."""
    bodies = bodies_of(px.library.chain(n))
    levels = math.ceil(math.log2(n))
    assert Scan(block=1).solver(bodies, 1).depth == 4 * levels + 4
    assert Scan(block=1, refine=1).solver(bodies, 1).depth == 6 * levels + 7


def error(way: Method, m: px.Mechanism, seed: int = 0) -> float:
    """Relative, against extended precision."""
    bodies, rng = bodies_of(m), np.random.default_rng(seed)
    q, v, tau = rng.standard_normal((3, 1, m.nv))
    root = still_root(m)
    exact = extended_precision.accelerations(bodies, q[0], v[0], tau[0], root[0])
    found = way.solver(bodies, 1).accelerations(q, v, tau, root)[0]
    return float(np.linalg.norm(found - exact) / np.linalg.norm(exact))


@pytest.mark.parametrize("n", [4, 32, 1024])
def test_as_many_digits_as_the_recursion(n: int) -> None:
    m = px.library.chain(n, alternate=True)
    serial = error(Serial(), m)
    for block in (1, 4):
        assert error(Scan(block), m) < 10 * serial + 1e-14 * math.sqrt(n)


def shafts(light: float) -> px.Mechanism:
    """Links of which every second is light, too light to stand between heavy ones."""
    rng = np.random.default_rng(4)
    bodies, joints = [Body("b0")], []
    for i in range(1, 33):
        mass = light if i % 2 else 1.0
        inertia = mass * np.diag([0.05, 0.06, 0.07])
        bodies.append(Body(f"b{i}", mass, mass and np.array([0.3, 0.0, 0.1]), inertia))
        joints.append(
            Joint(
                f"j{i}",
                f"b{i - 1}",
                f"b{i}",
                Revolute(rng.standard_normal(3)),
                Pose(translation=np.array([0.5, 0.0, 0.0])),
            )
        )
    return Mechanism("shafts", bodies, joints)


def test_refining_finds_digits_that_light_bodies_lose() -> None:
    m = shafts(1e-6)
    plain = error(Scan(block=1), m)
    assert plain > 1e-12  # or this shows nothing
    assert error(Scan(block=1, refine=1), m) < plain / 10


def test_a_block_does_not_end_at_what_cannot_resist_its_joint() -> None:
    bodies = bodies_of(px.library.chain(6, "universal"))
    assert bodies.massless[::2].all()
    np.testing.assert_array_equal(block_tips(bodies, 1), np.arange(1, 12, 2))
    np.testing.assert_array_equal(block_tips(bodies, 3), [3, 5, 9, 11])
    light = bodies_of(shafts(1e-12))
    np.testing.assert_array_equal(block_tips(light, 1), np.arange(1, 32, 2))


def spinning(inertia: float) -> px.Mechanism:
    """A body that turns about its centre and resists as little as is said."""
    point = Body("point", 1.0, np.zeros(3), inertia * np.eye(3))
    return Mechanism("spin", [Body("base"), point], [Joint("swivel", "base", "point", Spherical())])


def test_no_number_where_hardly_anything_resists() -> None:
    """The recursion finds no acceleration of what resists by 1e-320 kg·m², nor does a scan."""
    m = spinning(1e-320)
    q, one = m.neutral()[None], np.ones((1, 3))
    for way in (Serial(), Scan(), Scan(refine=1)):
        a = way.solver(bodies_of(m), 1).accelerations(q, one, one, still_root(m))
        assert not np.isfinite(a).any()


def test_a_joint_that_nothing_resists_is_named() -> None:
    with pytest.raises(InvalidModel, match=r"nothing resists joint 'swivel' of mechanism 'spin'"):
        Scan().solver(bodies_of(spinning(0.0)), 1)


def test_a_tree_is_refused_by_the_body_it_branches_at() -> None:
    with pytest.raises(InvalidModel, match=r"branches at body '.+'; a scan takes chains only"):
        Scan().solver(bodies_of(px.library.torso()), 1)


@pytest.mark.parametrize("wrong", [{"block": 0}, {"block": 1.5}, {"refine": -1}])
def test_numbers_that_make_no_sense(wrong: dict[str, float]) -> None:
    with pytest.raises(InvalidInput, match=next(iter(wrong))):
        Scan(**wrong)  # type: ignore[arg-type]
