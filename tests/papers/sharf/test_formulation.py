"""Checks 2-4: A is that of the source's global equations, and its forces give accelerations."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest

import phalanx as px
import strategies
from dynamics.evaluators.constraint_forces import machines
from phalanx.dynamics.evaluators.bodies import FREEDOMS, Bodies, bodies_of
from phalanx.dynamics.evaluators.constraint_forces.conjugate_gradient import ConjugateGradientJacobi
from phalanx.dynamics.evaluators.constraint_forces.direct import BlockElimination
from phalanx.dynamics.evaluators.constraint_forces.equations import ConstraintEquations, Posed
from phalanx.dynamics.evaluators.constraint_forces.joint_steps import JointTerms
from phalanx.dynamics.evaluators.constraint_forces.jointed import JointedBodies, jointed_bodies
from phalanx.dynamics.evaluators.constraint_forces.stopping import Stopping
from phalanx.dynamics.evaluators.method import still_root
from phalanx.dynamics.evaluators.serial import Serial
from phalanx.equations.tree.node import Freedom

JOINTS = ("revolute", "universal", "spherical")


def skew(x: np.ndarray) -> np.ndarray:
    return np.cross(np.eye(3), x)


def step(bodies: Bodies, node: int, q: np.ndarray) -> np.ndarray:
    """T of a hinge or slide, from the numbers of its node."""
    R, p = bodies.rotation[node], bodies.translation[node]
    x = q[bodies.q[node]]
    if FREEDOMS[bodies.freedom[node]] is Freedom.TURN:
        c, s = np.cos(x), np.sin(x)
        R = R @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    else:
        p = p + R @ bodies.slide[node] * x
    T = np.zeros((6, 6))
    T[:3, :3] = T[3:, 3:] = R.T
    T[:3, 3:] = -R.T @ skew(p)
    return T


def global_matrix(jointed: JointedBodies, posed: Posed) -> np.ndarray:
    """A = Qᵀ T⁻¹ M⁻¹ T⁻ᵀ Q (11), formed as it is printed."""
    bodies, n = jointed.bodies, len(jointed)
    T_inverse, M = np.eye(6 * n), np.zeros((6 * n, 6 * n))
    Q: list[np.ndarray] = []
    for i in range(n):
        own = slice(6 * i, 6 * i + 6)
        T = np.eye(6)
        for node in range(jointed.first_node[i], jointed.node[i] + 1):
            T = step(bodies, node, posed.q[0]) @ T
        parent = jointed.structure.parent[i]
        if parent >= 0:
            T_inverse[own, 6 * parent : 6 * parent + 6] = -T
        m, c = bodies.mass[jointed.node[i]], bodies.first[jointed.node[i]]
        second = bodies.second[jointed.node[i]]
        J = np.trace(second) * np.eye(3) - second
        M[own, own] = np.block([[m * np.eye(3), -skew(c)], [skew(c), J]])
        for column in posed.Q[0, i].T[: jointed.structure.sizes[i]]:
            Q.append(np.zeros(6 * n))
            Q[-1][own] = column
    H = np.array(Q) @ T_inverse
    return H @ np.linalg.solve(M, H.T)


@pytest.mark.parametrize("branching", [False, True], ids=["chain", "tree"])
def test_blocks_are_those_of_the_global_equations(branching: bool) -> None:
    kinds = ("revolute", "prismatic", "universal", "cylindrical")
    m = machines.chains([9], kinds, seed=3, branching=branching)
    equations, posed = machines.posed(m)
    at = posed.system.structure
    assert at.is_chain != branching
    assert (len(at.siblings) > 0) == branching
    (A,), _ = posed.system.dense()
    expected = global_matrix(equations.jointed, posed)
    np.testing.assert_allclose(A, expected, atol=1e-12 * np.abs(expected).max())
    np.testing.assert_array_equal(A, A.T)
    np.linalg.cholesky(A)
    # nothing but blocks of joints on one body
    ends = np.concatenate([[0], np.cumsum(at.sizes)])
    for i in range(len(at)):
        for j in range(i):
            on_one_body = at.parent[i] == j or at.parent[i] == at.parent[j] >= 0
            block = expected[ends[i] : ends[i + 1], ends[j] : ends[j + 1]]
            assert on_one_body or not np.abs(block).max() > 1e-13 * np.abs(expected).max()


def test_accelerations_of_200_random_chains() -> None:
    rng = np.random.default_rng(1)
    lengths = rng.integers(1, 21, 200).tolist()
    m = machines.chains(lengths, JOINTS, seed=2)
    q, v, tau = machines.states(m, 1)
    reference = Serial().solver(bodies_of(m), 1).accelerations(q, v, tau, still_root(m))
    equations, posed = machines.posed(m)
    solved = BlockElimination().solve(posed.system)
    a = equations.accelerations(posed, solved.f)
    chain_of = [joint.name.split("_")[0] for joint in m.joints for _ in range(joint.motion.nv)]
    ends = np.flatnonzero(np.array(chain_of[1:]) != np.array(chain_of[:-1])) + 1
    assert len(ends) == 199
    for own, expected in zip(np.split(a[0], ends), np.split(reference[0], ends), strict=True):
        assert np.linalg.norm(own - expected) <= 1e-9 * np.linalg.norm(expected)


def test_every_kind_of_joint_and_rotors_in_a_tree() -> None:
    m = px.release_mimics(strategies.menagerie())
    equations, posed = machines.posed(m, 2)
    expected = px.Dynamics(m).forward_dynamics(posed.q, machines.states(m, 2)[1], posed.tau)
    a = equations.accelerations(posed, BlockElimination().solve(posed.system).f)
    np.testing.assert_allclose(a, expected, rtol=1e-9)
    iterated = ConjugateGradientJacobi().solve(posed.system, stopping=Stopping(residual=1e-11))
    np.testing.assert_allclose(equations.accelerations(posed, iterated.f), expected, rtol=1e-7)


def test_held_directions_are_square_to_free_ones() -> None:
    jointed = jointed_bodies(bodies_of(px.release_mimics(strategies.menagerie())))
    rng = np.random.default_rng(0)
    seen = set()
    for kind in jointed.kinds:
        seen.add(kind.freedoms)
        joint = JointTerms(kind, ca.SX.sym("q", kind.nq), ca.SX.sym("v", kind.nv))
        numbers = ca.vertcat(*(node.arguments for node in kind.nodes))
        both = ca.Function("both", [joint.q, numbers], [joint.P, joint.P_inverse, joint.Q])
        row = np.concatenate([table[0] for table in kind.numbers])
        P, P_inverse, Q = (np.array(x) for x in both(rng.standard_normal(kind.nq), row))
        held = Q[:, : 6 - kind.nv]
        np.testing.assert_allclose(P_inverse @ P, np.eye(kind.nv), atol=1e-14)
        np.testing.assert_allclose(held.T @ P, 0.0, atol=1e-14)
        np.testing.assert_allclose(held.T @ held, np.eye(6 - kind.nv), atol=1e-14)
    assert len(seen) == 8


def test_velocities_of_bodies_change_as_those_of_joints_say() -> None:
    """Eqs. (4) to (6) against differences of velocities along a motion, in both notations."""
    m = px.release_mimics(strategies.menagerie())
    dynamics = px.Dynamics(m)
    equations = ConstraintEquations(jointed_bodies(bodies_of(m)))
    q, v, tau = machines.states(m, 1)
    a = np.random.default_rng(5).standard_normal(m.nv)
    root = np.zeros((1, 9))
    root[0, :3] = 0.3, -0.2, 0.5  # it turns, at a constant rate

    def moving(t: float) -> np.ndarray:
        at = dynamics.integrate(q[0], t * v[0] + t * t / 2 * a)
        return equations.velocities(at[None], v + t * a, root)

    h, V = 1e-4, moving(0.0)
    # the fourth order in h is left
    rates = (8 * (moving(h) - moving(-h)) - (moving(2 * h) - moving(-2 * h))) / (12 * h)
    classical = rates.copy()
    classical[..., :3] += np.cross(V[..., 3:], V[..., :3])
    still = np.zeros((1, 1, 6))
    posed = equations.pose(q, v, tau, root), equations.pose_bodies(q, v, V, tau, root)
    size = np.abs(classical).max()
    for one, A in zip(posed, (classical, rates), strict=True):
        gap = np.einsum("snkw,snk->snw", one.Q, A - one.c)
        gap -= np.einsum("snkw,snk->snw", one.G, equations.jointed.structure.of_parent(A, still))
        for kind in equations.jointed.kinds:
            assert np.abs(gap[:, kind.members, : kind.held]).max(initial=0.0) < 1e-7 * size
        np.testing.assert_allclose(
            equations.joint_accelerations(one, A)[0], a, rtol=0, atol=1e-7 * size
        )


def test_accelerations_keep_the_joints_together() -> None:
    """Eq. (6): what Q holds does not accelerate; a rotor's direction gives way by its force."""
    m = px.release_mimics(strategies.menagerie())
    equations, posed = machines.posed(m, 2)
    at = posed.system.structure

    def apart(f: np.ndarray) -> float:
        A = equations.body_accelerations(posed, f)
        A_parent = at.of_parent(A, posed.root)
        relative = np.einsum("snkw,snk->snw", posed.Q, A - posed.c)
        relative -= np.einsum("snkw,snk->snw", posed.G, A_parent)
        relative += np.where(at.present, equations.jointed.compliance, 0.0) * f
        return float(np.abs(relative).max() / np.abs(A).max())

    assert apart(BlockElimination().solve(posed.system).f) <= 1e-10
    epsilon = 1e-8
    iterated = ConjugateGradientJacobi().solve(posed.system, stopping=Stopping(change=epsilon))
    assert apart(iterated.f) <= 10 * epsilon
