"""Dry friction in runs against closed forms: what sticks stays, what slides stops where it must."""

import itertools
from dataclasses import replace

import casadi as ca
import numpy as np
import pytest

import phalanx as px
from phalanx import actuators
from phalanx.actuators import Drive, EfficiencyCurve, Journal, Linear, Transmission
from phalanx.equations.model_of import model_of
from phalanx.mechanism import Prismatic, Revolute
from phalanx.simulation.setup.forces.drive_friction import DriveFriction, Stiction
from phalanx.simulation.setup.laws import Law

MU, G, MASS = 0.3, 9.81, 2.0


def block(angle: float = 0.0, friction: float = 0.0) -> px.Mechanism:
    """A block that slides down along x; gravity is tilted by the angle of the incline [rad]."""
    body = px.Body("block", MASS, inertia=np.eye(3))
    joint = px.Joint("slide", "ground", "block", Prismatic([1, 0, 0]), friction=friction)
    gravity = G * np.array([np.sin(angle), 0.0, -np.cos(angle)])
    return px.Mechanism("block", [px.Body("ground", 0.0), body], [joint], gravity=gravity)


def pendulum(length: float = 0.5, mass: float = MASS) -> px.Mechanism:
    """A point mass that hangs down at zero."""
    bob = px.Body("bob", mass, np.array([0.0, 0.0, -length]), np.zeros((3, 3)))
    joint = px.Joint("hinge", "ground", "bob", Revolute([0, 1, 0]))
    return px.Mechanism(
        "pendulum", [px.Body("ground", 0.0), bob], [joint], gravity=np.array([0, 0, -G])
    )


SLIDE = {"slide": Drive([Linear(MU, span=1e3)])}


@pytest.mark.parametrize("machine", [(block(), SLIDE), (block(friction=MU * MASS * G), None)])
@pytest.mark.parametrize("step", [0.03, 0.001])
def test_a_slider_stops_after_v_squared_over_2_mu_g(machine, step):
    body, drives = machine
    run = px.simulate(body, [0.0], [1.7], duration=0.9, step=step, forces=(Stiction(drives),))
    assert run["q"][-1, 0] == pytest.approx(1.7**2 / (2 * MU * G), rel=1e-12)
    assert run["v"][-1, 0] == 0.0
    assert run["loss"][-1] == pytest.approx(MASS * 1.7**2 / 2, rel=1e-12)
    # at rest from the end of the step in which it stops
    assert (run["v"][run.time > 1.7 / (MU * G) + step, 0] == 0.0).all()


SLIP = 0.01


@pytest.mark.parametrize(
    ("forces", "creep"),
    [(Stiction(), 0.0), (px.Friction(slip=SLIP), SLIP), (DriveFriction(slip=SLIP), SLIP)],
)
def test_friction_of_each_way_stops_a_slider_after_its_own_way(forces, creep):
    rough = replace(block().joints[0], friction=4.0, backward_friction=1.0)
    body = replace(block(), joints=[rough])
    for way, friction in ((1.7, 4.0), (-1.7, 1.0)):
        run = px.simulate(body, [0.0], [way], duration=4.0, step=1e-3, forces=(forces,))
        # m v dv = -F tanh(v / slip) dx: smooth friction lets it creep by slip² π² / 12 more
        stopped = np.sign(way) * MASS / friction * (way**2 / 2 + creep**2 * np.pi**2 / 12)
        assert run["q"][-1, 0] == pytest.approx(stopped, rel=1e-9)
        assert run["loss"][-1] == pytest.approx(MASS * way**2 / 2, rel=1e-9)


@pytest.mark.parametrize(("push", "moves"), [(3.9, 0), (4.1, 1), (-0.9, 0), (-1.1, -1)])
def test_each_way_holds_as_much_as_its_friction(push, moves):
    rough = replace(block().joints[0], friction=4.0, backward_friction=1.0)
    body = replace(block(), joints=[rough])
    run = px.simulate(
        body, [0.0], duration=0.1, step=1e-3, forces=(Stiction(),), control=lambda t, q, v: [push]
    )
    assert np.sign(run["q"][-1, 0]) == moves
    if moves:
        a = (push - (4.0 if push > 0 else -1.0)) / MASS
        assert run["q"][-1, 0] == pytest.approx(a * 0.1**2 / 2, rel=1e-9)


