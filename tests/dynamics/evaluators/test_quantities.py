"""Passes over arrays of nodes give what the unrolled equations give."""

from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
import strategies
from dynamics.evaluators.interpreter import run
from phalanx.dynamics.evaluators.bodies import Bodies, bodies_of
from phalanx.dynamics.evaluators.method import still_root
from phalanx.dynamics.evaluators.node_types import node_types_of
from phalanx.dynamics.evaluators.quantities import (
    frames,
    inverse_dynamics,
    mass_solve,
    motion,
    totals,
)
from phalanx.dynamics.evaluators.recursion import Recursion
from phalanx.dynamics.evaluators.traversal import Traversal
from phalanx.equations.quantities import configuration, energy, kinematics
from phalanx.equations.quantities.bias import bias, gravity

SAMPLES = 3
Array = np.ndarray


@pytest.fixture(scope="module", params=["menagerie", "ropes"])
def machine(request: pytest.FixtureRequest) -> px.Mechanism:
    """Every kind of joint, each once; and alike links, so alike kinds."""
    if request.param == "menagerie":
        return px.release_mimics(strategies.menagerie())
    return px.library.chain(9, "universal")


@pytest.fixture(scope="module")
def bodies(machine: px.Mechanism) -> Bodies:
    return bodies_of(machine)


@pytest.fixture(scope="module")
def state(machine: px.Mechanism) -> dict[str, Array]:
    rng = np.random.default_rng(5)
    q = machine.random_positions(SAMPLES, seed=rng)
    v, a, tau = rng.standard_normal((3, SAMPLES, machine.nv))
    return {"q": q, "v": v, "a": a, "tau": tau}


def traversed(
    program: Recursion, bodies: Bodies, begin: list[Array | None], **arrays: Array
) -> tuple[dict[str, Array], list[Array | None]]:
    """By machine code, after comparing it with the interpreter."""
    expected, ends = run(program, bodies, node_types_of(bodies), begin, arrays)
    swept = Traversal(program, bodies, threads=1)(SAMPLES, arrays, begin)
    pairs = [(swept.results[name], array) for name, array in expected.items()]
    pairs += [(a, b) for a, b in zip(swept.ends, ends, strict=True) if b is not None]
    for found, same in pairs:
        scale = np.abs(same).max(initial=1.0)
        np.testing.assert_allclose(found, same, rtol=1e-9, atol=1e-10 * scale)
    return swept.results, list(swept.ends)


def unrolled(equation: object, machine: px.Mechanism, *inputs: Array, **options: object) -> Array:
    function = px.expression(equation, machine, **options)  # type: ignore[arg-type]
    return np.array([np.array(function(*sample)) for sample in zip(*inputs, strict=True)])


def test_inverse_dynamics(machine: px.Mechanism, bodies: Bodies, state: dict[str, Array]) -> None:
    q, v, a = state["q"], state["v"], state["a"]
    root = [still_root(machine, SAMPLES), None]
    found, _ = traversed(inverse_dynamics.INVERSE_DYNAMICS, bodies, root, q=q, v=v, a=a)
    expected = unrolled(px.inverse_dynamics.recursive, machine, q, v, a)[..., 0]
    np.testing.assert_allclose(found["tau"], expected, atol=1e-11 * np.abs(expected).max())
    found, _ = traversed(inverse_dynamics.BIAS, bodies, root, q=q, v=v)
    expected = unrolled(bias, machine, q, v)[..., 0]
    np.testing.assert_allclose(found["tau"], expected, atol=1e-11 * np.abs(expected).max())
    found, ends = traversed(inverse_dynamics.GRAVITY, bodies, root, q=q)
    expected = unrolled(gravity, machine, q)[..., 0]
    np.testing.assert_allclose(found["tau"], expected, atol=1e-11 * np.abs(expected).max())
    # the root carries the weight
    weight = -machine.gravity * bodies.mass.sum()
    np.testing.assert_allclose(ends[1][:, :3], np.tile(weight, (SAMPLES, 1)), atol=1e-11)


