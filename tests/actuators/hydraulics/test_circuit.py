from __future__ import annotations

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest
from casadi import SX

from phalanx.actuators.hydraulics import Hydraulics, Orifice, Relief
from phalanx.actuators.hydraulics.ledger import LABELS
from phalanx.equations.model_of import model_of
from phalanx.mechanism import Body, Frame, Joint, Mechanism, Pose, Prismatic

from .machines import (
    AIR,
    BULK,
    CENTRE,
    GRAVITY,
    LAMINAR,
    MAKEUP,
    MASS,
    MOMENT,
    MPA,
    SLEDGE_MASS,
    TANK,
    cylinder,
    hydraulics,
    integrated,
    pendulum,
    pendulum_rates,
    pump,
    right_hand_side,
    sledge,
    valve,
)

# hold, lift, stop, lower at full spool, stop
PROFILE = [(0.05, 0.0), (0.35, 0.7), (0.1, 0.0), (0.3, -1.0), (0.05, 0.0)]


def rates_of(mechanism: Mechanism, circuit: Hydraulics, load=None):
    f = right_hand_side(mechanism, circuit, load)
    return lambda x, u: np.asarray(f(x, u))[:, 0]


def start(mechanism, circuit, *q):
    return np.array([*q, *np.zeros(len(q)), *circuit.initial(mechanism, np.array(q))])


# -- the same equations twice ---------------------------------------------------------------------


def test_rates_are_those_of_the_oracle_at_states_all_over():
    rates, rng = rates_of(pendulum(), hydraulics()), np.random.default_rng(0)
    reached = set()
    for _ in range(300):
        x = np.array([rng.uniform(-0.9, 1.4), rng.uniform(-1, 1), *rng.uniform(-1e5, 28e6, 3)])
        u = rng.uniform(-1.3, 1.3)
        ours, oracle = rates(x, u), pendulum_rates(x, u)
        np.testing.assert_allclose(ours, oracle, rtol=1e-10, atol=1e-12 * abs(oracle).max())
        reached.add((x[2] > 26e6, x[3] > 26e6, x[4] > 24e6, u > 0))
    assert len(reached) > 8  # reliefs and directions all took part


def test_a_run_is_that_of_the_oracle():
    machine, circuit = pendulum(), hydraulics()
    x0 = start(machine, circuit, 0.1)
    ours = integrated(rates_of(machine, circuit), x0, PROFILE, method="LSODA")
    oracle = integrated(pendulum_rates, x0, PROFILE, method="LSODA")
    np.testing.assert_allclose(ours[-1], oracle[-1], rtol=1e-7)
    assert np.ptp(ours[:, 0]) > 0.1  # it did move


# -- statics --------------------------------------------------------------------------------------


def test_stall_force_is_pump_pressure_on_the_head_less_tank_pressure_on_the_rod():
    machine, circuit = sledge(), hydraulics(actuators={"lift": cylinder(leakage=0.0)})
    spring, x0 = 5e6, 0.1
    load = lambda q, v: -spring * (q - x0) - 1e5 * v  # noqa: E731
    x = integrated(
        rates_of(machine, circuit, load), start(machine, circuit, x0), [(3.0, 1.0)], rtol=1e-7
    )[-1]
    head, rod = circuit.actuators["lift"].displacements
    force = spring * (x[0] - x0)
    assert force == pytest.approx(22e6 * head - TANK * rod, rel=1e-5)
    model = model_of(machine)
    q, v, s = SX.sym("q"), SX.sym("v"), SX.sym("s", 3)
    told = ca.Function("forces", [q, v, s], [circuit.forces(model, q, v, s)])
    assert float(told(x[0], x[1], x[2:])) == pytest.approx(force, rel=1e-6)


def test_shut_valves_without_leaks_hold_every_pressure():
    tight = hydraulics(actuators={"lift": cylinder(leakage=0.0)})
    rates = rates_of(pendulum(), tight)
    rest = np.array([0.2, 0.0, 9e6, 4e6, 22e6])
    np.testing.assert_array_equal(rates(rest, 0.03)[2:], 0)


def test_commands_beyond_the_ends_are_the_ends():
    rates, x = rates_of(pendulum(), hydraulics()), np.array([0.2, 0.1, 9e6, 4e6, 20e6])
    np.testing.assert_array_equal(rates(x, 7.0), rates(x, 1.0))
    np.testing.assert_array_equal(rates(x, -7.0), rates(x, -1.0))


def test_a_command_or_pressure_that_is_no_number_shows_itself():
    circuit, x = hydraulics(), np.array([0.2, 0.1, 9e6, 4e6, 20e6])
    assert np.isnan(rates_of(pendulum(), circuit)(x, np.nan)[2:]).all()
    s = SX.sym("s", 3)
    settled = ca.Function("settled", [s], [circuit.settled(s)])
    assert np.isnan(float(settled(np.array([np.nan, 0, 0]))[0]))


