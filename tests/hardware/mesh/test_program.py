"""What nodes of the mesh know, and which machines it holds."""

from collections import defaultdict
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import phalanx as px
from papers.wong.meshes import chain
from phalanx.base.errors import InvalidInput, InvalidModel
from phalanx.equations.quantities.declared_forces import SLIP
from phalanx.hardware.mesh import (
    CYCLES,
    T800,
    VARIANTS,
    mesh_evaluation,
    mesh_step,
    run_mesh,
)
from phalanx.hardware.mesh.trial import MeshTrial
from phalanx.mechanism import (
    Body,
    Floating,
    Joint,
    Mechanism,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Universal,
)
from phalanx.mechanism.pose import Pose
from phalanx.multiprocessor import Schedule, critical_chain, exposed
from phalanx.simulation.integrators.tableaux import CLASSIC


@pytest.mark.parametrize("mechanism", [px.library.cat215b(), px.library.torso()], ids=str)
def test_memories_are_private(mechanism):
    """No number that is given is read at two nodes but a joint's angle, in rows 0 and 1."""
    tasks = mesh_evaluation(mechanism)
    readers = defaultdict(set)
    for i, task in enumerate(tasks.graph.tasks):
        for n in tasks.graph.reads(i):
            if n not in tasks.graph.owner:
                readers[n].add(tasks.places[task.name].node)
    nodes = tasks.graph.program.nodes
    for n, where in readers.items():
        element = nodes[n].element
        if element is not None and tasks.graph.program.inputs[element.port].name == "q":
            assert {row for row, _ in where} <= {0, 1}
            assert len({column for _, column in where}) == 1
        else:
            assert len(where) == 1


@st.composite
def trees(draw):
    """Trees of hinges and slides along any axis, with rotors, and joints of several freedoms."""
    n = draw(st.integers(2, 6))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    bodies, joints = [Body("base")], []
    for i in range(n):
        parent = "base" if i == 0 else f"b{draw(st.integers(0, i - 1))}"
        inertia = np.diag(rng.uniform(1.0, 1.5, 3))
        bodies.append(Body(f"b{i}", rng.uniform(0.5, 2), rng.normal(size=3), inertia))
        axis = rng.normal(size=3)
        pose = Pose(np.linalg.qr(rng.normal(size=(3, 3)))[0], rng.normal(size=3))
        if np.linalg.det(pose.rotation) < 0:
            pose = Pose(-pose.rotation, pose.translation)
        kind = draw(st.sampled_from([Revolute, Revolute, Prismatic, Spherical, Planar, Floating]))
        single = kind in (Revolute, Prismatic)
        motion = kind(axis / np.linalg.norm(axis)) if single else kind()
        rotor = rng.uniform(0, 0.1)
        joints.append(Joint(f"j{i}", parent, f"b{i}", motion, pose, rotor_inertia=rotor))
    return Mechanism("tree", bodies, joints)


@settings(max_examples=8)
@given(mechanism=trees(), variant=st.sampled_from(VARIANTS), balanced=st.booleans())
def test_any_tree(mechanism, variant, balanced):
    plan = mesh_evaluation(mechanism, variant=variant, balanced=balanced).plan(T800)
    assert plan.violations == ()
    n = mechanism.nv
    noise = np.random.default_rng(n)
    q = mechanism.random_positions(1, noise)[0]
    v, tau = noise.uniform(-1, 1, (2, n))
    M, _, a, _ = plan.execute(q, v, tau)
    expected = np.array(px.expression(px.mass_matrix.composite_body, mechanism)(q))
    np.testing.assert_allclose(M.reshape(n, n), expected, rtol=0, atol=1e-12 * abs(expected).max())
    serial = px.expression(px.forward_dynamics.articulated_body, mechanism)
    expected = np.array(serial(q, v, tau)).ravel()
    np.testing.assert_allclose(a, expected, rtol=0, atol=1e-10 * abs(expected).max())


def test_beyond_twelve_columns():
    n = 13
    plan = mesh_evaluation(chain(n)).plan(CYCLES)
    assert plan.violations == ()
    q, v, tau = np.random.default_rng(0).uniform(-1, 1, (3, n))
    serial = px.expression(px.forward_dynamics.articulated_body, chain(n))
    expected = np.array(serial(q, v, tau)).ravel()
    a = plan.execute(q, v, tau)[2]
    np.testing.assert_allclose(a, expected, rtol=0, atol=1e-11 * abs(expected).max())


