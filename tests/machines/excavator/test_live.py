"""An excavator at somebody's sticks, by a clock that does not wait."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest

from phalanx.base.errors import InvalidInput, UnknownName, WriteError
from phalanx.ground import LOAM, Ground
from phalanx.machines.excavator import (
    Excavator,
    LiveExcavator,
    cylinder_excavator,
    rotary_excavator,
)
from waiting import eventually

EXCAVATOR = rotary_excavator()
STEP = EXCAVATOR.step


def alive(folder, excavator: Excavator = EXCAVATOR) -> LiveExcavator:
    return LiveExcavator(excavator, folder=folder)


@pytest.fixture
def live(tmp_path) -> LiveExcavator:
    return alive(tmp_path / "recordings")


def run_for(live: LiveExcavator, duration: float) -> None:
    live.run.advance(duration)


def operator(live: LiveExcavator) -> np.ndarray:
    """What control is told at the instant shown last."""
    return live.instant.inputs[0]


def test_it_waits_to_be_started(live):
    assert live.loop.paused and live.instant.time == 0.0 and live.fault == ""
    np.testing.assert_array_equal(live.row(live.instant)["q"], EXCAVATOR.q0)


def test_it_is_the_simulation(live):
    live.command([0.5, -0.25, 1.0, 0.0])
    run_for(live, 1.0)
    wanted = EXCAVATOR.run(EXCAVATOR.commands([0.5, -0.25, 1.0, 0.0], "JOINT"), 1.0)
    assert live.instant.time == pytest.approx(1.0)
    found = live.row(live.instant)
    for name in ("q", "v", "pressure_in", "spool", "desired", "energy"):
        np.testing.assert_allclose(found[name], np.ravel(wanted[name][-1]), rtol=1e-9, atol=1e-9)


def test_sticks_move_the_machine_and_centre_lets_them_go(live):
    live.command([1.0, 0.0, 0.0, -1.0])
    run_for(live, 3.0)
    moved = live.row(live.instant)
    assert moved["q"][0] > 0.1 and moved["q"][3] < -0.1 and (moved["v"][[0, 3]] != 0).all()
    live.centre()
    run_for(live, STEP)
    np.testing.assert_array_equal(operator(live), np.zeros(4))
    desired = live.row(live.instant)["desired"]
    run_for(live, 1.0)
    np.testing.assert_array_equal(live.row(live.instant)["desired"], desired)


def test_deflections_beyond_the_end_are_the_end(live):
    live.command([7.0, -3.0, 0.5, 1e300])
    run_for(live, STEP)
    np.testing.assert_allclose(operator(live), EXCAVATOR.commands([1, -1, 0.5, 1], "JOINT"))


@pytest.mark.parametrize("sticks", [[np.nan, 0, 0, 0], [0, 0, np.inf, 0], [1, 2, 3], [[0] * 4], []])
def test_what_is_no_deflection_leaves_the_sticks(live, sticks):
    live.command([0.5, 0.0, 0.0, 0.25])
    with pytest.raises(InvalidInput, match="four finite"):
        live.command(sticks)
    run_for(live, STEP)
    np.testing.assert_allclose(operator(live), EXCAVATOR.commands([0.5, 0, 0, 0.25], "JOINT"))


def test_another_mode_lets_the_sticks_go(live):
    live.command([1.0, 1.0, 1.0, 1.0])
    live.set_mode("RESOLVED")
    run_for(live, STEP)
    assert live.mode == "RESOLVED" and not operator(live).any()
    assert live.instant.inputs[1] == [1.0]
    live.command([1.0, 0, 0, 0])
    run_for(live, STEP)
    np.testing.assert_allclose(operator(live), EXCAVATOR.commands([1.0, 0, 0, 0], "RESOLVED"))
    with pytest.raises(InvalidInput, match="JOINT, RESOLVED"):
        live.set_mode("AUTO")
    assert live.mode == "RESOLVED"


def test_reset_begins_anew(live):
    live.command([1.0, 1.0, 1.0, 1.0])
    run_for(live, 0.5)
    live.reset()
    assert live.instant.time == 0.0 and not operator(live).any()
    run_for(live, 0.2)
    untouched = EXCAVATOR.run(np.zeros(4), 0.2)
    np.testing.assert_allclose(live.row(live.instant)["q"], untouched["q"][-1], rtol=1e-12)


# -- recordings -----------------------------------------------------------------------------------


def test_recordings_have_names_and_are_read_by_them(live):
    assert live.recordings() == [] and not live.run.is_recording
    live.command([0.5, 0.5, 0.5, 0.5])
    assert live.record(True) is None and live.run.is_recording
    run_for(live, 0.3)
    assert live.recordings() == []  # none is whole yet
    first = live.record(True)  # begins another
    assert live.recordings() == [first]
    run_for(live, 0.2)
    second = live.record(False)
    assert not live.run.is_recording and live.record(False) is None
    # within a second of each other, and yet two
    assert live.recordings() == sorted([first, second]) and first != second
    run = live.read(first)
    wanted = EXCAVATOR.run(EXCAVATOR.commands([0.5] * 4, "JOINT"), 0.3)
    assert len(run) == 30
    for name in ("q", "v", "pressure_out", "spool"):
        np.testing.assert_allclose(run[name], wanted[name][:-1], rtol=1e-9, atol=1e-9)
    again = live.read(second)
    assert again.time[0] == pytest.approx(0.3) and len(again) == 20


@pytest.mark.parametrize("name", ["excavator-yesterday", "../secret", "", "/etc/passwd"])
def test_names_of_no_recording(live, name):
    with pytest.raises(UnknownName, match="recording"):
        live.read(name)


def test_a_run_that_ends_ends_its_recording(live):
    done = threading.Event()
    live.record(True)
    live.loop.resume()
    thread = threading.Thread(target=live.run.run, args=(done,))
    thread.start()
    eventually(lambda: live.instant.time > 0.5)
    done.set()
    thread.join(30)
    assert not thread.is_alive() and not live.run.is_recording
    assert len(live.read(live.recordings()[0])) >= 50


def test_a_full_disk_stops_neither_records_nor_resets(live, disk):
    live.record(True)
    run_for(live, 3.0)
    first = live.instant.time
    disk(1000)
    with pytest.raises(WriteError, match=r"of 300 samples.*File too large"):
        live.reset()
    assert live.instant.time == 0.0 < first  # it was reset all the same
    assert not live.run.is_recording
    with pytest.raises(WriteError):
        live.record(True)
    assert not live.run.is_recording
    disk()
    assert live.record(True) is None and live.run.is_recording  # and what found no room is written
    (name,) = set(live.recordings()) - {live.run.recording_path.stem}
    assert len(live.read(name)) == 300
    run_for(live, 1.0)
    assert len(live.read(live.record(False))) == 100


def test_a_reset_ends_a_recording(live):
    live.record(True)
    run_for(live, 0.1)
    live.reset()
    assert not live.run.is_recording and len(live.read(live.recordings()[0])) == 10


# -- ground --------------------------------------------------------------------------------------


def test_what_is_dug_is_missing_in_the_terrain_until_a_reset(tmp_path):
    ground = Ground(LOAM)
    live = alive(tmp_path, cylinder_excavator(ground=ground, mode="RESOLVED"))
    fresh = live.terrain
    for seconds, sticks in ((2.6, (0.2, 0, -0.7, 0)), (2.0, (-0.7, 0, 0, -0.2))):
        live.command(sticks)
        for _ in range(round(seconds / 0.02)):
            live.run.advance(0.02)
    load = live.row(live.instant)["soil_load"][0]
    gone = -LOAM.density * (live.terrain.gained + live.terrain.outside)
    assert load > 50 and gone == pytest.approx(load, rel=1e-9)
    live.reset()
    assert live.terrain is not fresh and live.terrain.gained == 0.0
    assert live.row(live.instant)["soil_load"][0] == 0.0


# -- faults ---------------------------------------------------------------------------------------


def test_a_state_without_numbers_pauses_and_the_thread_lives(tmp_path):
    """Sticks that ask for more than there are numbers: the machine stays where it was."""
    wild = replace(EXCAVATOR, joint_rates=(1e308, 0.1, 0.1, 0.1))
    live = alive(tmp_path, wild)
    thread = threading.Thread(target=live.run.run)
    thread.start()
    try:
        live.loop.resume()
        eventually(lambda: live.instant.time > 0.1)
        live.command([1.0, 0, 0, 0])
        eventually(lambda: live.fault)
        assert "left finite numbers" in live.fault and "reset" in live.fault
        eventually(lambda: live.loop.paused)
        stayed = live.instant
        assert np.isfinite(stayed.state).all() and thread.is_alive()
        # a person decides: put it back and go on
        live.reset()
        assert live.fault == "" and live.instant.time == 0.0
        live.loop.resume()
        eventually(lambda: live.instant.time > 0.1)
        assert np.isfinite(live.instant.state).all() and live.fault == ""
    finally:
        live.loop.stop()
        thread.join(30)
    assert not thread.is_alive()


def test_many_hands_at_once_do_not_stop_it(live):
    """Every call from other threads while it runs; what is shown stays whole."""
    done = threading.Event()
    thread = threading.Thread(target=live.run.run, args=(done,))
    thread.start()
    live.loop.resume()

    def meddle() -> None:
        rng = np.random.default_rng()
        for _ in range(40):
            live.command(rng.uniform(-2, 2, 4))
            live.set_mode(rng.choice(["JOINT", "RESOLVED"]))
            assert np.isfinite(live.row(live.instant)["q"]).all()
            live.record(bool(rng.integers(2)))
            assert live.loop.timing.steps >= 0

    hands = [threading.Thread(target=meddle) for _ in range(3)]
    for hand in hands:
        hand.start()
    for hand in hands:
        hand.join(20)
    live.reset()
    eventually(lambda: live.instant.time > 0.1)
    done.set()
    thread.join(30)
    assert live.fault == "" and not thread.is_alive() and not live.run.is_recording
