"""Wong (1991), chapters 4 and 5: the triangular mesh of transputers.

Acceptance checks 11 to 13, 15, 16 and the parallel half of 23 of the spec (specs/wong-1991.md).
Where the source counts what nobody reads, the test says so and asserts what is true.
"""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np
import pytest

import phalanx as px
from papers.wong.meshes import chain, chain_links, serial
from phalanx.actuators.hydraulics.rotary import cat215b_rotary
from phalanx.hardware.mesh import (
    CYCLES,
    T800,
    VARIANTS,
    MeshTasks,
    mesh_evaluation,
    mesh_step,
    run_mesh,
)
from phalanx.machines.excavator import joint_experiment, rotary_excavator
from phalanx.multiprocessor import Message, Schedule
from phalanx.simulation.integrators.tableaux import CLASSIC


@cache
def tasks(n: int, variant: str = "recompute") -> MeshTasks:
    return mesh_evaluation(chain(n), variant=variant)


@cache
def cycles(n: int, variant: str = "recompute") -> Schedule:
    return tasks(n, variant).plan(CYCLES)


@cache
def excavator_step() -> tuple[MeshTasks, Schedule]:
    step = mesh_step(px.library.cat215b(), CLASSIC, 0.01, hydraulics=cat215b_rotary())
    return step, step.plan(T800)


def states(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    q, v, tau = np.random.default_rng(n).uniform(-1, 1, (3, n))
    return q, v, tau


def ends(plan: Schedule) -> dict[str, float]:
    return {plan.graph.tasks[p.task].name: p.end for p in plan.placements}


def messages_of(plan: Schedule, task: str) -> list[Message]:
    return [m for m in plan.messages if plan.graph.tasks[m.task].name == task]


@pytest.mark.parametrize("n", range(2, 13))
def test_mesh_equals_serial_equations_along_declared_links(n: int):
    """Check 11 (F28-F36, F39): M, F_v and accelerations to 1e-12, by messages on links alone."""
    plan, (q, v, tau) = cycles(n), states(n)
    assert plan.violations == ()
    M, F, a, pivots = plan.execute(q, v, tau)
    expected_M, expected_F = serial(chain_links(n), q, v)
    np.testing.assert_allclose(M.reshape(n, n), expected_M, rtol=0, atol=1e-12 * expected_M.max())
    np.testing.assert_allclose(F, expected_F, rtol=0, atol=1e-12 * abs(expected_F).max())
    expected = np.linalg.solve(expected_M, tau - expected_F)
    np.testing.assert_allclose(a, expected, rtol=0, atol=1e-12 * abs(expected).max())
    assert np.all(pivots > 0)
    links = {frozenset((one, other)) for (one, _), (other, _) in tasks(n).shape.links}
    nodes = tasks(n).shape.nodes
    for message in plan.messages:
        assert len(message.hops) == 1
        assert frozenset((nodes[message.source], nodes[message.destination])) in links


@pytest.mark.parametrize("n", [2, 3, 5, 8])
def test_both_variants_give_the_same(n: int):
    """F35: what is passed north or computed again, with the same numbers to the last bit."""
    one, other = (cycles(n, variant).execute(*states(n)) for variant in VARIANTS)
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a, b)
    assert cycles(n, "pass").violations == ()


@pytest.mark.parametrize(
    ("n", "variant"), [(n, "recompute") for n in (2, 3, 4, 6, 9, 12)] + [(2, "pass"), (7, "pass")]
)
def test_pipelines_end_in_the_printed_cycles(n: int, variant: str):
    """Check 12 (F29, F31-F33): planned as soon as possible, they end as tables 4.5 and 4.6 say."""
    end = ends(cycles(n, variant))
    assert end[f"dL {n}"] == 2 * n + 7
    assert end[f"J dw {n}"] == 2 * n + 5
    for i in range(1, n + 1):
        assert end[f"w {i}"] == 2 * i
        assert end[f"p {i}"] == 2 * i + 5
        # row 1 has no use for the rotation of body 1, so that (1, 1) is a cycle ahead of the tables
        ahead = i == 1
        for j in range(1, i + 1):
            assert end[f"c {i},{j}"] == 2 + 2 * (i - j) - ahead
            assert end[f"rho {i},{j}"] == 3 + 2 * (i - j) - ahead


