"""Subsystems with states of their own, in runs and rollouts: closed forms, loops by hand, twins."""

from __future__ import annotations

from dataclasses import dataclass, replace

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import phalanx as px
from phalanx.actuators.subsystem import Quantity
from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.simulation.run import run as runs
from phalanx.simulation.setup.profile import Profile

from .small_subsystems import Filling, Lag, ProportionalIntegral, cart

PENDULUM = px.library.chain(1)
LINK = PENDULUM.bodies[-1]
LENGTH, GRAVITY = 0.5, 9.81  # to the centre of mass; of the field
MOMENT = float(LINK.inertia[0, 0])  # about the centre of mass
STEP = 1e-2
CONTROL = ProportionalIntegral(step=STEP)


def acceleration(q: float, tau: float, mass: float = 1.0) -> float:
    return (tau - mass * GRAVITY * LENGTH * np.sin(q)) / (MOMENT + mass * LENGTH**2)


# -- control with a memory ------------------------------------------------------------------------


def by_hand(q: float, target, steps: int) -> np.ndarray:
    """Rows of (q, v, sum, torque), by a loop as one writes it for a machine."""
    v = total = 0.0
    rows = []
    for k in range(steps + 1):
        error = target(k * STEP) - q
        total += error * STEP
        tau = 4.0 * error - 0.5 * v + 3.0 * total
        rows.append([q, v, total, tau])

        def f(y, tau=tau):
            return np.array([y[1], acceleration(y[0], tau)])

        y = np.array([q, v])
        k1 = f(y)
        k2 = f(y + STEP / 2 * k1)
        k3 = f(y + STEP / 2 * k2)
        k4 = f(y + STEP * k3)
        q, v = y + STEP / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return np.array(rows)


TARGETS = {
    "number": ([0.4], lambda t: 0.4),
    "profile": (Profile([0.0, 0.5], [[0.4], [-0.3]]), lambda t: 0.4 if t < 0.5 - 1e-9 else -0.3),
    "function": (lambda t: [np.sin(t)], np.sin),
}


@pytest.mark.parametrize("kind", TARGETS)
def test_sampled_control_is_a_loop_by_hand(kind):
    given, target = TARGETS[kind]
    run = px.simulate(
        PENDULUM, [0.1], duration=1.0, step=STEP, control=CONTROL, inputs={"target": given}
    )
    found = np.concatenate([run[n] for n in ("q", "v", "error_sum", "torque")], axis=1)
    np.testing.assert_allclose(found, by_hand(0.1, target, 100), rtol=1e-11, atol=1e-12)
    np.testing.assert_array_equal(run["tau"], run["torque"])


# -- actuation ------------------------------------------------------------------------------------


def test_a_drive_with_a_lag_is_its_closed_form():
    T, u, mass = 0.05, 3.0, 2.0
    run = px.simulate(
        cart(mass), duration=0.5, step=1e-3, actuation=Lag(T), control=Profile([0.0], [[u]])
    )
    t = run.time
    risen = 1 - np.exp(-t / T)
    x = u / mass * (t**2 / 2 - T * t + T**2 * risen)
    # of order 4 at a fiftieth of the time constant
    np.testing.assert_allclose(run["drive"][:, 0], u * risen, atol=1e-8)
    np.testing.assert_allclose(run["v"][:, 0], u / mass * (t - T * risen), atol=1e-8)
    np.testing.assert_allclose(run["q"][:, 0], x, atol=1e-8)
    np.testing.assert_array_equal(run["tau"], run["drive"])
    np.testing.assert_array_equal(run["command"], np.full((501, 1), u))
    # work is what became of it
    np.testing.assert_allclose(run["work"], run["energy"] - run["energy"][0], atol=1e-8)


