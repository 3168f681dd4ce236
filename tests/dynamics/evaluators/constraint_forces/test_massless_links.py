"""Links without mass, or with too little of it: joined with the joint that they carry."""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

import phalanx as px
import strategies
from dynamics.evaluators.constraint_forces import machines
from phalanx.base.errors import InvalidInput, InvalidModel
from phalanx.distribute import ForwardDynamicsJob, Solving, run
from phalanx.dynamics.evaluators.bodies import bodies_of
from phalanx.dynamics.evaluators.constraint_forces.body_velocities import BodyVelocities
from phalanx.dynamics.evaluators.constraint_forces.conjugate_gradient import ConjugateGradientJacobi
from phalanx.dynamics.evaluators.constraint_forces.direct import BlockElimination
from phalanx.dynamics.evaluators.constraint_forces.equations import ConstraintEquations
from phalanx.dynamics.evaluators.constraint_forces.jointed import jointed_bodies
from phalanx.dynamics.evaluators.constraint_forces.methods import BlockTridiagonal
from phalanx.dynamics.evaluators.constraint_forces.stopping import Stopping
from phalanx.dynamics.evaluators.method import still_root
from phalanx.dynamics.evaluators.serial import Serial
from phalanx.equations.quantities.reactions import reactions
from phalanx.mechanism import Body, Joint, Mechanism, Motion, Pose, Prismatic, Revolute, Spherical

X, Y, Z = np.eye(3)


def bare(name: str) -> Body:
    return Body(name)


def about_one_axis(name: str) -> Body:
    """As link 1 of the PUMA: an inertia without a mass."""
    return Body(name, 0.0, inertia=np.diag([0.0, 0.0, 0.35]), physical=False)


def point(name: str) -> Body:
    return Body(name, 0.7, np.array([0.1, -0.2, 0.3]), np.zeros((3, 3)))


def thin(name: str) -> Body:
    axis = np.array([0.6, 0.0, 0.8])
    inertia = 0.1 * (np.eye(3) - np.outer(axis, axis))
    return Body(name, 1.3, np.array([0.0, 0.2, 0.1]), inertia)


def joined(links: list[Body], motions: list[Motion], rotor: float = 0.0, turns: int = 2):
    """Some links in a row, several times, each time with a body at the end; a branch halfway."""
    rng = np.random.default_rng(len(links))
    bodies, joints, on = [Body("root")], [], "root"
    for k in range(turns):
        for j, (link, motion) in enumerate(zip([*links, None], motions, strict=True)):
            name = f"end_{k}" if link is None else f"{link.name}_{k}_{j}"
            body = strategies.random_body(rng, name, aligned=False)
            if link is not None:
                body = replace(link, name=name)
            bodies.append(body)
            seat = strategies.random_pose(rng, aligned=False)
            joints.append(Joint(f"joint_{name}", on, name, motion, seat, rotor_inertia=rotor))
            on = name
    bodies.append(strategies.random_body(rng, "branch", aligned=False))
    joints.append(Joint("joint_branch", "end_0", "branch", Revolute(X)))
    return Mechanism("joined", bodies, joints, gravity=np.array([1.0, -2.0, -9.0]))


HINGES = [Revolute(Z), Revolute(Y)]
CASES = {
    "massless": joined([bare("cross")], HINGES),
    "slides": joined([bare("cross")], [Prismatic(X), Prismatic(Y)]),
    "three": joined([bare("first"), bare("second")], [Revolute(Z), Prismatic(X), Revolute(Y)]),
    "ball": joined([bare("shaft")], [Spherical(), Prismatic(X)]),
    "rotors": joined([bare("cross")], HINGES, rotor=0.4),
    "one axis": joined([about_one_axis("shoulder")], HINGES, rotor=0.2),
    "point": joined([point("point")], HINGES),
    "thin": joined([thin("rod"), about_one_axis("shoulder")], [*HINGES, Revolute(X)]),
    "puma": px.library.puma560(),
}


