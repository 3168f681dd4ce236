"""Machines with loops on the mesh (Wong 1991, §6.4.3), and cylinders in a row above (§6.4.4)."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import phalanx as px
from phalanx import loops
from phalanx.actuators.hydraulics.cat215b import cat215b_hydraulics
from phalanx.base.errors import InvalidInput, InvalidModel
from phalanx.hardware.mesh import (
    CYCLES,
    T800,
    MeshTasks,
    Shape,
    mesh_evaluation,
    mesh_step,
    run_mesh,
)
from phalanx.hardware.mesh.machine import MeshMachine
from phalanx.hardware.mesh.trial import MeshTrial
from phalanx.machines.excavator import cylinder_excavator
from phalanx.simulation.integrators.tableaux import CLASSIC

MACHINES = {
    "four_bar": (px.library.four_bar(), None),
    "slider_crank": (px.library.slider_crank(), None),
    "five_bar": (px.library.five_bar(), ("left_drive", "left_elbow")),
    "excavator": (px.library.cat215b_cylinders(), None),
}


@cache
def tasks(name: str) -> MeshTasks:
    mechanism, independent = MACHINES[name]
    return mesh_evaluation(mechanism, independent=independent)


def states(mechanism: px.Mechanism, count: int = 4):
    """Positions that close the loops, velocities that keep them closed, any joint forces."""
    rng = np.random.default_rng(7)
    for q in mechanism.random_positions(count, rng):
        v, tau = rng.standard_normal((2, mechanism.nv))
        closed = px.assemble(mechanism, q, v)
        yield closed.q, closed.v, tau


@pytest.mark.parametrize("name", MACHINES)
def test_accelerations_are_those_of_multipliers(name: str):
    """P = H T in the place of H, against Lagrange multipliers on the tree's mass matrix."""
    mechanism, _ = MACHINES[name]
    mesh = tasks(name)
    plan = mesh.plan(T800)
    assert plan.violations == ()
    rows = mesh.machine.rows
    free = [mesh.machine.body(i).node.v for i in range(1, rows + 1)]
    serial = px.expression(loops.multipliers, mechanism)
    tree = px.expression(px.mass_matrix.composite_body, mechanism)
    for q, v, tau in states(mechanism):
        M, F, a, pivots = plan.execute(q, v, tau)
        expected = np.array(serial(q, v, tau)).ravel()
        np.testing.assert_allclose(a, expected, rtol=0, atol=1e-10 * abs(expected).max())
        # M of the closed machine: its energy for unit rates of the independent joints
        full = np.array(tree(q))
        unit = np.array([consistent(mechanism, q, free, z) for z in np.eye(rows)]).T
        closed = unit.T @ full @ unit
        np.testing.assert_allclose(M.reshape(rows, rows), closed, atol=1e-10 * abs(closed).max())
        assert np.all(pivots > 0)
        rest = (M.reshape(rows, rows) @ a[free] + F) - unit.T @ tau
        np.testing.assert_allclose(rest, 0, atol=1e-8 * max(1.0, abs(F).max()))


def consistent(mechanism: px.Mechanism, q: np.ndarray, free: list[int], z: np.ndarray):
    """Velocities of all joints for those of some, from the loops' derivative by differences."""
    from phalanx.equations.loops.closure.equations import derivative_function
    from phalanx.equations.model_of import model_of

    A = np.array(derivative_function(model_of(mechanism))(q))
    v = np.zeros(mechanism.nv)
    v[free] = z
    others = [k for k in range(mechanism.nv) if k not in free]
    v[others] = -np.linalg.lstsq(A[:, others], A[:, free] @ z, rcond=None)[0]
    assert abs(A @ v).max() < 1e-9
    return v


def test_the_mesh_has_a_row_for_each_freedom():
    """n(n+1)/2 nodes for the solver, a column for each body, and a row above row 0."""
    shape = tasks("excavator").shape
    assert (shape.columns, shape.freedoms, shape.top, shape.buses) == (6, 4, True, True)
    solver = {(k, i) for k in range(1, 5) for i in range(k, 5)}
    assert solver <= set(shape.nodes) and len(solver) == 4 * 5 // 2
    assert len(shape.nodes) == 7 + (6 + 5 + 4 + 3) + 7
    assert shape.out_of((1, 6), "east")[1] == (0, 4) and shape.out_of((4, 6), "east")[1] == (0, 1)
    assert shape.out_of((0, 3), "above")[1] == (-1, 3)
    assert MeshMachine.of(px.library.cat215b_cylinders()).follows == {5: (4,), 6: (4,)}
    with pytest.raises(InvalidInput, match="a mesh of 5 rows and 4 columns"):
        Shape(4, rows=5)


def test_messages_take_declared_links_alone():
    mesh = tasks("excavator")
    for costs in (CYCLES, T800.without_overlap):
        plan = mesh.plan(costs)
        assert plan.violations == ()
        links = {frozenset((one, other)) for (one, _), (other, _) in mesh.shape.links}
        buses = {mesh.shape.bus(row) for row in (0, 1)}
        for message in plan.messages:
            (hop,) = message.hops
            ends = {mesh.shape.nodes[message.source], mesh.shape.nodes[message.destination]}
            assert hop.link in buses or frozenset(ends) in links
    # the solver's last column is row 0, beyond the columns of the joints that follow
    names = {"cell 1,5 alpha", "cell 4,5 alpha"}
    where = {mesh.places[name].node for name in names}
    assert where == {(0, 4), (0, 1)}