def test_a_law_commands_the_actuation():
    law = px.Law(lambda model, t, q, v: -20 * q - 2 * v)
    run = px.simulate(cart(), [0.3], duration=0.5, control=law, actuation=Lag())
    np.testing.assert_allclose(run["command"], -20 * run["q"] - 2 * run["v"], atol=1e-12)
    A = np.array([[0, 1, 0], [0, 0, 1 / 2.0], [-20 / 0.05, -2 / 0.05, -1 / 0.05]])
    w, V = np.linalg.eig(A)
    flow = (V * np.exp(w * 0.5)) @ np.linalg.inv(V)
    found = [run["q"][-1, 0], run["v"][-1, 0], run["drive"][-1, 0]]
    np.testing.assert_allclose(found, (flow @ [0.3, 0, 0]).real, atol=1e-8)


# -- surroundings that change the machine ---------------------------------------------------------


def test_a_pendulum_that_becomes_heavier():
    run = px.simulate(
        PENDULUM,
        [1.0],
        duration=1.0,
        step=1e-3,
        surroundings=Filling("link_1", 1.0),
        inputs={"flow": [2.0]},
        every=100,
    )
    np.testing.assert_allclose(run["load"][:, 0], 2.0 * run.time, atol=1e-12)
    truth = solve_ivp(
        lambda t, y: [y[1], acceleration(y[0], 0.0, 1 + 2 * t)], (0, 1), [1.0, 0.0],
        method="DOP853", rtol=1e-12, atol=1e-12, t_eval=run.time,
    )  # fmt: skip
    np.testing.assert_allclose(run["q"][:, 0], truth.y[0], atol=1e-10)
    # the energy is that of the machine as it then is
    d = px.Dynamics(PENDULUM, parameters=["link_1.mass"])
    energy = d.energy(run["q"], run["v"], 1 + run["load"][:, 0])
    np.testing.assert_allclose(run["energy"], energy, rtol=1e-12)


def test_a_machine_with_loops_that_becomes_heavier():
    machine = px.library.four_bar()
    mass = float(next(b.mass for b in machine.bodies if b.name == "coupler"))
    run = px.simulate(
        machine,
        duration=0.4,
        step=1e-3,
        surroundings=Filling("coupler", mass),
        inputs={"flow": [5 * mass]},
        forces=(),
        every=100,
    )
    d = px.Dynamics(machine, parameters=["coupler.mass"])

    def rates(t, y):
        n = machine.nv
        a = d.forward_dynamics(y[:n], y[n:], np.zeros(n), mass * (1 + 5 * t))
        return np.concatenate([y[n:], a])

    start = np.concatenate([machine.neutral(), np.zeros(machine.nv)])
    truth = solve_ivp(rates, (0, 0.4), start, "DOP853", rtol=1e-11, atol=1e-11, t_eval=run.time)
    np.testing.assert_allclose(run["q"], truth.y[: machine.nq].T, atol=1e-8)
    np.testing.assert_allclose(run["v"], truth.y[machine.nq :].T, atol=1e-7)
    assert np.abs(run["q"][-1] - machine.neutral()).max() > 0.1


def test_a_load_that_was_there_from_the_beginning():
    """Its mass as a state is the same machine as its mass in the body."""
    options = {"duration": 0.5, "step": 1e-3, "control": px.Law(lambda model, t, q, v: -v)}
    loaded = px.simulate(
        PENDULUM, [1.0], surroundings=Filling("link_1", 1.0), states={"load": [2.0]}, **options
    )
    heavy = replace(PENDULUM, bodies=[PENDULUM.bodies[0], replace(LINK, mass=3.0)])
    np.testing.assert_allclose(loaded["q"], px.simulate(heavy, [1.0], **options)["q"], atol=1e-12)


# -- steps one by one and native loops ------------------------------------------------------------


@pytest.fixture
def both_ways(monkeypatch):
    """Runs the same thing step by step and in chunks that do not divide its length."""

    def run(**options) -> tuple[px.Recording, px.Recording]:
        monkeypatch.setattr(runs, "SHORT", 10**9)
        steps = px.simulate(**options)
        monkeypatch.setattr(runs, "SHORT", 0)
        monkeypatch.setattr(runs, "CHUNK", 23)
        return steps, px.simulate(**options)

    return run


