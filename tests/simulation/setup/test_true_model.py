"""Control laws are built on the nominal model, whatever the plant becomes.

The reference is a loop of its own: a controller in Python on nominal `px.Dynamics`, evaluated at
every stage of a classical Runge-Kutta step of the true machine's accelerations.
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass, replace

import casadi as ca
import numpy as np
import pytest
from casadi import SX
from typer.testing import CliRunner

import phalanx as px
from phalanx.actuators.subsystem import Quantity, SampledControl
from phalanx.cli.app import app
from phalanx.dynamics.evaluators.choice import SIZES
from phalanx.equations import inverse_dynamics
from phalanx.equations.model_of import model_of
from phalanx.simulation.record.description import describe_control
from phalanx.simulation.setup.content_hash import content

ARM = px.library.double_pendulum(gravity=(0.0, 0.0, -9.81))
TIP = ARM.bodies[-1].name
MASS = f"{TIP}.mass"
GOAL = np.array([0.4, 0.3])
STEP = 2e-3
STEPS = 200
HASTY = {"speed": 1e6, "policy": px.CatchUp(np.inf)}


def heavier(arm: px.Mechanism, factor: float, body: str = TIP) -> px.Mechanism:
    """The same machine, one of whose masses differs and nothing else."""
    bodies = [replace(b, mass=b.mass * factor) if b.name == body else b for b in arm.bodies]
    return replace(arm, bodies=bodies)


def loop(machines, control, q, v, step=STEP):
    """States after steps of the true machine, one a step, under a controller in Python."""
    x = np.concatenate([q, v])
    n, rows = len(v), [x]
    damping = np.concatenate([joint.damping for joint in machines[0].moving_joints])
    known: dict[int, px.Dynamics] = {}
    for k, machine in enumerate(machines):
        d = known.setdefault(id(machine), px.Dynamics(machine))

        def rate(t, x, d=d):
            tau = control(t, x[:n], x[n:]) - damping * x[n:]
            return np.concatenate([x[n:], d.forward_dynamics(x[:n], x[n:], tau)])

        t = k * step
        k1 = rate(t, x)
        k2 = rate(t + step / 2, x + step / 2 * k1)
        k3 = rate(t + step / 2, x + step / 2 * k2)
        k4 = rate(t + step, x + step * k3)
        x = x + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        rows.append(x)
    return np.array(rows)


def computed(arm, goal):
    """Computed torque on a nominal machine."""
    d = px.Dynamics(arm)
    return lambda t, q, v: d.inverse_dynamics(q, v, 100.0 * (goal - q) - 20.0 * v)


def law_of(goal=GOAL):
    return px.computed_torque(goal, stiffness=100.0, damping=20.0)


MOTION = px.planning.cycloid(0.5, np.zeros(2), GOAL)


def gravity_and_springs(model, t, q, v):
    """A law as users write it."""
    still = SX.zeros(2, 1)
    return 40.0 * (ca.DM(GOAL) - q) - 8.0 * v + inverse_dynamics.recursive(model, q, still, still)


def on_nominal(kind: str):
    """The law, and the same control in Python."""
    d = px.Dynamics(ARM)
    match kind:
        case "computed torque":
            return law_of(), computed(ARM, GOAL)
        case "feedforward":
            return px.feedforward(MOTION), lambda t, q, v: d.inverse_dynamics(*MOTION(t))
        case "follow":

            def control(t, q, v):
                wanted = MOTION(t)
                pull = 100.0 * (wanted[0] - q) + 20.0 * (wanted[1] - v)
                return d.inverse_dynamics(q, v, wanted[2] + pull)

            return px.track(MOTION, stiffness=100.0, damping=20.0), control
        case _:
            springs = px.Law(gravity_and_springs)
            return springs, lambda t, q, v: 40.0 * (GOAL - q) - 8.0 * v + d.gravity(q)


@pytest.mark.parametrize("kind", ["computed torque", "feedforward", "follow", "written by a user"])
def test_a_law_does_not_know_the_numbers_of_a_run(kind):
    """Mass and gravity are the run's own; simulate and rollout say what the loop says."""
    law, control = on_nominal(kind)
    gravity = np.array([0.5, 0.0, -8.0])
    true = replace(heavier(ARM, 1.3), gravity=gravity)
    wanted = loop([true] * STEPS, control, np.zeros(2), np.zeros(2))
    told = {MASS: 1.3 * ARM.body(TIP).mass, "gravity": gravity}
    run = px.simulate(
        ARM, np.zeros(2), control=law, parameters=told, step=STEP, duration=STEP * STEPS
    )
    np.testing.assert_allclose(run["q"], wanted[:, :2], atol=1e-11)
    runs = px.rollout(
        ARM, np.zeros(2), np.zeros(2), control=law, parameters=told, step=STEP, steps=STEPS
    )
    np.testing.assert_allclose(runs.q, wanted[1:, :2], atol=1e-11)