@pytest.mark.parametrize("m", CASES.values(), ids=CASES)
def test_accelerations_are_those_of_articulated_bodies(m: Mechanism) -> None:
    """Under moving roots, and wrenches on every body, also on those that have no mass."""
    bodies, rng = bodies_of(m), np.random.default_rng(1)
    q, v, tau = machines.states(m, 3)
    root = rng.standard_normal((3, 9))
    external = rng.standard_normal((3, len(bodies), 6))
    expected = Serial().solver(bodies, 1).accelerations(q, v, tau, root, external)
    solver = BlockTridiagonal().solver(bodies, 1)
    assert len(solver.equations.jointed) < len(m.moving_joints)
    a = solver.accelerations(q, v, tau, root, external)
    np.testing.assert_allclose(a, expected, rtol=0, atol=1e-11 * np.abs(expected).max())
    posed, _ = solver.solve(q, v, tau, root, external)
    iterated = ConjugateGradientJacobi().solve(posed.system, stopping=Stopping(residual=1e-12))
    found = solver.equations.accelerations(posed, iterated.f)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8 * np.abs(expected).max())


@pytest.mark.parametrize("m", CASES.values(), ids=CASES)
def test_loads_are_the_reactions_of_every_joint(m: Mechanism) -> None:
    """Of the joints of massless links, too; equilibrium of each link gives the one before it."""
    q, v, tau = machines.states(m, 1)
    loads = px.evaluators.joint_loads(m, q, v, tau)
    assert loads.joints == tuple(joint.name for joint in m.moving_joints)
    a = Serial().solver(bodies_of(m), 1).accelerations(q, v, tau, still_root(m))
    symbols = [ca.SX.sym(name, size) for name, size in (("q", m.nq), ("v", m.nv), ("a", m.nv))]
    force, moment = ca.Function("reactions", symbols, list(reactions(m, *symbols)))(q, v, a)
    scale = max(np.abs(np.array(force)).max(), np.abs(np.array(moment)).max())
    np.testing.assert_allclose(loads.force[0], np.array(force), atol=1e-11 * scale)
    np.testing.assert_allclose(loads.moment[0], np.array(moment), atol=1e-11 * scale)
    # what acts along the freedoms is the joint force, less what the rotor takes
    for k, joint in enumerate(m.moving_joints):
        if isinstance(joint.motion, Revolute) and not joint.reflected_inertia.any():
            drive = loads.drive[0, k, 3:]
            tau_k = tau[0, m.v_slices[joint.name]]
            assert joint.motion.axis @ drive == pytest.approx(tau_k[0], abs=1e-11 * scale)


@pytest.mark.parametrize("lock", ["joint_cross_0_0", "joint_end_0"])
def test_a_brake_on_one_of_two_joined_joints(lock: str) -> None:
    m = CASES["rotors"]
    q, v, tau = machines.states(m, 1)
    v[:, m.v_slices[lock]] = 0.0
    loads = px.evaluators.joint_loads(m, q, v, tau, locked=[lock])
    held = px.lock(m, {lock: q[0, m.q_slices[lock]]})
    others = [k for k in range(m.nv) if k != m.v_slices[lock].start]
    rest = px.evaluators.joint_loads(held, q[:, others], v[:, others], tau[:, others])
    free = [name for name in loads.joints if name != lock and name not in ("joint_cross_0_0",)]
    for name in free:
        for ours, theirs in zip(loads.of(name), rest.of(name), strict=True):
            np.testing.assert_allclose(ours, theirs, atol=1e-10 * np.abs(loads.force).max())
    assert not loads.drive[0, loads.joints.index(lock)].any()
    v[:, m.v_slices[lock]] = 1.0
    with pytest.raises(InvalidInput, match=f"'{lock}' is locked, but has a velocity"):
        px.evaluators.joint_loads(m, q, v, tau, locked=[lock])


@pytest.mark.parametrize("name", ["one axis", "thin", "puma"])
def test_bodies_that_move_together_have_the_same_forces(name: str) -> None:
    """The equations as the source writes them, in velocities of bodies."""
    m = CASES[name]
    equations = ConstraintEquations(jointed_bodies(bodies_of(m)))
    q, v, tau = machines.states(m, 2)
    root = np.zeros((2, 9))
    root[:, :3], root[:, 6:] = [[0.3, -0.2, 0.5], [0.0, 0.4, 0.1]], [0.0, 0.0, 9.81]
    bodies = BodyVelocities(equations)
    V = equations.velocities(q, v, root)
    fit = bodies.fit(q, V, root)
    np.testing.assert_allclose(fit.v, v, atol=1e-11)
    assert fit.drift.max() < 1e-11
    one, other = equations.pose(q, v, tau, root), equations.pose_bodies(q, v, V, tau, root)
    wanted, found = (BlockElimination().solve(posed.system).f for posed in (one, other))
    # what joints hold; the unknowns of a link count the same force from another acceleration
    held = min(kind.held for kind in equations.jointed.kinds)
    atol = 1e-10 * np.abs(wanted).max()
    np.testing.assert_allclose(found[..., :held], wanted[..., :held], rtol=0, atol=atol)
    a = equations.accelerations(one, wanted)
    np.testing.assert_allclose(
        equations.accelerations(other, found), a, rtol=0, atol=1e-10 * np.abs(a).max()
    )