def everything() -> dict:
    """A heavier and heavier pendulum under control through a lag, pushed, that picks up a ball."""
    ball = px.Body("ball", 0.5, np.zeros(3), np.eye(3) * 1e-3)
    wiggle = np.linspace(0, 1, 11)
    return {
        "mechanism": PENDULUM,
        "q0": [0.5],
        "duration": 1.0,
        "step": STEP,
        "control": CONTROL,
        "actuation": Lag(),
        "surroundings": Filling("link_1", 1.0),
        "inputs": {
            "target": Profile(wiggle, np.sin(9 * wiggle)[:, None], "linear"),
            "flow": Profile([0.0, 0.31], [[0.5], [0.0]]),
        },
        "wrenches": {"link_1": Profile([0.0, 0.5], [[1, 0, 0, 0, 0, 0], [0, 0, 0.5, 0, 1, 0]])},
        "events": [px.pick_up(0.37, "link_1", ball)],
    }


def assert_same(a: px.Recording, b: px.Recording) -> None:
    assert a.channels == b.channels
    np.testing.assert_array_equal(a.time, b.time)
    for name in a.signals:
        np.testing.assert_allclose(a[name], b[name], rtol=1e-12, atol=1e-13, err_msg=name)


@pytest.mark.parametrize("every", [1, 7])
def test_chunks_are_the_steps(both_ways, every):
    steps, stretches = both_ways(**everything(), every=every)
    assert len(steps) == len(range(0, 100, every)) + 1
    assert_same(steps, stretches)


def test_stretches_without_control(both_ways):
    assert_same(*both_ways(mechanism=PENDULUM, q0=[1.0], duration=0.5, step=STEP))


def test_stretches_with_a_held_profile_and_loops(both_ways):
    machine = px.library.four_bar()
    push = Profile([0.0, 0.2], [[0.5, 0, 0], [-0.5, 0, 0]])
    steps, stretches = both_ways(mechanism=machine, duration=0.4, step=STEP, control=push, every=3)
    assert_same(steps, stretches)


def gone(t_end: float) -> px.Law:
    """A torque that is no number from then on."""
    return px.Law(lambda model, t, q, v: ca.sqrt(t_end - t) - v)


@pytest.mark.parametrize("every", [1, 7])
@pytest.mark.parametrize("t_end", [0.005, 0.2345, 0.457])
def test_leaving_finite_numbers_is_said_alike(monkeypatch, tmp_path, every, t_end):
    said, kept = [], []
    for short in (10**9, 0):
        monkeypatch.setattr(runs, "SHORT", short)
        monkeypatch.setattr(runs, "CHUNK", 23)
        path = tmp_path / f"{short}.mcap"
        with pytest.raises(px.SimulationError, match="left finite numbers") as caught:
            px.simulate(
                PENDULUM, duration=1.0, step=STEP, control=gone(t_end), every=every, path=path
            )
        said.append(str(caught.value))
        kept.append(caught.value.recording)
        assert len(px.Recording.read(path)) == len(kept[-1])
    assert said[0] == said[1]
    step = int(t_end / STEP)
    assert f"between t = {step * STEP:.6g} s and" in said[0]
    assert_same(*kept)
    assert len(kept[0]) == len(range(0, step + 1, every))


# -- many at once ---------------------------------------------------------------------------------


def acting() -> dict:
    return {"control": CONTROL, "actuation": Lag(), "surroundings": Filling("link_1", 1.0)}


def pieces() -> dict:
    return {"step": STEP} | acting()


RECORD = ("q", "v", "drive", "load", "error_sum")