def test_universal_joints_have_a_column_for_each_freedom():
    """F41: a joint of two axes is two hinges with a body without mass between them."""
    bodies = [Body("base"), *(Body(f"b{i}", 1.0, [0.1, 0.2, 0.3], np.eye(3)) for i in (0, 1))]
    joints = [
        Joint("cross", "base", "b0", Universal()),
        Joint("hinge", "b0", "b1", Revolute(), Pose(translation=[0, 0, 1.0])),
    ]
    mechanism = Mechanism("gimbal", bodies, joints)
    tasks = mesh_evaluation(mechanism)
    assert tasks.shape.columns == 3
    q, v, tau = np.random.default_rng(0).uniform(-1, 1, (3, 3))
    expected = px.expression(px.forward_dynamics.articulated_body, mechanism)(q, v, tau)
    np.testing.assert_allclose(
        tasks.plan().execute(q, v, tau)[2], np.array(expected).ravel(), rtol=1e-12
    )


def test_a_message_beside_the_links_names_both_nodes_and_brings_nothing():
    tasks = mesh_evaluation(px.library.cat215b())
    plan, number = tasks.plan(CYCLES), tasks.shape.numbers
    east = next(
        m for m in plan.messages if (m.source, m.destination) == (number[1, 1], number[1, 2])
    )
    astray = east._replace(destination=number[3, 3])
    spoilt = replace(plan, messages=tuple(astray if m is east else m for m in plan.messages))
    assert any("from (1,1) to (3,3) takes wrong wires" in v.text for v in spoilt.violations)
    assert np.isnan(spoilt.execute(np.ones(4), np.ones(4), np.ones(4))[2]).all()


def test_a_plan_of_the_mesh_in_a_file(tmp_path):
    plan = mesh_evaluation(px.library.torso()).plan(T800)
    plan.save(tmp_path / "plan.json")
    again = Schedule.load(tmp_path / "plan.json", plan.graph)
    assert again.messages == plan.messages and again.computer == plan.computer
    assert again.violations == ()


def test_the_critical_chain_has_no_gaps():
    plan = mesh_evaluation(px.library.puma600()).plan(T800)
    legs = critical_chain(plan)
    assert legs[0].start == 0.0
    assert all(b.start == pytest.approx(a.end) for a, b in pairwise(legs))
    last = max(plan.makespan, max(m.arrival for m in plan.messages))
    assert legs[-1].end == last
    assert sum(exposed(plan).values()) == pytest.approx(last)


BALL, SCREW = (
    Mechanism(
        name,
        [Body("base"), Body(name, 1.0, [0, 0, 0.1], np.eye(3))],
        [Joint(joint, "base", name, motion)],
    )
    for name, joint, motion in (
        ("ball", "socket", Spherical()),
        ("screw", "thread", Screw([0, 0, 1], 0.01)),
    )
)


@pytest.mark.parametrize(
    ("mechanism", "options", "message"),
    [
        (px.library.puma600(), {"columns": 4}, "6 freedoms for 4 columns; joint 'link_5_hinge'"),
        (px.library.puma600(), {"columns": 8}, "Take a mesh of 6 columns"),
        (SCREW, {}, "joint 'thread' of 'screw' moves about and along z; columns of a triangular"),
        (Mechanism("rock", [Body("base")], []), {}, "'rock' has no joint"),
    ],
)
def test_machines_that_a_mesh_cannot_hold(mechanism, options, message):
    with pytest.raises(InvalidModel, match=message):
        mesh_evaluation(mechanism, **options)


def test_a_ball_joint_is_three_columns_and_moves_as_three_hinges():
    """Table 6.1 and check 24: a body in the last of its columns, the others are empty."""
    mesh = mesh_evaluation(BALL)
    machine = mesh.machine
    assert mesh.shape.columns == 3 and [machine.holds(i) for i in (1, 2, 3)] == [0, 0, 1]
    assert machine.paths[3] == (3, 2, 1) and machine.paths[1] == ()
    kinds = {place.node for place in mesh.places.values() if place.phase == "pipelines"}
    assert {column for _, column in kinds} == {3}
    # as three hinges through one point, at a posture where their axes are x, y, z
    bodies = [Body("base"), Body("a"), Body("b"), Body("c", 1.0, [0, 0, 0.1], np.eye(3))]
    hinges = [
        Joint(name, parent, child, Revolute(axis))
        for name, parent, child, axis in (
            ("x", "base", "a", [1, 0, 0]),
            ("y", "a", "b", [0, 1, 0]),
            ("z", "b", "c", [0, 0, 1]),
        )
    ]
    three = mesh_evaluation(Mechanism("three", bodies, hinges)).plan()
    tau = np.array([0.3, -0.2, 0.5])
    still = np.zeros(3)
    M, F, a, _ = mesh.plan().execute(np.array([1.0, 0, 0, 0]), still, tau)
    for one, other in zip((M, F, a), three.execute(still, still, tau), strict=False):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-14)


