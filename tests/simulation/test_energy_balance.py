"""Energy balances close to the error of the integration, and every line is what it is called."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import simpson

import phalanx as px
from phalanx.cli.models import find_model
from phalanx.dynamics.evaluators.choice import SIZES, Sizes
from phalanx.mechanism import Body, Joint, Mechanism, Prismatic, Revolute, Spring
from phalanx.simulation.record.energy_balance import integration_error
from phalanx.simulation.scenario.reader import read_scenario
from phalanx.simulation.scenario.shipped import SCENARIOS

AXIS = (0.0, 1.0, 0.0)

# integration error of each scenario of the package, as part of the energy turned over
ERRORS = {
    "dhanaraj-friction": 2e-9,
    "dhanaraj-puma560": 1e-8,
    # steps of 10 ms are long for its bucket, which spools that step stir up
    "excavator-joint": 6e-4,
    "excavator-resolved": 1e-2,
    "excavator-trench": 4e-6,
    "falling-chain": 1e-6,  # chaos: its last digits are those of the processor
    "four-bar-crank": 1e-10,
    "khan-3rrr": 2e-10,
    "puma-pd": 2e-8,
    "stewart-sway": 5e-8,
    "tether-cut": 1e-8,
    "towed-array": 1e-5,
    "wong-puma600": 2e-11,
    "wong-torso": 1e-12,
}


def hinge(gravity=(0, 0, -9.81), **joint):
    """A point of 2 kg at 0.5 m on a hinge: an inertia of 0.5 kg·m²."""
    body = Body("rod", mass=2.0, com=(0.5, 0, 0), inertia=1e-9 * np.eye(3))
    turning = Joint("hinge", "base", "rod", Revolute(AXIS), **joint)
    return Mechanism("hinge", [Body("base"), body], [turning], gravity=gravity)


def slider(**joint):
    """A cart of 2 kg on a level rail."""
    body = Body("cart", mass=2.0, inertia=np.eye(3))
    rail = Joint("rail", "base", "cart", Prismatic((1, 0, 0)), **joint)
    return Mechanism("slider", [Body("base"), body], [rail])


def sum_of(balance):
    return (
        sum(balance.input.values())
        + sum(balance.exchanged.values())
        - sum(balance.lost.values())
        + balance.integration_error
        - sum(balance.stored.values())
    )


def check_closed(run, relative):
    """The table adds up to rounding, and what is called integration error is small."""
    balance = run.energy_balance()
    assert abs(sum_of(balance)) < 1e-12 * max(1.0, balance.turned_over)
    *others, total = balance.rows()
    stored = [x for kind, _, x in others if kind == "stored"]
    rest = [x for kind, _, x in others if kind != "stored"]
    for parts in (stored, rest):
        assert sum(parts) == pytest.approx(total[2], abs=1e-12 * max(1.0, balance.turned_over))
    assert balance.turned_over > 0
    assert balance.relative_error < relative
    return balance


def test_the_error_of_a_conservative_machine_has_the_order_of_the_method():
    """Nothing but the integration changes the energy; half the step has a sixteenth of that."""
    m, d = px.library.double_pendulum(), px.Dynamics(px.library.double_pendulum())
    errors = []
    for step in (2e-2, 1e-2, 5e-3):
        run = px.simulate(m, [1.5, 0.0], duration=2.0, step=step)
        balance = check_closed(run, 1e-5)
        E = d.energy(run["q"], run["v"])
        np.testing.assert_allclose(integration_error(run), E - E[0], atol=1e-12)
        assert not any(balance.input.values()) and not any(balance.exchanged.values())
        errors.append(balance.largest_error)
    orders = np.log2(np.divide(errors[:-1], errors[1:]))
    assert np.all((orders > 3.6) & (orders < 4.6))


def test_damping_loses_what_the_closed_form_says():
    """I v' = -d v: the energy falls as exp(-2 d t / I); the error has order 4."""
    m, errors = hinge(gravity=(0, 0, 0), damping=0.3), []
    for step in (0.04, 0.02):
        run = px.simulate(m, v0=[3.0], duration=2.0, step=step)
        balance = check_closed(run, 1e-6)
        errors.append(balance.largest_error)
        lost = 0.5 * 0.5 * 9 * (1 - np.exp(-2 * 0.3 * 2 / 0.5))
        assert balance.lost["Damping"] == pytest.approx(lost, rel=1e-6)
    assert np.log2(errors[0] / errors[1]) > 3.6