@pytest.mark.parametrize("share", [1 - 1e-9, 1 + 1e-9, 1.5])
def test_a_block_slides_from_the_angle_of_friction_on(share):
    angle = np.arctan(MU * share)
    run = px.simulate(block(angle), [0.0], duration=0.5, step=0.01, forces=(Stiction(SLIDE),))
    if share < 1:
        assert (run["q"] == 0).all() and (run["v"] == 0).all()
    else:
        a = G * (np.sin(angle) - MU * np.cos(angle))
        np.testing.assert_allclose(run["v"][:, 0], a * run.time, rtol=1e-5, atol=1e-15)
        np.testing.assert_allclose(run["q"][:, 0], a * run.time**2 / 2, rtol=1e-5, atol=1e-15)


def test_a_pendulum_sticks_within_the_circle_of_friction():
    # the weight passes the axis within μ r: sin(angle) < μ r / l
    length, radius = 0.5, 0.2
    edge = np.arcsin(MU * radius / length)
    hold = (Stiction({"hinge": Drive([Journal(MU, radius, span=0.3)])}),)
    machine = pendulum(length)
    for angle in (edge * (1 - 1e-9), -edge * (1 - 1e-9), 0.0):
        run = px.simulate(machine, [angle], duration=0.2, step=0.01, forces=hold)
        assert (run["q"] == angle).all() and (run["v"] == 0).all()
    run = px.simulate(machine, [edge * 1.01], duration=0.2, step=0.01, forces=hold)
    assert (np.diff(run["q"][:, 0]) < 0).all()


def test_a_swinging_pendulum_comes_to_rest_within_that_circle():
    radius = 0.2
    hold = (Stiction({"hinge": Drive([Journal(MU, radius, span=0.3)])}),)
    run = px.simulate(pendulum(), [1.2], duration=12.0, step=0.005, forces=hold)
    resting = run["v"][:, 0] == 0
    assert resting[-200:].all()
    assert (run["q"][-200:, 0] == run["q"][-1, 0]).all()
    assert abs(np.sin(run["q"][-1, 0])) < MU * radius / 0.5
    assert (np.diff(run["energy"]) <= 1e-9).all()


def spring(stiffness: float) -> Law:
    return Law(lambda model, t, q, v: -stiffness * q)


def resting_place(start: float, band: float) -> float:
    """Where a spring and a block end: each half swing ends 2 F / k nearer, until it is within."""
    while abs(start) > band:
        start = -np.sign(start) * (abs(start) - 2 * band)
    return start


def test_swings_on_a_spring_shrink_by_twice_the_band_of_friction():
    k, force = 50.0, 7.0
    errors = []
    for step in (0.02, 0.01, 0.005):
        run = px.simulate(
            block(friction=force),
            [1.0],
            duration=5.0,
            step=step,
            control=spring(k),
            forces=(Stiction(),),
        )
        assert (run["v"][-50:] == 0).all()
        errors.append(abs(run["q"][-1, 0] - resting_place(1.0, force / k)))
    # three reversals, each located on a parabola: second order at least
    assert errors[1] < errors[0] / 3.5 or errors[0] < 1e-9
    assert errors[2] < 1e-6


def test_smooth_friction_creeps_where_exact_friction_holds():
    angle = np.arctan(MU / 2)
    run = px.simulate(
        block(angle), [0.0], duration=1.0, step=0.001, forces=(DriveFriction(SLIDE, slip=0.01),)
    )
    # tanh(v / slip) = 1/2 balances half the friction
    assert run["v"][-1, 0] == pytest.approx(0.01 * np.arctanh(0.5), rel=1e-3)


def test_a_load_from_outside_presses_on_the_bearing():
    push = {"block": [0.0, 0.0, -30.0, 0.0, 0.0, 0.0]}
    run = px.simulate(
        block(), [0.0], [1.7], duration=0.9, step=0.01, forces=(Stiction(SLIDE),), wrenches=push
    )
    wanted = 1.7**2 / (2 * MU * (G + 30.0 / MASS))
    assert run["q"][-1, 0] == pytest.approx(wanted, rel=1e-12)


def test_masses_that_differ_from_run_to_run():
    # friction of a bearing grows with the mass it carries, that of the joint itself does not
    masses = np.array([1.0, 2.0, 5.0])
    for drives, wanted in (
        (SLIDE, np.full(3, 0.5**2 / (2 * MU * G))),
        ({"slide": Drive(coulomb=4.0)}, masses * 0.5**2 / (2 * 4.0)),
    ):
        runs = px.rollout(
            block(),
            np.zeros((3, 1)),
            np.full((3, 1), 0.5),
            steps=80,
            step=0.01,
            forces=(Stiction(drives),),
            parameters={"block.mass": masses},
            record=(),
        )
        np.testing.assert_allclose(runs.final_q[:, 0], wanted, rtol=1e-12)
        assert (runs.final_v == 0).all()


