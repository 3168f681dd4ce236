"""Wong (1991), chapters 4 and 5: what nodes of the mesh hold, and the way of their numbers.

Acceptance checks 11, 13 and 16 of the spec (specs/wong-1991.md), node by node: the numbers that
each phase leaves in a node, against the poses of the bodies and the mass matrix of composite
bodies, which know no mesh.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import phalanx as px
from evaluate import Numbers
from papers.wong.meshes import chain
from phalanx.actuators.hydraulics.rotary import cat215b_rotary
from phalanx.hardware.mesh import CYCLES, T800, VARIANTS, mesh_evaluation, mesh_step, run_mesh
from phalanx.machines.excavator import joint_experiment, rotary_excavator
from phalanx.mechanism import Mechanism
from phalanx.multiprocessor import Schedule
from phalanx.simulation.integrators.tableaux import CLASSIC
from phalanx.studies.wong.general_chain import general_chain

SIZES = (2, 3, 5)


@cache
def plan_of(n: int, variant: str = "recompute") -> tuple[Mechanism, Schedule]:
    """A chain of bodies with full inertias and rotors, and its plan."""
    bare = general_chain(n)
    geared = [replace(joint, rotor_inertia=0.01 * k, gear_ratio=3.0)
              for k, joint in enumerate(bare.joints, 1)]  # fmt: skip
    machine = replace(bare, joints=geared)
    return machine, mesh_evaluation(machine, variant=variant).plan(CYCLES)


def state(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    q, v, tau = np.random.default_rng([n, 7]).uniform(-1, 1, (3, n))
    return q, v, tau


def handed_on(plan: Schedule, *inputs: np.ndarray) -> dict[str, np.ndarray]:
    """What each task hands on, by its name.

    Negations are free, and done by the reader: a sign that is wrong in both is seen in the sums.
    """
    values = plan.settled.values(inputs)
    return {
        task.name: np.array([values[node] for node in plan.graph.writes(k)], dtype=float)
        for k, task in enumerate(plan.graph.tasks)
    }


def place_of(plan: Schedule, task: str) -> str:
    """Name of the node that a task is done at."""
    (place,) = [p for p in plan.placements if plan.graph.tasks[p.task].name == task]
    return plan.computer.topology.names[place.processor]


def ways(plan: Schedule, task: str) -> list[tuple[str, str]]:
    """The links that the results of a task go over, from node to node, in the order of time."""
    names = plan.computer.topology.names
    sent = [m for m in plan.messages if plan.graph.tasks[m.task].name == task]
    return [(names[m.source], names[m.destination]) for m in sorted(sent, key=lambda m: m.arrival)]


def seen(machine: Mechanism, q: np.ndarray) -> dict[tuple[int, int], tuple[np.ndarray, ...]]:
    """c_ij and rho_ij of joint j in body i, from the poses of the bodies; both from 1."""
    numbers, found = Numbers(machine), {}
    poses = [numbers(px.equations.forward_kinematics, q, frame=b.name) for b in machine.bodies[1:]]
    for i, (body, X) in enumerate(zip(machine.bodies[1:], poses, strict=True), 1):
        centre = X[:3, :3] @ body.com + X[:3, 3]
        for j in range(1, i + 1):
            axis, hinge = poses[j - 1][:3, 2], poses[j - 1][:3, 3]
            found[i, j] = X[:3, :3].T @ axis, X[:3, :3].T @ (hinge - centre)
    return found


@pytest.mark.parametrize("n", SIZES)
def test_row_1_finds_axes_and_arms_and_sends_them_on(n: int):
    """F29: c_ij and rho_ij, found in (1, i), go to the next body, to row 0 and down to row j."""
    machine, plan = plan_of(n)
    q, v, tau = state(n)
    found = handed_on(plan, q, v, tau)
    for (i, j), (c, rho) in seen(machine, q).items():
        np.testing.assert_allclose(found[f"c {i},{j}"], c, rtol=0, atol=1e-14)
        np.testing.assert_allclose(found[f"rho {i},{j}"], rho, rtol=0, atol=1e-14)
        for name in (f"c {i},{j}", f"rho {i},{j}"):
            assert place_of(plan, name) == f"(1,{i})"
            beyond = {(f"(1,{i})", f"(1,{i + 1})")} if i < n else set()
            north = {(f"(1,{i})", f"(0,{i})")}
            south = {(f"({k},{i})", f"({k + 1},{i})") for k in range(1, j)}
            assert set(ways(plan, name)) == beyond | north | south


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("n", SIZES)
def test_every_node_has_the_momentum_of_its_body_about_its_joint(n: int, variant: str):
    """F30: J_i c_ik and m_i rho_ik x c_ik in (k, i), with inertias that are no diagonals."""
    machine, plan = plan_of(n, variant)
    q, v, tau = state(n)
    found = handed_on(plan, q, v, tau)
    for (i, k), (c, rho) in seen(machine, q).items():
        body = machine.bodies[i]
        assert np.abs(body.inertia - np.diag(np.diag(body.inertia))).max() > 0.01
        turned, moved = f"J c {i},{k}", f"m rho x c {i},{k}"
        np.testing.assert_allclose(found[turned], body.inertia @ c, rtol=0, atol=1e-14)
        # beside the momentum a node keeps rho x c itself, where it is read
        momentum = found[moved][-3:]
        np.testing.assert_allclose(momentum, body.mass * np.cross(rho, c), rtol=0, atol=1e-14)
        assert place_of(plan, turned) == place_of(plan, moved) == f"({k},{i})"


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("n", SIZES)
def test_moving_sums_are_those_of_the_bodies_beyond(n: int, variant: str):
    """F34: the sum for column j of row k, as it leaves column i, has the bodies i to n in it."""
    machine, plan = plan_of(n, variant)
    q, v, tau = state(n)
    found, columns = handed_on(plan, q, v, tau), seen(machine, q)
    for k in range(1, n + 1):
        for j in range(k, n + 1):
            total = 0.0
            for i in range(n, j - 1, -1):
                body, (c_k, rho_k), (c_j, rho_j) = machine.bodies[i], columns[i, k], columns[i, j]
                total += c_j @ body.inertia @ c_k
                total += body.mass * np.cross(rho_j, c_j) @ np.cross(rho_k, c_k)
                name = f"M {k},{j} of {n}" if i == n else f"M {k},{j} to {i}"
                np.testing.assert_allclose(found[name], [total], rtol=1e-13)
                assert place_of(plan, name) == f"({k},{i})"
            if k == j:
                # the reflected inertia of its drive, where the source has none
                total += 9.0 * machine.joints[k - 1].rotor_inertia.item()
                np.testing.assert_allclose(found[f"M {k},{k} with rotor"], [total], rtol=1e-13)
    numbers = Numbers(machine)
    bias = numbers.inverse(q, v, 0 * v)
    for j in range(1, n + 1):
        name = f"F {j} of {n}" if j == n else f"F {j} to {j}"
        np.testing.assert_allclose(found[name], bias[j - 1 : j], rtol=0, atol=1e-12)
        assert place_of(plan, name) == f"(0,{j})"


@pytest.mark.parametrize("n", SIZES)
def test_the_edge_is_fed_with_the_matrix_and_the_load_less_torque(n: int):
    """F36: column k of row 1 begins with M_1k, the last with F_1 - tau_1; b goes east by n - i."""
    machine, plan = plan_of(n)
    q, v, tau = state(n)
    found, numbers = handed_on(plan, q, v, tau), Numbers(machine)
    M, bias = numbers.mass_matrix(q), numbers.inverse(q, v, 0 * v)
    a = np.linalg.solve(M, tau - bias)
    # in the first row of cells: alpha = y / x of the first numbers, then y - alpha x
    for k in range(2, n + 2):
        y = M[:, k - 1] if k <= n else bias - tau
        alpha = y[0] / M[0, 0]
        np.testing.assert_allclose(found[f"cell 1,{k} alpha"], [alpha], rtol=1e-10)
        for i in range(2, n + 1):
            expected = y[i - 1] - alpha * M[i - 1, 0]
            np.testing.assert_allclose(found[f"cell 1,{k} {i}"], [expected], rtol=0, atol=1e-11)
    for i in range(1, n + 1):
        name = f"-b {i}"
        np.testing.assert_allclose(found[name], [bias[i - 1] - tau[i - 1]], rtol=0, atol=1e-12)
        assert place_of(plan, name) == f"(0,{i})"
        assert ways(plan, name) == [(f"(0,{k})", f"(0,{k + 1})") for k in range(i, n)]
        leaves = found[f"cell {n},{n + 1} {n + i}"]
        np.testing.assert_allclose(leaves, a[i - 1 : i], rtol=0, atol=1e-10 * np.abs(a).max())


@pytest.mark.parametrize("n", SIZES)
def test_accelerations_go_round_the_ring(n: int):
    """F39: from (0, 1) west to the interface, from there to (0, n), and on west to (0, i)."""
    plan = mesh_step(chain(n), CLASSIC, 0.01).plan(CYCLES)
    assert plan.violations == ()
    for stage in ("", " #1", " #2", " #3"):
        for i in range(1, n + 1):
            name = f"cell {n},{n + 1} {n + i}{stage}"
            assert place_of(plan, name) == "(0,1)"
            back = [(f"(0,{k})", f"(0,{k - 1})") for k in range(n, i, -1)]
            # the last acceleration is at home once it has passed the interface
            assert ways(plan, name) == [("(0,1)", "(0,0)"), ("(0,0)", f"(0,{n})"), *back]


def test_pressures_are_brought_back_at_the_end_of_a_step():
    """F40, F45 and gap G17: lines that begin empty, under a boom that sags.

    The boom presses oil out of a line that has none. Within a step the equations see a pressure of
    zero; without the limit at its end the state would be below.
    """
    run = rotary_excavator().run(joint_experiment(), 0.5)
    steps = 30
    mesh = mesh_step(px.library.cat215b(), CLASSIC, 0.01, hydraulics=cat215b_rotary())
    motion = run_mesh(
        mesh.machine, mesh.plan(T800), run["q"][0], run["v"][0], run["command"][:steps]
    )
    np.testing.assert_allclose(motion.q, run["q"][: steps + 1], rtol=0, atol=1e-12)
    pressures = np.hstack([run["pressure_in"], run["pressure_out"]])[: steps + 1]
    np.testing.assert_allclose(motion.s, pressures, rtol=0, atol=1e-7)
    assert motion.s.min() == 0.0
    # a line that was filled has been emptied again, and not beyond
    emptied = (motion.s[:-1] > 0) & (motion.s[1:] == 0.0)
    assert emptied.any()