def test_rollouts_are_runs():
    q0 = np.array([[0.5], [-0.2], [1.0]])
    told = {"target": np.array([[0.4], [0.0], [-0.6]]), "flow": np.array([[0.0], [1.0], [2.0]])}
    begin = {"load": np.array([[0.0], [0.5], [1.0]]), "drive": np.array([1.0])}
    fleet = px.rollout(PENDULUM, q0, np.zeros((3, 1)), steps=60, inputs=told, states=begin,
                       record=RECORD, every=2, **pieces())  # fmt: skip
    for k in range(3):
        alone = px.simulate(
            PENDULUM,
            q0[k],
            duration=0.6,
            inputs={name: value[k] for name, value in told.items()},
            states={"load": begin["load"][k], "drive": begin["drive"]},
            every=2,
            **pieces(),
        )
        for name in ("q", "v"):
            np.testing.assert_allclose(getattr(fleet, name)[k], alone[name][1:], rtol=1e-11)
        for name in ("drive", "load"):
            np.testing.assert_allclose(fleet.states[name][k], alone[name][1:], rtol=1e-11)
        np.testing.assert_array_equal(fleet.final_states["load"][k], fleet.states["load"][k, -1])


def test_a_rollout_goes_on_where_another_ended():
    loop = px.CompiledRollout(px.Setup(PENDULUM, **acting()), step=STEP, record=RECORD)
    q0, v0 = np.array([[0.5], [-0.2]]), np.zeros((2, 1))
    told = {"target": [0.4], "flow": [1.0]}
    whole = loop(q0, v0, steps=50, inputs=told)
    first = loop(q0, v0, steps=20, inputs=told)
    rest = loop(
        first.final_q, first.final_v, steps=30, inputs=told, states=first.final_states, start=0.2
    )
    np.testing.assert_allclose(rest.final_q, whole.final_q, rtol=1e-12)
    assert set(whole.final_states) == {"error_sum", "torque", "drive", "load"}
    for name, value in whole.final_states.items():
        np.testing.assert_allclose(rest.final_states[name], value, rtol=1e-12)


def test_commands_of_each_step_and_run():
    tau = np.random.default_rng(0).standard_normal((2, 30, 1))
    loop = px.CompiledRollout(px.Setup(cart(), actuation=Lag()), step=STEP, record=("q", "drive"))
    fleet = loop(np.zeros((2, 1)), np.zeros((2, 1)), steps=30, tau=tau)
    times = STEP * np.arange(30)
    for k in range(2):
        alone = px.simulate(cart(), duration=0.3, step=STEP, actuation=Lag(),
                            control=Profile(times, tau[k]))  # fmt: skip
        np.testing.assert_allclose(fleet.q[k], alone["q"][1:], rtol=1e-11, atol=1e-14)
        np.testing.assert_allclose(fleet.states["drive"][k], alone["drive"][1:], rtol=1e-11)


# -- methods that choose their steps --------------------------------------------------------------


@pytest.mark.parametrize("method", [px.DormandPrince(), px.Cvodes()], ids=["DOP853", "CVODES"])
def test_adaptive_methods_agree(method):
    """Between samples they go their own way; at samples they meet."""
    options = everything() | {"duration": 0.5, "every": 10}
    fixed = px.simulate(**options, integrator=px.RungeKutta4())
    free = px.simulate(**options, integrator=method)
    for name in fixed.signals:
        # RK4 at a fifth of the drive's lag: 1e-5
        np.testing.assert_allclose(free[name], fixed[name], rtol=0, atol=1e-4, err_msg=name)
    for name in ("error_sum", "torque", "load"):
        assert np.ptp(free[name]) > 0.01


# -- what does not fit ----------------------------------------------------------------------------

