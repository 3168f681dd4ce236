"""Long machines run by traversal, by equations of all bodies, and where these are too long."""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca
import numpy as np
import pytest

import phalanx as px
from phalanx.dynamics.evaluators.choice import SIZES, Sizes
from phalanx.mechanism import (
    Body,
    Continuous,
    Cylindrical,
    Fixed,
    Floating,
    Joint,
    Mechanism,
    Planar,
    Pose,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Universal,
)
from phalanx.simulation.record import channels
from phalanx.simulation.run.advance import FixedAdvance
from phalanx.simulation.run.run import Run
from phalanx.simulation.traversed.advance import TraversedAdvance
from simulation.small_subsystems import Lag, ProportionalIntegral

# rounding of steps whose sums are formed in the same order, over a few steps
SAME = 1e-12
MOTIONS = (
    Floating(),
    Revolute((0, 1, 0)),
    Fixed(),
    Spherical(),
    Prismatic((0.6, 0, 0.8)),
    Universal((1, 0, 0), (0, 1, 0)),
    Planar((0, 0, 1)),
    Continuous((1, 1, 0)),
    Cylindrical((0, 0, 1)),
    Screw((1, 0, 2), 0.1),
)


def tree() -> Mechanism:
    """A joint of every kind, in branches, with numbers of their own."""
    rng = np.random.default_rng(5)
    bodies, joints = [Body("ground")], []
    for k, motion in enumerate(MOTIONS):
        A = rng.standard_normal((3, 3))
        inertia = 0.1 * (A @ A.T + np.eye(3))
        inertia = np.trace(inertia) * np.eye(3) - inertia  # one that a body can have
        bodies.append(Body(f"body_{k}", 1 + rng.random(), rng.standard_normal(3) / 3, inertia))
        parent = "ground" if k == 0 else f"body_{rng.integers(max(0, k - 3), k)}"
        pose = Pose.from_rpy(rng.standard_normal(3) / 2, rng.standard_normal(3).tolist())
        numbers = {"damping": rng.random(), "friction": rng.random()} if motion.nv else {}
        if isinstance(motion, Prismatic | Planar | Cylindrical):
            numbers |= {"lower": -0.2, "upper": 0.1}
        joints.append(Joint(f"joint_{k}", parent, f"body_{k}", motion, pose, **numbers))
    return Mechanism("tree", bodies, joints)