def test_a_floating_base_falls_and_turns_freely():
    """No torque: momentum stays, so that the body's centre falls with gravity."""
    body = Body("rock", 2.0, [0.1, -0.2, 0.3], np.diag([1.0, 2.0, 2.5]))
    rock = Mechanism("rock", [Body("base"), body], [Joint("free", "base", "rock", Floating())])
    plan = mesh_evaluation(rock).plan()
    noise = np.random.default_rng(3)
    q, v = rock.random_positions(1, noise)[0], noise.normal(size=6)
    a = plan.execute(q, v, np.zeros(6))[2]
    dynamics = px.Dynamics(rock)
    np.testing.assert_allclose(dynamics.inverse_dynamics(q, v, a), 0, atol=1e-12)
    # the rate of the spin about the centre is that of Euler's equations
    w = v[3:]
    J = np.diag([1.0, 2.0, 2.5])
    np.testing.assert_allclose(J @ a[3:] + np.cross(w, J @ w), 0, atol=1e-12)


def test_a_step_has_hinges_and_slides_alone():
    with pytest.raises(InvalidModel, match="'socket' of 'ball' moves about a point; row 0 integ"):
        mesh_step(BALL, CLASSIC, 0.01)


def test_choices_that_there_are_not():
    with pytest.raises(InvalidInput, match="variant 'guess' of the moving sums; take one of recom"):
        mesh_evaluation(px.library.cat215b(), variant="guess")
    with pytest.raises(InvalidInput, match="a step of 0 s; it must be positive"):
        mesh_step(px.library.cat215b(), CLASSIC, 0)


def test_a_singular_mass_matrix_names_the_joint():
    bodies = [Body("base"), Body("arm", 1.0, [1.0, 0, 0], np.eye(3)), Body("ghost", 1.0)]
    joints = [
        Joint("shoulder", "base", "arm", Revolute()),
        Joint("elbow", "arm", "ghost", Revolute(), Pose(translation=[1.0, 0, 0])),
    ]
    step = mesh_step(Mechanism("ghostly", bodies, joints), CLASSIC, 0.01)
    with pytest.raises(InvalidInput, match=r"divides by 0 in row 2.*singular at joint 'elbow'"):
        run_mesh(step.machine, step.plan(), np.zeros(2), np.zeros(2), np.zeros((1, 2)))
    with pytest.raises(InvalidInput, match=r"q has shape \(3,\); expected \(2,\)"):
        run_mesh(step.machine, step.plan(), np.zeros(3), np.zeros(2), np.zeros((1, 2)))


def test_a_step_has_the_forces_of_the_joints():
    """Damping, stiffness and dry friction in row 0, against the library's own simulator."""
    plain = px.library.double_pendulum()
    own = {"damping": 1.5, "stiffness": 4.0, "rest": [0.2], "friction": 0.3}
    laden = replace(plain, joints=[replace(joint, **own) for joint in plain.joints])
    q, v, steps, h = np.array([0.5, -0.3]), np.array([1.0, -2.0]), 100, 2e-3
    ends = []
    for mechanism in (plain, laden):
        step = mesh_step(mechanism, CLASSIC, h)
        plan = step.plan()
        motion = run_mesh(step.machine, plan, q, v, np.zeros((steps, 2)))
        run = px.simulate(
            mechanism,
            duration=steps * h,
            step=h,
            q0=q,
            v0=v,
            integrator=px.RungeKutta4(),
            forces=(px.Damping(), px.Friction(slip=SLIP)),
        )
        np.testing.assert_allclose(motion.q, run["q"], rtol=0, atol=1e-13)
        np.testing.assert_allclose(motion.v, run["v"], rtol=0, atol=1e-12)
        ends.append(motion.v[-1])
        assert MeshTrial.of(step, plan, 0).error < 1e-13
    assert abs(ends[0] - ends[1]).min() > 0.1