def test_communication_is_hidden_where_the_source_hides_it():
    """F33, table 4.4: in cycle 10 rho_41 is sent during J c; only that of b_4 is exposed."""
    plan = cycles(4)
    nodes = tasks(4).shape.numbers
    busy = {(p.processor, p.end): plan.graph.tasks[p.task].name for p in plan.placements}
    on_the_way = {
        (plan.graph.tasks[m.task].name, m.source, m.destination): m.arrival for m in plan.messages
    }
    assert on_the_way["rho 4,1", nodes[1, 4], nodes[0, 4]] == 10
    assert busy[nodes[1, 4], 10] == "J c 4,1"
    assert busy[nodes[1, 4], 11] == "m rho x c 4,1"
    assert busy[nodes[1, 4], 12] == "J w 4"
    assert on_the_way["J w 4", nodes[1, 4], nodes[0, 4]] == 13
    assert busy[nodes[1, 4], 13] == "J dw 4"
    # printed as exposed, since the node has no work of phase 1 beside it; phase 2 begins there
    assert on_the_way["J dw 4", nodes[1, 4], nodes[0, 4]] == 14
    assert tasks(4).places[busy[nodes[1, 4], 14]].phase == "moving sums"
    assert busy[nodes[0, 4], 15] == "dL 4"


@pytest.mark.parametrize("n", [2, 4, 7])
def test_moving_sums_end_where_and_when_the_source_says(n: int):
    """Check 12 (F34): H moves north j - k steps, the sum west n - j: M_kj is in (k, j) at n - k."""
    plan, shape = cycles(n, "pass"), tasks(n, "pass").shape
    for k in range(n + 1):
        for j in range(max(k, 1), n + 1):
            name = f"M {k},{j}" if k else f"F {j}"
            last = f"{name} to {j}" if j < n else f"{name} of {n}"
            (place,) = [p for p in plan.placements if plan.graph.tasks[p.task].name == last]
            assert shape.nodes[place.processor] == (k, j)
            north = {shape.nodes[m.destination][0] for m in messages_of(plan, f"rho x c {n},{j}")}
            steps_north = len([row for row in north if k <= row < j])
            assert steps_north == j - k
            partial = [f"{name} of {n}", *(f"{name} to {i}" for i in range(n - 1, j, -1))]
            west = [
                m
                for task in partial
                for m in messages_of(plan, task)
                if shape.nodes[m.source][0] == shape.nodes[m.destination][0] == k
                and shape.nodes[m.source][1] > j
                and task != last
            ]
            assert len(west) == n - j
            assert steps_north + len(west) == n - k


@pytest.mark.parametrize("n", [2, 3, 4, 6, 12])
def test_shift_takes_each_entry_over_as_many_links_as_its_place_in_the_stream(n: int):
    """Check 13 (F36): a_ki reaches (1, k) over i - 1 links, the last over n - 1."""
    plan, shape = cycles(n), tasks(n).shape
    longest = 0
    for k in range(1, n + 1):
        for i in range(1, n + 1):
            row, column = min(k, i), max(k, i)
            last = f"M {row},{column}" + (f" to {column}" if column < n else f" of {n}")
            sent = [
                (shape.nodes[m.destination], shape.nodes[m.source]) for m in messages_of(plan, last)
            ]
            # it goes east again from (1, 1); what is followed here is its way to the edge
            way = {there: here for there, here in sent if there < here}
            node, hops = (1, k), 0
            while node != (row, column):
                node, hops = way[node], hops + 1
            assert hops == i - 1
            longest = max(longest, hops)
    assert longest == n - 1


@pytest.mark.parametrize("n", [2, 4, 6, 12])
def test_solver_gives_its_first_value_in_cycle_3n_and_its_last_before_4n(n: int):
    """F37, F39: a value moves one cell a cycle, so that each waits for those before it alone."""
    mesh = tasks(n)
    step = {
        i: mesh.places[task.name].step
        for i, task in enumerate(mesh.graph.tasks)
        if task.name.startswith("cell")
    }
    for task, before in enumerate(mesh.graph.predecessors):
        if task in step:
            assert all(step[source] < step[task] for source in before if source in step)
    last_cell = [
        mesh.places[task.name].step
        for task in mesh.graph.tasks
        if task.name.startswith(f"cell {n},{n + 1} ") and not task.name.endswith("alpha")
    ]
    assert sorted(last_cell) == list(range(3 * n, 4 * n))