@pytest.mark.parametrize("kind", ["computed torque", "feedforward", "follow", "written by a user"])
def test_the_true_model_is_one_choice_for_all_laws(kind):
    """A law with the true model of a heavier arm is the law of that arm."""
    law = on_nominal(kind)[0]
    true = heavier(ARM, 1.3)
    runs = {"step": STEP, "steps": 50}
    told = {MASS: true.body(TIP).mass}
    informed = px.with_true_model(law)
    here = px.rollout(ARM, GOAL, [0.0, 0.0], control=informed, parameters=told, **runs)
    there = px.rollout(true, GOAL, [0.0, 0.0], control=law, **runs)
    np.testing.assert_allclose(here.q, there.q, atol=1e-12)
    believing = px.rollout(ARM, GOAL, [0.0, 0.0], control=law, parameters=told, **runs)
    assert np.abs(believing.q - there.q).max() > 1e-4


def test_feedforward_of_a_heavier_arm_misses():
    """Every body 1.3 times as heavy: open-loop torques of the nominal one leave degrees."""
    factor = {f"{body.name}.mass": 1.3 * body.mass for body in ARM.bodies if body.mass}
    true = ARM
    for body in ARM.bodies:
        true = heavier(true, 1.3, body.name)
    wanted = loop([true] * 250, on_nominal("feedforward")[1], np.zeros(2), np.zeros(2))
    run = px.simulate(
        ARM, [0, 0], control=px.feedforward(MOTION), parameters=factor, step=STEP, duration=0.5
    )
    np.testing.assert_allclose(run["q"], wanted[:, :2], atol=1e-10)
    assert np.degrees(np.abs(run["q"][-1] - GOAL)).max() > 5


def test_a_law_does_not_know_what_is_picked_up():
    """Payload and changed gravity come by events; laws and Python say the same before and after."""
    arm = px.library.puma560()
    goal = np.array([0.8, -0.6, 0.5, 0.3, 0.4, -0.2])
    load = px.Body("load", mass=5.0, com=np.zeros(3), inertia=0.01 * np.eye(3))
    event = px.pick_up(0.1, "tool", load)
    control = computed(arm, goal)
    wanted = loop([arm] * 100 + [event.apply(arm)] * 500, control, goal, np.zeros(6), 1e-3)
    options = {"duration": 0.6, "events": [event]}
    run = px.simulate(arm, goal, control=law_of(goal), **options)
    np.testing.assert_allclose(run["q"], wanted[:, :6], atol=1e-9)
    assert np.degrees(np.abs(run["q"][-1] - goal)).max() > 2
    informed = px.simulate(arm, goal, control=px.with_true_model(law_of(goal)), **options)
    assert np.abs(informed["q"] - goal).max() < 1e-9


