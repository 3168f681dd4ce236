"""Dhanaraj (1990), chapter 3: friction in bearings and transmissions of the PUMA 560.

Numbers are those of the spec (specs/dhanaraj-1990.md, §3.6, §3.7, §5, acceptance checks 10 to 13)
and of Tables 3.3 and 3.5. Where a printed equation contradicts statics, the tests say so.
"""

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

import phalanx as px
from phalanx import actuators
from phalanx import equations as eq
from phalanx.mechanism.library.puma560 import (
    BEARING_FRICTION_COEFFICIENT,
    BEARING_RADII,
    BREAK_AWAY_TORQUES,
    MAXIMUM_TORQUES,
)
from phalanx.studies.dhanaraj import (
    TABLE_3_3,
    Flops,
    PrintedJournal,
    friction_cost,
    table_3_3_as_written,
)
from phalanx.studies.dhanaraj.accounting import TableJoint, modified_steps

Q, V, A = np.array([0.1, -0.2, 0.3]), np.array([0.5, -0.4, 0.3]), np.array([1.0, -1.0, 0.5])
SPAN = 0.1
OUTPUTS = ("tau", "tau_joint_friction", "tau_out", "tau_transmission", "tau_in", "tau_motor")

# Table 3.5: dynamic, joint friction, at the joint, transmission friction, input [N·m]
TABLE_3_5 = np.array(
    [
        [1.2140, 1.7803, 2.9943, 9.8968, 12.8911],
        [-15.6364, -0.3281, -15.9646, -17.9472, -33.9117],
        [-0.8042, 0.1241, -0.6801, 3.0449, 2.3648],
    ]
)
DIRECTIONS = (1.0, -1.0, 1.0)


def numbers(function, *arguments):
    return [np.array(x) for x in function.call([ca.DM(x) for x in arguments])]


def bearing_number(expression, f, n):
    force, moment = ca.SX.sym("f", 3), ca.SX.sym("n", 3)
    values = ca.Function("b", [force, moment], list(expression(force, moment)))
    return [np.array(x).ravel() for x in values.call([ca.DM(f), ca.DM(n)])]


def resistance(bearing, f, n) -> float:
    return float(bearing_number(lambda x, y: [bearing.resistance(x, y)], f, n)[0][0])


def torques(drives, q=Q, v=V, a=A, **options) -> dict[str, np.ndarray]:
    arm = px.library.puma560_arm()
    function = px.expression(actuators.drive_torques, arm, drives=drives, **options)
    assert function.name_out() == list(OUTPUTS)
    return {k: x.ravel() for k, x in zip(OUTPUTS, numbers(function, q, v, a), strict=True)}


# -- F15, check 12: reactions ----------------------------------------------------------------------


def test_reactions_of_the_three_joint_arm():
    f, n = numbers(px.expression(eq.reactions, px.library.puma560_arm()), Q, V, A)
    force = [(-6.2249, 0.0010, 231.1822), (39.828, -227.8106, 0.0010), (-8.8532, -61.2061, 2.1258)]
    moment = [
        (51.1068, -21.4543, 4.3030),
        (-4.8250, -2.3017, -21.4543),
        (-0.1074, -0.0196, -1.1451),
    ]
    # printed to four decimals, one of them to three
    np.testing.assert_allclose(f, force, rtol=0, atol=0.5e-4 * 1.01 + 5e-5)
    np.testing.assert_allclose(n, moment, rtol=0, atol=0.5e-4 * 1.01)


def test_reactions_do_not_know_of_friction():
    # A simulated arm with friction, moved by forces that overcome it: from the motion it really
    # makes, and from Newton's law of each link, come the loads of the arm without friction.
    arm, drives = px.library.puma560_arm(), actuators.puma560_drives()
    motor = torques(drives)["tau_motor"]
    rubbing = px.expression(
        actuators.driven, arm, drives=drives, direction=actuators.Sign(), iterations=12
    )
    moved = numbers(rubbing, Q, V, motor)[0].ravel()
    free = px.expression(px.forward_dynamics.factorized, arm)
    unhindered = numbers(free, Q, V, torques({})["tau_motor"])[0].ravel()
    loads = px.expression(eq.reactions, arm)
    for with_friction, without in zip(
        numbers(loads, Q, V, moved), numbers(loads, Q, V, unhindered), strict=True
    ):
        np.testing.assert_allclose(with_friction, without, rtol=0, atol=1e-10)
    # the motors do feel it
    assert np.abs(motor - torques({})["tau_motor"]).min() > 1.0


