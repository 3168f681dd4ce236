"""What a model states of its joints acts in runs: limits, dry friction, efforts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import casadi as ca
import numpy as np
import pytest
from casadi import SX

import phalanx as px
from phalanx.base.robots import robot_files
from phalanx.bench.stops import stop_depths
from phalanx.cli.controls import ForceOptions
from phalanx.dynamics.evaluators.choice import SIZES, Sizes
from phalanx.equations.model_of import model_of
from phalanx.mechanism import Body, Joint, Mechanism, Mimic, Prismatic, Revolute
from phalanx.simulation.run.plant import Plant
from phalanx.simulation.run.plant_step import plant_step
from phalanx.simulation.setup.forces.effective_inertia import effective_inertia
from phalanx.simulation.setup.forces.stops import RESPONSE
from phalanx.simulation.setup.setup import DEFAULT_FORCES, fitted

RIGHT_ANGLE = np.pi / 2
# robots that differ: arms with a gripper, a hand, a leg, quadrupeds, humanoids
ROBOTS = ("panda", "allegro_right_hand", "finger_edu", "solo12", "ur5_joint_limited_robot", "so101")


def rod(mass: float, length: float, **numbers: Any) -> Mechanism:
    """A rod that hangs from a hinge about y."""
    I = mass * length**2 / 12
    body = Body("rod", mass, [0, 0, -length / 2], np.diag([I, I, I]))
    joint = Joint("hinge", "ground", "rod", Revolute([0, 1, 0]), **numbers)
    return Mechanism("rod", [Body("ground"), body], [joint])


def with_numbers(mechanism: Mechanism, **numbers: Any) -> Mechanism:
    joints = tuple(replace(j, **numbers) if j.motion.nv else j for j in mechanism.joints)
    return replace(mechanism, joints=joints)


# -- stops ---------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:a step of 0.01 s is too long")
@pytest.mark.parametrize("step", [1e-4, 1e-3, 1e-2])
@pytest.mark.parametrize(
    "method", [px.RungeKutta4(), px.SemiImplicitEuler(), px.Rosenbrock2()], ids=str
)
def test_a_light_finger_comes_to_rest_on_its_stop(step: float, method: Any) -> None:
    finger = rod(0.02, 0.05, lower=-1.0, upper=0.5)
    run = px.simulate(
        finger, [0.9], duration=3.0, step=step, integrator=method, every=10, forces=(px.Stops(),)
    )
    assert np.isfinite(run["q"]).all()
    finger = replace(finger, gravity=np.array([9.81, 0.0, 0.0]))
    run = px.simulate(finger, duration=3.0, step=step, integrator=method, every=10)
    # at rest the stop bears the weight
    ((stop, _, soft),) = px.Stops().fitted(finger, step).fit.values()
    depth = abs(run["q"][-1, 0]) - (1.0 if run["q"][-1, 0] < 0 else 0.5)
    weight = 0.02 * 9.81 * 0.025 * abs(np.cos(run["q"][-1, 0]))
    assert 0 < depth < (0.02 if step < 1e-2 else 0.2)
    np.testing.assert_allclose(stop * depth / np.sqrt(1 + depth / soft), weight, rtol=1e-3)


@pytest.mark.parametrize("step", [1e-4, 1e-3])
def test_a_start_beyond_a_limit_is_pushed_back(step: float) -> None:
    arm = rod(2.0, 0.5, lower=-1.0, upper=1.0)
    run = px.simulate(arm, [2.0], duration=1.0, step=step)
    # a linear spring would leave it with 0.37 rad times its frequency: 180 and 1800 rad/s
    assert np.abs(run["v"]).max() < (60 if step < 1e-3 else 20)
    assert np.abs(run["q"]).max() <= 2.0


def test_springs_of_fitted_stops_have_the_frequency_that_the_step_allows() -> None:
    heavy = rod(3.0, 0.4, lower=-1.0, upper=1.0)
    (stiffness, damping, soft) = px.Stops().fitted(heavy, 1e-3).fit["hinge"]
    I = 3.0 * 0.4**2 / 3
    np.testing.assert_allclose(np.sqrt(stiffness / I) * 1e-3, RESPONSE, rtol=1e-6)
    np.testing.assert_allclose([damping, soft], [I / 1e-3, 5e-3], rtol=1e-6)
    linear = px.Stops(stiffness=50.0).fitted(heavy, 1e-3)
    assert linear.fit["hinge"] == pytest.approx((50.0, 2 * np.sqrt(50.0 * I), np.inf))
    assert px.Stops(50.0, 2.0).fitted(heavy, 1e-3) == px.Stops(50.0, 2.0)


def test_forces_of_stops_are_the_slope_of_what_they_store() -> None:
    m = with_numbers(px.library.double_pendulum(), lower=-0.5, upper=[0.4])
    q, v = SX.sym("q", 2), SX.sym("v", 2)
    model = model_of(m)
    for stops in (px.Stops().fitted(m, 1e-3), px.Stops(300.0, 2.0)):
        force = stops.force(m, q, SX.zeros(2))
        slope = ca.gradient(stops.stored_energy(model, q, {}), q)
        both = ca.Function("both", [q, v], [force, -slope])
        for at in ([0.9, -0.6], [-2.0, 0.1]):
            found, wanted = both(at, 0)
            np.testing.assert_allclose(found.full(), wanted.full(), rtol=1e-12, atol=1e-9)


def test_effective_inertia_bounds_the_mass_matrix_in_postures_that_were_not_drawn() -> None:
    m = with_numbers(px.library.puma560(), lower=-2.5, upper=2.5)
    I = effective_inertia(m)
    M = px.Dynamics(m).mass_matrix(m.random_positions(200, seed=7))
    scaled = np.sqrt(I)[:, None] * np.linalg.inv(M) * np.sqrt(I)
    # 1 in postures that were drawn
    assert np.linalg.eigvalsh(scaled).max() < 1.2
    assert (I > 0.02 / np.linalg.inv(M).diagonal(axis1=1, axis2=2).max(axis=0)).all()


def test_loops_keep_what_closes_them_in_mind() -> None:
    m = px.library.stewart()
    I = effective_inertia(m)
    legs = [m.v_slices[j.name].start for j in m.moving_joints if np.isfinite(j.upper).all()]
    # a leg alone weighs less than with its share of the platform
    assert len(legs) == 6 and (I[legs] > 0).all() and np.count_nonzero(I) == 6


def test_a_joint_that_follows_another_shares_its_stop() -> None:
    slider = Body("slider", 0.5, [0, 0, 0], np.eye(3) * 1e-3)
    other = Body("other", 0.5, [0, 0, 0], np.eye(3) * 1e-3)
    joints = [
        Joint("lead", "ground", "slider", Prismatic([0, 0, 1]), lower=-1.0, upper=1.0),
        Joint(
            "tail",
            "ground",
            "other",
            Prismatic([0, 0, 1]),
            lower=-0.1,
            upper=0.1,
            mimic=Mimic("lead", 3.0),
        ),
    ]
    m = Mechanism("pair", [Body("ground"), slider, other], joints)
    run = px.simulate(m, duration=2.0)  # it falls until the follower is stopped
    assert abs(3 * run["q"][-1, 0] + 0.1) < 2e-3


def test_a_long_chain_stays_within_its_limits() -> None:
    chain = with_numbers(px.library.chain(160), lower=-0.2, upper=0.2, friction=0.01)
    run = px.simulate(chain, np.full(160, 0.1), duration=0.05, step=1e-3)
    assert np.isfinite(run["q"]).all() and np.abs(run["q"]).max() < 0.25


def test_joints_far_apart_in_a_chain_do_not_matter_to_each_other(monkeypatch: Any) -> None:
    chain = with_numbers(px.library.chain(36), lower=-0.2, upper=0.2)
    whole = effective_inertia.__wrapped__(chain)
    monkeypatch.setitem(SIZES, "effective inertia", Sizes(10, 10))
    traversed = effective_inertia.__wrapped__(chain)
    np.testing.assert_allclose(traversed, whole, rtol=0.3)


@pytest.mark.filterwarnings("ignore::phalanx.mechanism.read.report.ModelWarning")
@pytest.mark.parametrize("name", ROBOTS)
def test_every_robot_stops_at_every_limit(name: str) -> None:
    if name not in robot_files():
        pytest.skip("example-robot-data is not installed")
    m, step = replace(px.load(f"robot:{name}"), gravity=np.zeros(3)), 1e-3
    depth = stop_depths(m, step, 100)
    assert len(depth) and depth.max() < 0.02 and np.mean(depth > 0) > 0.2


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::phalanx.mechanism.read.report.ModelWarning")
@pytest.mark.parametrize("name", robot_files())
def test_no_stop_of_any_robot_is_less_stable_than_the_robot(name: str) -> None:
    try:
        m = replace(px.load(f"robot:{name}"), gravity=np.zeros(3))
        depth = stop_depths(m, 1e-3, 100)
    except (px.ReadError, px.InvalidModel) as error:
        pytest.skip(str(error))
    # without stops it would be 0.35; runs that the robot itself does not allow are infinite
    assert not np.isnan(depth).any() and (depth[np.isfinite(depth)] < 0.15).all()


# -- friction ------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", [1e-4, 1e-3, 1e-2])
def test_dry_friction_of_a_light_joint_stops_it(step: float) -> None:
    wheel = replace(rod(0.02, 0.05, friction=0.5), gravity=np.zeros(3))
    run = px.simulate(wheel, v0=[5.0], duration=1.0, step=step)
    assert np.abs(run["v"]).max() <= 5.0 and abs(run["v"][-1, 0]) < 1e-6


def test_friction_of_heavy_joints_has_the_usual_slip() -> None:
    m = rod(3.0, 0.4, friction=0.3)
    v, at = SX.sym("v"), 0.004
    force = px.Friction().fitted(m, 1e-3).force(m, SX(0), v)
    found = float(ca.Function("friction", [v], [force])(at))
    assert found == pytest.approx(-0.3 * np.tanh(at / 0.01), rel=1e-12)
    # smooth: what asks for derivatives has them at rest too
    slope = ca.Function("slope", [v], [ca.gradient(force, v)])
    assert float(slope(0.0)) == pytest.approx(-30.0)


def test_friction_that_runs_are_told_is_as_stable() -> None:
    wheel = replace(rod(0.02, 0.05), gravity=np.zeros(3))
    told = px.simulate(wheel, v0=[5.0], duration=0.1, parameters={"hinge.friction": 0.5})
    stated = px.simulate(with_numbers(wheel, friction=0.5), v0=[5.0], duration=0.1)
    np.testing.assert_allclose(told["q"], stated["q"], rtol=0, atol=1e-12)


# -- efforts -------------------------------------------------------------------------------------


def test_commands_saturate_before_they_act() -> None:
    arm = with_numbers(px.library.double_pendulum(), effort_limit=3.0)
    law = px.proportional_derivative([1.0, -1.0], stiffness=60.0, damping=2.0)
    step, steps, d = 1e-3, 300, px.Dynamics(arm)
    q, v = np.zeros(2), np.zeros(2)
    acted = []

    def rates(q: Any, v: Any) -> Any:
        tau = np.clip(60.0 * ([1.0, -1.0] - q) - 2.0 * v, -3.0, 3.0)
        return v, d.forward_dynamics(q, v, tau), tau

    for _ in range(steps):  # the classical Runge-Kutta method, by hand
        k1 = rates(q, v)
        k2 = rates(q + step / 2 * k1[0], v + step / 2 * k1[1])
        k3 = rates(q + step / 2 * k2[0], v + step / 2 * k2[1])
        k4 = rates(q + step * k3[0], v + step * k3[1])
        acted.append(k1[2])
        q = q + step / 6 * (k1[0] + 2 * k2[0] + 2 * k3[0] + k4[0])
        v = v + step / 6 * (k1[1] + 2 * k2[1] + 2 * k3[1] + k4[1])
    start = np.zeros(2)
    runs = px.rollout(arm, start, start, control=law, steps=steps, step=step, record=("q", "tau"))
    np.testing.assert_allclose(runs.q[-1], q, rtol=0, atol=1e-10)
    np.testing.assert_allclose(runs.tau, acted, rtol=0, atol=1e-9)
    assert np.abs(runs.tau).max() == 3.0
    single = px.simulate(arm, duration=0.3, control=lambda t, q, v: 60.0 * ([1, -1] - q) - 2.0 * v)
    assert np.abs(single["tau"]).max() == 3.0
    free = px.rollout(arm, start, start, control=law, steps=9, record=("tau",), forces=())
    assert np.abs(free.tau).max() == 60.0


def test_efforts_of_a_long_machine_saturate_too() -> None:
    chain = with_numbers(px.library.chain(160), effort_limit=2.0)
    tau = np.linspace(-5.0, 5.0, 160)
    still = np.zeros(160)
    limited = px.rollout(chain, still, still, tau=tau[None], steps=1, record=("q", "tau"))
    np.testing.assert_array_equal(limited.tau[0], np.clip(tau, -2.0, 2.0))
    run = px.simulate(chain, duration=2e-3, control=lambda t, q, v: tau)
    np.testing.assert_array_equal(run["tau"][0], np.clip(tau, -2.0, 2.0))


# -- all of them ---------------------------------------------------------------------------------


def test_without_forces_a_robot_moves_as_in_pinocchio() -> None:
    pin = pytest.importorskip("pinocchio")
    if "panda" not in robot_files():
        pytest.skip("example-robot-data is not installed")
    m = px.load("robot:ur5_joint_limited_robot")
    model = pin.buildModelFromUrdf(str(robot_files()["ur5_joint_limited_robot"]))
    model.armature[:] = 0.0
    data, tau = model.createData(), np.full(6, 5.0)
    q, v = np.zeros(6), np.zeros(6)
    for _ in range(300):
        v = v + 1e-3 * pin.aba(model, data, q, v, tau)
        q = q + 1e-3 * v
    run = {"tau": np.tile(tau, (300, 1)), "steps": 300, "integrator": px.SemiImplicitEuler()}
    bare = px.rollout(m, np.zeros(6), np.zeros(6), forces=(), **run)
    np.testing.assert_allclose(bare.final_q, q, rtol=0, atol=1e-9)
    stated = px.rollout(m, np.zeros(6), np.zeros(6), **run)
    assert np.abs(stated.final_q - q).max() > 1e-3


def test_what_a_machine_does_not_state_costs_nothing() -> None:
    m = px.library.chain(4)
    steps = [
        plant_step(Plant(fitted(px.Setup(m, forces), method, 1e-3)), method, 1e-3)[0]
        for method in (px.RungeKutta4(),)
        for forces in ((px.Damping(),), DEFAULT_FORCES)
    ]
    assert steps[0].n_instructions() == steps[1].n_instructions()


def test_a_run_says_what_acted() -> None:
    m = with_numbers(px.library.double_pendulum(), lower=-1.0, upper=1.0, effort_limit=[4.0])
    run = px.simulate(m, duration=1e-3)
    assert run.settings["loads"] == [
        "Stops(stiffness=None, damping=None) in 2 joints",
        "EffortLimits() in 2 joints",
    ]
    assert px.simulate(m, duration=1e-3, forces=()).settings["loads"] == []


def test_numbers_that_are_fitted_are_told_to_no_run() -> None:
    m = rod(1.0, 0.3, lower=-1.0, upper=1.0)
    with pytest.raises(px.InvalidInput, match=r"give the forces= a Stops\(stiffness="):
        px.CompiledRollout(px.Setup(m, parameters=("stops.stiffness",)))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("", (0, 1, 2, 3, 4)),
        ("[forces]\ndamping = false\nfriction = false", (2, 3, 4)),
        ("[forces]\nstops = false\neffort_limits = false", (0, 1, 4)),
        ("[forces]\nfluid = false", (0, 1, 2, 3)),
    ],
)
def test_a_scenario_switches_them_off(tmp_path: Any, text: str, left: tuple[int, ...]) -> None:
    file = tmp_path / "run.toml"
    file.write_text(f'model = "double_pendulum"\nduration = 0.1\n{text}')
    assert px.read_scenario(file).forces == tuple(DEFAULT_FORCES[k] for k in left)


def test_the_command_line_chooses_them() -> None:
    assert ForceOptions(None).chosen(DEFAULT_FORCES) is DEFAULT_FORCES
    assert ForceOptions("none").chosen(DEFAULT_FORCES) == ()
    assert ForceOptions("stops, damping").chosen(()) == (px.Damping(), px.Stops())
    with pytest.raises(px.UnknownName, match="Did you mean 'stops'"):
        ForceOptions("stop").chosen(())