@cache
def excavator_step() -> MeshTasks:
    machine = cylinder_excavator()
    return mesh_step(machine.mechanism, CLASSIC, 1e-3, hydraulics=machine.actuation)


def test_the_excavator_of_the_cockpit_on_its_own_mesh():
    """Loops, cylinders and the pump, against the simulator that the cockpit runs, to rounding."""
    excavator, step = cylinder_excavator(), excavator_step()
    run = excavator.run([0.1, 0.1, -0.2, 0.3], 0.6, integrator=px.RungeKutta4())
    plan = step.plan(T800)
    assert plan.violations == ()
    begin, steps = 500, 60
    span = slice(begin, begin + steps + 1)
    motion = run_mesh(
        step.machine,
        plan,
        run["q"][begin],
        run["v"][begin],
        run["command"][span][:-1],
        run["pressure"][begin],
    )
    assert abs(run["q"][span] - run["q"][begin]).max() > 0.01
    assert abs(run["pressure"][span] - run["pressure"][begin]).max() > 1e5
    np.testing.assert_allclose(motion.q, run["q"][span], rtol=0, atol=1e-13)
    np.testing.assert_allclose(motion.v, run["v"][span], rtol=0, atol=1e-13)
    np.testing.assert_allclose(motion.s, run["pressure"][span], rtol=1e-13)


def test_the_row_above_has_pump_and_cylinders():
    """§6.4.4: (top, i) works across joint i, the pump stands above the interface."""
    step = excavator_step()
    nodes = {name: step.places[name].node for name in step.places}
    assert nodes["force swing"] == (-1, 1) and nodes["force boom"] == (-1, 2)
    assert nodes["force stick"] == (-1, 3)
    assert nodes["force bucket"] == (-1, 5)  # across the tipping link's hinge
    assert nodes["pump rate"] == (-1, 0) and nodes["T"] == (-1, 5)
    plan = step.plan(T800)
    sent = {
        (plan.graph.tasks[m.task].name, step.shape.nodes[m.source], step.shape.nodes[m.destination])
        for m in plan.messages
    }
    assert ("force boom", (-1, 2), (0, 2)) in sent and ("x boom", (0, 0), (-1, 0)) in sent
    assert ("flows bucket", (-1, 1), (-1, 0)) in sent and ("pump", (-1, 0), (-1, 1)) in sent


def test_a_step_closes_the_loops_again():
    """After long steps, too, joints that follow stand where the loops have them."""
    mechanism = px.library.four_bar()
    step = mesh_step(mechanism, CLASSIC, 0.05)
    closed = px.assemble(mechanism, np.array([0.4, -0.2, 0.1]), np.array([1.0, 0.0, 0.0]))
    motion = run_mesh(step.machine, step.plan(), closed.q, closed.v, np.zeros((20, 3)))
    assert abs(motion.q[-1] - closed.q).max() > 0.3
    residual = px.expression(loops.loop_residuals, mechanism)
    for q, v in zip(motion.q, motion.v, strict=True):
        gap, rate, _ = residual(q, v, np.zeros(3))
        assert abs(np.array(gap)).max() < 1e-9 and abs(np.array(rate)).max() < 1e-9
    # what closing takes is no more than the step's own error: energy drifts with its fourth order
    drift = []
    for h in (0.01, 0.005):
        fine = mesh_step(mechanism, CLASSIC, h)
        inputs = np.zeros((round(1 / h), 3))
        motion = run_mesh(fine.machine, fine.plan(), closed.q, closed.v, inputs)
        E = px.Dynamics(mechanism).energy(motion.q, motion.v)
        drift.append(abs(E - E[0]).max())
    assert drift[0] / drift[1] > 10


def test_trials_of_machines_with_loops():
    for name in MACHINES:
        mesh = tasks(name)
        assert MeshTrial.of(mesh, mesh.plan(), 3).error < 1e-10
    step = excavator_step()
    assert MeshTrial.of(step, step.plan(), 0, cylinder_excavator().actuation).error < 1e-10


def test_what_the_mesh_of_a_machine_with_loops_cannot_hold():
    four_bar = px.library.four_bar()
    with pytest.raises(InvalidInput, match="variant 'pass' of the moving sums is for trees"):
        mesh_evaluation(four_bar, variant="pass")
    with pytest.raises(InvalidModel, match="independent joints of 'five_bar' are 'left_drive', '"):
        mesh_evaluation(px.library.five_bar())
    name = tasks("four_bar").machine.name(3)
    joints = [
        replace(joint, rotor_inertia=0.1) if joint.name == name else joint
        for joint in four_bar.joints
    ]
    with pytest.raises(InvalidModel, match=f"joint '{name}' of 'four_bar' follows loops and has a"):
        mesh_evaluation(replace(four_bar, joints=joints))
    mechanism = px.library.cat215b_cylinders()
    with pytest.raises(InvalidInput, match="bookkeeping=True keep energies"):
        mesh_step(mechanism, CLASSIC, 1e-3, hydraulics=cat215b_hydraulics(bookkeeping=True))
    circuit = cat215b_hydraulics()
    long = replace(circuit.actuators["boom"], rod="stick_cylinder_rod")
    with pytest.raises(InvalidInput, match="actuator 'boom' works across 2 joints of 'cat215b_cy"):
        mesh_step(
            mechanism,
            CLASSIC,
            1e-3,
            hydraulics=replace(circuit, actuators={"boom": long}),
        )