def test_every_joint_force_has_a_line_of_its_own():
    """Damping and friction side by side, each against its own quadrature."""
    m = hinge(damping=0.2, friction=0.4)
    run = px.simulate(m, duration=2.0, forces=(px.Damping(), px.Friction(slip=0.05)))
    balance, v, t = check_closed(run, 1e-8), run["v"][:, 0], run.time
    assert balance.lost["Damping"] == pytest.approx(simpson(0.2 * v**2, x=t), rel=1e-7)
    rubbing = 0.4 * np.tanh(v / 0.05) * v
    assert balance.lost["Friction"] == pytest.approx(simpson(rubbing, x=t), rel=1e-6)


def test_stops_store_and_lose():
    """A pendulum falls into a stop: the spring holds k d²/2, and the rest of it is lost."""
    m, stop = hinge(upper=0.3), px.Stops(stiffness=500.0, damping=5.0)
    run = px.simulate(m, duration=0.5, step=1e-4, forces=(stop,))
    balance = check_closed(run, 1e-5)
    depth, v = np.maximum(run["q"][:, 0] - 0.3, 0), run["v"][:, 0]
    labels = run.signal("energy_balance").labels
    held = run["energy_balance"][:, labels.index("stored.Stops")]
    np.testing.assert_allclose(held, 250.0 * depth**2, rtol=1e-12)
    push = np.where(depth > 0, np.maximum(500 * depth + 5 * v, 0), 0)
    lost = simpson((push - 500 * depth) * v, x=run.time)
    # the damper's force begins with a jump, somewhere within a step
    jump = 5 * np.abs(v).max() ** 2 * 1e-4
    assert balance.lost["Stops"] == pytest.approx(lost, abs=jump) and lost > 0.1
    assert depth.max() > 0.05


@pytest.mark.parametrize(
    ("method", "least", "most"),
    [
        (px.RungeKutta4(), 0.04, 0.12),
        (px.Rosenbrock2(), 0.3, 0.5),
        (px.SemiImplicitEuler(), 0.99, 1.3),
        (px.DormandPrince(), -2e-3, 2e-3),
    ],
)
@pytest.mark.parametrize("step", [1e-4, 1e-3, 5e-3])
def test_what_an_impact_on_fitted_stops_leaves(method, least, most, step):
    """Parts of the energy of the impact, whatever the step: fitted stops are as stiff as it lets.

    One swing into one stop without gravity, at different places within a step.
    """
    for speed in np.linspace(2.5, 3.5, 5):
        m = hinge(gravity=(0, 0, 0), upper=0.3)
        run = px.simulate(m, v0=[speed], duration=0.2, step=step, integrator=method)
        part = integration_error(run)[-1] / run["energy"][0]
        assert least < part < most


def test_wrenches_and_drives_do_work():
    """A constant force over a way; the drive's by its own quadrature."""
    law = px.proportional_derivative([0.5], stiffness=40.0, damping=4.0)
    wrench = {"cart": [3.0, 0, 0, 0, 0, 0]}
    run = px.simulate(slider(), duration=1.0, control=law, wrenches=wrench)
    balance = check_closed(run, 1e-10)
    way = run["q"][-1, 0] - run["q"][0, 0]
    assert balance.input["wrenches"] == pytest.approx(3.0 * way, rel=1e-10)
    work = simpson(run["tau"][:, 0] * run["v"][:, 0], x=run.time)
    assert balance.input["drives"] == pytest.approx(work, rel=1e-9)


def test_a_python_control_is_not_asked_once_more_for_the_books():
    """One call a step, and one for the last row, with an event on the way."""
    calls = []

    def control(t, q, v):
        calls.append(t)
        return [0.1]

    weight = px.Body("weight", mass=1.0, inertia=0.01 * np.eye(3))
    event = px.pick_up(0.005, "cart", weight)
    run = px.simulate(slider(), duration=0.01, control=control, events=[event])
    assert len(calls) == 11
    check_closed(run, 1e-10)