def test_in_real_time_too():
    """A LiveRun takes the same steps."""
    told = {MASS: 1.3 * ARM.body(TIP).mass}
    for law in (law_of(), px.with_true_model(law_of())):
        live = px.LiveRun(
            px.Setup(ARM, control=law, parameters=tuple(told)),
            GOAL,
            parameters=told,
            step=STEP,
            duration=0.1,
            record=True,
            **HASTY,
        )
        live.run()
        run = px.simulate(ARM, GOAL, control=law, parameters=told, step=STEP, duration=0.1)
        np.testing.assert_allclose(live.recording["q"][-1], run["q"][-1], atol=1e-13)


def test_gains_stay_numbers_of_the_law():
    """`control.stiffness` varies from run to run, the masses that the law knows do not."""
    setup = px.Setup(ARM, control=law_of(), parameters=("control.stiffness", MASS))
    told = {"control.stiffness": np.array([50.0, 100.0]), MASS: 1.3 * ARM.body(TIP).mass}
    both = px.rollout(setup, GOAL, [0.0, 0.0], parameters=told, steps=50, step=STEP)
    for k, stiffness in enumerate((50.0, 100.0)):
        law = px.computed_torque(GOAL, stiffness=stiffness, damping=20.0)
        one = px.rollout(
            ARM, GOAL, [0, 0], control=law, parameters={MASS: told[MASS]}, steps=50, step=STEP
        )
        np.testing.assert_allclose(both.q[k], one.q, atol=1e-13)


def test_the_nominal_machine_may_be_another_one():
    setup = px.Setup(heavier(ARM, 1.3), control=law_of(), nominal=ARM)
    run = px.simulate(setup, np.zeros(2), step=STEP, duration=STEP * STEPS)
    wanted = loop([setup.mechanism] * STEPS, computed(ARM, GOAL), np.zeros(2), np.zeros(2))
    np.testing.assert_allclose(run["q"], wanted[:, :2], atol=1e-11)
    with pytest.raises(px.InvalidInput, match=r"nominal machine.*6 positions"):
        px.Setup(ARM, nominal=px.library.puma560())


@dataclass(frozen=True)
class Weight(SampledControl):
    """Holds up the machine that it knows, from one sample to the next."""

    inputs = {}  # noqa: RUF012

    def quantities(self, mechanism):
        return (Quantity("held", "N·m", ("a", "b")),)

    def initial(self, mechanism, q):
        return np.zeros((*q.shape[:-1], 2))

    def sampled(self, model, t, q, v, s, inputs):
        still = SX.zeros(2, 1)
        return inverse_dynamics.recursive(model, q, still, still)

    def command(self, s):
        return s


def test_sampled_control_is_shown_the_nominal_model():
    told = {MASS: 1.3 * ARM.body(TIP).mass}
    for control, machine in (
        (Weight(), ARM),
        (px.with_true_model(Weight()), heavier(ARM, 1.3)),
    ):
        run = px.simulate(ARM, GOAL, control=control, parameters=told, step=STEP, duration=0.01)
        np.testing.assert_allclose(run["tau"], px.Dynamics(machine).gravity(run["q"]), atol=1e-12)


@dataclass(frozen=True)
class Held(Weight):
    """Holds for ever what it takes to hold up the machine that it knows at the start."""

    def initial(self, mechanism, q):
        return px.Dynamics(mechanism).gravity(q)

    def sampled(self, model, t, q, v, s, inputs):
        return s


def test_sampled_control_begins_with_the_nominal_machine():
    true = heavier(ARM, 1.3)
    for control, machine in ((Held(), ARM), (px.with_true_model(Held()), true)):
        setup = px.Setup(true, control=control, nominal=ARM)
        run = px.simulate(setup, GOAL, step=STEP, duration=0.01)
        np.testing.assert_allclose(run["tau"][0], px.Dynamics(machine).gravity(GOAL), atol=1e-12)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_gravity_of_each_run_is_not_known_in_either_precision(dtype):
    """The nominal law sags, the informed one does not."""
    gravity = np.array([[0.0, 0.0, -9.81], [3.0, 0.0, -9.0]])
    run = {"step": STEP, "steps": STEPS, "dtype": dtype, "parameters": {"gravity": gravity}}
    ends = [
        px.rollout(ARM, np.tile(GOAL, (2, 1)), np.zeros(2), control=law, forces=(), **run).q[:, -1]
        for law in (law_of(), px.with_true_model(law_of()))
    ]
    assert np.abs(ends[0][0] - GOAL).max() < 1e-4 and np.abs(ends[0][1] - GOAL).max() > 1e-2
    assert np.abs(ends[1] - GOAL).max() < 1e-4


