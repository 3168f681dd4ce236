"""Machines with loops over time: closed at every step, energy in balance, alone and in batches."""

import numpy as np
import pytest

import phalanx as px
from flat_linkage import flat_four_bar
from phalanx.equations.loops.assembly.closed_loops import closed_loops
from phalanx.simulation.run.run import Run

MACHINES = [
    "planar_3rrr",
    "four_bar",
    "slider_crank",
    "five_bar",
    "delta",
    "stewart",
    "bucket_linkage",
]


def pushed(mechanism, share=0.2):
    """Torques of the motors that hold the machine at zero, and a little more."""
    motors = [joint.name for joint in mechanism.actuated_joints]
    d = px.Dynamics(mechanism, actuated=motors)
    still = np.zeros(mechanism.nv)
    hold = d.actuation(mechanism.neutral(), still, still).tau
    tau = np.zeros(mechanism.nv)
    where = [k for name in motors for k in range(mechanism.nv)[mechanism.v_slices[name]]]
    tau[where] = (1 + share) * hold + 1e-3
    return tau


def opening(mechanism, q):
    return max(closed_loops(mechanism).open_loops(q, 0.0).values(), default=0.0)


@pytest.mark.parametrize("name", MACHINES)
def test_loops_stay_closed_and_energy_balances(name):
    mechanism = px.library.by_name(name)
    tau = pushed(mechanism)
    run = px.simulate(
        mechanism, duration=0.3, step=1e-3, control=lambda t, q, v: tau, forces=(), every=10
    )
    assert max(opening(mechanism, q) for q in run["q"]) < 1e-13
    change = run["energy"] - run["energy"][0]
    assert np.ptp(change) > 0
    assert np.abs(change - run["work"]).max() < 1e-6 * np.ptp(run["work"])


def test_a_run_that_nobody_places_begins_closed():
    flat, linkage = flat_four_bar(), px.library.four_bar()
    assert opening(flat, flat.neutral()) > 0.01
    run = px.simulate(flat, duration=0.2, step=1e-3)
    assert opening(flat, run["q"][0]) < 1e-12
    assert np.ptp(run["energy"] + run["loss"] - run["work"]) < 1e-7
    # one that is closed at zero begins there, to the last bit
    np.testing.assert_array_equal(px.simulate(linkage, duration=1e-3)["q"][0], linkage.neutral())
    with pytest.raises(px.PhalanxError, match="leave loop 'pin' open"):
        px.simulate(flat, flat.neutral(), duration=0.2)


def test_held_machines_stay():
    mechanism = px.library.stewart()
    tau = pushed(mechanism, share=0.0) - 1e-3 * (pushed(mechanism) != 0)
    run = px.simulate(mechanism, duration=0.5, step=1e-3, control=lambda t, q, v: tau)
    # an unstable equilibrium: rounding grows, and has not grown far
    assert np.abs(run["q"][-1] - mechanism.neutral()).max() < 1e-9


def test_without_closing_steps_loops_drift_and_with_them_not():
    """What the projection is for: the same accelerations, integrated without it."""
    mechanism = px.library.four_bar()
    x = px.assemble(mechanism, velocity=np.ones(mechanism.nv) * 3)
    d = px.Dynamics(mechanism)
    zero, h = np.zeros(mechanism.nv), 5e-3
    q, v = x.q, x.v
    for _ in range(400):
        a = d.forward_dynamics(q, v, zero)
        v = v + h * a
        q = q + h * v
    left = opening(mechanism, q)
    run = px.simulate(
        mechanism, x.q, x.v, duration=2.0, step=h, integrator=px.SemiImplicitEuler(), forces=()
    )
    assert left > 1e-6
    assert opening(mechanism, run["q"][-1]) < 1e-10


def test_batches_run_as_single_runs_do():
    mechanism = px.library.planar_3rrr()
    tau = pushed(mechanism)
    starts = [px.assemble(mechanism, velocity=s * np.ones(mechanism.nv)) for s in (0.0, 0.5, 1.0)]
    q0, v0 = np.array([x.q for x in starts]), np.array([x.v for x in starts])
    batch = px.rollout(mechanism, q0, v0, tau=tau, steps=100, step=1e-3)
    for k, x in enumerate(starts):
        run = px.simulate(mechanism, x.q, x.v, duration=0.1, step=1e-3, control=lambda t, q, v: tau)
        np.testing.assert_allclose(batch.final_q[k], run["q"][-1], rtol=0, atol=1e-12)
        assert opening(mechanism, batch.final_q[k]) < 1e-13


