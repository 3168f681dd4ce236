"""Every load in every way of running: the number of a reference by numpy, or an error."""

from __future__ import annotations

import inspect
from dataclasses import replace
from pathlib import Path
from typing import Any

import casadi as ca
import numpy as np
import pytest

import loaded_machines as machines
import phalanx as px
from loaded_machines import BASE, OTHER_MASS, WRENCH, arm, plain_arm, plain_platform, platform
from phalanx import distribute, hardware, multiprocessor
from phalanx.base.errors import InvalidInput, UnsupportedLoad
from phalanx.distribute import Feedback, Mode, Penalty, Projection, Recursive
from phalanx.equations import forward_dynamics, inverse_dynamics, loops
from phalanx.equations.loops.numbers.bases import Gaussian, Qr
from phalanx.equations.model_of import model_of
from phalanx.hardware import chip
from phalanx.hardware.mesh.machine import MeshMachine
from phalanx.identification.parameters import values_of
from phalanx.mechanism import Blade, Planar
from phalanx.mechanism.loads import WAYS, Effect, Load
from phalanx.simulation import formulations
from phalanx.simulation.integrators.tableaux import CLASSIC
from phalanx.studies.khan import closed_loops

Q, V = np.array([0.4, -0.3, 0.7]), np.array([0.8, -0.5, 1.1])
TAU, A = np.array([0.7, -1.2, 0.4]), np.array([0.5, 0.9, -1.3])
STEPS, STEP = 5, 2e-3
FORCES = (px.Damping(), px.Friction(slip=machines.SLIP), px.ModelFluid())
RUN = {"steps": STEPS, "step": STEP}


def acting(way: str) -> frozenset[Load]:
    return frozenset(load for load, effect in WAYS[way].items() if effect is Effect.ACTS)


def laden(way: str) -> frozenset[Load]:
    """Loads that act, and those that a quantity has none of."""
    return acting(way) | {load for load, effect in WAYS[way].items() if effect is Effect.LEFT_OUT}


def given(has: frozenset[Load], **named: str) -> dict:
    """Wrench, motion of the root and parameter as arguments by name, where there are any."""
    values = {
        Load.WRENCHES: {"wrench_tool": WRENCH},
        Load.MOVING_BASE: {
            "base_velocity": np.zeros(6),
            "base_acceleration": np.concatenate([BASE, np.zeros(3)]),
        },
        Load.PARAMETERS: {f"{named.get('body', 'link_1')}_mass": OTHER_MASS},
    }
    return {name: x for load in has & set(values) for name, x in values[load].items()}


def opened(has: frozenset[Load], body: str = "link_1") -> dict:
    """The same as options of Dynamics or of an expression."""
    return {
        **({"wrenches": ["tool"]} if Load.WRENCHES in has else {}),
        **({"moving_base": True} if Load.MOVING_BASE in has else {}),
        **({"parameters": [f"{body}.mass"]} if Load.PARAMETERS in has else {}),
    }


def law(model, t, q, v):
    return ca.DM(TAU)


LAW = px.Law(law)
HASTY = {"speed": 1e6, "policy": px.CatchUp(np.inf)}  # steps are due before they can be taken
TOLD = {"wrenches": {"tool": WRENCH}, "parameters": {"link_1.mass": OTHER_MASS}}


# -- runs ------------------------------------------------------------------------------------------


def end_of_run(way, has=None):
    """Where the reference ends, positions then velocities."""
    has = acting(way) if has is None else has
    return np.concatenate(plain_arm().run(Q, V, TAU, has, STEPS, STEP))


def simulated(way):
    run = px.simulate(
        arm(acting(way)), Q, V, control=LAW, forces=FORCES, duration=STEPS * STEP, step=STEP, **TOLD
    )
    return np.concatenate([run["q"][-1], run["v"][-1]])


def lived(way):
    setup = px.Setup(
        arm(acting(way)),
        control=LAW,
        forces=FORCES,
        wrenches=list(TOLD["wrenches"]),
        parameters=list(TOLD["parameters"]),
    )
    options = {"duration": STEPS * STEP, "step": STEP}
    live = px.LiveRun(setup, Q, V, record=True, **options, **TOLD, **HASTY)
    live.run()
    recording = live.recording
    return np.concatenate([recording["q"][-1], recording["v"][-1]])


def rolled_out(way):
    run = px.rollout(arm(acting(way)), Q, V, tau=TAU, forces=FORCES, **RUN, **TOLD)
    return np.concatenate([run.final_q, run.final_v])


