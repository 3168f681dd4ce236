from __future__ import annotations

import socket
import threading
import time
from dataclasses import replace

import pytest

import phalanx as px
from phalanx.view.cockpit.clients import WRONG_TOKENS
from phalanx.view.cockpit.cockpit import SEND_BUFFER
from phalanx.view.cockpit.cockpit_session import CockpitSession
from phalanx.view.web import server as server_module
from phalanx.view.web.address import listening_socket
from phalanx.view.web.http_handler import HttpHandler, page_files
from phalanx.view.web.server import MOST_PAGES, PageServer

from .fake_machine import FakeMachine

websockets = pytest.importorskip("websockets")

from websockets.exceptions import ConnectionClosed, InvalidStatus  # noqa: E402

from waiting import eventually  # noqa: E402

from .pages import Page  # noqa: E402

STILL = (0.0,) * 4
TOKEN = "a-long-enough-word"


class Served:
    """A machine, its server, and pages that call."""

    def __init__(self, token=None, views=None):
        self.machine = FakeMachine()
        self.postures = []
        listener = listening_socket("127.0.0.1", 0)
        self.port = listener.getsockname()[1]
        handler = HttpHandler(
            page_files("phalanx.view.cockpit"), "127.0.0.1", token is not None, view_port=1
        )
        self.server = PageServer(
            "cockpit",
            lambda: CockpitSession(self.machine, token, self.postures.append, views),
            listener,
            handler,
            period=0.01,
            send_buffer=SEND_BUFFER,
        )

    def page(self, **options):
        return Page(self.port, **options)


@pytest.fixture
def served():
    made = Served()
    yield made
    made.server.close()


@pytest.fixture
def locked():
    made = Served(TOKEN)
    yield made
    made.server.close()


def test_who_takes_the_controls_drives(served):
    with served.page() as page:
        page.take()
        page.say("sticks", values=[0.1, -0.2, 0.3, -0.4])
        assert eventually(lambda: served.machine.sticks == (0.1, -0.2, 0.3, -0.4))
        page.say("sticks", values=[0, 0, 0, 0])
        assert eventually(lambda: served.machine.sticks == STILL)


def test_telemetry_and_postures_come_by_themselves(served):
    with served.page() as page:
        first = page.hear("telemetry")
        assert page.hear("telemetry")["time"] > first["time"]
    assert served.postures[-1].shape == (4,)


def test_who_does_not_hold_the_controls_moves_nothing(served):
    with served.page() as page:
        for kind, facts in [
            ("sticks", {"values": [1, 1, 1, 1]}),
            ("reset", {}),
            ("mode", {"mode": "RESOLVED"}),
            ("record", {"on": True}),
            ("play", {"on": True}),
            ("seek", {"time": 1.0}),
            ("replay_speed", {"speed": 2.0}),
            ("release", {}),
            ("hand_over", {"to": None}),
        ]:
            page.say(kind, **facts)
        page.hear("notice", like="Take them first")
        page.say("beat", sent=1.0)
        page.hear("beat")
    assert served.machine.commands == []
    assert served.machine.asked == []


def test_the_driver_runs_the_machine(served):
    with served.page() as page:
        page.take()
        page.say("mode", mode="RESOLVED")
        page.say("pause")
        page.say("start")
        page.say("reset")
        page.say("record", on=True)
        page.say("record", on=False)
        assert page.hear("notice")["text"] == "Recorded: dig_003."
        page.hear("state", like="dig_003")
        page.say("replay", name="dig_003")
        page.hear("telemetry", like='"replaying":"dig_003"')
        page.say("replay", name=None)
        page.hear("telemetry", like='"replaying":null')
    assert served.machine.asked[1:9] == [
        "mode RESOLVED",
        "pause",
        "resume",
        "reset",
        "record True",
        "record False",
        "replay dig_003",
        "replay None",
    ]