@pytest.mark.parametrize("n", [2, 3, 4, 6, 12])
def test_arithmetic_of_the_busiest_nodes(n: int):
    """Check 15 (F30, F32): (16(n-1)+40 x, 16(n-1)+21 +) in (1, n).

    For row 0 the source gives the work along the row that ends in (0, n): n - 1 times w and dw/dt,
    (18, 13) each, then (45, 38). Of these (9, 6) are a product W_n l_n that nobody reads, since
    body n carries nothing: here it is not done.
    """
    mesh = tasks(n)
    node = mesh.operations((1, n), "pipelines")
    assert (node.multiply, node.add) == (16 * (n - 1) + 40, 16 * (n - 1) + 21)
    assert node.sincos == 1
    last = mesh.operations((0, n), "pipelines")
    for i in range(1, n):  # the first has neither w nor dw/dt nor a parent's acceleration to add
        node = mesh.operations((0, i), "pipelines")
        assert (node.multiply, node.add) == ((63, 51) if i > 1 else (45, 38 - 3))
    along = (n - 2) * 18 + last.multiply, (n - 2) * 13 + last.add
    assert along == (18 * (n - 1) + 45 - 9, 13 * (n - 1) + 38 - 6)


@pytest.mark.parametrize("n", [3, 5])
def test_arithmetic_before_the_load_is_balanced(n: int):
    """F32: row 0 does J w and J dw/dt itself: (16n + 6, 16n - 7) and (18n + 45, 13n + 37)."""
    mesh = mesh_evaluation(chain(n), balanced=False)
    node = mesh.operations((1, n), "pipelines")
    assert (node.multiply, node.add) == (16 * n + 6, 16 * n - 7)
    last = mesh.operations((0, n), "pipelines")
    along = (n - 2) * 18 + last.multiply, (n - 2) * 13 + last.add
    assert along == (18 * n + 45 - 9, 13 * n + 37 - 6)
    plan = mesh.plan(CYCLES)
    np.testing.assert_array_equal(plan.execute(*states(n))[2], cycles(n).execute(*states(n))[2])
    assert ends(plan)[f"dL {n}"] > 2 * n + 7


def test_distributed_integration_equals_one_that_is_not_bit_for_bit():
    """Check 16 (F39, F40): row 0's Runge-Kutta against the same method over whole evaluations."""
    mechanism = px.library.puma600()
    mesh = mesh_step(mechanism, CLASSIC, 0.01)
    assert mesh.plan().violations == ()
    q, v, tau = states(6)
    evaluation = mesh_evaluation(mechanism).plan()

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        return np.concatenate([y[6:], evaluation.execute(y[:6], y[6:], tau)[2]])

    expected = np.concatenate([q, v])
    for _ in range(3):
        expected = CLASSIC.step(rates, 0.0, expected, 0.01)
    motion = run_mesh(mesh.machine, mesh.plan(), q, v, np.tile(tau, (3, 1)))
    np.testing.assert_array_equal(np.concatenate([motion.q[-1], motion.v[-1]]), expected)


def test_excavator_on_the_mesh_moves_as_in_the_simulator():
    """Check 16 and F40, F44-F47: the JOINT experiment with its oil, as the library simulates it."""
    run = rotary_excavator().run(joint_experiment(), 8.0)
    mesh, plan = excavator_step()
    assert plan.violations == ()
    begin, steps = 700, 60  # in the middle of the motion, with oil under pressure
    s = np.concatenate([run["pressure_in"][begin], run["pressure_out"][begin]])
    span = slice(begin, begin + steps + 1)
    motion = run_mesh(
        mesh.machine, plan, run["q"][begin], run["v"][begin], run["command"][span][:-1], s
    )
    assert abs(run["q"][span] - run["q"][begin]).max() > 0.02
    np.testing.assert_allclose(motion.q, run["q"][span], rtol=0, atol=1e-12)
    np.testing.assert_allclose(motion.v, run["v"][span], rtol=0, atol=1e-11)
    pressures = np.hstack([run["pressure_in"][span], run["pressure_out"][span]])
    np.testing.assert_allclose(motion.s, pressures, rtol=0, atol=1e-7)