# -- F16, check 10: bearings -----------------------------------------------------------------------


def test_journal_as_printed():
    # equation 3.3 of the thesis, with its signs
    mu, r, d = 0.12, 0.05, 0.3
    (fx, fy, _), (nx, ny, _) = f, n = (30.0, -40.0, 7.0), (2.0, 3.0, 9.0)
    printed = (mu * r / d) * (
        np.hypot(d / 2 * fx - ny, d / 2 * fy - nx) + np.hypot(d / 2 * fx + ny, d / 2 * fy + nx)
    )
    thesis = PrintedJournal(mu, r, d)
    assert resistance(thesis, f, n) == pytest.approx(printed, rel=1e-14)
    true = (mu * r / d) * (
        np.hypot(d / 2 * fx - ny, d / 2 * fy + nx) + np.hypot(d / 2 * fx + ny, d / 2 * fy - nx)
    )
    assert resistance(actuators.Journal(mu, r, d), f, n) == pytest.approx(true, rel=1e-14)


def test_linear_bearing_as_printed():
    mu, d = 0.12, 0.3
    (fx, fy, _), (nx, ny, _) = f, n = (30.0, -40.0, 7.0), (2.0, 3.0, 9.0)
    printed = (mu / d) * (
        abs(d / 2 * fx - ny) + abs(d / 2 * fy - nx) + abs(d / 2 * fx + ny) + abs(d / 2 * fy + nx)
    )
    assert resistance(actuators.Linear(mu, d), f, n) == pytest.approx(printed, rel=1e-14)


def test_thrust_bearing_rubs_under_the_axial_load():
    # equation 3.5 prints f_x; Table 3.1 has f_z
    assert resistance(actuators.Thrust(0.1, 0.2), (5.0, 6.0, -7.0), (0, 0, 0)) == 0.1 * 0.2 * 7.0


def test_without_a_moment_a_journal_feels_the_load_across():
    f = (30.0, -40.0, 1e3)
    for kind in (actuators.Journal, PrintedJournal):
        journal = kind(0.1, 0.05, 0.3)
        assert resistance(journal, f, (0, 0, 5.0)) == pytest.approx(0.1 * 0.05 * 50.0, rel=1e-14)


@pytest.mark.parametrize("bearing", [actuators.Journal(0.1, 0.05, 0.3), actuators.Linear(0.1, 0.3)])
def test_bearing_loads_are_in_equilibrium(bearing):
    f, n = np.array([30.0, -40.0, 7.0]), np.array([2.0, 3.0, 9.0])
    upper, lower = (np.array([*load, 0.0]) for load in bearing_number(bearing.loads, f, n))
    z = np.array([0.0, 0.0, bearing.span / 2])
    np.testing.assert_allclose((upper + lower)[:2], f[:2], rtol=0, atol=1e-13)
    moment = np.cross(z, upper) + np.cross(-z, lower)
    np.testing.assert_allclose(moment[:2], n[:2], rtol=0, atol=1e-13)


def test_the_printed_pairing_is_not_in_equilibrium():
    journal = PrintedJournal(0.1, 0.05, 0.3)
    f, n = np.array([30.0, -40.0, 7.0]), np.array([2.0, 3.0, 9.0])
    upper, lower = (np.array([*load, 0.0]) for load in bearing_number(journal.loads, f, n))
    z = np.array([0.0, 0.0, 0.15])
    moment = np.cross(z, upper) + np.cross(-z, lower)
    np.testing.assert_allclose(moment[:2], (-n[0], n[1]), rtol=0, atol=1e-13)


@pytest.mark.parametrize(
    ("journal", "sizes"),
    [
        (PrintedJournal, (11.085622, 1.925042, 0.432902)),
        (actuators.Journal, (11.085622, 1.867765, 0.432929)),
    ],
)
def test_joint_friction_of_the_three_joint_arm(journal, sizes):
    drives = {
        f"joint_{k}": actuators.Drive([journal(BEARING_FRICTION_COEFFICIENT, radius, SPAN)])
        for k, radius in enumerate(BEARING_RADII, start=1)
    }
    forwards, backwards = torques(drives), torques(drives, v=-V)
    np.testing.assert_allclose(
        forwards["tau_joint_friction"], sizes * np.sign(V), rtol=0, atol=1e-5
    )
    # loads are quadratic in the velocities, so the same motion backwards has them too
    np.testing.assert_allclose(
        backwards["tau_joint_friction"], -forwards["tau_joint_friction"], rtol=1e-13
    )