@pytest.mark.parametrize("duration", [1.0, 3.0], ids=["single steps", "native loop"])
@pytest.mark.parametrize("every", [1, 7])
def test_events_bring_what_the_machines_differ_by(duration, every):
    """A payload comes and goes, gravity changes: jumps of two machines at one state."""
    weight = px.Body("weight", mass=1.5, com=(0.2, 0, 0), inertia=0.01 * np.eye(3))
    m = hinge()
    moon = px.Event(0.8, lambda x: replace(x, gravity=(0, 0, -1.6)), "to the moon")
    events = [px.pick_up(0.2, "rod", weight), px.drop(0.6, "weight"), moon]
    options = {"step": 1e-3, "duration": duration, "events": events}
    run = px.simulate(m, every=every, **options)
    balance = check_closed(run, 1e-7)
    full = run if every == 1 else px.simulate(m, **options)
    for k, (name, machine) in enumerate(
        {"pick up weight at 0.2 s": 0, "drop weight at 0.6 s": 1, "to the moon at 0.8 s": 2}.items()
    ):
        before = m
        for event in events[:machine]:
            before = event.apply(before)
        at = round(events[k].time / 1e-3)
        state = full["q"][at], full["v"][at]
        jump = px.Dynamics(events[k].apply(before)).energy(*state)
        jump -= px.Dynamics(before).energy(*state)
        assert balance.exchanged[name] == pytest.approx(float(jump), rel=1e-9)


def test_a_cut_joint_takes_no_energy_along():
    """What flies on has the motion that it had."""
    m = px.library.chain(3)
    second = m.moving_joints[1].name
    run = px.simulate(m, [1.5, 0.0, 0.3], duration=1.0, events=[px.cut(0.5, second)])
    balance = check_closed(run, 1e-8)
    assert abs(balance.exchanged[f"cut {second} at 0.5 s"]) < 1e-12 * balance.turned_over


def test_loops_and_springs():
    """A four-bar with a damped spring across it."""
    m = px.library.four_bar()
    m = replace(m, springs=[Spring("tie", "ground", "coupler", stiffness=50.0, damping=0.5)])
    run = px.simulate(m, duration=1.0)
    balance = check_closed(run, 1e-8)
    assert np.ptp(run["v"]) > 0.1
    d = px.Dynamics(m)
    E = d.energy(run["q"], run["v"])
    assert sum(balance.stored.values()) == pytest.approx(float(E[-1] - E[0]), abs=1e-10)
    assert balance.lost["Damping"] > 0 and balance.stored["springs"] != 0


@pytest.mark.parametrize("friction", [px.Stiction(), px.DriveFriction()])
def test_friction_under_load(friction):
    """A pendulum that comes to rest has lost all that it had, also in the step that stops it."""
    m = hinge(friction=2.0)
    run = px.simulate(m, duration=2.0, forces=(friction,))
    balance = check_closed(run, 1e-4)
    name = type(friction).__name__
    v = run["v"][:, 0]
    assert balance.lost[name] == pytest.approx(simpson(2.0 * np.abs(v), x=run.time), rel=3e-2)
    assert balance.lost[name] > 1


@pytest.mark.parametrize(
    "method", [px.SemiImplicitEuler(), px.RungeKuttaGill(), px.DormandPrince(), px.Cvodes()]
)
def test_every_method_integrates_its_books(method):
    """With the error of the method."""
    run = px.simulate(hinge(damping=0.3), duration=1.0, integrator=method)
    bound = 1e-2 if isinstance(method, px.SemiImplicitEuler) else 1e-5
    check_closed(run, bound)


def test_traversals_keep_the_same_books(monkeypatch):
    """A long machine has the lines of its equations written out."""
    chain = px.library.chain(6)
    joints = [replace(j, stiffness=4.0, damping=0.05, friction=0.02) for j in chain.joints]
    ends = chain.bodies[0].name, chain.bodies[-1].name
    tie = Spring("tie", *ends, stiffness=30.0, rest_length=0.5, damping=0.5)
    bounded = [replace(joints[0], upper=0.05, lower=-0.05), *joints[1:]]
    m = replace(chain, joints=bounded, springs=[tie])
    water = px.FluidDrag(1000.0, 0.05, current=(0.2, 0, 0))
    options = {
        "duration": 0.1,
        "forces": (px.Damping(), px.Friction(), px.Stops(stiffness=100.0, damping=1.0), water),
        "wrenches": {ends[1]: [1.0, 2.0, 0.5, 0.1, 0, 0.2]},
        "control": px.proportional_derivative(np.zeros(m.nv), stiffness=1.0, damping=0.1),
    }
    q = m.random_positions(seed=1)
    written = px.simulate(m, q, **options)
    monkeypatch.setitem(SIZES, "run", Sizes(0, 400))
    traversed = px.simulate(m, q, **options)
    assert written.signal("energy_balance").labels == traversed.signal("energy_balance").labels
    np.testing.assert_allclose(traversed["energy_balance"], written["energy_balance"], atol=1e-9)
    balance = check_closed(traversed, 1e-4)
    assert all(balance.lost.values()) and all(balance.input.values())
    free = px.simulate(m, q, duration=0.05, wrenches=options["wrenches"])
    check_closed(free, 1e-4)