def test_adaptive_methods_agree():
    mechanism = px.library.slider_crank()
    x = px.assemble(mechanism, velocity=np.ones(mechanism.nv))
    ends = [
        px.simulate(mechanism, x.q, x.v, duration=0.5, step=0.01, integrator=method)["q"][-1]
        for method in (px.DormandPrince(1e-11, 1e-11), px.Cvodes(1e-11, 1e-11))
    ]
    ends.append(px.simulate(mechanism, x.q, x.v, duration=0.5, step=1e-4)["q"][-1])
    for end in ends:
        np.testing.assert_allclose(end, ends[0], rtol=0, atol=1e-8)
        assert opening(mechanism, end) < 1e-13


def test_a_payload_picked_up_on_the_way():
    mechanism = px.library.planar_3rrr()
    load = px.pick_up(0.05, "platform", px.Body("load", 2.0, np.zeros(3), np.eye(3) * 0.01))
    run = px.simulate(mechanism, duration=0.1, step=1e-3, events=[load])
    assert opening(mechanism, run["q"][-1]) < 1e-13


def test_states_that_do_not_fit_the_loops():
    mechanism = px.library.four_bar()
    q, v = mechanism.neutral(), np.zeros(mechanism.nv)
    bent, moving = q.copy(), v.copy()
    bent[0] += 0.1
    moving[0] = 1.0
    with pytest.raises(px.InvalidInput, match=r"leave loop .* open"):
        px.simulate(mechanism, bent, v, duration=0.1)
    with pytest.raises(px.InvalidInput, match=r"velocities .* open its loops"):
        px.simulate(mechanism, q, moving, duration=0.1)


def test_batches_with_an_open_state_are_refused():
    mechanism = px.library.four_bar()
    q, v = np.tile(mechanism.neutral(), (5, 1)), np.zeros((5, mechanism.nv))
    bent, moving = q.copy(), v.copy()
    bent[3, 0] += 0.1
    moving[2, 0] = 1.0
    runs = px.CompiledRollout(mechanism)
    with pytest.raises(px.InvalidInput, match=r"leave loop .* open"):
        runs(bent, v, steps=1)
    with pytest.raises(px.InvalidInput, match=r"velocities .* open its loops"):
        runs(q, moving, steps=1)
    assert np.isfinite(runs(q, v[0], steps=1).final_q).all()


@pytest.mark.parametrize("method", ["articulated_body", "factorized", "derivatives"])
def test_methods_for_trees_do_not_leave_loops_open(method):
    with pytest.raises(px.InvalidModel, match=r"phalanx\.loops"):
        px.expression(getattr(px.forward_dynamics, method), px.library.four_bar())


def test_friction_under_load_is_for_trees():
    with pytest.raises(px.InvalidInput, match="has loops"):
        px.simulate(px.library.four_bar(), duration=0.1, forces=(px.Stiction(),))


def test_a_singular_start_is_refused():
    """A four-bar with equal sides lies flat: its coupler may fold either way."""
    from dataclasses import replace

    from phalanx.mechanism import Frame, Joint, Loop, PlanarPin, Pose, Revolute

    y = np.array([0.0, 1.0, 0.0])

    def at(x):
        return Pose(translation=np.array([x, 0.0, 0.0]))

    bar = px.Body("crank", 1.0, np.array([0.5, 0.0, 0.0]), np.diag([0.01, 0.1, 0.1]))
    flat = px.Mechanism(
        "rhombus",
        [px.Body("ground"), bar, replace(bar, name="coupler"), replace(bar, name="rocker")],
        [
            Joint("a", "ground", "crank", Revolute(axis=y), at(0.0)),
            Joint("b", "crank", "coupler", Revolute(axis=y), at(1.0)),
            Joint("c", "ground", "rocker", Revolute(axis=y), at(1.0)),
        ],
        [Frame("coupler_end", "coupler", at(1.0)), Frame("rocker_end", "rocker", at(1.0))],
        [Loop("pin", "coupler_end", "rocker_end", PlanarPin(y))],
    )
    with pytest.raises(px.InvalidInput, match="singular"):
        Run(px.Setup(flat), steps=1).initial(np.zeros(3), np.zeros(3))