def kept_loop(way):
    loop = px.CompiledRollout(
        px.Setup(arm(acting(way)), forces=FORCES, wrenches=["tool"], parameters=["link_1.mass"]),
        step=STEP,
    )
    inputs = {"wrench_tool": WRENCH, "link_1.mass": OTHER_MASS}
    run = loop(Q, V, tau=TAU, steps=STEPS, inputs=inputs)
    return np.concatenate([run.final_q, run.final_v])


def swept(way):
    run = px.sweeps.Rollout(
        px.Setup(arm(acting(way)), control=LAW, forces=FORCES, wrenches=["tool"]),
        STEPS,
        STEP,
        Q,
        V,
        wrenches={"tool": WRENCH},
    )
    cases = px.sweeps.Table({"link_1.mass": [OTHER_MASS]})
    found = px.sweep(run, cases, keep=["q_end", "v_end"])
    return np.concatenate([found["q_end"][0], found["v_end"][0]])


RUNS = {
    "simulate": simulated,
    "LiveRun": lived,
    "rollout": rolled_out,
    "CompiledRollout": kept_loop,
    "sweeps.Rollout": swept,
}


@pytest.mark.parametrize("way", RUNS)
def test_runs_have_every_load(way):
    np.testing.assert_allclose(RUNS[way](way), end_of_run(way), rtol=1e-9, atol=1e-11)


# -- equations and methods of forward dynamics -----------------------------------------------------


def of_arm(way, method):
    """What a method of forward or inverse dynamics finds with everything on the arm."""
    has, last = acting(way), A if way.startswith("inverse") else TAU
    if isinstance(method, px.evaluators.Method):
        d = px.Dynamics(arm(laden(way)), forward=method, **opened(has))
        return d.forward_dynamics(Q, V, last, **given(has))
    f = px.expression(method, arm(laden(way)), **opened(has))
    inputs = dict(zip(f.name_in(), (Q, V, last), strict=False)) | given(has)
    return np.array(f.call(inputs)[f.name_out(0)]).ravel()


OF_TREES = {
    "forward_dynamics.articulated_body": forward_dynamics.articulated_body,
    "forward_dynamics.factorized": forward_dynamics.factorized,
    "forward_dynamics.orthogonal_complement": forward_dynamics.orthogonal_complement,
    "forward_dynamics.in_root_frame.articulated_body": (
        forward_dynamics.in_root_frame.articulated_body
    ),
    "inverse_dynamics.conventional": inverse_dynamics.conventional,
    "inverse_dynamics.modified": inverse_dynamics.modified,
    "inverse_dynamics.natural_complement": inverse_dynamics.natural_complement,
    "inverse_dynamics.orthogonal_complement": inverse_dynamics.orthogonal_complement,
    "inverse_dynamics.prefix": inverse_dynamics.prefix,
    "inverse_dynamics.recursive": inverse_dynamics.recursive,
    "inverse_dynamics.staggered": inverse_dynamics.staggered,
    "inverse_dynamics.lagrangian.closed_form": inverse_dynamics.lagrangian.closed_form,
    "inverse_dynamics.lagrangian.recursive_3x3": inverse_dynamics.lagrangian.recursive_3x3,
    "inverse_dynamics.lagrangian.recursive_4x4": inverse_dynamics.lagrangian.recursive_4x4,
    "evaluators.Automatic": px.evaluators.Automatic(),
    "evaluators.BlockTridiagonal": px.evaluators.BlockTridiagonal(),
    "evaluators.ConstraintIteration": px.evaluators.ConstraintIteration(
        px.evaluators.ConjugateGradientJacobi(), stopping=px.evaluators.Stopping(1e-13, 1e-13)
    ),
    "evaluators.CyclicReduction": px.evaluators.CyclicReduction(),
    "evaluators.Scan": px.evaluators.Scan(),
    "evaluators.Segments": px.evaluators.Segments(2),
    "evaluators.Serial": px.evaluators.Serial(),
}


@pytest.mark.parametrize("way", OF_TREES)
def test_methods_for_trees_have_every_load(way):
    found, has = of_arm(way, OF_TREES[way]), acting(way)
    of, last = plain_arm().accelerations, TAU
    if way.startswith("inverse"):
        of, last = plain_arm().torques, A
    np.testing.assert_allclose(found, of(Q, V, last, has), rtol=1e-8, atol=1e-8)