def start(machine: Mechanism, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    v = np.random.default_rng(seed).standard_normal(machine.nv)
    return machine.random_positions(seed=seed), v


def by_both(monkeypatch, run: Callable[[], px.Recording]) -> None:
    """The same numbers by equations of the whole machine and by traversal."""
    written = run()
    monkeypatch.setitem(SIZES, "run", Sizes(0, 400))
    traversed = run()
    assert written.channels == traversed.channels
    for name in written.signals:
        scale = 1 + np.abs(written[name]).max()
        assert np.abs(written[name] - traversed[name]).max() < SAME * scale, name


# ---- the same as equations of the whole machine -------------------------------------------------


def test_every_joint_and_force_in_a_tree(monkeypatch):
    machine = tree()
    q, v = start(machine)
    forces = (
        px.Damping(),
        px.Friction(slip=0.1),
        px.Stops(stiffness=500.0, damping=5.0),
        px.FluidDrag(50.0, 0.1, current=(0.3, -0.2, 0.1)),
    )
    wrenches = {"body_8": [1.0, 2.0, 3.0, 0.1, 0.2, 0.3], "body_2": lambda t: [t, 1, 0, 0, 1, t]}
    law = px.Law(lambda model, t, q, v: ca.sin(3 * t) - 0.1 * v)
    by_both(
        monkeypatch,
        lambda: px.simulate(
            machine,
            q,
            v,
            duration=0.02,
            integrator=px.SemiImplicitEuler(),
            forces=forces,
            wrenches=wrenches,
            control=law,
            bodies=["body_8", "body_2", "ground"],
        ),
    )


@pytest.mark.parametrize(
    "integrator",
    [px.RungeKutta4(), px.RungeKuttaGill(), px.DormandPrince(1e-8, 1e-8)],
    ids=lambda method: type(method).__name__,
)
def test_every_method_takes_the_same_steps(monkeypatch, integrator):
    machine = px.library.chain(2, "spherical", damping=0.1)
    q, v = start(machine)
    by_both(
        monkeypatch,
        lambda: px.simulate(machine, q, v, duration=0.02, integrator=integrator, every=5),
    )


def test_subsystems_keep_their_states(monkeypatch):
    """A drive with a lag, under control with a memory that is looked at once a step."""
    machine = px.library.chain(1, damping=0.1)
    by_both(
        monkeypatch,
        lambda: px.simulate(
            machine,
            [0.3],
            duration=0.05,
            step=0.01,
            actuation=Lag(),
            control=ProportionalIntegral(),
            inputs={"target": [1.0]},
            rates=True,
        ),
    )


def test_batches_are_the_runs_that_they_are_made_of(monkeypatch):
    """Against the compiled loop, with torques, an objective and batch axes that broadcast."""
    machine = px.library.chain(2, "spherical", damping=0.1)
    rng = np.random.default_rng(1)
    q, v = machine.random_positions((2, 3), seed=1), rng.standard_normal((3, machine.nv))
    tau = rng.standard_normal((2, 1, 6, machine.nv))

    def run() -> px.RolloutResult:
        return px.rollout(
            machine,
            q,
            v,
            steps=6,
            tau=tau,
            every=2,
            record=("q", "v", "tau"),
            objective=lambda q, v, tau: ca.dot(v, tau),
            integrator=px.SemiImplicitEuler(),
        )

    written = run()
    monkeypatch.setitem(SIZES, "run", Sizes(0, 400))
    traversed = run()
    for name in ("time", "q", "v", "tau", "final_q", "final_v", "cost"):
        a, b = getattr(written, name), getattr(traversed, name)
        assert a.shape == b.shape
        assert np.abs(a - b).max() < SAME * (1 + np.abs(a).max()), name


# ---- machines that are long ---------------------------------------------------------------------

LONG = px.library.chain(200, length=0.1, mass=0.05, damping=1e-4)
HANGING = np.zeros(200)


def swinging(joint_rate: float = 0.3) -> np.ndarray:
    v = np.zeros(200)
    v[0] = joint_rate
    return v


def test_a_long_machine_is_traversed_and_a_short_one_is_not():
    for machine, kind in ((LONG, TraversedAdvance), (px.library.double_pendulum(), FixedAdvance)):
        run = Run(px.Setup(machine), steps=1)
        assert isinstance(run.segments[0].advance, kind)


def test_control_is_told_in_every_way():
    """A law, a function and a profile of the same torques; a law with an input of its own."""
    torque = np.linspace(-0.1, 0.1, 200)
    options = {"duration": 0.01, "joints": ["joint_1", "joint_200"]}
    law = px.simulate(LONG, control=px.Law(lambda model, t, q, v: ca.DM(torque)), **options)
    called = px.simulate(LONG, control=lambda t, q, v: torque, **options)
    profile = px.simulate(LONG, control=px.Profile([0.0, 1.0], [torque, torque]), **options)
    for other in (called, profile):
        assert np.abs(law["q"] - other["q"]).max() < SAME
        assert np.array_equal(law["tau"], other["tau"])
    held = px.proportional_derivative(stiffness=0.05, damping=1e-3)
    told = px.simulate(LONG, control=held, inputs={"target": torque}, **options)
    fixed = px.proportional_derivative(torque, stiffness=0.05, damping=1e-3)
    assert np.array_equal(told["q"], px.simulate(LONG, control=fixed, **options)["q"])


def test_a_batch_of_long_machines_is_single_runs():
    q = 0.1 * np.random.default_rng(3).standard_normal((3, 200))
    batch = px.rollout(LONG, q, swinging(), steps=5, record=("q",), every=5)
    for k in range(3):
        single = px.simulate(LONG, q[k], swinging(), duration=0.005)
        assert np.abs(batch.q[k, 0] - single["q"][-1]).max() < SAME
        assert np.abs(batch.final_v[k] - single["v"][-1]).max() < 1e-10
    assert not batch.diverged.any()
    bad = px.rollout(LONG, q * [[1.0], [np.nan], [1.0]], HANGING, steps=2, record=())
    assert bad.diverged.tolist() == [False, True, False]


def test_energy_drifts_with_the_order_of_the_method():
    """Half the step, a sixteenth of the drift: a crooked chain let go, without losses."""
    crooked = 0.05 * np.random.default_rng(0).standard_normal(200)
    drifts = []
    for step in (5e-4, 2.5e-4, 1.25e-4):
        run = px.simulate(LONG, crooked, HANGING, duration=0.2, step=step, forces=(), joints=())
        drifts.append(np.abs(run["energy"] - run["energy"][0]).max())
    assert (np.abs(np.log2(np.array(drifts[:-1]) / drifts[1:]) - 4) < 0.2).all()


def test_a_long_tether_is_cut():
    """What hangs below falls freely, what is above stays; in a swing, energy stays."""
    options = {
        "duration": 0.2,
        "step": 2e-3,
        "events": [px.cut(0.1, "joint_101")],
        "joints": ["joint_101"],
        "bodies": ["link_100", "link_101", "link_200"],
    }
    run = px.simulate(LONG, **options)
    free = run.time >= 0.1 - 1e-9
    assert np.abs(run["velocity"][~free]).max() < 1e-9
    fallen = np.outer(run.time[free] - 0.1, [0, 0, 0, 0, 0, -9.81, 0, 0, -9.81])
    assert np.abs(run["velocity"][free] - fallen).max() < 1e-9
    swing = px.simulate(LONG, HANGING, swinging(), **options)
    assert swing["q"].shape[1] == 7
    assert np.abs(swing["q"][~free, :3]).max() == 0
    assert np.ptp(swing["energy"] + swing["loss"]) < 1e-6 * np.abs(swing["energy"]).max()


def test_a_cable_sinks_at_its_terminal_velocity():
    """A straight chain on a floating joint, across its way: every link carries its own weight."""
    n, length, diameter, mass = 160, 0.5, 0.02, 0.4
    links = px.library.chain(n, length=length, mass=mass)
    free = [
        Joint(j.name, j.parent, j.child, Floating()) if k == 0 else j
        for k, j in enumerate(links.joints)
    ]
    cable = Mechanism("cable", links.bodies, free)
    water = px.FluidDrag(1000.0, diameter)
    level = np.zeros(cable.nq)
    level[3:7] = np.array([0.0, 1.0, 0.0, 1.0]) / np.sqrt(2)  # along x
    run = px.simulate(cable, level, duration=2.0, step=5e-3, forces=(water,), bodies=["link_80"])
    expected = np.sqrt(2 * mass * 9.81 / (1000.0 * 1.2 * diameter * length))
    assert abs(run["velocity"][-1, 2] + expected) < 1e-6
    assert np.ptp(run["energy"] + run["loss"]) < 1e-6 * run["loss"][-1]


def test_recordings_stay_small(tmp_path):
    """Of a few bodies: rows as wide as what is asked for, in memory and in the file."""
    run = px.simulate(
        LONG,
        HANGING,
        swinging(),
        duration=0.02,
        joints=(),
        bodies=["link_1", "link_150"],
        every=2,
        path=tmp_path / "run.mcap",
    )
    lines = set(run.signal("energy_balance").labels)
    assert lines == {
        *("input.drives", "lost.Damping", "lost.Friction", "lost.Stops", "lost.ModelFluid"),
        "exchanged.events",
        *("stored.kinetic", "stored.gravity", "stored.springs", "stored.Stops"),
    }
    assert run.table.shape == (11, 1 + 3 + len(lines) + 2 * 10)
    assert np.array_equal(px.Recording.read(tmp_path / "run.mcap")["position"], run["position"])


def test_a_recording_that_fills_the_memory_is_refused(monkeypatch):
    monkeypatch.setattr(channels, "LARGEST", 1e5)
    with pytest.raises(px.InvalidInput, match=r"joints=.*bodies=.*every="):
        px.simulate(LONG, duration=0.1)
    assert len(px.simulate(LONG, duration=0.1, joints=(), step=0.05)) == 3


def test_ten_thousand_bodies():
    """Three steps of a chain that hangs still: it goes on to hang still, energy is its weight's."""
    n, length, mass = 10_000, 0.01, 1e-3
    chain = px.library.chain(n, length=length, mass=mass)
    run = px.simulate(chain, duration=3e-4, step=1e-4, joints=(), bodies=["link_10000"])
    weight = -9.81 * mass * length * (n**2 / 2)
    assert np.abs(run["energy"] / weight - 1).max() < 1e-10
    assert np.abs(run["position"][-1] - [0, 0, -length * (n - 1)]).max() < 1e-9


# ---- what is refused ----------------------------------------------------------------------------

TOO_LONG = px.library.chain(500)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"integrator": px.Cvodes()}, "Cvodes"),
        ({"integrator": px.Rosenbrock2()}, "Rosenbrock2"),
        ({"forces": (px.Stiction(),)}, "Stiction"),
        ({"parameters": {"link_3.mass": 2.0}}, "link_3.mass"),
        ({"control": px.computed_torque(np.zeros(500), stiffness=1, damping=1)}, "px.Dynamics"),
    ],
)
def test_what_needs_the_whole_equations_says_so(options, says):
    with pytest.raises(px.InvalidInput, match=says):
        px.simulate(TOO_LONG, duration=0.01, **options)