@pytest.fixture(scope="module")
def trench():
    scenario = read_scenario("excavator-trench", lambda name: find_model(name, False, None))
    return scenario, scenario.run()


def test_an_excavator_that_digs_leaves_nothing_unnamed(trench):
    """Oil, soil and machine: pump's work to the last joule but the error of the integration."""
    _, run = trench
    balance = check_closed(run, 1e-5)
    assert balance.input["pump"] > 5e5
    assert balance.exchanged["Ground"] < -1e4
    assert balance.exchanged["load from Ground"] < -1e4
    # between the oil and the joints, all that the drives do is accounted for
    oil = balance.input["pump"] + balance.exchanged["oil from the tank"]
    oil -= sum(balance.lost.values()) - balance.lost.get("Damping", 0.0) + balance.stored["oil"]
    assert oil == pytest.approx(run["work"][-1], rel=1e-9)


def test_soil_brings_its_weight_and_takes_it_along(trench):
    """∫ (v²/2 + g z) dm over the load, from recorded numbers alone."""
    scenario, run = trench
    d = px.Dynamics(scenario.mechanism)
    z = d.forward_kinematics(run["q"], frame="payload")[:, 2, 3]
    J = d.jacobian(run["q"], frame="payload")[:, :3]
    u = np.einsum("tij,tj->ti", J, run["v"])
    per_mass = 0.5 * (u**2).sum(axis=1) + 9.81 * z
    load = run["soil_load"][:, 0]
    brought = (np.diff(load) * (per_mass[1:] + per_mass[:-1]) / 2).sum()
    balance = run.energy_balance()
    assert balance.exchanged["load from Ground"] == pytest.approx(brought, rel=1e-3)


def test_a_file_has_the_balance(tmp_path):
    """Of the run, and of a part of it."""
    event = px.pick_up(0.5, "rod", px.Body("weight", mass=1.0, inertia=0.01 * np.eye(3)))
    run = px.simulate(hinge(), duration=1.0, events=[event], path=tmp_path / "run.mcap")
    read = px.Recording.read(tmp_path / "run.mcap")
    assert read.energy_balance() == run.energy_balance()
    late = run.between(0.6, 1.0)
    assert not any(check_closed(late, 1e-6).exchanged.values())
    with pytest.raises(px.InvalidInput, match="no energy balance"):
        px.Recording([0.0], []).energy_balance()


def test_the_table_is_text_that_adds_up():
    """As commands print it."""
    run = px.simulate(hinge(damping=0.3), duration=1.0)
    text = str(run.energy_balance())
    assert "lost" in text and "Damping" in text and "turned over" in text


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_error_of_every_scenario_is_a_number(name):
    """Its lines account for all but that, and no step of them is warned of."""
    scenario = read_scenario(name, lambda model: find_model(model, False, None))
    balance = check_closed(scenario.run(progress=False), ERRORS[name])
    events = [f"{event.name} at {event.time:g} s" for event in scenario.events]
    assert set(events) <= balance.exchanged.keys() and "events" not in balance.exchanged


@pytest.mark.parametrize("control", [None, lambda t, q, v: [0.1]], ids=["", "Python"])
def test_a_run_in_real_time_names_its_events(control):
    """The balance of a live run is that of `simulate`, line by line."""
    weight = px.Body("weight", mass=1.0, inertia=0.01 * np.eye(3))
    events = [px.pick_up(0.02, "rod", weight), px.drop(0.06, "weight")]
    setup, options = px.Setup(hinge(), control=control), {"duration": 0.1, "events": events}
    live = px.LiveRun(setup, record=True, speed=1e6, policy=px.CatchUp(np.inf), **options)
    live.run()
    balance = live.recording.energy_balance()
    assert balance == px.simulate(setup, **options).energy_balance()
    assert {"pick up weight at 0.02 s", "drop weight at 0.06 s"} <= balance.exchanged.keys()