def test_a_step_has_the_tasks_of_the_printed_schedule():
    """F40, table 5.1: actuators, phases, integration; openings from the interface, angles to it."""
    mesh, plan = excavator_step()
    assert mesh.shape.columns == 4 and len(mesh.shape.nodes) == 14 + 1
    phases = Counter(place.phase for place in mesh.places.values())
    assert phases["actuators"] == 4 + 4 * 4 * 2  # openings; pressures and torques of all stages
    assert {place.stage for place in mesh.places.values()} == {0, 1, 2, 3}
    nodes = mesh.shape.nodes
    to_interface = {
        plan.graph.tasks[m.task].name for m in plan.messages if nodes[m.destination] == (0, 0)
    }
    assert {f"theta {i} at the end #3" for i in range(1, 5)} <= to_interface
    from_interface = {
        plan.graph.tasks[m.task].name for m in plan.messages if nodes[m.source] == (0, 0)
    }
    assert {f"x {i}" for i in range(1, 5)} <= from_interface


def test_a_step_on_the_mesh_is_in_real_time():
    """Check 23, the parallel half: four evaluations in the 10 ms of a step, by T800 costs.

    The source measures 1.353 ms an evaluation, with indexing and calls that its costs leave out.
    """
    _, plan = excavator_step()
    assert plan.makespan / 4 < 1.353e-3
    assert plan.makespan < 10e-3
    assert plan.speedup > 4.63


def test_branched_machine_on_a_mesh_with_buses():
    """F58: rows 0 and 1 follow the tree by a bus each; blocks of zeros stay in the triangle."""
    torso = px.library.torso_as_printed()
    mesh = mesh_evaluation(torso)
    assert mesh.shape.buses and len(mesh.shape.nodes) == 28
    plan = mesh.plan(T800)
    assert plan.violations == ()
    q, v = np.arange(1, 7) / 10, np.arange(6, 0, -1) / 10
    M, F, a, _ = plan.execute(q, v, np.zeros(6))
    # golden value of the spec, to its digits
    golden = (-0.103527, 11.650938, -2.309286, -17.209485, -7.43907, -13.127972)
    np.testing.assert_allclose(a, golden, rtol=0, atol=5e-7)
    np.testing.assert_allclose(M.reshape(6, 6) @ a + F, 0, atol=1e-12)
    assert M.reshape(6, 6)[1, 2] == 0.0
    buses = {mesh.shape.bus(row) for row in (0, 1)}
    shared = [m for m in plan.messages if m.hops[0].link in buses]
    assert any(len(m.taps) == 2 for m in shared)  # the trunk speaks to head and both arms at once
    for variant in VARIANTS:
        other = mesh_evaluation(torso, variant=variant).plan(CYCLES)
        assert other.violations == ()
        np.testing.assert_array_equal(other.execute(q, v, np.zeros(6))[2], a)


@pytest.mark.parametrize("n", [3, 5])
def test_a_further_freedom_is_a_further_column(n: int):
    """F41: n + 2 nodes and the links of a column; the rest of the mesh stays as it is."""
    smaller, larger = tasks(n).shape, tasks(n + 1).shape
    assert set(smaller.nodes) <= set(larger.nodes)
    assert len(larger.nodes) - len(smaller.nodes) == n + 2
    neighbours = {"north", "south"}, {"east", "west"}
    inner = {link for link in smaller.links if {port for _, port in link} in neighbours}
    closing = (((0, 0), "west"), ((0, n), "east"))
    assert inner - {closing} <= set(larger.links)
    assert (((0, 0), "west"), ((0, n + 1), "east")) in larger.links


def test_golden_accelerations_of_the_excavator():
    """§5 of the spec, on the mesh."""
    q, v = (0.1, 0.5, -1.2, -0.5), (0.2, -0.1, 0.3, 0.1)
    a = mesh_evaluation(px.library.cat215b()).plan().execute(q, v, np.zeros(4))[2]
    np.testing.assert_allclose(a, (-0.024659, -1.425012, -1.044203, 2.429899), rtol=0, atol=5e-7)
