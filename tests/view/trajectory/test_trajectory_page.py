"""The page's server, as programs see it: what is asked is done, and told to all."""

from __future__ import annotations

import json
import sys
import threading

import numpy as np
import pytest

pytest.importorskip("viser")

import phalanx as px
from phalanx.planning import Limits, demo_waypoints
from phalanx.view.trajectory import TrajectoryPage
from phalanx.view.trajectory.editor import Editor
from phalanx.view.trajectory.editor_session import WAITING, WRONG_TOKENS
from phalanx.view.web.http_handler import page_files
from waiting import LONG, eventually

from .sheets import unpack

ARM = px.library.puma560()
LIMITS = Limits.of(ARM, torque=[97.6, 186.4, 89.4, 24.0, 20.0, 21.0])
TOKEN = "a-long-enough-word"


class Client:
    """A page without a browser."""

    def __init__(self, port):
        from websockets.sync.client import connect

        self.socket = connect(f"ws://127.0.0.1:{port}/socket", close_timeout=0.1, max_size=None)
        self.hello = self.hear("hello")

    def say(self, kind, **facts):
        self.socket.send(json.dumps({"type": kind, **facts}))

    def move(self, waypoint, joint, position, serial=1, time=None, gesture=1):
        facts = {"waypoint": waypoint, "joint": joint, "position": position, "time": time}
        self.say("move", **facts, gesture=gesture, serial=serial)

    def hear(self, kind):
        while True:
            message = self.socket.recv(timeout=LONG)
            if isinstance(message, bytes):
                if kind == "sheet":
                    return unpack(message)
            elif (told := json.loads(message))["type"] == kind:
                return told

    def sheet(self, serial):
        while (sheet := self.hear("sheet"))[0]["serial"] != serial:
            pass
        return sheet

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()


@pytest.fixture(scope="module")
def served():
    with TrajectoryPage(ARM, demo_waypoints(ARM), 0.01, LIMITS, port=0, rate=100.0) as page:
        yield page


@pytest.fixture
def page(served):
    """The same page, as it was at first."""
    with Client(served.port) as client:
        client.say("play", on=False)
        client.say("do", what="reset")
        client.hear("sheet")
        eventually(lambda: (served.waypoints.points[1] == demo_waypoints(ARM).points[1]).all())
    return served


def test_a_move_comes_back_as_torques_to_every_page(page):
    with Client(page.port) as one, Client(page.port) as other:
        _, _, _, _, _, before = one.hear("sheet")
        one.move(2, 1, 2.3, serial=5)
        head, times, q, _, _, torque = one.sheet(5)
        assert head["waypoints"][2][1] == 2.3 and head["undo"]
        assert np.abs(torque[1]).max() > np.abs(before[1]).max() + 1.0
        rows = np.round(times / 0.01).astype(int)
        np.testing.assert_allclose(torque.T, page.table.torque[rows], rtol=1e-5, atol=1e-4)
        np.testing.assert_allclose(q.T, page.table.q[rows], rtol=1e-5, atol=1e-5)
        assert [one["quantity"] for one in head["violations"]] == ["torque"]
        assert other.sheet(5)[0]["waypoints"] == head["waypoints"]
        other.say("do", what="undo")
        eventually(lambda: page.waypoints.points[1][2, 1] != 2.3)


def test_buttons(page):
    with Client(page.port) as client:
        client.say("do", what="scale")
        assert "Scaled by 1.2" in client.hear("notice")["text"]
        client.say("insert", time=0.7)
        eventually(lambda: len(page.waypoints) == 7)
        client.say("remove", waypoint=3)
        eventually(lambda: len(page.waypoints) == 6)
        client.say("do", what="save")
        saved = client.hear("saved")
        assert saved["name"] == "puma560_trajectory.csv"
        lines = saved["text"].splitlines()
        assert lines[0].startswith("time [s],joint_1 [rad],")
        assert len(lines) == len(page.table) + 1


def test_the_arm_plays_the_trajectory_and_stops_where_it_is_told(page):
    with Client(page.port) as client:
        client.say("seek", time=1.5)
        eventually(lambda: np.allclose(page.viewer.q, page.table.q[150]))
        client.say("play", on=True)
        place = client.hear("place")
        while place["time"] < 1.6:
            place = client.hear("place")
        assert place["playing"]
        client.say("play", on=False)
        while client.hear("place")["playing"]:
            pass
        client.say("seek", time=1e9)
        eventually(lambda: np.allclose(page.viewer.q, page.table.q[-1]))


