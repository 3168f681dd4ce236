from __future__ import annotations

import json

import pytest

from phalanx.view.cockpit.replay_history import JUMP, PERIOD, SAMPLES, SPAN, ReplayHistory
from view.cockpit.fake_machine import FakeMachine


@pytest.fixture
def machine():
    made = FakeMachine()
    made.replay("dig_001")
    made.playback.pause()
    return made


def at(machine, time):
    machine.playback.seek(time)
    return machine.telemetry()


def test_a_replay_that_is_moved_comes_with_the_time_before(machine):
    past = ReplayHistory(machine)
    told = json.loads(past.of(at(machine, 5.0), 100.0))["samples"]
    assert len(told) == SAMPLES
    assert told[-1]["time"] == 5.0 and told[0]["time"] == pytest.approx(5.0 - SPAN)
    assert set(told[0]) >= {"angles", "desired", "spool", "pressures", "torque", "payload"}
    assert past.of(at(machine, 5.0), 101.0) is None, "it stands still"
    assert past.of(at(machine, 5.0 + JUMP / 2), 102.0) is None, "it plays"
    assert past.of(at(machine, 10.0), 103.0), "forward"
    assert past.of(at(machine, 9.9), 104.0), "back"


def test_a_time_that_is_dragged_is_told_now_and_then_and_at_the_end(machine):
    past = ReplayHistory(machine)
    assert past.of(at(machine, 3.0), 100.0)
    told = [past.of(at(machine, 12.0 - 0.1 * k), 100.0 + 0.2 * PERIOD * k) for k in range(5)]
    assert told == [None] * 5
    last = past.of(at(machine, 11.6), 100.0 + 1.1 * PERIOD)
    assert json.loads(last)["samples"][-1]["time"] == pytest.approx(11.6)


def test_who_comes_later_hears_it_too(machine):
    past = ReplayHistory(machine)
    assert past.of(at(machine, 5.0), 100.0)
    past.forget()
    assert past.of(at(machine, 5.0), 100.01)


def test_a_machine_itself_and_one_that_remembers_nothing_are_left_alone(machine):
    past = ReplayHistory(machine)
    machine.replay(None)
    assert past.of(machine.telemetry(), 100.0) is None
    machine.replay("dig_002")
    assert past.of(machine.telemetry(), 101.0), "a replay begins"

    class Forgetful(FakeMachine):
        past = None

    forgetful = Forgetful()
    forgetful.replay("dig_001")
    assert ReplayHistory(forgetful).of(forgetful.telemetry(), 100.0) is None