# -- machines with loops ---------------------------------------------------------------------------

CLOSED = {
    "loops.actuation": loops.actuation,
    "loops.constrained": loops.constrained,
    "loops.multipliers": loops.multipliers,
    "loops.orthogonal_complement": loops.orthogonal_complement,
    "loops.penalty": loops.penalty,
    "loops.projection": loops.projection,
    "loops.recursive": loops.recursive,
    "loops.recursive_inverse": loops.recursive_inverse,
    "loops.reduced_inverse_dynamics": loops.reduced_inverse_dynamics,
    "loops.sprung": loops.sprung,
}
MOTORS = ["drive_1", "drive_2", "drive_3"]


def moving_platform():
    """A state that keeps the loops closed, forces of the motors, directions of motion."""
    plain = plain_platform()
    d = px.Dynamics(plain.m, actuated=MOTORS)
    q = px.assemble(plain.m, plain.m.neutral()).q
    v, a = d.complete_motion(q, [0.7, -0.4, 0.5], [0.9, 1.2, -0.8])
    tau = np.zeros(plain.m.nv)
    tau[[plain.m.v_slices[name].start for name in MOTORS]] = 1.1, -0.6, 0.8
    return q, v, a, tau, directions(q)


def directions(q):
    """Velocities of all joints for a unit of each motor's, a column each."""
    d = px.Dynamics(plain_platform().m, actuated=MOTORS)
    return np.array([d.complete_motion(q, unit, np.zeros(3)).v for unit in np.eye(3)]).T


@pytest.mark.parametrize("way", CLOSED)
def test_methods_for_loops_have_every_load(way):
    q, v, a, tau, T = moving_platform()
    has, method = acting(way), CLOSED[way]
    inverse = "inverse" in way or "actuation" in way
    reduced = way == "loops.reduced_inverse_dynamics"
    options = {"actuated": MOTORS} if "actuation" in way or "recursive" in way else {}
    options |= {"independent": MOTORS} if reduced else {}
    f = px.expression(method, platform(laden(way)), **opened(has, "distal_1"), **options)
    told = given(has, body="distal_1")
    last = (tau, [0.7, -0.4, 0.5], [0.9, 1.2, -0.8])
    state = (q, *last[1:]) if reduced else (q, v, a) if inverse else (q, v, tau)
    inputs = dict(zip(f.name_in(), state, strict=False)) | told
    found = np.array(f.call(inputs)[f.name_out(0)]).ravel()
    if way == "loops.recursive_inverse":
        found = found[[plain_platform().m.v_slices[name].start for name in MOTORS]]
    if inverse:
        wanted = T.T @ plain_platform().torques(q, v, a, has)
    else:
        held = method if way in ("loops.penalty", "loops.sprung") else loops.multipliers
        held = loops.penalty if held is loops.sprung else held
        wanted = plain_platform(held).accelerations(q, v, tau, has)
    np.testing.assert_allclose(found, wanted, rtol=1e-8, atol=1e-8)


def formulation_of(way):
    has = acting(way)
    if way in ("formulations.BodyLayout", "formulations.JointLayout"):
        kind = getattr(formulations, way.split(".")[1])
        exact = px.evaluators.BlockElimination()
        return kind(arm(has), formulations.ForcesOverTime(exact)), plain_arm(), (Q, V, TAU)
    m = platform(has)
    made = {
        "formulations.Accelerations": lambda: formulations.Accelerations(m, loops.multipliers),
        "formulations.EliminatedLoops": lambda: formulations.EliminatedLoops(
            m, closed_loops.planar_3rrr(), ["platform"]
        ),
        "formulations.Embedding": lambda: formulations.Embedding(m, Gaussian()),
        "formulations.FreshProjection": lambda: formulations.FreshProjection(m, Qr()),
        "formulations.Minimal": lambda: formulations.Minimal(m, MOTORS),
        "formulations.Motors": lambda: formulations.Motors(m, MOTORS),
    }[way]()
    q, v, _, tau, _ = moving_platform()
    return made, plain_platform(), (q, v, tau)


@pytest.mark.parametrize(
    "way", [way for way in WAYS if way.startswith("formulations.") and "Rolling" not in way]
)
def test_formulations_have_every_load(way):
    formulation, plain, (q, v, tau) = formulation_of(way)
    h, steps = 2e-4, 3
    found = formulations.run(
        formulation, q, v, lambda t, q, v: tau, duration=steps * h, steps=formulations.RungeKutta(h)
    )
    wanted = plain.run(q, v, tau, acting(way), steps, h)
    # integrated in other coordinates, steps differ by their own error
    np.testing.assert_allclose(found.q[-1], wanted[0], rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.v[-1], wanted[1], rtol=0, atol=1e-6)