def test_playing_begins_again_after_the_end(page):
    with Client(page.port) as client:
        client.say("seek", time=2.95)
        client.say("play", on=True)
        place = client.hear("place")
        while not (place["playing"] and place["time"] > 2.9):  # where it was before comes first
            place = client.hear("place")
        assert place["time"] <= 3.0
        while place["time"] > 1.0:
            place = client.hear("place")


def test_what_cannot_be_done_is_said_and_changes_nothing(page):
    before = page.waypoints.points[1].copy()
    with Client(page.port) as client:
        for kind, facts, words in (
            ("do", {"what": "fly"}, "No button"),
            ("remove", {"waypoint": 0}, "stay"),
            ("insert", {"time": 99.0}, "no room"),
        ):
            client.say(kind, **facts)
            assert words in client.hear("notice")["text"]
        client.move(77, 0, 0.0)
        assert "no joint 0 of waypoint 77" in client.hear("notice")["text"]
        client.socket.send("nonsense")
        assert "Not a message" in client.hear("notice")["text"]
    np.testing.assert_array_equal(page.waypoints.points[1], before)


def test_a_page_that_floods_holds_up_no_other(page, monkeypatch):
    """Work waits in a thread; of what is asked again and again the newest is done."""
    begun, go_on, calls = threading.Event(), threading.Event(), []

    def optimise(editor):
        calls.append(1)
        begun.set()
        assert go_on.wait(LONG)
        return "Optimised."

    monkeypatch.setattr(Editor, "optimise", optimise)
    with Client(page.port) as one, Client(page.port) as other:
        try:
            one.say("do", what="optimise")
            assert begun.wait(LONG)
            for _ in range(100):
                one.say("do", what="optimise")
            for _ in range(WAITING + 1):
                one.say("do", what="undo")
            assert f"{WAITING} requests" in one.hear("notice")["text"]
            other.say("seek", time=1.25)
            while other.hear("place")["time"] != 1.25:
                pass
            other.move(1, 0, 0.125, serial=9)
            assert not go_on.is_set() and len(calls) == 1
        finally:
            go_on.set()
        assert other.sheet(9)[0]["waypoints"][1][0] == 0.125
        assert len(calls) == 2
        one.say("do", what="save")
        one.hear("saved")


def test_who_has_no_token_may_only_watch():
    with TrajectoryPage(ARM, demo_waypoints(ARM), 0.1, LIMITS, port=0, token=TOKEN) as page:
        assert page.url.endswith(f"#token={TOKEN}")
        with Client(page.port) as client:
            assert client.hello["locked"]
            client.move(2, 1, 2.0)
            assert "need the token" in client.hear("notice")["text"]
            client.say("unlock", token=TOKEN)
            client.hear("unlocked")
            client.move(2, 1, 2.0)
            eventually(lambda: page.waypoints.points[1][2, 1] == 2.0)
            client.say("do", what="save")
            assert client.hear("saved")["text"]
        with Client(page.port) as client:
            client.say("do", what="save")
            assert "files need the token" in client.hear("notice")["text"]
        from websockets.exceptions import ConnectionClosed

        with Client(page.port) as client, pytest.raises(ConnectionClosed, match="wrong tokens"):
            for k in range(WRONG_TOKENS):
                client.say("unlock", token=f"wrong {k}")
            while True:
                client.socket.recv(timeout=LONG)


def test_the_page_is_served_with_what_it_shares():
    files = page_files("phalanx.view.trajectory")
    names = {"/index.html", "/trajectory.js", "/curves.js", "/sheet.js", "/trajectory.css"}
    assert names | {"/base.css", "/link.js", "/icon.svg"} == set(files)
    assert b"http://" not in files["/index.html"] and b"https://" not in files["/index.html"]


def test_without_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "websockets", None)
    with pytest.raises(px.MissingExtra, match=r"\[view\]"):
        TrajectoryPage(ARM, demo_waypoints(ARM), port=0)