def test_friction_of_a_machine_that_coasts():
    q, v = ca.SX.sym("q"), ca.SX.sym("v")
    for friction in (Stiction(SLIDE), DriveFriction(SLIDE)):
        coasting = ca.Function("coasting", [q, v], [friction.force(block(), q, v)])
        assert float(coasting(0.0, 2.0)) == pytest.approx(-MU * MASS * G, rel=1e-12)
        assert float(coasting(0.0, 0.0)) == 0.0


# -- drives ----------------------------------------------------------------------------------------


def breaks_away(machine, drives, q, tau) -> float:
    """Velocity after a short time under a motor force."""
    run = px.simulate(
        machine,
        q,
        duration=0.01,
        step=0.005,
        control=lambda t, q, v: np.array([tau]),
        forces=(Stiction(drives),),
    )
    return float(run["v"][-1, 0])


def test_a_drive_breaks_away_at_its_break_away_torque():
    drives = {
        "slide": Drive(transmission=Transmission(EfficiencyCurve.constant(0.6), 50.0, 4.0)),
    }
    assert breaks_away(block(), drives, [0.0], 4.0 * (1 - 1e-9)) == 0
    assert breaks_away(block(), drives, [0.0], 4.0 * (1 + 1e-9)) > 0
    assert breaks_away(block(), drives, [0.0], -4.0 * (1 + 1e-9)) < 0


def test_a_loaded_gear_holds_between_braking_and_driving():
    # motor forces from out · η - break-away to out / η + break-away leave the joint where it is
    efficiency, break_away = 0.6, 1.5
    gear = Transmission(EfficiencyCurve.constant(efficiency), 50.0, break_away)
    drives, machine, q = {"hinge": Drive(transmission=gear)}, pendulum(), [0.5]
    out = float(px.Dynamics(machine).gravity(q)[0])
    lower, upper = out * efficiency - break_away, out / efficiency + break_away
    assert out > 2
    assert breaks_away(machine, drives, q, upper - 1e-7) == 0
    assert breaks_away(machine, drives, q, lower + 1e-7) == 0
    assert breaks_away(machine, drives, q, upper + 1e-7) > 0
    assert breaks_away(machine, drives, q, lower - 1e-7) < 0


def test_torques_of_the_inverse_model_are_the_edge_of_breaking_away():
    arm, drives = px.library.puma560_arm(), actuators.puma560_drives()
    function = px.expression(
        actuators.drive_torques, arm, drives=drives, direction=actuators.AboutToMove()
    )
    q, still = np.array([0.1, -0.2, 0.3]), np.zeros(3)
    edge = np.array(function(q, still, still)[4])[:, 0]
    # through CasADi's interpreter: the decision alone, nothing compiled
    x, tau = ca.SX.sym("q", 3), ca.SX.sym("tau", 3)
    decision = Stiction(drives).directions(model_of(arm), x, ca.SX.zeros(3, 1), tau, {})
    settle = ca.Function("settle", [x, tau], [decision])
    at_rest = edge * np.array([0, 1 - 1e-6, 1 - 1e-6])
    assert (np.array(settle(q, at_rest)) == 0).all()
    for k in (1, 2):
        beyond = at_rest.copy()
        beyond[k] = edge[k] * (1 + 1e-6)
        wanted = np.zeros(3)
        wanted[k] = np.sign(edge[k])
        np.testing.assert_array_equal(np.array(settle(q, beyond))[:, 0], wanted)


# -- several joints --------------------------------------------------------------------------------


def rubbing_pendulum(first: float, second: float) -> px.Mechanism:
    machine = px.library.double_pendulum()
    joints = [replace(j, friction=f) for j, f in zip(machine.joints, (first, second), strict=True)]
    return replace(machine, joints=joints)


def accelerations_at_rest(M, force, bounds) -> np.ndarray:
    """By trying every combination of sliding and sticking: the one that contradicts nothing."""
    for modes in itertools.product((0, 1, -1), repeat=len(force)):
        s = np.array(modes, dtype=float)
        free = s != 0
        a = np.zeros(len(force))
        a[free] = np.linalg.solve(M[np.ix_(free, free)], (force - bounds * s)[free])
        rest = force - M @ a
        if (a[free] * s[free] >= 0).all() and (np.abs(rest[~free]) <= bounds[~free]).all():
            return a
    raise AssertionError("no combination fits")