def test_a_rolling_wheel_is_slowed_by_all_that_its_joint_has():
    # springs, damping and friction of the joint that rolls: the same as forces by hand
    def wheel(**numbers):
        body = px.Body("body", 2.0, inertia=np.diag([0.02, 0.02, 0.04]))
        joint = px.Joint("free", "ground", "body", Planar(), **numbers)
        m = px.Mechanism("sleigh", [px.Body("ground"), body], [joint])
        return formulations.RollingMotion(m, [Blade("edge", "body")])

    numbers = {"damping": 0.7, "friction": 0.4, "stiffness": (3.0, 3.0, 2.0)}

    def forces(t, q, v):
        R = np.array([[np.cos(q[2]), -np.sin(q[2])], [np.sin(q[2]), np.cos(q[2])]])
        spring = -np.append(R.T @ (3.0 * q[:2]), 2.0 * q[2])
        return spring - 0.7 * v - 0.4 * np.tanh(v / machines.SLIP)

    q, v = np.array([0.1, 0.2, 0.3]), np.array([0.8, 0.0, 0.5])
    options = {"duration": 0.01, "steps": formulations.RungeKutta(1e-3)}
    found = formulations.run(wheel(**numbers), q, v, lambda t, q, v: np.zeros(3), **options)
    wanted = formulations.run(wheel(), q, v, forces, **options)
    np.testing.assert_allclose(found.v, wanted.v, rtol=1e-10, atol=1e-12)


# -- tasks, arrays, mesh, chip ---------------------------------------------------------------------


def of_array(way):
    m, network = arm(laden(way)), px.scans.sklansky
    name = way.rsplit(".", 1)[1]
    if name == "task_graph":
        f = px.expression(inverse_dynamics.modified, m, **opened(acting(way)))
        graph = multiprocessor.task_graph(f)
        told = given(acting(way))
        others = [told[port] for port in f.name_in()[3:]]
    elif name == "streamlined_tasks":
        graph, others = multiprocessor.streamlined_tasks(m), []
    elif name == "vector_tasks":
        wanted = {"tip": "tool", "tip_wrench": True, "moving_base": True}
        graph = multiprocessor.vector_tasks(m, network, **wanted).graph
        others = [WRENCH, np.zeros(6), np.concatenate([BASE, np.zeros(3)])]
    elif name == "quantity_tasks":
        M, bias = (
            multiprocessor.schedule(
                multiprocessor.quantity_tasks(m, quantity).graph, multiprocessor.SharedMemory(1)
            ).execute(*inputs)
            for quantity, inputs in (
                ("mass_matrix", (Q,)),
                ("inverse_dynamics", (Q, V, np.zeros_like(A))),
            )
        )
        return M @ A + bias
    elif name == "operator_array":
        return hardware.operator_array(m, network).execute(Q[None], V[None], A[None])
    else:
        return chip.chip_array(m).inverse_dynamics(Q[None], V[None], A[None])
    plan = multiprocessor.schedule(graph, multiprocessor.SharedMemory(2))
    found = plan.execute(Q, V, A, *others)
    return found[0] if isinstance(found, tuple) else found


@pytest.mark.parametrize(
    "way",
    [way for way in WAYS if way.startswith(("multiprocessor.", "hardware.")) and "mesh" not in way],
)
def test_arrays_have_every_load(way):
    wanted = plain_arm().torques(Q, V, A, acting(way))
    np.testing.assert_allclose(np.ravel(of_array(way)), wanted, rtol=1e-9, atol=1e-9)


def test_a_linearization_has_every_load():
    near = px.linearize(arm(laden("linearize")), Q, forces=FORCES, hold=True)
    has, h, still = acting("linearize"), 1e-5, np.zeros(3)

    def slope(move: Any) -> np.ndarray:
        """Of the reference's accelerations along each coordinate."""
        ends = ((move(h * e), move(-h * e)) for e in np.eye(3))
        columns = [
            plain_arm().accelerations(*after, near.hold, has)
            - plain_arm().accelerations(*before, near.hold, has)
            for after, before in ends
        ]
        return np.column_stack(columns) / (2 * h)

    bounds = {"rtol": 1e-6, "atol": 1e-6}
    np.testing.assert_allclose(near.stiffness, slope(lambda d: (Q + d, still)), **bounds)
    np.testing.assert_allclose(near.damping, slope(lambda d: (Q, d)), **bounds)


