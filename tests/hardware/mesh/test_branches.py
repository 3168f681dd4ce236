"""A tree with one processor a branch, as a plan and on processes."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import phalanx as px
from papers.wong.meshes import chain
from phalanx.distribute import PlanJob, run
from phalanx.hardware.mesh import T800, MeshTasks, mesh_branches, mesh_evaluation, plan_branches
from phalanx.mechanism import Body, Floating, Joint, Mechanism, Revolute, Spherical
from phalanx.mechanism.pose import Pose


def upper_body() -> Mechanism:
    """A floating trunk with a head on a ball joint, and an arm with an elbow."""
    rows = (
        ("trunk", "base", Floating(), (0.0, 0.0, 1.0), 25.0),
        ("head", "trunk", Spherical(), (0.0, 0.0, 0.5), 5.0),
        ("arm", "trunk", Revolute([0, 1, 0]), (0.0, 0.2, 0.4), 3.0),
        ("forearm", "arm", Revolute([1, 0, 0]), (0.0, 0.0, -0.3), 2.0),
    )
    bodies, joints = [Body("base")], []
    for name, parent, motion, at, mass in rows:
        bodies.append(Body(name, mass, [0.01, 0.02, -0.2], mass * np.diag([0.05, 0.06, 0.02])))
        joints.append(Joint(f"{name}_joint", parent, name, motion, Pose(translation=at)))
    return Mechanism("upper_body", bodies, joints)


@cache
def tasks(name: str) -> MeshTasks:
    return mesh_evaluation(px.library.torso() if name == "torso" else upper_body())


def test_branches_of_trees():
    assert mesh_branches(tasks("torso").machine) == ((1,), (2,), (3, 4), (5, 6))
    # six columns of the floating trunk, three of the head's ball joint, the arm
    assert mesh_branches(tasks("upper_body").machine) == ((1, 2, 3, 4, 5, 6), (7, 8, 9), (10, 11))
    assert mesh_branches(mesh_evaluation(chain(4)).machine) == ((1, 2, 3, 4),)


@pytest.mark.parametrize("name", ["torso", "upper_body"])
def test_a_processor_a_branch_on_nodes_and_processes(name: str):
    mesh = tasks(name)
    mechanism = mesh.machine.mechanism
    noise = np.random.default_rng(2)
    q = mechanism.random_positions(1, noise)[0]
    v, tau = noise.normal(size=(2, mechanism.nv))
    serial = px.expression(px.forward_dynamics.articulated_body, mechanism)
    expected = np.array(serial(q, v, tau)).ravel()
    whole = mesh.plan().execute(q, v, tau)
    for costs in (T800, T800.without_overlap):
        plan = plan_branches(mesh, costs)
        those = mesh_branches(mesh.machine)
        assert plan.computer.processors == len(those) and plan.violations == ()
        found = plan.execute(q, v, tau)
        for one, other in zip(found, whole, strict=True):
            np.testing.assert_array_equal(one, other)
        np.testing.assert_allclose(found[2], expected, rtol=0, atol=1e-11 * abs(expected).max())
        # every task of a column is with the processor of its branch
        owner = {i: p for p, columns in enumerate(those) for i in columns}
        for placement in plan.placements:
            node = mesh.places[plan.graph.tasks[placement.task].name].node
            assert placement.processor == owner.get(node[1], 0)
    plan = plan_branches(mesh)
    processes = run(PlanJob(plan, q, v, tau), len(those))
    for one, other in zip(processes.outputs, whole, strict=True):
        np.testing.assert_array_equal(one, other)
    assert processes.messages == len(plan.messages) < len(mesh.plan().messages)
    assert 1.0 < plan.speedup < len(those)


def test_a_chain_is_one_branch():
    mesh = mesh_evaluation(chain(3))
    plan = plan_branches(mesh)
    assert not plan.messages and plan.makespan == pytest.approx(plan.serial_time)