def test_a_moving_root_and_wrenches(
    machine: px.Mechanism, bodies: Bodies, state: dict[str, Array]
) -> None:
    rng = np.random.default_rng(2)
    q, v, a = state["q"], state["v"], state["a"]
    V, A, W = rng.standard_normal((3, SAMPLES, 6))
    frame = machine.frame_names[-1]
    node, R, p = bodies.place(frame)
    external = np.zeros((SAMPLES, len(bodies), 6))
    force = W[:, :3] @ R.T
    external[:, node] = np.hstack([force, W[:, 3:] @ R.T + np.cross(p, force)])
    root = np.hstack([V[:, 3:], A[:, 3:], A[:, :3] - machine.gravity])
    found, _ = traversed(
        inverse_dynamics.INVERSE_DYNAMICS_ACTED_ON,
        bodies,
        [root, None],
        q=q,
        v=v,
        a=a,
        external=external.reshape(SAMPLES, -1),
    )
    function = px.expression(
        px.inverse_dynamics.recursive, machine, wrenches=[frame], moving_base=True
    )
    inputs = zip(q, v, a, W, V, A, strict=True)
    expected = np.array([np.array(function(*sample))[:, 0] for sample in inputs])
    np.testing.assert_allclose(found["tau"], expected, atol=1e-11 * np.abs(expected).max())


def test_products_with_the_mass_matrix_and_its_inverse(
    machine: px.Mechanism, bodies: Bodies, state: dict[str, Array]
) -> None:
    q, x = state["q"], state["a"]
    M = unrolled(px.mass_matrix.composite_body, machine, q)
    found, _ = traversed(inverse_dynamics.MASS_TIMES, bodies, [None, None], q=q, a=x)
    expected = np.einsum("nij,nj->ni", M, x)
    np.testing.assert_allclose(found["tau"], expected, atol=1e-12 * np.abs(expected).max())
    found, _ = traversed(mass_solve.MASS_SOLVE, bodies, [None, None], q=q, tau=expected)
    np.testing.assert_allclose(found["a"], x, atol=1e-8)


def test_pivots_are_those_of_the_mass_matrix(
    machine: px.Mechanism, bodies: Bodies, state: dict[str, Array]
) -> None:
    q = state["q"]
    M = unrolled(px.mass_matrix.composite_body, machine, q)
    found, _ = traversed(
        mass_solve.PIVOTS, bodies, [None], q=q, least=np.zeros((SAMPLES, len(M[0])))
    )
    # eliminating from the last freedom is eliminating from the first of the reversed matrix
    for pivots, matrix in zip(found["pivot"], M, strict=True):
        L = np.linalg.cholesky(matrix[::-1, ::-1])
        np.testing.assert_allclose(pivots, np.diag(L)[::-1] ** 2, rtol=1e-8)


def test_motion_of_all_nodes(
    machine: px.Mechanism, bodies: Bodies, state: dict[str, Array]
) -> None:
    q, v, a = state["q"], state["v"], state["a"]
    start = np.tile(motion.NO_POSE, (SAMPLES, 1))
    still = np.hstack([start, np.zeros((SAMPLES, 6))])
    found, _ = traversed(motion.POSES, bodies, [start], q=q)
    moved, _ = traversed(motion.VELOCITIES, bodies, [still], q=q, v=v)
    np.testing.assert_array_equal(moved["pose"], found["pose"])
    at_rest = np.hstack([start, np.zeros((SAMPLES, 9))])
    accelerated, _ = traversed(motion.ACCELERATIONS, bodies, [at_rest], q=q, v=v, a=a)
    poses = found["pose"].reshape(SAMPLES, -1, 12)
    X = unrolled(kinematics.body_poses, machine, q).reshape(SAMPLES, -1, 4, 4)
    for k, body in enumerate(machine.bodies):
        node, R, p = bodies.place(body.name)
        if node < 0:
            continue
        R_node, p_node = poses[:, node, :9].reshape(-1, 3, 3), poses[:, node, 9:]
        np.testing.assert_allclose(X[:, k, :3, :3], R_node @ R, atol=1e-13)
        np.testing.assert_allclose(X[:, k, :3, 3], p_node + R_node @ p, atol=1e-12)
        V = moved["velocity"].reshape(SAMPLES, -1, 6)[:, node]
        seen = unrolled(kinematics.frame_velocity, machine, q, v, frame=body.name)[..., 0]
        spin = np.einsum("nij,nj->ni", R_node, V[:, 3:])
        np.testing.assert_allclose(seen[:, 3:], spin, atol=1e-12)
        A = accelerated["acceleration"].reshape(SAMPLES, -1, 9)[:, node]
        seen = unrolled(kinematics.frame_acceleration, machine, q, v, a, frame=body.name)[..., 0]
        spin = np.einsum("nij,nj->ni", R_node, A[:, 3:6])
        np.testing.assert_allclose(seen[:, 3:], spin, atol=1e-11)


