"""Sticks that are let go: all joints rest within three seconds, wherever the machine stands."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import phalanx as px
from phalanx.machines.excavator import (
    AfterRelease,
    Excavator,
    Releases,
    cylinder_excavator,
    rotary_excavator,
)
from phalanx.machines.excavator.settling_test import STILL
from phalanx.simulation.setup.profile import Profile

BOOM, STICK = 1, 2


@pytest.fixture(scope="module")
def machines() -> dict[str, Excavator]:
    return {
        "cylinders": cylinder_excavator(),
        "rotary": rotary_excavator(step=1e-3, settles=True),
        "rotary, 10 ms": rotary_excavator(settles=True),
    }


@pytest.mark.parametrize("mode", ["JOINT", "RESOLVED"])
@pytest.mark.parametrize("name", ["cylinders", "rotary", "rotary, 10 ms"])
def test_all_joints_rest_within_three_seconds(machines, name, mode):
    """Over postures, loads and sticks; ``benchmarks/excavator.py --rest`` takes thousands."""
    after = Releases.draw(128, seed=1).run(machines[name], mode)
    assert after.fastest_after(0.0).max() > 0.1, "they did move"
    # watched for one to two and a half seconds more
    assert after.fastest_after(3.0).max() < STILL


def test_finer_steps_come_to_rest_alike(machines):
    """It is friction that ends the swing, not the method."""
    cases = Releases.draw(16, seed=2)
    coarse, fine = (
        cases.run(cylinder_excavator(step=step)).time_to_rest() for step in (1e-3, 5e-4)
    )
    # a swing more or less where one just passes for rest
    assert np.median(np.abs(coarse - fine)) < 0.01
    assert fine.max() < 3.0


# -- why it did not -------------------------------------------------------------------------------


def correcting(step: float = 1e-3, closing: float | None = None) -> Excavator:
    """Control that never lets go, on seals that hardly rub: what swung for ever."""
    gains = {"proportional": (4.0, 4.0, 5.0, 5.0), "derivative": (0.6, 0.6, 0.1, 0.05)}
    made = cylinder_excavator(step=step, closing=closing, bookkeeping=True, **gains)
    smooth = dict(made.actuation.actuators)
    for name in ("boom", "stick", "bucket"):
        smooth[name] = replace(smooth[name], coulomb=0.3 * smooth[name].coulomb, slip=5e-3)
    return replace(made, actuation=replace(made.actuation, actuators=smooth))


def stick_let_go(excavator: Excavator) -> px.Recording:
    """The stick's lever at its stop for two seconds, and six of nothing."""
    held = excavator.commands([0, 0, 1.0, 0], "JOINT")
    return excavator.run(Profile([0.0, 2.0], [held, 0 * held]), 8.0)


def last(run: px.Recording, name: str) -> np.ndarray:
    """A signal in the last two seconds."""
    return run[name][run.time >= 6.0]


def energies(run: px.Recording) -> dict[str, float]:
    """What came to each account of the oil in the last two seconds [J]."""
    kept = last(run, "hydraulic_energy")
    labels = run.signal("hydraulic_energy").labels
    return dict(zip(labels, (kept[-1] - kept[0]).tolist(), strict=True))


def test_a_loop_that_goes_on_correcting_feeds_the_boom():
    """The oil swings at 3 Hz; spools that follow it let the pump in, at the right moment."""
    run = stick_let_go(correcting())
    boom = last(run, "v")[:, BOOM]
    assert np.abs(boom).max() > 0.15
    assert ((boom[:-1] < 0) & (boom[1:] >= 0)).sum() == 6  # in two seconds
    torque = last(run, "tau")[:, BOOM]
    assert torque.min() < -1.3e5 and torque.max() > 3.5e5
    fed = energies(run)
    assert fed["pump"] > 1e4 and fed["pistons"] > 1e3
    # finer steps give the same: it is the machine's, not the integrator's
    fine = last(stick_let_go(correcting(step=2.5e-4)), "v")[:, BOOM]
    assert np.abs(fine).max() == pytest.approx(np.abs(boom).max(), rel=0.01)


def test_a_spool_that_is_let_go_feeds_nothing():
    """The same machine, gains and seals; only that spools close."""
    run = stick_let_go(correcting(closing=0.2))
    assert np.abs(last(run, "v")).max() < 1e-3 and not last(run, "spool").any()
    given = energies(run)
    # pistons leak some joules; the pump has nothing to do with it
    assert abs(given["pump"]) < 1.0 and abs(given["pistons"]) < 10.0


def test_the_boom_rests_after_the_stick_was_let_go(machines):
    run = stick_let_go(machines["cylinders"])
    assert np.abs(last(run, "v")).max() < 1e-4
    assert np.ptp(last(run, "tau")[:, BOOM]) < 100.0


def test_joints_that_nobody_moves_are_left_to_their_oil():
    """While one stick is held, the spools of the others stay in the middle."""
    excavator = cylinder_excavator()
    held = excavator.commands([0, 0, 0.5, 0], "JOINT")
    run = excavator.run(held, 1.0)
    assert not run["spool"][:, [0, 1, 3]].any()
    assert np.abs(run["spool"][5:, STICK]).min() > 0.1
    # in RESOLVED mode boom and stick move the tip together, and the bucket keeps its angle
    lifted = excavator.run([0, 0, 0.2, 0], 1.0, mode="RESOLVED")
    assert not lifted["spool"][:, 0].any()
    assert lifted["spool"][5:, 1:].any(axis=0).all()


# -- the study itself -----------------------------------------------------------------------------


def test_cases_cover_the_envelope():
    drawn = Releases.draw(400)
    low, high = np.degrees(drawn.postures.min(axis=0)), np.degrees(drawn.postures.max(axis=0))
    np.testing.assert_allclose(low, [-180, -45, -155, -120])
    np.testing.assert_allclose(high, [180, 60, -30, 30])
    assert drawn.payloads.min() == 0 and drawn.payloads.max() == 900
    alone = drawn.sticks[(drawn.sticks != 0).sum(axis=1) == 1]
    assert len(np.unique(alone, axis=0)) == 8 and set(np.abs(alone).max(axis=1)) == {1.0}
    assert len(alone) > 200 and set(drawn.held) == {1, 2, 3, 4}
    same = Releases.draw(400)
    assert np.array_equal(same.postures, drawn.postures)
    for cases in (0, 1.5):
        with pytest.raises(px.InvalidInput, match="cases="):
            Releases.draw(cases)


def test_what_was_seen_after_the_release():
    since = np.array([[-0.5, 0.5, 1.0, 2.0]])
    speeds = np.array([[[9.0], [0.5], [0.02], [0.001]]])
    after = AfterRelease(since, speeds)
    assert after.fastest_after(0.0) == [[0.5]] and after.fastest_after(1.0) == [[0.02]]
    assert after.time_to_rest() == [[1.0]] and after.time_to_rest(still=0.1) == [[0.5]]
