"""Hydraulics in compiled runs: against the oracle in NumPy, and with every joule in its place."""

from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
from phalanx.actuators.hydraulics import cat215b_hydraulics
from phalanx.actuators.hydraulics.ledger import LABELS
from phalanx.mechanism.library.cat215b_cylinders import cat215b_cylinders, cat215b_posture
from phalanx.simulation.setup.profile import Profile

from .machines import hydraulics, integrated, pendulum, pendulum_rates

# hold, lift, stop, lower at full spool, stop
PIECES = [(0.05, 0.0), (0.35, 0.7), (0.1, 0.0), (0.3, -1.0), (0.05, 0.0)]
ENDS = np.cumsum([duration for duration, _ in PIECES])
SPOOL = Profile([0.0, *ENDS[:-1]], [[command] for _, command in PIECES])


def test_a_compiled_run_is_that_of_the_oracle():
    """At the end of each piece, with an error of second order in the step."""
    machine, circuit = pendulum(), hydraulics()
    x = np.array([0.1, 0.0, *circuit.initial(machine, np.array([0.1]))])
    oracle = []
    for piece in PIECES:
        x = integrated(pendulum_rates, x, [piece], rtol=1e-10, method="LSODA")[-1]
        oracle.append(x)
    errors = []
    for step in (1e-3, 5e-4):
        run = px.simulate(
            machine, [0.1], duration=ENDS[-1], step=step, control=SPOOL, actuation=circuit
        )
        assert run.settings["integrator"] == "Rosenbrock2()"
        ends = np.round(ENDS / step).astype(int)
        found = np.concatenate([run["q"], run["v"], run["pressure"]], axis=1)[ends]
        errors.append(np.abs(found - oracle).max(axis=0))
    # it moves by more than 0.1 rad, at pressures of up to 22 MPa
    assert np.ptp(run["q"]) > 0.1
    assert (errors[0] < [1e-4, 5e-4, 1e4, 1e4, 1e4]).all(), errors
    ratios = errors[0] / errors[1]
    assert (ratios > 3).all() and (ratios < 5).all(), ratios


def test_every_joule_of_the_excavators_pump():
    """Three seconds of levers that open and close; losses of everything on the way.

    The circuit's own balance holds in every step, by its equations; what pistons did is found
    again in the machine's motion, integrated by another way.
    """
    machine, circuit = cat215b_cylinders(), cat215b_hydraulics(bookkeeping=True)
    forth, back, still = [0.5, 0.6, -0.5, 0.6], [-0.5, -0.4, 0.6, -0.5], [0.0] * 4
    levers = Profile(
        [0, 0.3, 0.6, 1.2, 1.5, 1.8, 2.1, 2.5, 3.0],
        [still, still, forth, forth, still, still, back, back, still],
        "linear",
    )
    times = np.arange(0, 3.0, 0.01)
    run = px.simulate(
        machine,
        cat215b_posture(machine, boom=np.radians(25), stick=np.radians(-105)),
        duration=3.0,
        step=1e-3,
        actuation=circuit,
        control=Profile(times, levers(times)),
        every=100,
    )
    ledger = dict(zip(LABELS, run["hydraulic_energy"].T, strict=True))
    pumped = ledger["pump"][-1]
    assert pumped > 3e4
    parts = ("pistons", "valves", "relief", "makeup", "leakage", "stored")
    spent = sum(ledger[part] for part in parts)
    np.testing.assert_allclose(ledger["pump"] + ledger["tank"], spent, atol=1e-9 * pumped)
    # from the pistons through friction to the joints, and there into motion and height
    done = ledger["pistons"] - ledger["friction"] - ledger["stops"]
    np.testing.assert_allclose(done, run["work"], atol=1e-9 * pumped)
    gained = run["energy"] - run["energy"][0]
    np.testing.assert_allclose(gained, done - run["loss"], atol=1e-4 * pumped)
    assert np.ptp(gained) > 0.02 * pumped
    for loss in ("valves", "relief", "makeup", "leakage", "friction"):
        assert (np.diff(ledger[loss]) > -1e-6 * pumped).all(), loss


def test_a_fleet_at_the_same_valves():
    machine, circuit = pendulum(), hydraulics()
    q0 = np.array([[0.0], [0.1], [0.3]])
    tau = np.array([0.7])
    fleet = px.rollout(
        machine, q0, np.zeros((3, 1)), steps=100, tau=tau, actuation=circuit, record=("pressure",)
    )
    for k in range(3):
        alone = px.simulate(
            machine, q0[k], duration=0.1, control=Profile([0.0], [tau]), actuation=circuit
        )
        np.testing.assert_allclose(fleet.states["pressure"][k], alone["pressure"][1:], rtol=1e-10)
        assert fleet.final_q[k] == pytest.approx(alone["q"][-1], rel=1e-12)