def test_the_driver_winds_a_replay(served):
    with served.page() as page:
        page.take()
        page.say("replay", name="dig_001")
        page.hear("telemetry", like='"playing":true')
        page.say("play", on=False)
        page.hear("telemetry", like='"playing":false')
        page.say("seek", time=7.5)
        assert page.hear("telemetry", like='"time":7.5,')["replay"]["end"] == 12.0
        page.say("replay_speed", speed=0.25)
        page.hear("telemetry", like='"speed":0.25')
        page.say("replay_speed", speed=1e9)
        assert "expected 0.01 to 100" in page.hear("notice")["text"]


class Views:
    """3-D views of pages, some of which are open."""

    has_cab = True

    def __init__(self):
        self.opened, self.riding = set(), set()

    def is_open(self, key):
        return key in self.opened

    def rides(self, key):
        return key in self.riding

    def choose(self, key, cab):
        (self.riding.add if cab else self.riding.discard)(key)


def test_a_page_hears_of_its_own_view_and_turns_no_other():
    views = Views()
    served = Served(views=views)
    try:
        with served.page() as page, served.page() as other:
            page.say("window", key="mine")
            other.say("window", key="theirs")
            assert not page.hear("window")["open"]
            views.opened.add("mine")
            assert page.hear("window", like='"open":true')["has_cab"]
            page.say("camera", cab=True)  # who only watches may look from where he likes
            page.hear("window", like='"cab":true')
            assert views.riding == {"mine"}
            views.opened.add("theirs")
            assert not other.hear("window", like='"open":true')["cab"]
            page.say("camera", cab=False)
            page.hear("window", like='"cab":false')
    finally:
        served.server.close()


@pytest.mark.parametrize(
    ("kind", "facts", "said"),
    [
        ("mode", {"mode": "JOIN"}, "Did you mean 'JOINT'?"),
        ("replay", {"name": "../../etc/passwd"}, "has no recording"),
        ("sticks", {"values": ["1", 0, 0, 0]}, "Expected a number"),
        ("sticks", {"values": [float("nan"), 0, 0, 0]}, "NaN is not a finite number"),
        ("fly", {}, "No message has type 'fly'"),
    ],
)
def test_bad_wishes_end_as_notices(served, kind, facts, said):
    with served.page() as page:
        page.take()
        page.say(kind, **facts)
        assert said in page.hear("notice")["text"]
        page.say("sticks", values=[0.5, 0, 0, 0])
        assert eventually(lambda: served.machine.sticks[0] == 0.5), "it still listens"


def test_deflections_beyond_the_end_are_the_end_and_said_so(served):
    with served.page() as page:
        page.take()
        page.say("sticks", values=[9, 0, 0, -9])
        assert eventually(lambda: served.machine.sticks == (1.0, 0.0, 0.0, -1.0))
        assert "beyond its end" in page.hear("notice")["text"]


@pytest.mark.parametrize("broken", [b"\x00\xff", "{", "[" * 2000])
def test_nonsense_is_survived(served, broken):
    with served.page() as page:
        page.socket.send(broken)
        page.hear("notice")
        page.take()


def test_too_long_a_message_ends_the_connection_and_the_motion(served):
    with served.page() as page:
        page.take()
        page.say("sticks", values=[1, 0, 0, 0])
        assert eventually(lambda: served.machine.sticks[0] == 1)
        page.socket.send("x" * 5000)
        assert eventually(lambda: served.machine.sticks == STILL)
        with pytest.raises(ConnectionClosed):
            page.hear("nothing")
    with served.page() as page:
        page.take()


def test_a_machine_that_fails_is_said_and_survived(served, monkeypatch):
    def burst():
        raise RuntimeError("a hose burst")

    def jammed(sticks):
        raise RuntimeError(f"a spool jammed at {sticks}")

    with served.page() as page:
        page.take()
        monkeypatch.setattr(served.machine, "reset", burst)
        page.say("reset")
        assert "a hose burst" in page.hear("notice")["text"]
        monkeypatch.setattr(served.machine, "command", jammed)
        page.say("sticks", values=[1, 0, 0, 0])
        page.hear("notice", like="a spool jammed")
        served.machine.fault = px.InvalidInput("the machine ended")
        assert "does not answer" in page.hear("notice", like="the machine ended")["text"]
        with served.page() as late:
            assert "does not answer" in late.hear("notice")["text"]
        served.machine.fault = None
        page.hear("telemetry")