@pytest.mark.parametrize("processes", [1, 2, 4])
def test_the_puma_on_processes(processes: int) -> None:
    """Five bodies with a mass matrix: link 1 belongs to the first joint of two freedoms."""
    puma = px.library.puma560()
    q, v, tau = (x[0] for x in machines.states(puma, 1))
    how = Solving(stopping=Stopping(change=1e-13, residual=1e-13))
    found = run(ForwardDynamicsJob(puma, q, v, tau, how), processes)
    expected = px.Dynamics(puma).forward_dynamics(q, v, tau)
    np.testing.assert_allclose(found.a, expected, rtol=0, atol=1e-10 * np.abs(expected).max())
    assert found.f.shape[0] == 5


def row(*parts: tuple[Body, Motion]) -> Mechanism:
    bodies, joints = [Body("ground")], []
    for body, motion in parts:
        seat = Pose(translation=np.zeros(3))
        joints.append(Joint(f"to_{body.name}", bodies[-1].name, body.name, motion, seat))
        bodies.append(body)
    return Mechanism("odd", bodies, joints)


ROD = Body("rod", 1.0, (0.0, 0.0, -0.5), np.diag([0.09, 0.09, 0.01]))


@pytest.mark.parametrize(
    ("m", "words"),
    [
        (row((ROD, Revolute(Z)), (bare("tip"), Revolute(Y))), "'tip' .* no mass.* no joint beyond"),
        (
            row((ROD, Revolute(Z)), (thin("tip"), Revolute(Y))),
            "'tip' .* no inertia about some axis.* no joint beyond",
        ),
        (
            row(
                *((bare(f"b{k}"), (Revolute(Z), Revolute(Y))[k % 2]) for k in range(6)),
                (ROD, Revolute(X)),
            ),
            "'b5' .* more than six freedoms",
        ),
        (
            row((bare("between"), Revolute(Z)), (ROD, Revolute(Z))),
            "'to_between', 'to_rod' .* same motion in every posture",
        ),
        (
            row((bare("between"), Prismatic(Z)), (ROD, Prismatic(Z))),
            "'to_between', 'to_rod' .* same motion in every posture",
        ),
    ],
    ids=["tip", "thin tip", "seven freedoms", "one axis", "one slide"],
)
def test_machines_without_a_solution_are_refused(m: Mechanism, words: str) -> None:
    with pytest.raises(InvalidModel, match=words):
        BlockTridiagonal().solver(bodies_of(m), 1)


def test_a_massless_hub_of_two_arms_is_refused() -> None:
    bodies = [Body("ground"), bare("hub"), ROD, Body("arm", 1.0, (0, 0, 0.1), np.eye(3))]
    joints = [
        Joint("hip", "ground", "hub", Revolute(Z)),
        Joint("left", "hub", "rod", Revolute(Y)),
        Joint("right", "hub", "arm", Revolute(X)),
    ]
    with pytest.raises(InvalidModel, match=r"'hub' .* no mass.* carries 2 joints"):
        BlockTridiagonal().solver(bodies_of(Mechanism("odd", bodies, joints)), 1)


def test_a_posture_in_which_motions_meet_is_named() -> None:
    """Three hinges of a wrist: with the middle one straight, the outer two are one."""
    wrist = row((bare("roll"), Revolute(Z)), (bare("pitch"), Revolute(Y)), (ROD, Revolute(Z)))
    solver, still = BlockTridiagonal().solver(bodies_of(wrist), 1), np.zeros((2, 3))
    bent = np.array([[0.1, 0.4, 0.2], [0.1, 0.0, 0.2]])
    fine = solver.accelerations(bent[:1], still[:1], still[:1], still_root(wrist))
    expected = px.Dynamics(wrist).forward_dynamics(bent[0], still[0], still[0])
    np.testing.assert_allclose(fine[0], expected, rtol=1e-10, atol=1e-10)
    with pytest.raises(InvalidInput, match=r"'to_roll', 'to_pitch', 'to_rod' .* of sample 1"):
        solver.accelerations(bent, still, still, still_root(wrist, 2))