def test_bearings_of_one_joint_add_up():
    journal, thrust = actuators.Journal(0.1, 0.1, SPAN), actuators.Thrust(0.2, 0.05)
    alone = [torques({"joint_1": actuators.Drive([b])}) for b in (journal, thrust)]
    both = torques({"joint_1": actuators.Drive([journal, thrust])})
    parts = [x["tau_joint_friction"][0] for x in alone]
    assert both["tau_joint_friction"][0] == pytest.approx(sum(parts), rel=1e-14)
    assert min(parts) > 1.0


def test_bearings_too_smooth_to_matter_are_left_out():
    # §3.4: below a coefficient of 0.05
    light, heavy = actuators.Journal(0.04, 0.1, 0.1), actuators.Journal(0.05, 0.1, 0.1)
    kept = actuators.without_light_bearings({"joint_1": actuators.Drive([light, heavy])})
    assert kept["joint_1"].bearings == (heavy,)


# -- F17, F18, check 11: transmissions -------------------------------------------------------------


def passed(transmission, out: float, direction: float) -> float:
    x, s = ca.SX.sym("x"), ca.SX.sym("s")
    return float(ca.Function("in", [x, s], [transmission.input(x, s)])(out, direction))


@pytest.mark.parametrize("link", range(3))
def test_transmission_rows_of_table_3_5(link):
    _, _, out, lost, into = TABLE_3_5[link]
    gear = actuators.Transmission(
        actuators.puma560_efficiency(), MAXIMUM_TORQUES[link], BREAK_AWAY_TORQUES[link]
    )
    computed = passed(gear, out, DIRECTIONS[link])
    assert computed == pytest.approx(into, abs=2e-4)
    assert computed - out == pytest.approx(lost, abs=2e-4)


def test_table_3_5_adds_up():
    dynamic, friction, out, lost, into = TABLE_3_5.T
    np.testing.assert_allclose(dynamic + friction, out, rtol=0, atol=2e-4)
    np.testing.assert_allclose(out + lost, into, rtol=0, atol=2e-4)


def test_printed_joint_friction_is_below_what_the_printed_equation_allows():
    # gap 8 of the spec: equation 3.3 is at least mu r sqrt(fx² + fy²), and near rest the weights
    # alone give more than Table 3.5 has for joints 2 and 3
    arm = px.library.puma560_arm()
    f, _ = numbers(px.expression(eq.reactions, arm), Q, np.zeros(3), np.zeros(3))
    least = BEARING_FRICTION_COEFFICIENT * np.array(BEARING_RADII) * np.hypot(f[:, 0], f[:, 1])
    assert (least[1:] > 2 * np.abs(TABLE_3_5[1:, 1])).all()


@pytest.mark.parametrize(
    ("out", "direction", "into"),
    [
        (10.0, 1.0, 10.0 / 0.5 + 3.0),  # driving
        (-10.0, -1.0, -10.0 / 0.5 - 3.0),  # driving backwards
        (-10.0, 1.0, -10.0 * 0.5 + 3.0),  # braking
        (10.0, -1.0, 10.0 * 0.5 - 3.0),  # braking backwards
        (10.0, 0.0, 10.0),  # at rest
        (0.0, 1.0, 3.0),  # idling
    ],
)
def test_four_quadrants(out, direction, into):
    gear = actuators.Transmission(actuators.EfficiencyCurve.constant(0.5), 20.0, 3.0)
    assert passed(gear, out, direction) == pytest.approx(into, rel=1e-15)


def test_friction_takes_power_in_every_quadrant():
    # gap 10 of the spec: the prose has driving and braking reversed
    gear = actuators.Transmission(actuators.puma560_efficiency(), 97.6, 6.3)
    for out in (-150.0, -20.0, -0.1, 0.0, 0.1, 20.0, 150.0):
        for direction in (-1.0, 1.0):
            assert (passed(gear, out, direction) - out) * direction > 0


# -- F18, check 13: what it costs ------------------------------------------------------------------