def test_jacobians_of_a_point(
    machine: px.Mechanism, bodies: Bodies, state: dict[str, Array]
) -> None:
    q, v = state["q"], state["v"]
    start = np.tile(motion.NO_POSE, (SAMPLES, 1))
    still = np.hstack([start, np.zeros((SAMPLES, 6))])
    moved, _ = traversed(motion.VELOCITIES, bodies, [still], q=q, v=v)
    frame = machine.bodies[-1].name
    tip = unrolled(kinematics.forward_kinematics, machine, q, frame=frame)[:, :3, 3]
    rate = unrolled(kinematics.frame_velocity, machine, q, v, frame=frame)[:, :3, 0]
    J = unrolled(kinematics.jacobian, machine, q, frame=frame)
    dJ = unrolled(kinematics.jacobian_rate, machine, q, v, frame=frame)
    moving = J.any(axis=(0, 1))
    found, _ = traversed(frames.COLUMNS, bodies, [np.ascontiguousarray(tip)], pose=moved["pose"])
    rows = np.stack([found[name] for name in frames.ROWS], axis=1)
    np.testing.assert_allclose(rows[..., moving], J[..., moving], atol=1e-12)
    point = np.hstack([tip, rate])
    found, _ = traversed(frames.COLUMN_RATES, bodies, [point], **moved)
    rows = np.stack([found[name] for name in frames.ROWS], axis=1)
    np.testing.assert_allclose(rows[..., moving], dJ[..., moving], atol=1e-11)


def test_totals_at_the_root(machine: px.Mechanism, bodies: Bodies, state: dict[str, Array]) -> None:
    q, v = state["q"], state["v"]
    _, (_, total) = traversed(totals.TOTALS, bodies, [None, None], q=q, v=v)
    _, (weight,) = traversed(totals.MASS, bodies, [None], q=q)
    _, (_, kinetic) = traversed(totals.KINETIC_ENERGY, bodies, [None, None], q=q, v=v)
    P, L, mass, h = total[:, :3], total[:, 3:6], total[:, 6], total[:, 7:10]
    np.testing.assert_allclose(weight, total[:, 6:10], rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(kinetic[:, 0], total[:, 10], rtol=1e-13)
    T = unrolled(energy.kinetic_energy, machine, q, v)[:, 0, 0]
    np.testing.assert_allclose(kinetic[:, 0], T, rtol=1e-12)
    com = unrolled(kinematics.center_of_mass, machine, q)[..., 0]
    np.testing.assert_allclose(h / mass[:, None], com, atol=1e-12)
    U = unrolled(energy.potential_energy, machine, q)[:, 0, 0]
    np.testing.assert_allclose(-h @ machine.gravity, U, rtol=1e-11)
    momentum = unrolled(energy.momentum, machine, q, v)[..., 0]
    about = np.hstack([P, L - np.cross(com, P)])
    np.testing.assert_allclose(about, momentum, atol=1e-11 * np.abs(total).max())


def test_positions_after_displacements(
    machine: px.Mechanism, bodies: Bodies, state: dict[str, Array]
) -> None:
    q, v = state["q"], state["v"]
    found, _ = traversed(motion.INTEGRATE, bodies, [None], q=q, v=v)
    expected = unrolled(configuration.integrate, machine, q, v)[..., 0]
    np.testing.assert_allclose(found["q_next"], expected, atol=1e-13)