@pytest.mark.parametrize("variant", hardware.mesh.VARIANTS)
def test_a_mesh_has_every_load(variant):
    mesh = hardware.mesh
    way = "hardware.mesh.mesh_step"
    m = arm(acting(way))
    plan = mesh.mesh_step(m, CLASSIC, STEP, variant=variant).plan()
    motion = mesh.run_mesh(MeshMachine.of(m), plan, Q, V, np.tile(TAU, (STEPS, 1)))
    found = np.concatenate([motion.q[-1], motion.v[-1]])
    np.testing.assert_allclose(found, end_of_run(way), rtol=1e-9, atol=1e-11)

    way = "hardware.mesh.mesh_evaluation"
    names = ["M", "F", "a", "pivots"]
    found = mesh.mesh_evaluation(arm(laden(way)), variant=variant).plan().execute(Q, V, TAU)
    a = dict(zip(names, found, strict=True))["a"]
    wanted = plain_arm().accelerations(Q, V, TAU, acting(way))
    np.testing.assert_allclose(np.ravel(a), wanted, rtol=1e-9, atol=1e-9)


# -- several processes -----------------------------------------------------------------------------


@pytest.mark.parametrize("processes", [1, 2])
def test_chains_on_processes_have_every_load(processes):
    way, tight = "distribute.ChainJob", px.evaluators.Stopping(1e-13, 1e-13)
    solving = distribute.Solving(stopping=tight)
    pushed = {"wrenches": {"tool": WRENCH}}
    job = distribute.ChainJob(
        arm(acting(way)), solving, STEPS * STEP, STEP, q=Q, v=V, tau=TAU, **pushed
    )
    recording = distribute.run(job, processes).recording
    found = np.concatenate([recording["q"][-1], recording["v"][-1]])
    np.testing.assert_allclose(found, end_of_run(way), rtol=1e-8, atol=1e-9)

    way = "distribute.ForwardDynamicsJob"
    job = distribute.ForwardDynamicsJob(arm(laden(way)), Q, V, TAU, solving, **pushed)
    found = distribute.run(job, processes).a
    wanted = plain_arm().accelerations(Q, V, TAU, acting(way))
    np.testing.assert_allclose(found, wanted, rtol=1e-8, atol=1e-9)


ON_PROCESSES = [
    ("penalty", Penalty(), Mode.STAGES),
    ("penalty", Penalty(), Mode.FROZEN),
    ("projection", Projection(), Mode.STAGES),
    ("projection", Projection(), Mode.BLOCKS),
    ("recursive replicated", Recursive(), Mode.REPLICATED),
    ("recursive by legs", Recursive(), Mode.STAGES),
]


@pytest.mark.parametrize(("name", "method", "mode"), ON_PROCESSES)
def test_platforms_on_processes_have_every_load(name, method, mode):
    has = acting(f"distribute.PlatformJob, {name}")
    duration, h = 4e-3, 2e-4
    m = platform(has)

    def ended(step):
        options = {"method": method, "mode": mode, "feedback": Feedback(0.0, 0.0)}
        options["motion"] = distribute.MotorMotion((0.0, 0.0, 0.0), duration)  # hold still
        job = distribute.PlatformJob(m, duration=duration, step=step, **options)
        run = distribute.run(job).recording
        return np.concatenate([run["q"][-1], run["v"][-1]])

    found, tolerance = ended(h), 1e-8
    if mode is Mode.FROZEN:  # of the first order: half the step takes half the error
        found, tolerance = 2 * ended(h / 2) - found, 2e-5
    # motors hold the masses in the neutral posture, springs pull, and all the rest follows
    plain = plain_platform(loops.penalty if method == Penalty() else loops.multipliers)
    q, still, tau = plain.m.neutral(), np.zeros(plain.m.nv), np.zeros(plain.m.nv)
    holding = directions(q).T @ plain.torques(q, still, still, has & {Load.PAYLOAD})
    tau[[plain.m.v_slices[n].start for n in MOTORS]] = holding
    steps = round(duration / h)
    wanted = np.concatenate(plain.run(q, still, tau, has, steps, h))
    np.testing.assert_allclose(found, wanted, rtol=0, atol=tolerance)
    for load in has:
        without = np.concatenate(plain.run(q, still, tau, has - {load}, steps, h))
        assert np.abs(without - wanted).max() > 10 * tolerance, load