# -- speeds ---------------------------------------------------------------------------------------

# an ample pump and equal ways of one gain: orifice equations alone set the speed
K = 1e-3 / np.sqrt(MPA)
WAY = Orifice(1e-3, MPA, laminar=1e3)
FREE = dict(leakage=0.0, viscous=0.0, coulomb=0.0)
AMPLE = pump(margin=1e4, flow=0.1, power=1e9)


def ample(**changes) -> Hydraulics:
    own = cylinder(valve=valve(supply=WAY, drain_a=WAY, drain_b=WAY), **FREE)
    return hydraulics(actuators={"lift": own}, pump=AMPLE, **changes)


def steady_speed(command: float) -> float:
    machine, circuit = sledge(), ample()
    x = start(machine, circuit, 0.0 if command > 0 else 0.65)
    return integrated(rates_of(machine, circuit), x, [(0.9, command)], rtol=1e-7)[-1][1]


def test_full_spool_speeds_and_their_ratio_follow_the_orifice_equations():
    """With α the ratio of areas: (w A/K)² (1 + α³) = p_s - α p_t out, α p_s - p_t back in."""
    head, rod = cylinder().displacements
    ratio = rod / head
    p = 22 * MPA
    out = K / head * np.sqrt((p - ratio * TANK) / (1 + ratio**3))
    back = K / head * np.sqrt((ratio * p - TANK) / (1 + ratio**3))
    assert steady_speed(1.0) == pytest.approx(out, rel=1e-4)
    assert steady_speed(-1.0) == pytest.approx(-back, rel=1e-4)


def test_a_pulled_cylinder_drifts_by_the_leak_across_its_piston():
    """Rod side shut under a pull: all it gives passes the piston, so A_rod w = leakage · Δp."""
    machine = sledge()
    own = cylinder(leakage=1e-11, viscous=0.0, coulomb=0.0)
    circuit = hydraulics(actuators={"lift": own})
    pull = 4e4
    x0 = start(sledge(gravity=(pull / SLEDGE_MASS, 0, 0)), circuit, 0.2)
    rates = rates_of(machine, circuit, load=lambda q, v: pull - 1e5 * v)
    x = integrated(rates, x0, [(3.0, 0.0)], rtol=1e-8)[-1]
    _, rod = own.displacements
    assert x[1] == pytest.approx(1e-11 * (x[3] - x[2]) / rod, rel=1e-3)
    pulled = pull - 1e5 * x[1] + own.displacements[0] * x[2]
    assert x[3] == pytest.approx(pulled / rod, rel=1e-6)
    # the head side takes more than leaks into it; the tank makes up for the rest
    drop, missing = TANK - x[2], own.displacements[0] * x[1] - 1e-11 * (x[3] - x[2])
    gain = MAKEUP[0] / np.sqrt(MAKEUP[1])
    assert missing == pytest.approx(gain * drop**2 / (drop**2 + LAMINAR**2) ** 0.75, rel=1e-3)


def two_rails() -> Mechanism:
    def body(name):
        return Body(name, SLEDGE_MASS, np.zeros(3), np.eye(3))

    x = Prismatic(np.array([1.0, 0.0, 0.0]))
    at = Pose(translation=np.array([1.0, 0.0, 0.0]))
    return Mechanism(
        "rails",
        [Body("ground"), body("left"), body("right")],
        [Joint("left", "ground", "left", x), Joint("right", "ground", "right", x)],
        [
            Frame("base_pin", "ground"),
            Frame("left_pin", "left", at),
            Frame("right_pin", "right", at),
        ],
    )


def test_actuators_on_one_pump_slow_each_other():
    machine = two_rails()
    # with friction, so that heads need pressure and draw nothing from the tank
    pair = {side: cylinder(rod=f"{side}_pin", leakage=0.0) for side in ("left", "right")}
    circuit = hydraulics(actuators=pair)
    rates = rates_of(machine, circuit)
    x0 = start(machine, circuit, 0.2, 0.2)
    atol = np.array([1e-9] * 4 + [1.0] * 5)

    def speeds(*command):
        path = integrated(rates, x0, [(1.0, np.array(command))], rtol=1e-6, atol=atol)
        return path[-1][2:4]

    alone, both = speeds(1.0, 0.0)[0], speeds(1.0, 1.0)
    assert both[0] == pytest.approx(both[1], rel=1e-6)
    assert both[0] < 0.7 * alone
    # all the pump gives, and no more, however it is shared
    head, _ = pair["left"].displacements
    assert head * both.sum() == pytest.approx(1.6e-3, rel=1e-3)
    assert head * alone == pytest.approx(1.6e-3, rel=1e-3)


