"""A recording in the cockpit: what was, and the ground as it was."""

from __future__ import annotations

import numpy as np
import pytest

from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.ground import LOAM, Ground
from phalanx.machines.excavator import LiveExcavator, cylinder_excavator, rotary_excavator
from phalanx.machines.excavator.cockpit import ExcavatorMachine
from phalanx.machines.excavator.replay import LEVEL, ExcavatorReplay
from phalanx.simulation.record.recording import Recording

# radius, arc, height, bucket, and for how many looks of 20 ms
DRAG = (-0.75, 0, -0.06, -0.28)
DIG = [((0.2, 0, -0.9, 0), 160), (DRAG, 40)]


def drive(live: LiveExcavator, moves) -> None:
    for sticks, looks in moves:
        live.command(sticks)
        for _ in range(looks):
            live.run.advance(0.02)
    live.centre()


@pytest.fixture(scope="module")
def dug(tmp_path_factory):
    """A machine that dug, and then was recorded while it went on."""
    live = LiveExcavator(
        cylinder_excavator(ground=Ground(LOAM), mode="RESOLVED"),
        folder=tmp_path_factory.mktemp("kept"),
    )
    drive(live, DIG)
    before = live.terrain.heights
    live.record(True)
    drive(live, [(DRAG, 60)])
    name = live.record(False)
    return live, name, before


@pytest.fixture
def replay(dug):
    live, name, _ = dug
    shown = ExcavatorReplay(live, name)
    shown.playback.pause()
    return shown


def test_the_ground_is_that_of_the_time_shown(dug, replay):
    live, _, before = dug
    begin, end = replay.playback.begin, replay.playback.end
    assert before.min() < -0.95, "something was dug before"
    replay.playback.seek(begin)
    np.testing.assert_allclose(replay.terrain.heights, before, atol=5e-3)
    replay.playback.seek(end)
    after = replay.terrain.heights
    assert np.abs(after - before).max() > 0.02, "and something after"
    # as much soil is gone as from under the machine itself, and from the same places but for
    # cells at the rim: the machine looked at its own instants, the recording has its samples
    assert (after - before).sum() == pytest.approx((live.terrain.heights - before).sum())
    elsewhere = np.abs(after - live.terrain.heights).sum()
    assert elsewhere < 0.1 * np.abs(after - before).sum()
    replay.playback.seek((begin + end) / 2)
    between = replay.terrain.heights
    assert between.min() >= after.min() and np.abs(between - after).max() > 1e-3
    assert replay.remark == ""


def test_what_is_shown_is_what_was_recorded(dug, replay):
    live, name, _ = dug
    run = live.read(name)
    for k in (0, len(run) // 2, len(run) - 1):
        found = replay.signals(run.time[k])
        assert set(found) == set(live.row(live.instant))
        for signal in ("q", "v", "pressure", "soil_load"):
            np.testing.assert_array_equal(found[signal], run[signal][k])
    middle = (run.time[3] + run.time[4]) / 2
    np.testing.assert_allclose(replay.signals(middle)["q"], (run["q"][3] + run["q"][4]) / 2)


def test_the_cockpit_shows_it_until_somebody_goes_back(dug):
    live, name, _ = dug
    machine = ExcavatorMachine(live)
    assert machine.terrain is live.terrain and machine.playback is None
    assert machine.replay(name) is None
    machine.playback.pause()
    machine.playback.seek(1e9)
    machine.playback.set_speed(0.5)
    now = machine.telemetry()
    run = live.read(name)
    assert now.replaying == name and now.time == run.time[-1]
    shown = machine.playback
    assert (shown.playing, shown.speed, shown.end) == (False, 0.5, run.time[-1])
    assert machine.terrain is not live.terrain
    machine.command([1.0, 0.0, 0.0, 0.0])
    assert not live.instant.inputs[0].any(), "sticks move no recording"
    before = machine.past(0.5, 6)
    assert [then.time for then in before] == pytest.approx(np.linspace(-0.5, 0, 6) + run.time[-1])
    np.testing.assert_array_equal(before[-1].q, run["q"][-1])
    machine.playback.seek(0.0)
    assert [then.time for then in machine.past(0.5, 6)] == [run.time[0]]
    machine.replay(None)
    assert machine.past(0.5, 6) == []
    assert machine.terrain is live.terrain and machine.telemetry().replaying is None
    assert machine.playback is None


def test_a_recording_that_knows_no_ground_says_so(dug):
    live, name, _ = dug
    run = live.read(name)
    facts = {key: value for key, value in run.settings.items() if key != "terrain"}
    older = Recording(run.time, list(run.signals.values()), facts)
    older.write(live.folder / "excavator-older.mcap")
    shown = ExcavatorReplay(live, "excavator-older")
    assert shown.remark == LEVEL
    shown.playback.seek(shown.playback.begin)
    assert np.ptp(shown.terrain.heights) == 0.0


def test_another_machines_recording_is_refused(dug, tmp_path):
    live, _, _ = dug
    other = LiveExcavator(rotary_excavator(), folder=live.folder)
    other.record(True)
    other.run.advance(0.05)
    name = other.record(False)
    with pytest.raises(InvalidInput, match="another machine"):
        ExcavatorReplay(live, name)
    (live.folder / f"{name}.mcap").unlink()
    with pytest.raises(UnknownName, match="nothing"):
        ExcavatorReplay(live, "nothing")