def test_torques_by_legs_have_every_load():
    way = "distribute.InverseDynamicsJob"
    q, v, a, _, T = moving_platform()
    m = platform(acting(way))
    wanted = T.T @ plain_platform().torques(q, v, a, acting(way))
    job = distribute.InverseDynamicsJob(m, q, [0.7, -0.4, 0.5], [0.9, 1.2, -0.8])
    np.testing.assert_allclose(distribute.run(job).torques, wanted, rtol=1e-9, atol=1e-9)

    way = "distribute.PlatformJob, inverse"
    motion = distribute.MotorMotion((0.5, -0.3, 0.2), 0.2)
    job = distribute.PlatformJob(m, task="inverse", duration=0.1, step=0.02, motion=motion)
    run = distribute.run(job).recording
    for k in (2, 5):
        q, v, a = run["q"][k], run["v"][k], run["a"][k]
        wanted = directions(q).T @ plain_platform().torques(q, v, a, acting(way))
        np.testing.assert_allclose(run["tau"][k], wanted, rtol=1e-8, atol=1e-8)


# -- quantities ------------------------------------------------------------------------------------


def test_derivatives_have_rotors_payload_and_parameters():
    for way, state in (("forward_dynamics", (Q, V, TAU)), ("inverse_dynamics", (Q, V, A))):
        row = f"{way}.derivatives"
        f = px.expression(equation_of(row), arm(laden(row)), **opened(acting(row)))
        by = [np.array(d) for d in f(*state, OTHER_MASS)]
        plain = plain_arm()
        of = plain.accelerations if way == "forward_dynamics" else plain.torques
        for k, found in enumerate(by):

            def moved(amount, k=k, of=of, state=state, row=row):
                there = [x + amount if i == k else x for i, x in enumerate(state)]
                return of(*there, acting(row))

            h = 1e-5 * np.eye(3)
            wanted = np.array([moved(step) - moved(-step) for step in h]).T / 2e-5
            np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


def test_a_regressor_has_a_payload():
    way = "inverse_dynamics.regressor"
    has = acting(way) - {Load.PARAMETERS}
    m = arm(laden(way))
    torques = px.Dynamics(m).regressor(Q, V, A) @ values_of(m, ())
    np.testing.assert_allclose(torques, plain_arm().torques(Q, V, A, has), rtol=1e-9)


def test_embedded_equations_have_rotors_payload_and_parameters():
    way = "loops.embedded"
    q, v, _, tau, _ = moving_platform()
    model = model_of(platform(laden(way)), ["distal_1.mass"])
    x = [ca.SX.sym(name, size) for name, size in (("q", 9), ("z", 3), ("tau", 9))]
    _, rates = loops.embedded(model, *x, independent=MOTORS)
    f = ca.Function("embedded", [*x, *model.parameters.symbols.values()], [rates])
    found = np.array(f(q, [0.7, -0.4, 0.5], tau, OTHER_MASS)).ravel()
    a = plain_platform().accelerations(q, v, tau, acting(way))
    wanted = a[[plain_platform().m.v_slices[name].start for name in MOTORS]]
    np.testing.assert_allclose(found, wanted, rtol=1e-9)


def test_loads_in_joints_are_those_of_the_motion():
    way = "evaluators.joint_loads"
    has = acting(way)
    a = plain_arm().accelerations(Q, V, TAU, has)
    found = px.evaluators.joint_loads(arm(laden(way)), Q, V, TAU)
    felt = TAU - np.diag(plain_arm().inertia(Q, V, {Load.ROTORS})[0]) * a
    along = [found.moment[0, 0, 2], found.force[0, 1, 0], found.moment[0, 2, 1]]
    np.testing.assert_allclose(along, felt, rtol=1e-8, atol=1e-9)


def test_a_swept_quantity_has_rotors_payload_and_parameters():
    way = "sweeps.Evaluation"
    run = px.sweeps.Evaluation(arm(laden(way)), "inverse_dynamics", at={"q": Q, "v": V, "a": A})
    found = px.sweep(run, px.sweeps.Table({"link_1.mass": [OTHER_MASS]}))["tau"][0]
    np.testing.assert_allclose(found, plain_arm().torques(Q, V, A, acting(way)), rtol=1e-9)