# -- limits ---------------------------------------------------------------------------------------


def peak_pressure(setting: Relief) -> float:
    """Of the head side, valve shut, when 5 t run into the cylinder at 1 m/s."""
    heavy = replace(sledge(), bodies=[Body("ground"), Body("mass", 5e3, np.zeros(3), np.eye(3))])
    own = cylinder(valve=valve(relief=setting), **FREE)
    circuit = hydraulics(actuators={"lift": own}, initial_pressures={"lift.head": 1 * MPA})
    x0 = start(heavy, circuit, 0.4)
    x0[1] = -1.0
    return integrated(rates_of(heavy, circuit), x0, [(0.1, 0.0)], rtol=1e-7)[:, 2].max()


def test_port_relief_limits_the_pressure_of_a_load_that_runs_in():
    head, _ = cylinder().displacements
    # at most the whole stream of 1 m/s passes, at 2 l/s for each MPa of override
    most = 26 * MPA + head * 1.0 / 2e-3 * MPA * 1.01
    assert 26 * MPA < peak_pressure(Relief(26 * MPA, 1 * MPA, 2e-3)) < most
    assert peak_pressure(Relief(80 * MPA, 1 * MPA, 2e-3)) > 1.1 * most


def test_no_pressure_stays_below_that_of_boiling():
    circuit = hydraulics(bookkeeping=True)
    s = SX.sym("s", 3 + len(LABELS))
    settled = ca.Function("settled", [s], [circuit.settled(s)])
    state = np.array([-5e5, 1e6, -2e5, *np.full(len(LABELS), -7e5)])
    expected = np.array([-1e5, 1e6, -1e5, *np.full(len(LABELS), -7e5)])
    np.testing.assert_array_equal(np.asarray(settled(state))[:, 0], expected)


# -- energy ---------------------------------------------------------------------------------------


def test_every_joule_of_the_pump_is_accounted_for():
    machine, circuit = pendulum(), hydraulics(bookkeeping=True)
    x0 = start(machine, circuit, 0.1)
    atol = np.array([1e-9] * 2 + [0.1] * 3 + [1e-3] * len(LABELS))
    path = integrated(rates_of(machine, circuit), x0, PROFILE, rtol=1e-8, atol=atol)
    end = dict(zip(LABELS, path[-1][5:], strict=True))
    turnover = end["pump"]
    assert turnover > 5e3
    spent = sum(end[k] for k in ("pistons", "valves", "relief", "makeup", "leakage", "stored"))
    assert end["pump"] + end["tank"] == pytest.approx(spent, abs=1e-6 * turnover)
    for loss in ("valves", "relief", "makeup", "leakage", "friction"):
        assert end[loss] >= -1e-6 * turnover

    # what leaves the pistons is in the beam, but for friction and stops
    def mechanical(angle, rate):
        kinetic = (MOMENT + MASS * CENTRE**2) * rate**2 / 2
        return kinetic + MASS * GRAVITY * CENTRE * np.sin(angle)

    gained = mechanical(*path[-1][:2]) - mechanical(*path[0][:2])
    assert end["pistons"] - end["friction"] - end["stops"] == pytest.approx(
        gained, abs=1e-6 * turnover
    )

    # and what is stored is ∫ V p dp / modulus along the pressures themselves
    model, own, q = model_of(machine), circuit.actuators["lift"], SX.sym("q")
    volumes = ca.Function("volumes", [q], list(own.volumes(own.length(model, q))))
    V = np.array([[float(y) for y in volumes(angle)] + [2e-3] for angle in path[:, 0]])
    p = path[:, 2:5]
    Vp = V * p * (1 / BULK + AIR * 101325 / (p + 101325) ** 2)
    stored = ((Vp[1:] + Vp[:-1]) / 2 * np.diff(p, axis=0)).sum()
    assert end["stored"] == pytest.approx(stored, abs=1e-4 * turnover)


# -- the interface --------------------------------------------------------------------------------


def test_labels_and_starts():
    machine, circuit = pendulum(), hydraulics(bookkeeping=True)
    pressure, energy = circuit.quantities(machine)
    assert (pressure.name, pressure.unit) == ("pressure", "Pa")
    assert pressure.labels == ("lift.head", "lift.rod", "pump")
    assert (energy.name, energy.unit, energy.labels) == ("hydraulic_energy", "J", LABELS)
    assert circuit.commands(machine) == ("lift",)
    given = hydraulics(initial_pressures={"lift.rod": 3e6, "pump": 5e6})
    np.testing.assert_array_equal(given.initial(machine, np.array([0.2])), [TANK, 3e6, 5e6])