def test_joints_free_and_hold_each_other():
    bounds = np.array([3.0, 1.0])
    machine = rubbing_pendulum(*bounds)
    d = px.Dynamics(machine)
    rng = np.random.default_rng(11)
    samples = 200
    q, tau = rng.uniform(-3, 3, (samples, 2)), rng.uniform(-25, 25, (samples, 2))
    h = 1e-6
    moves = px.CompiledRollout(
        px.Setup(machine, forces=(Stiction(),)), step=h, integrator=px.SemiImplicitEuler()
    )
    v = moves(q, np.zeros(2), steps=1, tau=tau[:, None, :]).final_v
    kinds = set()
    for k in range(samples):
        a = accelerations_at_rest(d.mass_matrix(q[k]), tau[k] - d.gravity(q[k]), bounds)
        kinds.add(tuple(np.sign(a)))
        np.testing.assert_allclose(v[k] / h, a, rtol=1e-6, atol=1e-9)
        assert ((v[k] == 0) == (a == 0)).all()
    assert len(kinds) >= 7  # of nine combinations


def test_a_chain_of_four_is_settled_as_by_trying_all_81_combinations():
    bounds = np.array([2.0, 1.0, 0.5, 0.5])
    chain = px.library.chain(4)
    joints = [replace(j, friction=f) for j, f in zip(chain.joints, bounds, strict=True)]
    chain = replace(chain, joints=joints)
    d, rng, samples = px.Dynamics(chain), np.random.default_rng(12), 150
    q, tau = rng.uniform(-3, 3, (samples, 4)), rng.uniform(-20, 20, (samples, 4))
    M, g = d.mass_matrix(q), d.gravity(q)
    x, u = ca.SX.sym("q", 4), ca.SX.sym("tau", 4)
    decision = Stiction().directions(model_of(chain), x, ca.SX.zeros(4, 1), u, {})
    settle = ca.Function("settle", [x, u], [decision]).map(samples)
    settled = np.array(settle(q.T, tau.T)).T
    wanted = [np.sign(accelerations_at_rest(M[k], (tau - g)[k], bounds)) for k in range(samples)]
    np.testing.assert_array_equal(settled, wanted)
    assert len({tuple(row) for row in settled}) > 20


def test_energy_never_grows_and_everything_stops():
    machine = rubbing_pendulum(2.0, 1.5)
    run = px.simulate(machine, [2.0, -1.0], duration=20.0, step=0.002, forces=(Stiction(),))
    assert (np.diff(run["energy"]) <= 1e-9).all()
    assert (run["v"][-1] == 0).all() and (run["q"][-500:] == run["q"][-1]).all()
    gone = run["energy"][0] - run["energy"][-1]
    assert run["loss"][-1] == pytest.approx(gone, rel=1e-4)


def test_joints_without_friction_are_left_alone():
    machine = px.library.double_pendulum()
    start = [1.0, -0.5]
    plain = px.simulate(machine, start, duration=1.0, step=0.005, forces=())
    stuck = px.simulate(machine, start, duration=1.0, step=0.005, forces=(Stiction(),))
    np.testing.assert_allclose(stuck["q"], plain["q"], rtol=0, atol=1e-11)


def test_rollouts_stick_like_runs():
    machine = rubbing_pendulum(0.8, 0.5)
    starts = np.array([[0.01, 0.0], [1.0, 0.5], [-2.0, 1.0]])
    runs = px.rollout(
        machine, starts, np.zeros((3, 2)), steps=300, step=0.005, forces=(Stiction(),)
    )
    for k, start in enumerate(starts):
        run = px.simulate(machine, start, duration=1.5, step=0.005, forces=(Stiction(),))
        np.testing.assert_allclose(runs.q[k], run["q"][1:], rtol=0, atol=1e-10)
    assert (runs.q[0] == starts[0]).all()


# -- mistakes --------------------------------------------------------------------------------------


@pytest.mark.parametrize("integrator", [px.DormandPrince(), px.Cvodes()])
def test_adaptive_integrators_cannot_stick(integrator):
    with pytest.raises(px.InvalidInput, match="steps of one length"):
        px.simulate(block(), duration=1.0, integrator=integrator, forces=(Stiction(SLIDE),))


def test_friction_under_load_is_given_once():
    with pytest.raises(px.InvalidInput, match="can be given once"):
        px.simulate(block(), duration=1.0, forces=(Stiction(SLIDE), DriveFriction(SLIDE)))


def test_numbers_out_of_range():
    with pytest.raises(px.InvalidInput, match="iterations=0"):
        Stiction(SLIDE, iterations=0)
    with pytest.raises(px.InvalidInput, match="slip velocity"):
        DriveFriction(SLIDE, slip=-1.0)


def test_an_unknown_joint_is_named():
    with pytest.raises(px.UnknownName, match="no joint 'slid'"):
        px.simulate(block(), duration=1.0, forces=(Stiction({"slid": Drive()}),))
