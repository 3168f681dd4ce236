from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
from phalanx.simulation.record.recording import Recording
from phalanx.simulation.record.signal import Signal
from phalanx.view import Viewer
from phalanx.view.replay.replay import Replay, posture_at
from waiting import Clock, eventually

pytest.importorskip("viser")


def swing(duration=2.0, samples=201):
    t = np.linspace(0, duration, samples)
    q = np.stack([np.sin(t), np.cos(t)], axis=1)
    signals = [Signal("q", "rad", ("a", "b"), q), Signal("energy", "J", (), t)]
    return Recording(t, signals, {"model": "double_pendulum"})


@pytest.fixture
def viewer():
    with Viewer(px.library.double_pendulum(), port=0, sliders=False) as made:
        yield made


@pytest.fixture
def clock(monkeypatch):
    made = Clock()
    monkeypatch.setattr("phalanx.view.replay.replay.clock", made)
    return made


def test_it_shows_the_posture_of_the_time(viewer):
    with Replay(viewer, swing()) as replay:
        replay.playback.seek(1.234)
        np.testing.assert_allclose(viewer.q, [np.sin(1.234), np.cos(1.234)], atol=1e-4)
        replay.playback.seek(99.0)
        assert replay.playback.time == 2.0


def test_it_plays_at_its_speed_and_stops_at_the_end(viewer, clock):
    with Replay(viewer, swing(), speed=5.0) as replay:
        replay.playback.play()
        eventually(lambda: not replay.playback.playing)
        # within two pictures
        assert clock.now == pytest.approx(0.4, abs=2 / 30)
        assert replay.playback.time == 2.0


def test_it_stays_where_it_is_paused_and_starts_again_from_the_end(viewer, clock):
    with Replay(viewer, swing(duration=1e6)) as replay:
        replay.playback.play()
        eventually(lambda: replay.playback.time > 1.0)
        replay.playback.pause()
        # the player has seen it: it waits to go on, and not for its next picture
        eventually(lambda: replay._woken._cond._waiters)
        held = replay.playback.time
        clock.work(100.0)
        replay.playback.play()
        eventually(lambda: replay.playback.time > held)
        assert replay.playback.time < held + 100.0, "the pause does not count"
        replay.playback.seek(1e6)
        eventually(lambda: not replay.playback.playing)
        replay.playback.play()
        assert replay.playback.time < 1e6


def test_it_loops(viewer, clock):
    with Replay(viewer, swing(duration=0.2), loop=True) as replay:
        replay.playback.play()
        last = 0.0

        def turned_back():
            nonlocal last
            before, last = last, replay.playback.time
            return last < before

        eventually(turned_back, every=0.0)
        assert replay.playback.playing


def test_a_recording_of_one_sample(viewer):
    with Replay(viewer, swing(samples=1)) as replay:
        replay.playback.play()
        np.testing.assert_allclose(viewer.q, [0, 1])


def test_quaternions_stay_on_the_sphere_and_take_the_short_way():
    mechanism = px.with_floating_base(px.library.double_pendulum())
    first = mechanism.neutral()
    turned = first.copy()
    turned[3:7] = -np.array([0, 0, np.sin(0.2), np.cos(0.2)])  # the same as with +, the far way
    q = Signal("q", "", tuple("abcdefghi"), np.stack([first, turned]))
    x = posture_at(mechanism, Recording([0.0, 1.0], [q]), 0.5)
    np.testing.assert_allclose(x[3:7], [0, 0, np.sin(0.1), np.cos(0.1)], atol=1e-12)


def test_a_recording_of_another_machine(viewer):
    t = np.zeros(1)
    for signals, error, said in (
        ([Signal("q", "", ("a",), np.zeros((1, 1)))], px.InvalidInput, "1 positions"),
        ([Signal("v", "", ("a",), np.zeros((1, 1)))], px.UnknownName, "no signal 'q'"),
    ):
        with pytest.raises(error, match=said):
            Replay(viewer, Recording(t, signals))
    with pytest.raises(px.InvalidInput, match="empty"):
        Replay(viewer, Recording([], [Signal("q", "", ("a", "b"), np.zeros((0, 2)))]))


def test_wrong_options(viewer):
    with pytest.raises(px.UnknownName, match="energy"):
        Replay(viewer, swing(), plots=["energi"])
    with pytest.raises(px.InvalidInput, match="speed"):
        Replay(viewer, swing(), speed=0.0)