# -- several pages -------------------------------------------------------------------------------


def test_one_drives_others_watch_and_ask(served):
    with served.page() as first, served.page() as second:
        first.take()
        second.say("take")
        assert first.hear("state", like='"wishes":[2]')["holder"] == first.number
        first.say("sticks", values=[1, 0, 0, 0])
        assert eventually(lambda: served.machine.sticks[0] == 1)
        first.say("hand_over", to=None)
        second.hear("state", like=f'"holder":{second.number},')
        assert served.machine.sticks == STILL, "nobody inherits a motion"
        first.say("sticks", values=[1, 0, 0, 0])
        first.hear("notice", like="do not hold")
        assert served.machine.sticks == STILL
        second.say("release")
        second.hear("state", like='"holder":null')


def test_controls_of_a_page_that_goes_away_are_free_and_the_machine_is_centred(served):
    with served.page() as watcher:
        with served.page() as driver:
            driver.take()
            driver.say("sticks", values=[0, 1, 0, 0])
            assert eventually(lambda: served.machine.sticks[1] == 1)
            assert watcher.hear("state", like=f'"holder":{driver.number},')["pages"] == [1, 2]
        assert watcher.hear("state", like='"holder":null')
        assert served.machine.sticks == STILL


def test_a_driver_who_falls_silent_loses_the_controls(served):
    with served.page() as page:
        page.take()
        page.say("sticks", values=[0, 1, 0, 0])
        assert eventually(lambda: served.machine.sticks[1] == 1)
        begin = time.monotonic()
        page.hear("state", like='"holder":null')
        assert time.monotonic() - begin > 0.4
        assert served.machine.sticks == STILL
        page.say("sticks", values=[0, 1, 0, 0])
        page.hear("notice", like="do not hold")
        assert served.machine.sticks == STILL, "not without taking the controls again"


def test_a_driver_at_rest_may_be_silent(served, monkeypatch):
    monkeypatch.setattr("phalanx.view.cockpit.control_handover.SILENCE", 0.05)
    with served.page() as page:
        page.take()
        for _ in range(10):  # the machine was looked at so often, and who drives checked
            page.hear("telemetry")
        page.say("reset")
        assert eventually(lambda: "reset" in served.machine.asked)


def test_a_full_cockpit(served, monkeypatch):
    assert MOST_PAGES == 32
    monkeypatch.setattr(server_module, "MOST_PAGES", 2)
    with served.page(), served.page():
        with pytest.raises(ConnectionClosed, match="full"):
            served.page()
    assert eventually(lambda: not served.server.session.pages)
    with served.page():
        assert len(served.server.session.pages) == 1


# -- floods and slow readers ---------------------------------------------------------------------


def test_too_many_messages_are_dropped_but_the_last_deflection_counts(served):
    with served.page() as page:
        page.take()
        for k in range(400):
            page.say("sticks", values=[k / 1000, 0, 0, 0])
        page.say("sticks", values=[0.75, 0, 0, 0])
        assert eventually(lambda: served.machine.sticks[0] == 0.75)
        assert "dropped" in page.hear("notice")["text"]
        assert len(served.machine.commands) < 330
        with pytest.raises(TimeoutError):
            page.hear("notice", seconds=0.2)  # though 200 messages were dropped


def test_a_page_that_only_shouts_is_sent_away(served):
    with served.page() as watcher, served.page() as page:
        page.take()
        page.say("sticks", values=[1, 0, 0, 0])
        with pytest.raises(ConnectionClosed, match="Too many messages"):
            for _ in range(20_000):
                page.say("beat", sent=0.0)
        assert served.machine.sticks == STILL
        watcher.hear("state", like='"pages":[1]')