def test_the_choice_is_a_value():
    """It pickles, tells contents apart, and is said in reports."""
    user = px.Law(gravity_and_springs, gains={})
    for law in (law_of(), user, Weight()):
        informed = px.with_true_model(law)
        again = pickle.loads(pickle.dumps(informed))
        assert again.true_model and not law.true_model
        assert content(px.with_true_model(law)) == content(informed) != content(law)
    assert describe_control(px.with_true_model(law_of())).endswith("built on the true model")
    for nothing in (lambda t, q, v: q, 3.0, None):
        with pytest.raises(px.InvalidInput, match="law"):
            px.with_true_model(nothing)


def _spring(model, t, q, v, k):
    return -k * q


def test_a_law_with_gains_keeps_them_in_a_pickle():
    law = px.Law(_spring, gains={"k": 3.0})
    assert pickle.loads(pickle.dumps(law)).gains == law.gains


def test_scenarios_say_which_model(tmp_path):
    text = """
    model = "double_pendulum"
    duration = 0.1
    [control]
    kind = "computed-torque"
    target = [0.4, 0.3]
    stiffness = 100
    damping = 20
    """
    laws = {}
    for word in ("", 'model = "nominal"', 'model = "true"'):
        file = tmp_path / "run.toml"
        file.write_text(text + word)
        laws[word] = px.read_scenario(file).control
    assert [law.true_model for law in laws.values()] == [False, False, True]
    file.write_text(text + "nominal = true")
    with pytest.raises(px.UnknownName, match="nominal"):
        px.read_scenario(file)


def test_a_law_that_needs_a_joint_which_is_cut_is_refused():
    chain = px.library.chain(3)
    goal, options = np.zeros(3), {"duration": 0.02, "events": [px.cut(0.01, "joint_3")]}
    with pytest.raises(px.InvalidInput, match=r"'joint_3' is cut .*true model"):
        px.simulate(chain, control=px.with_true_model(law_of(goal)), **options)
    with pytest.raises(px.InvalidInput, match=r"'joint_3' is cut .*position or velocity"):
        px.simulate(chain, control=law_of(goal), **options)


FOUR_BAR = px.library.four_bar()
COUPLER = next(j.child for j in FOUR_BAR.moving_joints if j.parent == "crank")
CLOSED = px.assemble(FOUR_BAR, FOUR_BAR.neutral()).q


@pytest.mark.parametrize(
    "law",
    [
        px.computed_torque(CLOSED + 0.3, stiffness=100.0, damping=20.0),
        px.track(
            px.planning.cycloid(1.0, CLOSED[:1], CLOSED[:1] + 0.3), stiffness=100.0, damping=20.0
        ),
    ],
    ids=["computed torque", "follow"],
)
def test_motors_of_loops_do_not_know_what_hangs_on_them(law):
    """The reference has no model at hand: forces as a function of numbers, of the nominal machine.

    A body that is heavier in this run, and one that is picked up.
    """
    t, q, v = SX.sym("t"), SX.sym("q", FOUR_BAR.nq), SX.sym("v", FOUR_BAR.nv)
    forces = ca.Function("forces", [t, q, v], [law(model_of(FOUR_BAR), t, q, v, {}, {})])
    true = heavier(FOUR_BAR, 1.5, COUPLER)
    told = {f"{COUPLER}.mass": true.body(COUPLER).mass}
    load = px.Body("load", mass=1.0, inertia=0.01 * np.eye(3))
    options = {"duration": 0.2, "events": [px.pick_up(0.1, COUPLER, load)]}
    run = px.simulate(FOUR_BAR, CLOSED, control=law, parameters=told, **options)
    wanted = px.simulate(true, CLOSED, control=forces, **options)
    np.testing.assert_allclose(run["q"], wanted["q"], atol=1e-12)
    informed = px.simulate(true, CLOSED, control=law, **options)
    assert np.abs(informed["q"] - wanted["q"]).max() > 1e-3


