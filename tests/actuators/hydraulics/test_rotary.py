"""Wong's rotary actuators: flows, pressures and torques, each by its own law."""

from __future__ import annotations

import casadi as ca
import numpy as np
import pytest
from casadi import SX

import phalanx as px
from phalanx.actuators.hydraulics.rotary import Rotary, RotaryHydraulics, cat215b_rotary
from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.equations.model_of import model_of

from .machines import sledge

MACHINE = px.library.cat215b()
CIRCUIT = cat215b_rotary()
# a drain above zero, so that it shows
MOTOR = Rotary(supply=3000.0, gear=200.0, damping=500.0, drain=50.0)


def flows(x: float, p_in: float, p_out: float) -> tuple[float, float]:
    return tuple(float(flow) for flow in MOTOR.flows(SX(x), SX(p_in), SX(p_out)))


@pytest.fixture(scope="module")
def act():
    q, v, s, u = SX.sym("q", 4), SX.sym("v", 4), SX.sym("s", 8), SX.sym("u", 4)
    f = ca.Function("act", [q, v, s, u], [*CIRCUIT.act(model_of(MACHINE), q, v, s, u)])
    return lambda *x: [np.asarray(part).ravel() for part in f(*x)]


def test_flows_are_those_of_orifices():
    q_in, q_out = flows(0.02, 2000.0, 700.0)
    assert q_in == pytest.approx(26 * 0.02 * np.sqrt(1000.0))
    assert q_out == pytest.approx(26 * 0.02 * np.sqrt(650.0))


def test_flow_reverses_with_the_spool():
    """The other way round, the lines change places: what went in comes out of the other."""
    forward, back = flows(0.02, 2000.0, 700.0), flows(-0.02, 700.0, 2000.0)
    assert back == pytest.approx((-forward[1], -forward[0]))


def test_a_spool_in_the_middle_lets_nothing_pass():
    assert flows(0.0, 2000.0, 700.0) == (0.0, 0.0)


def test_no_flow_without_a_pressure_to_drive_it():
    assert flows(0.05, 3000.0, 50.0) == (0.0, 0.0)


def test_shut_lines_are_springs(act):
    """Oil that a turning joint sweeps is pressed into one line and taken from the other."""
    v = np.array([0.1, -0.2, 0.3, 0.05])
    _, rate = act(np.zeros(4), v, np.full(8, 1500.0), np.zeros(4))
    swept = 0.7 * np.array([307.0, 545, 220, 250]) * v * 1000
    np.testing.assert_allclose(rate, [*-swept, *swept])


def test_torque_is_pressure_and_damping(act):
    v = np.array([0.1, -0.2, 0.3, 0.05])
    s = np.array([2000.0, 1000, 500, 3000, 500, 2500, 800, 100])
    tau, _ = act(np.zeros(4), v, s, np.zeros(4))
    gear, damping = np.array([307.0, 545, 220, 250]), np.array([1e5, 1e5, 3e4, 100.0])
    np.testing.assert_allclose(tau, (s[:4] - s[4:]) * 0.7 * gear / 8 - damping * v)


def test_losses_are_beyond_the_source():
    """Gears rub with 3 % of the stall torque; the swing's lines leak into each other, no others."""
    q, v, s = SX.sym("q", 4), SX.sym("v", 4), SX.sym("s", 8)
    for losses in (False, True):
        tau, rate = cat215b_rotary(losses=losses).act(model_of(MACHINE), q, v, s, SX.zeros(4))
        f = ca.Function("f", [q, v, s], [tau, rate])
        speed = np.array([0.1, -0.2, 0.3, 0.05])
        pressures = np.array([2000.0, 1000, 500, 3000, 500, 2500, 800, 100])
        torque, rates = (np.asarray(x).ravel() for x in f(np.zeros(4), speed, pressures))
        if not losses:
            without, shut = torque, rates
    stall = np.array([107450, 333812.5, 77000, 87500])
    np.testing.assert_allclose(without - torque, 0.03 * stall * np.tanh(speed / 0.05))
    leaked = 5e-4 * 1500.0 * 1000  # leakage, difference in pressure, compliance
    np.testing.assert_allclose(rates - shut, [-leaked, 0, 0, 0, leaked, 0, 0, 0], atol=1e-9)


def test_pressures_beyond_the_ends_count_as_the_ends(act):
    outside = np.array([-100.0, 9000, 5000, 100, 5000, -1, 200, 8000])
    inside = np.clip(outside, 0, [4000, 7000, 4000, 4000] * 2)
    v, u = np.full(4, 0.1), np.array([0.01, -0.02, 0.03, -0.05])
    for a, b in zip(act(np.zeros(4), v, outside, u), act(np.zeros(4), v, inside, u), strict=True):
        np.testing.assert_array_equal(a, b)
    settled = np.asarray(ca.evalf(CIRCUIT.settled(SX(outside)))).ravel()
    np.testing.assert_array_equal(settled, inside)


def test_openings_beyond_the_ends_are_the_ends(act):
    s, v = np.linspace(500, 3000, 8), np.zeros(4)
    _, wide = act(v, v, s, np.array([0.05, -0.05, 0.05, -0.05]))
    _, wider = act(v, v, s, np.array([9.0, -9.0, 0.06, -np.inf]))
    np.testing.assert_array_equal(wide, wider)


def test_lines_begin_at_the_drain_or_carry_the_weight(act):
    rng = np.random.default_rng(0)
    qs = rng.uniform(-1, 1, (3, 2, 4))
    assert not CIRCUIT.initial(MACHINE, qs).any()
    s = cat215b_rotary(charged=True).initial(MACHINE, qs)
    assert s.shape == (3, 2, 8)
    weight = px.Dynamics(MACHINE).gravity(qs)
    for index in np.ndindex(3, 2):
        tau, rate = act(qs[index], np.zeros(4), s[index], np.zeros(4))
        np.testing.assert_allclose(tau, weight[index], rtol=1e-12, atol=1e-9)
        assert not rate.any()
    # about the middle, so that either line can give
    np.testing.assert_allclose(s[..., :4] + s[..., 4:], np.broadcast_to([4000, 7000, 4000, 4000],
                                                                       (3, 2, 4)))  # fmt: skip


def test_names():
    assert CIRCUIT.commands(MACHINE) == tuple(joint.name for joint in MACHINE.joints)
    pressures = CIRCUIT.quantities(MACHINE)
    assert [p.name for p in pressures] == ["pressure_in", "pressure_out"]
    assert {p.unit for p in pressures} == {"psi"} and not any(p.stiff for p in pressures)


def test_joints_that_do_not_fit():
    with pytest.raises(UnknownName, match="boom_hinge"):
        RotaryHydraulics({"bom_hinge": MOTOR}).commands(MACHINE)
    with pytest.raises(InvalidInput, match="prismatic"):
        RotaryHydraulics({"rail": MOTOR}).quantities(sledge())
    with pytest.raises(InvalidInput, match="at least one"):
        RotaryHydraulics({})


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"supply": 0.0}, "supply"),
        ({"gear": -1.0}, "gear"),
        ({"damping": np.nan}, "damping"),
        ({"drain": 3000.0}, "less than its supply"),
        ({"limit": np.inf}, "limit"),
        ({"leakage": -1e-3}, "leakage"),
        ({"coulomb": np.nan}, "coulomb"),
        ({"slip": 0.0}, "slip"),
    ],
)
def test_numbers_that_no_motor_has(data, message):
    with pytest.raises(InvalidInput, match=message):
        Rotary(**({"supply": 3000.0, "gear": 200.0, "damping": 500.0} | data))