def test_a_page_that_does_not_read_holds_up_nobody_and_misses_only_old_news(served, monkeypatch):
    long = {f"line {k}": 1.0 for k in range(800)}  # fills the buffers sooner
    telemetry = served.machine.telemetry
    monkeypatch.setattr(served.machine, "telemetry", lambda: replace(telemetry(), pressures=long))
    narrow = socket.socket()
    narrow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    narrow.connect(("127.0.0.1", served.port))
    with served.page(sock=narrow, max_queue=1) as sleeper, served.page() as page:
        times = [page.hear("telemetry")["time"] for _ in range(100)]
        pages = served.server.session.pages.values()
        waiting = sum(seat.connection.transport.get_write_buffer_size() for seat in pages)
        assert waiting < 100_000
        seen = [sleeper.hear("telemetry")["time"]]
        while seen[-1] < times[-1]:
            seen.append(sleeper.hear("telemetry")["time"])
        assert len(seen) < 30, "it jumped over what it missed"
        assert seen == sorted(seen)


def test_what_takes_time_does_not_stop_the_telemetry(served):
    with served.page() as page:
        page.take()
        served.machine.slow.set()
        for _ in range(12):
            page.say("reset")
        page.hear("notice", like="still busy")
        page.say("sticks", values=[0.5, 0, 0, 0])
        assert eventually(lambda: served.machine.sticks[0] == 0.5)
        page.hear("telemetry")
        served.machine.slow.clear()
        assert eventually(lambda: served.machine.asked.count("reset") == 8)


# -- tokens --------------------------------------------------------------------------------------


def test_without_the_token_one_watches(locked):
    with locked.page() as page:
        assert page.hello["locked"]
        page.hear("telemetry")
        for kind, facts in [("take", {}), ("reset", {}), ("sticks", {"values": [1, 0, 0, 0]})]:
            page.say(kind, **facts)
        page.hear("notice", like="needs the token")
        page.say("beat", sent=0.0)
        page.hear("beat")
    assert locked.machine.asked == [] and locked.machine.commands == []


def test_with_the_token_one_drives(locked):
    with locked.page() as page:
        page.say("unlock", token=TOKEN)
        page.hear("unlocked")
        page.take()
        page.say("reset")
        assert eventually(lambda: "reset" in locked.machine.asked)


@pytest.mark.parametrize("token", ["", "wrong", TOKEN + "x", TOKEN[:-1], "ä?"])
def test_wrong_tokens(locked, token):
    with locked.page() as page:
        page.say("unlock", token=token)
        assert "not the token" in page.hear("notice")["text"]
        page.say("take")
        page.hear("notice", like="needs the token")


def test_a_token_with_half_a_character_is_wrong_too(locked):
    with locked.page() as page:
        page.socket.send('{"type":"unlock","token":"\\ud800"}')
        assert "not the token" in page.hear("notice")["text"]
        page.say("unlock", token=TOKEN)
        page.hear("unlocked")


def test_guessing_tokens_ends_the_connection(locked):
    with locked.page() as page:
        with pytest.raises(ConnectionClosed, match="wrong tokens"):
            for k in range(WRONG_TOKENS):
                page.say("unlock", token=f"guess-{k}")
            page.hear("unlocked")


# -- strangers, begin and end --------------------------------------------------------------------


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1"]
)
def test_pages_of_others_may_not_call(served, origin):
    with pytest.raises(InvalidStatus, match="403"):
        served.page(origin=origin)


def test_the_own_page_may_call(served):
    with served.page(origin=f"http://127.0.0.1:{served.port}") as page:
        page.take()


def test_closing_centres_the_machine_and_ends_all_connections():
    served = Served()
    with served.page() as page:
        page.take()
        page.say("sticks", values=[1, 0, 0, 0])
        assert eventually(lambda: served.machine.sticks[0] == 1)
        served.server.close()
        served.server.close()
        assert served.machine.sticks == STILL
        with pytest.raises(ConnectionClosed):
            page.hear("nothing")
    assert not [t for t in threading.enumerate() if t.name.startswith("phalanx-cockpit")]