def test_rollouts_refuse_what_traversal_cannot_do():
    still = np.zeros(500)
    with pytest.raises(px.InvalidInput, match="float32"):
        px.rollout(TOO_LONG, still, still, steps=2, dtype="float32")
    with pytest.raises(px.InvalidInput, match="'q' has shape"):
        px.rollout(TOO_LONG, np.zeros(3), still, steps=2)
    with pytest.raises(px.InvalidInput, match="broadcast"):
        px.rollout(TOO_LONG, np.zeros((2, 500)), np.zeros((3, 500)), steps=2)


def test_a_control_that_asks_for_equations_has_them_while_they_are_short(monkeypatch):
    """The unrolled step takes over where it is not too long, with the same answer."""
    machine = px.library.double_pendulum()
    law = px.computed_torque([0.1, 0.2], stiffness=10, damping=2)

    def run() -> px.Recording:
        return px.simulate(machine, [0.5, 0.1], duration=0.01, control=law)

    written = run()
    monkeypatch.setitem(SIZES, "run", Sizes(0, 400))
    assert np.array_equal(run()["q"], written["q"])


def test_a_run_that_fails_says_when_and_where():
    nan = np.where(np.arange(200) == 7, np.nan, 0.0)
    with pytest.raises(px.SimulationError, match=r"0\.003 s.*'joint_8' was nan"):
        px.simulate(LONG, duration=0.01, control=lambda t, q, v: nan if t > 0.0025 else HANGING)
    fast = swinging()
    fast[41] = 1e7
    with pytest.raises(px.SimulationError, match=r"'joint_\d+' moved fastest") as failure:
        px.simulate(LONG, HANGING, fast, duration=0.1, step=0.01)
    assert len(failure.value.recording) >= 1


def test_joints_without_inertia_are_named():
    bodies = [*LONG.bodies, Body("bare")]
    joints = [*LONG.joints, Joint("loose", "link_200", "bare", Revolute())]
    with pytest.raises(px.InvalidModel, match="loose"):
        px.simulate(Mechanism("bare", bodies, joints), duration=0.01)