def test_a_swept_scenario_has_loads_of_its_file(tmp_path):
    has = frozenset({Load.DAMPING, Load.FRICTION, Load.WRENCHES})
    one_way = [replace(joint, backward_friction=None) for joint in arm(has).joints]
    px.export_urdf(replace(arm(has), joints=one_way), tmp_path / "arm.urdf")
    (tmp_path / "push.toml").write_text(
        f"""model = "arm.urdf"
duration = {STEPS * STEP}
step = {STEP}
[initial]
q = {Q.tolist()}
v = {np.abs(V).tolist()}
[forces]
damping = true
friction = true
[wrenches]
tool = {WRENCH.tolist()}
"""
    )
    run = px.sweeps.Simulation(tmp_path / "push.toml")
    found = px.sweep(run, px.sweeps.Table({"step": [STEP]}), keep=["q_end", "v_end"])
    wanted = plain_arm().run(Q, np.abs(V), 0 * TAU, has, STEPS, STEP)
    np.testing.assert_allclose(found["q_end"][0], wanted[0], rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(found["v_end"][0], wanted[1], rtol=1e-9, atol=1e-11)


# -- what is refused, and what has no argument -----------------------------------------------------


def equation_of(way):
    here = px
    for name in way.split("."):
        here = getattr(here, name)
    return here


EQUATIONS = [way for way in WAYS if way.split(".")[0].endswith("dynamics") or "loops." in way]


@pytest.mark.parametrize("way", EQUATIONS)
@pytest.mark.parametrize("load", [Load.WRENCHES, Load.MOVING_BASE])
def test_equations_refuse_what_they_do_not_take(way, load):
    if WAYS[way][load] is Effect.REFUSED:
        machine = platform() if "loops." in way else arm()
        with pytest.raises(InvalidInput, match=r"takes no (wrenches|base)"):
            px.expression(equation_of(way), machine, **opened(frozenset({load})))


@pytest.mark.parametrize("way", [way for way in OF_TREES if way.startswith("evaluators.")])
def test_traversals_refuse_parameters_by_name(way):
    with pytest.raises(InvalidInput, match=r"link_1\.mass"):
        px.Dynamics(arm(), forward=OF_TREES[way], parameters=["link_1.mass"])


@pytest.mark.parametrize("load", [Load.WRENCHES, Load.MOVING_BASE])
@pytest.mark.parametrize(
    "quantity", ["forward_dynamics_derivatives", "inverse_dynamics_derivatives", "regressor"]
)
def test_derivatives_of_a_loaded_machine_are_refused(load, quantity):
    d = px.Dynamics(arm(), **opened(frozenset({load})))
    with pytest.raises(UnsupportedLoad, match=quantity):
        getattr(d, quantity)(Q, V, A)


def test_actuation_takes_wrenches_and_the_motion_of_the_root():
    q, v, a, _, T = moving_platform()
    has = frozenset({Load.WRENCHES, Load.MOVING_BASE})
    d = px.Dynamics(platform(), actuated=MOTORS, **opened(has))
    wanted = T.T @ plain_platform().torques(q, v, a, has)
    np.testing.assert_allclose(d.actuation(q, v, a, **given(has)).tau, wanted, rtol=1e-9)
    with pytest.raises(InvalidInput, match="wrench_tool"):
        d.actuation(q, v, a)


REFUSING = {
    "hardware.mesh.mesh_step": lambda has: hardware.mesh.mesh_step(arm(has), CLASSIC, STEP),
    "distribute.ChainJob": lambda has: distribute.run(distribute.ChainJob(arm(has)), 2),
    "distribute.PlatformJob, recursive by legs": lambda has: distribute.run(
        distribute.PlatformJob(platform(has), method=Recursive(), mode="stages")
    ),
    "distribute.PlatformJob, inverse": lambda has: distribute.run(
        distribute.PlatformJob(platform(has), task="inverse")
    ),
    "distribute.InverseDynamicsJob": lambda has: distribute.run(
        distribute.InverseDynamicsJob(platform(has), np.zeros(9), np.zeros(3), np.zeros(3))
    ),
}


@pytest.mark.parametrize(
    ("load", "named"), [(Load.SPRINGS, "'cord'"), (Load.FLUID, r"fluid \(density 900")]
)
def test_springs_between_frames_and_fluids_are_refused_where_the_table_says_so(load, named):
    refusing = {way for way, row in WAYS.items() if row[load] is Effect.REFUSED}
    assert refusing == set(REFUSING)
    for call in REFUSING.values():
        with pytest.raises(UnsupportedLoad, match=named):
            call(frozenset({load}))


def test_calls_without_an_argument_for_a_load_have_none():
    words = {Load.WRENCHES: "wrench", Load.MOVING_BASE: "base", Load.PARAMETERS: "parameters"}
    for way, row in WAYS.items():
        public = formulations if way.startswith("formulations") else px
        path = way.split(",")[0].removeprefix("formulations.").split(".")
        for name in path:
            public = getattr(public, name)
        taken = " ".join(inspect.signature(public).parameters)
        for load, word in words.items():
            if row[load] is Effect.NO_ARGUMENT:
                assert word not in taken, (way, load)


# -- the table itself ------------------------------------------------------------------------------

# names that take a machine and do not run it: they read, edit, describe or solve for postures
NOT_RUN = {
    "Assembly", "Divergence", "RolloutDiverged", "InconsistentMotion", "InverseKinematics",
    "OpenLoop", "Setup",
    "SingularPosture", "Viewer", "assemble", "attach", "export_urdf", "lock", "merge_fixed",
    "release_mimics", "subtree", "with_floating_base", "Dynamics", "expression", "track",
    "computed_torque", "proportional_derivative", "feedforward", "cut", "drop", "pick_up",
    "sweeps.Call", "evaluators.Bodies", "evaluators.bodies_of", "evaluators.still_root",
    "hardware.chip.ChipArray", "hardware.mesh.MeshTasks",
    "hardware.mesh.mesh_branches", "hardware.mesh.run_mesh",
    "distribute.branches",
    "loops.complete_motion", "loops.complete_motion_of_frame", "loops.consistent_acceleration",
    "loops.consistent_velocity", "loops.free_amplification", "loops.inconsistency",
    "loops.loop_residuals", "loops.loop_wrenches", "loops.reduced_bias", "loops.reduced_gravity",
    "loops.reduced_mass_matrix", "loops.shares_by_condition",
}  # fmt: skip


def ways_there_are() -> set[str]:
    """Public names that take a machine, methods for chains and formulations, from the package."""
    modules = {
        "": px,
        "sweeps.": px.sweeps,
        "evaluators.": px.evaluators,
        "forward_dynamics.": forward_dynamics,
        "forward_dynamics.in_root_frame.": forward_dynamics.in_root_frame,
        "inverse_dynamics.": inverse_dynamics,
        "inverse_dynamics.lagrangian.": inverse_dynamics.lagrangian,
        "loops.": loops,
        "formulations.": formulations,
        "multiprocessor.": multiprocessor,
        "hardware.": hardware,
        "hardware.chip.": chip,
        "hardware.mesh.": hardware.mesh,
        "distribute.": distribute,
    }
    found = set()
    for prefix, module in modules.items():
        for name in module.__all__:
            public = getattr(module, name)
            if inspect.ismodule(public) or not callable(public):
                continue
            try:
                parameters = inspect.signature(public).parameters.values()
            except ValueError:
                continue
            names = {"mechanism", "machine", "scenario"}
            names |= {"model"} if prefix.startswith("distribute") else set()
            takes = any(p.name in names for p in parameters)
            method = inspect.isclass(public) and issubclass(public, px.evaluators.Method)
            if takes or (method and public is not px.evaluators.Method):
                found.add(prefix + name)
    return found


def test_every_way_to_run_is_in_the_table():
    found = ways_there_are() - NOT_RUN
    listed = {way.split(",")[0] for way in WAYS}
    assert found - listed == set()
    assert listed - ways_there_are() == set()


def test_every_row_has_every_load():
    assert all(set(row) == set(Load) for row in WAYS.values())


def test_each_load_alone_moves_the_reference():
    q, v, _, tau, _ = moving_platform()
    for plain, state in ((plain_arm(), (Q, V, TAU)), (plain_platform(), (q, v, tau))):
        free = plain.accelerations(*state, frozenset())
        for load in Load:
            assert np.abs(plain.accelerations(*state, {load}) - free).max() > 1e-2, load


def test_the_page_shows_the_table():
    page = (Path(__file__).parents[2] / "docs" / "loads.md").read_text(encoding="utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    expected = [
        f"| `{way}` | " + " | ".join(row[load].value for load in Load) + " |"
        for way, row in WAYS.items()
    ]
    assert rows == expected