SIMPLE = {"mechanism": PENDULUM, "duration": 0.1, "step": STEP}
LOOPED = {**SIMPLE, "control": CONTROL, "inputs": {"target": [0.0]}}


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({**SIMPLE, "control": CONTROL}, InvalidInput, "target"),
        ({**SIMPLE, "control": CONTROL, "inputs": {"aim": [0.0]}}, UnknownName, "target"),
        ({**LOOPED, "inputs": {"target": [0.0, 1.0]}}, InvalidInput, "1 finite"),
        ({**LOOPED, "inputs": {"target": [np.nan]}}, InvalidInput, "1 finite"),
        ({**LOOPED, "inputs": {"target": Profile([0.0], [[0, 1]])}}, InvalidInput, "2 columns"),
        ({**LOOPED, "inputs": {"target": lambda t: [0, t]}}, InvalidInput, "1 finite"),
        ({**LOOPED, "states": {"sum": [0.0]}}, UnknownName, "error_sum"),
        ({**LOOPED, "states": {"torque": [0.0, 1.0]}}, InvalidInput, "torque.*1 finite"),
        ({**LOOPED, "states": {"torque": [np.inf]}}, InvalidInput, "torque"),
        ({**LOOPED, "states": {"torque": [[0.0], [1.0]]}}, InvalidInput, "one initial state"),
        ({**SIMPLE, "states": {"drive": [0.0]}}, UnknownName, "drive"),
        ({**SIMPLE, "surroundings": Filling("link_9", 1.0)}, UnknownName, "link_9"),
        (
            {**SIMPLE, "actuation": Lag(), "control": lambda t, q, v: [0.0, 1.0]},
            InvalidInput,
            r"\(1,\)",
        ),
        (
            {**SIMPLE, "actuation": Lag(), "control": Profile([0.0], [[0.0, 1.0]])},
            InvalidInput,
            "takes 1",
        ),
    ],
)
def test_what_does_not_fit_is_said(options, error, message):
    with pytest.raises(error, match=message):
        px.simulate(**options)


@dataclass(frozen=True)
class Renamed(Lag):
    """A drive whose state has the name of another's."""

    name: str = "load"

    def quantities(self, mechanism):
        return (Quantity(self.name, "N", self.commands(mechanism)),)


class Overheard(Filling):
    """Surroundings that want an input of the control's name."""

    @property
    def inputs(self):
        return {"target": 1}


def test_names_that_clash():
    with pytest.raises(InvalidInput, match="two subsystems have a state 'load'"):
        px.simulate(**SIMPLE, actuation=Renamed(), surroundings=Filling("link_1", 1.0))
    with pytest.raises(InvalidInput, match="both have an input 'target'"):
        px.simulate(**LOOPED, surroundings=Overheard("link_1", 1.0))


@pytest.mark.parametrize("name", ["q", "tau", "energy", "command", "time"])
def test_names_of_the_run_itself_are_taken(name):
    """A recording has one signal of each name, and a rollout one record."""
    with pytest.raises(InvalidInput, match=f"state '{name}'"):
        px.simulate(**SIMPLE, actuation=Renamed(name=name))
    with pytest.raises(InvalidInput, match=f"state '{name}'"):
        px.rollout(PENDULUM, [0.1], [0.0], steps=2, actuation=Renamed(name=name))


def test_control_that_commands_too_much():
    class Both(ProportionalIntegral):
        def command(self, s):
            return s

    with pytest.raises(InvalidInput, match=r"must give 1 numbers.*\(2, 1\)"):
        px.simulate(**SIMPLE, control=Both(), inputs={"target": [0.0]})


def test_rollouts_refuse_what_does_not_fit():
    loop = px.CompiledRollout(px.Setup(PENDULUM, **acting()), step=STEP, record=("drive",))
    told = {"target": [0.0]}
    with pytest.raises(UnknownName, match="load"):
        loop([0.5], [0.0], steps=2, inputs=told, states={"weight": [1.0]})
    with pytest.raises(InvalidInput, match="1 finite"):
        loop([0.5], [0.0], steps=2, inputs=told, states={"load": [1.0, 2.0]})
    with pytest.raises(InvalidInput, match="target"):
        loop([0.5], [0.0], steps=2)
    with pytest.raises(UnknownName, match="record"):
        px.CompiledRollout(px.Setup(PENDULUM, **acting()), record=("pressure",))


def test_without_subsystems_there_are_no_further_signals():
    run = px.simulate(**SIMPLE, control=px.Law(lambda model, t, q, v: -q))
    assert set(run.signals) == {"q", "v", "tau", "energy", "work", "loss", "energy_balance"}
