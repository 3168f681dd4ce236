from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from phalanx.view.cockpit import reports
from phalanx.view.cockpit.control_handover import ControlHandover

from .fake_machine import FakeMachine


def told_of(machine, now=None):
    now = now or machine.telemetry()
    loop = machine.loop
    return reports.telemetry(now, loop, loop.timing, machine.playback)


def test_telemetry_has_the_machines_numbers():
    machine = FakeMachine()
    now = machine.telemetry()
    told = json.loads(told_of(machine, now))
    np.testing.assert_allclose(told["angles"], now.angles, rtol=1e-5)
    np.testing.assert_allclose(told["torque"], now.torque, rtol=1e-5)
    assert told["pressures"] == pytest.approx(dict(now.pressures), rel=1e-5)
    assert told["payload"] == pytest.approx(now.payload, rel=1e-5)
    assert told["running"] and told["period"] == 1e-3 and told["step_median"] == 1.1e-4
    assert told["missed_share"] == 0.002 and told["late"] == 0.0
    machine.loop.pause()
    assert not json.loads(told_of(machine))["running"]


def test_time_keeps_its_milliseconds_for_days():
    now = replace(FakeMachine().telemetry(), time=259200.123)
    assert json.loads(told_of(FakeMachine(), now))["time"] == pytest.approx(259200.123, abs=1e-4)


def test_what_is_not_known_is_null():
    now = replace(
        FakeMachine().telemetry(),
        payload=math.nan,
        torque=np.array([1.0, np.nan, np.inf, 2.0]),
        pressures={"boom.head": math.nan},
    )
    told = json.loads(told_of(FakeMachine(), now), parse_constant=pytest.fail)
    assert told["payload"] is None
    assert told["torque"] == [1.0, None, None, 2.0]
    assert told["pressures"] == {"boom.head": None}


def test_a_page_is_told_what_the_sticks_do_in_every_mode():
    machine = FakeMachine()
    told = json.loads(reports.hello(machine, 3, 8081, locked=True))
    assert (told["page"], told["view_port"], told["locked"]) == (3, 8081, True)
    joint, resolved = (told["axes"][mode] for mode in machine.instruments.modes)
    assert [axis["name"] for axis in joint] == ["swing", "stick", "bucket", "boom"]
    assert [axis["name"] for axis in resolved] == ["swing arc", "radius", "bucket angle", "height"]


def test_a_machine_may_have_modes_of_its_own():
    machine = FakeMachine()
    machine.instruments = replace(machine.instruments, modes={"WALK": "On foot"})
    told = json.loads(reports.hello(machine, 1, 1, locked=False))
    assert told["axes"]["WALK"][0]["name"] == "left x"


def test_a_page_is_told_names_for_people():
    machine = FakeMachine()
    plain = json.loads(reports.hello(machine, 1, 1, locked=False))
    assert plain["machine"] == "cat215b" and plain["mode_titles"]["JOINT"] == "JOINT"
    titles = {"JOINT": "By joint", "RESOLVED": "RESOLVED"}
    machine.instruments = replace(machine.instruments, title="Digger No. 5", modes=titles)
    told = json.loads(reports.hello(machine, 1, 1, locked=False))
    assert told["machine"] == "Digger No. 5"
    assert told["mode_titles"] == titles
    assert told["charts"][0]["title"] == "Angles"
    assert told["charts"][0]["lines"][1] == {
        "name": "boom",
        "signal": "angles.1",
        "wanted": "desired.1",
    }
    assert 1.0 in told["speeds"]


def test_a_page_is_told_where_a_replay_is():
    machine = FakeMachine()
    assert json.loads(told_of(machine))["replay"] is None
    machine.replay("dig_001")
    machine.playback.pause()
    told = json.loads(told_of(machine))
    assert told["replay"] == {"begin": 2.0, "end": 12.0, "playing": False, "speed": 1.0}


def test_state():
    told = json.loads(reports.state(ControlHandover(2, (3, 4)), [2, 3, 4, 5], {"dig": "A dig"}))
    assert told == {
        "type": "state",
        "holder": 2,
        "wishes": [3, 4],
        "pages": [2, 3, 4, 5],
        "recordings": [{"name": "dig", "title": "A dig"}],
    }