def test_totals_of_table_3_3_add_up():
    assert {key: cost.total for key, cost in TABLE_3_3.items()} == {
        ("revolute", "spline"): Flops(112, 85),
        ("revolute", "linear"): Flops(109, 83),
        ("prismatic", "spline"): Flops(74, 65),
        ("prismatic", "linear"): Flops(71, 63),
    }
    # the source's "24 operations a joint, 4 without joint friction"
    linear = TABLE_3_3["revolute", "linear"]
    assert (linear.friction.total, linear.transmission.total) == (24, 4)


def test_the_equations_of_the_source_have_27_operations_a_joint_not_24():
    """Counted as written: a journal lacks two additions in the table, a line a multiplication."""
    written = table_3_3_as_written()
    assert {c.joint_friction for k, c in written.items() if k[0] == "prismatic"} == {Flops(10, 7)}
    assert {c.joint_friction for k, c in written.items() if k[0] == "revolute"} == {Flops(15, 7)}
    assert {c.transmission for k, c in written.items() if k[1] == "spline"} == {Flops(5, 4)}
    assert {c.transmission for k, c in written.items() if k[1] == "linear"} == {Flops(3, 2)}
    for key, cost in written.items():
        printed, kind = TABLE_3_3[key], key[0]
        assert (cost.joint_friction == printed.joint_friction) == (kind == "prismatic")
        assert (cost.transmission == printed.transmission) == (key[1] == "spline")
        assert cost.dynamics.multiply == (92 if kind == "revolute" else 140)
    assert written["revolute", "linear"].friction.total == 27


def gears(between: str) -> actuators.Transmission:
    curve = actuators.EfficiencyCurve([0.0, 0.3, 1.0], [0.3, 0.7, 0.8], between)
    return actuators.Transmission(curve, 50.0, 1.0)


@pytest.mark.parametrize("joint", ["joint_1", "joint_3"])
def test_costs_come_from_the_program_that_computes_the_friction(joint):
    """By hand: halves and couples 4 × each with 4 +; squares; roots' sums; scale and direction."""
    arm = px.library.stanford()
    slides = joint == "joint_3"
    rubs = actuators.Linear(0.1, 0.1) if slides else actuators.Journal(0.1, 0.1, 0.1)
    cost = friction_cost(arm, {joint: actuators.Drive([rubs])})
    # the journal's roots have a least load under them, to be differentiable
    by_hand = Flops(4 + 1 + 1, 4 + 3) if slides else Flops(4 + 4 + 1 + 1, 4 + 2 + 2 + 1)
    assert cost[joint].joint_friction == by_hand
    assert cost[joint].transmission == Flops(0, 0)
    assert all(cost[other].friction == Flops(0, 0) for other in cost if other != joint)
    kind = TableJoint.PRISMATIC if slides else TableJoint.REVOLUTE
    steps = [px.count_operations(f) for f in modified_steps(kind).values()]
    assert cost[joint].dynamics == Flops(sum(o.multiply for o in steps), sum(o.add for o in steps))


def test_more_friction_costs_more():
    arm, journal = px.library.stanford(), actuators.Journal(0.1, 0.1, 0.1)
    thrust = actuators.Thrust(0.1, 0.1)

    def cost(*bearings, gear=None):
        drive = actuators.Drive(bearings, gear)
        return friction_cost(arm, {"joint_1": drive})["joint_1"]

    one, two = cost(journal).joint_friction, cost(journal, thrust).joint_friction
    assert (two.multiply, two.add) == (one.multiply + 1, one.add + 1)
    line, cubic = (cost(gear=gears(b)).transmission for b in ("linear", "monotone"))
    assert line.total < cubic.total
    assert cost(journal, gear=gears("linear")).friction == one + line


def test_operations_of_the_three_joint_arm_with_friction():
    # Our own count has what the source leaves out: roots, comparisons, choice of the curve's piece.
    arm = px.library.puma560_arm()

    def total(drives) -> int:
        return px.count_operations(px.expression(actuators.drive_torques, arm, drives=drives)).total

    line = actuators.EfficiencyCurve([0.0, 1.0], [0.3, 0.8], "linear")
    gears = {
        name: actuators.Drive(transmission=replace(drive.transmission, efficiency=line))
        for name, drive in actuators.puma560_drives().items()
    }
    bare, geared, full = total({}), total(gears), total(actuators.puma560_drives())
    assert bare < geared < full
    assert (geared - bare) / 3 < 30