def by_mass(model, t, q, v):
    """A spring that is as stiff as the machine is heavy."""
    return -0.1 * sum(body.mass for body in model.mechanism.bodies) * q


def test_laws_of_long_machines_do_not_know_what_is_picked_up():
    """Machines that are traversed, whose models have no equations, in simulate and rollout."""
    links = SIZES["run"].traversed_from
    chain, start = px.library.chain(links), np.full(links, 0.01)
    mass, tip = sum(body.mass for body in chain.bodies), chain.bodies[-1].name
    event = px.pick_up(0.002, tip, px.Body("load", mass=3.0, inertia=0.01 * np.eye(3)))
    for law, known in ((px.Law(by_mass), mass), (px.with_true_model(px.Law(by_mass)), mass + 3)):
        run = px.simulate(chain, start, control=law, events=[event], duration=0.004)
        np.testing.assert_allclose(run["tau"][-1], -0.1 * known * run["q"][-1], atol=1e-12)
    setup = px.Setup(heavier(chain, 2.0, tip), control=px.Law(by_mass), nominal=chain)
    runs = px.rollout(setup, start, np.zeros(chain.nv), steps=1, record=("tau",))
    np.testing.assert_allclose(runs.tau[0], -0.1 * mass * start, atol=1e-12)


def test_commands_and_study_files_build_on_the_nominal_model(tmp_path):
    """`phalanx rollout --randomise`, and a study with a control of each kind."""
    goal, words = np.array([0.8, -0.6, 0.5, 0.3, 0.4, -0.2]), "0.8,-0.6,0.5,0.3,0.4,-0.2"
    arm = px.library.puma560()
    true = heavier(arm, 1.3, "link_3")
    wanted = loop([true] * 100, computed(arm, goal), np.zeros(6), np.zeros(6), 1e-3)[-1, :6]
    out = tmp_path / "runs.npz"
    asked = ["rollout", "puma560", "--runs", "2", "--steps", "100", "--q0", "0", "--forces", "none"]
    asked += ["--control", "computed-torque", "--target", words]
    asked += ["--randomise", "link_3.mass=1.3:1.3", "--output", str(out)]
    result = CliRunner().invoke(app, asked)
    assert result.exit_code == 0, result.output
    with np.load(out) as runs:
        np.testing.assert_allclose(runs["q"][:, -1], [wanted, wanted], atol=1e-11)
    law = f'kind = "computed-torque"\ntarget = [{words}]\nstiffness = 100\ndamping = 20\n'
    study = tmp_path / "study.toml"
    study.write_text(
        'keep = ["q_end"]\n[run]\nkind = "rollout"\nmodel = "puma560"\nsteps = 100\n'
        f'[run.controls.believing]\n{law}[run.controls.informed]\n{law}model = "true"\n'
        '[vary]\nkind = "grid"\n[vary.values]\ncontrol = ["believing", "informed"]\n'
        '"link_3.mass.factor" = [1.3]\n'
    )
    read = px.sweeps.read_study(study)
    ends = np.reshape(px.sweep(read.run, read.over, keep=("q_end",))["q_end"], (2, 6))
    for end, nominal in zip(ends, (arm, true), strict=True):
        setup = px.Setup(true, control=law_of(goal), nominal=nominal)
        alone = px.rollout(setup, np.zeros(6), np.zeros(6), steps=100)
        np.testing.assert_allclose(end, alone.q[-1], atol=1e-11)
