"""Joints that are cut: the motion goes on, names and signals stay, what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
from phalanx.mechanism import Body, Joint, Mechanism, Mimic, Planar, Revolute, Spherical, Universal
from phalanx.simulation.run.joint_release import JointRelease
from phalanx.simulation.setup.events import Event

STEP = 1e-3


def chain(motion=None, n: int = 3) -> Mechanism:
    """Rods of which the second hangs on a joint of any kind."""
    rod = px.library.chain(n, damping=0.02)
    joints = [
        Joint(j.name, j.parent, j.child, motion, j.pose, damping=0.02)
        if motion and j.name == "joint_2"
        else j
        for j in rod.joints
    ]
    return Mechanism("rods", rod.bodies, joints)


def moving(machine: Mechanism, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return machine.random_positions(seed=seed), rng.standard_normal(machine.nv)


@pytest.mark.parametrize(
    "motion",
    [Universal((1, 0, 0), (0.6, 0.8, 0)), Spherical(), Planar((0, 1, 0))],
    ids=lambda motion: motion.kind,
)
def test_both_coordinates_tell_the_same_motion(motion):
    """Poses, velocities and energy of all bodies, and the power of joint forces."""
    before = chain(motion)
    after = px.cut(0.0, "joint_2").apply(before)
    release, (q, v) = JointRelease(before, after), moving(before, 3)
    x = release.state(np.concatenate([q, v]))
    q_after, v_after = x[: after.nq], x[after.nq :]
    a, b = px.Dynamics(before), px.Dynamics(after)
    for body in ("link_1", "link_2", "link_3"):
        pose = a.forward_kinematics(q, frame=body) - b.forward_kinematics(q_after, frame=body)
        velocity = a.frame_velocity(q, v, frame=body) - b.frame_velocity(
            q_after, v_after, frame=body
        )
        assert np.abs(pose).max() < 1e-13
        assert np.abs(velocity).max() < 1e-13
    tau = np.random.default_rng(4).standard_normal(before.nv)
    row = release.rows(np.concatenate([[0.5], q, v, tau, [7.0]])[None])[0]
    force = row[1 + after.nq + after.nv : -1]
    assert abs(force @ v_after - tau @ v) < 1e-13
    assert (row[0], row[-1]) == (0.5, 7.0)
    seen = release.seen(x)
    cut_q, cut_v = before.q_slices["joint_2"], before.v_slices["joint_2"]
    assert np.isnan(seen[cut_q]).all()
    assert np.isnan(seen[before.nq :][cut_v]).all()
    assert np.isnan(seen).sum() == motion.nq + motion.nv
    assert np.array_equal(seen[: cut_q.start], q[: cut_q.start])


def test_what_is_cut_flies_on_and_energy_stays():
    """A rod that is let go falls: its centre of mass follows a parabola from where it was."""
    machine = chain()
    q, v = moving(machine)
    run = px.simulate(
        machine, q, v, duration=0.4, step=STEP, events=[px.cut(0.2, "joint_3")], bodies=["link_3"]
    )
    assert run.settings["events"] == ["cut joint_3 at 0.2 s"]
    assert run.signal("q").labels[-7:] == tuple(
        f"joint_3.{part}" for part in ("x", "y", "z", "qx", "qy", "qz", "qw")
    )
    # until then the joint holds: the link begins at the tip, and turns about one axis
    held = run.time <= 0.2
    assert np.abs(run["q"][held, 2:5]).max() < 1e-15
    assert np.ptp(run["energy"] - run["work"] + run["loss"]) < 1e-6
    free = run.time >= 0.2
    x, y, z, w = run["orientation"][free].T
    down = np.stack([-2 * (x * z + w * y), -2 * (y * z - w * x), -(1 - 2 * (x * x + y * y))], 1)
    centre, t = run["position"][free] + down / 2, run.time[free] - 0.2
    rate = (centre[-1] - centre[0]) / t[-1] - np.array([0, 0, -9.81]) * t[-1] / 2
    fall = centre[0] + rate * t[:, None] + 0.5 * np.array([0, 0, -9.81]) * t[:, None] ** 2
    assert np.abs(centre - fall).max() < 1e-9


def test_control_goes_on_for_the_joints_that_are_left():
    """A law, a function and a profile say the same; where a joint is cut they see no number."""
    machine = chain()
    q, v = moving(machine)
    goal, seen = np.array([0.2, -0.1, 0.3]), []

    def control(t, position, velocity):
        seen.append(position.copy())
        return -velocity

    options = {"duration": 0.04, "step": STEP, "events": [px.cut(0.02, "joint_2")]}
    options["integrator"] = px.SemiImplicitEuler()  # the least code
    px.simulate(machine, q, v, control=control, **options)
    assert np.isfinite(seen[19]).all()
    assert np.isnan(seen[-1]).tolist() == [False, True, False]
    pd = px.proportional_derivative(goal, stiffness=5.0, damping=1.0)
    asked = px.proportional_derivative(stiffness=5.0, damping=1.0)
    law = px.simulate(machine, q, v, control=pd, **options)
    told = px.simulate(machine, q, v, control=asked, inputs={"target": goal}, **options)
    assert np.array_equal(law["q"], told["q"])
    assert (law["tau"][-1, 1:7] == 0).all()  # nothing drives what floats
    wanted = 5.0 * (goal[[0, 2]] - law["q"][-1, [0, 8]]) - law["v"][-1, [0, 7]]
    assert np.abs(law["tau"][-1, [0, 7]] - wanted).max() < 1e-13
    held = px.Profile([0.0, 1.0], np.array([[0.1, 0.2, 0.3]] * 2))
    lines = px.Profile([0.0, 1.0], np.array([[0.1, 0.2, 0.3]] * 2), between="linear")
    a, b = (px.simulate(machine, q, v, control=c, **options) for c in (held, lines))
    assert np.abs(a["q"] - b["q"]).max() < 1e-12


def test_long_runs_step_in_native_loops_through_a_cut():
    machine = px.library.chain(2)
    options = {"duration": 2.2, "step": STEP, "events": [px.cut(1.0, "joint_2")], "every": 11}
    options["integrator"] = px.SemiImplicitEuler()
    whole = px.simulate(machine, [1.0, 0.5], **options)
    single = px.simulate(machine, [1.0, 0.5], control=lambda t, q, v: np.zeros(2), **options)
    for name in whole.signals:
        assert np.abs(whole[name] - single[name]).max() < 1e-10, name


def test_two_cuts_and_one_at_the_very_beginning():
    machine = px.library.chain(3)
    events = [px.cut(0.02, "joint_3"), px.cut(0.0, "joint_2")]
    run = px.simulate(
        machine,
        [1.0, 0.5, 0.2],
        duration=0.04,
        step=STEP,
        events=events,
        bodies=["link_3"],
    )
    assert run["q"].shape[1] == 1 + 7 + 7
    # both fell from rest for as long: the last link hangs on the one before by nothing
    assert np.abs(run["velocity"][-1] - [0, 0, -9.81 * 0.04]).max() < 1e-9


def test_what_cannot_be_cut_is_refused():
    machine = chain()
    run = {"duration": 0.01, "step": STEP}
    with pytest.raises(px.UnknownName, match="joint_2"):
        px.simulate(machine, events=[px.cut(0.0, "jont_2")], **run)
    twice = [px.cut(0.0, "joint_2"), px.cut(0.005, "joint_2")]
    with pytest.raises(px.InvalidInput, match="floats already"):
        px.simulate(machine, events=twice, **run)
    with pytest.raises(px.InvalidInput, match="loops"):
        px.cut(0.0, "crank").apply(px.library.four_bar())
    pair = Mechanism(
        "pair",
        [Body("ground"), Body("a", 1.0, np.ones(3)), Body("b", 1.0, np.ones(3))],
        [
            Joint("first", "ground", "a", Revolute()),
            Joint("second", "a", "b", Revolute(), mimic=Mimic("first")),
        ],
    )
    for joint in ("first", "second"):
        with pytest.raises(px.InvalidInput, match="follow"):
            px.cut(0.0, joint).apply(pair)
    with pytest.raises(px.InvalidInput, match="rates=True"):
        px.simulate(machine, events=[px.cut(0.005, "joint_2")], rates=True, **run)
    with pytest.raises(px.InvalidInput, match="real time"):
        px.LiveRun(machine, duration=0.01, events=[px.cut(0.005, "joint_2")])
    other = Event(0.0, lambda m: px.library.chain(2), "other")
    with pytest.raises(px.InvalidInput, match="coordinates"):
        px.simulate(machine, events=[other], **run)
