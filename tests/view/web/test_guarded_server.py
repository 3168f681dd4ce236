"""The port of the 3-D view, called by programs that are not its page."""

from __future__ import annotations

import gc
import time
import urllib.error
import urllib.request
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import phalanx as px
from phalanx.equations.loops.assembly.closed_loops import closed_loops
from phalanx.view import Viewer
from phalanx.view.web.guarded_server import MOST_PAGES
from view.web.test_access_control import CAMERA
from waiting import eventually

pytest.importorskip("viser")

import viser
from msgspec import msgpack
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

PROTOCOL = f"viser-v{viser.__version__}"


def page(viewer, path="", **options):
    """A connection that the view counts as a page."""
    url = f"ws://127.0.0.1:{viewer.port}{path}"
    made = connect(url, subprotocols=[PROTOCOL], max_size=None, close_timeout=1.0, **options)
    made.send(msgpack.encode(CAMERA))
    return made


def move(slider, value, **others):
    """A slider of an angle is put there [rad]; it speaks in degrees."""
    updates = {"value": float(np.degrees(value))} | others
    message = {"type": "GuiUpdateMessage", "uuid": slider._impl.uuid, "updates": updates}
    return msgpack.encode(message)


@pytest.fixture
def viewer():
    with Viewer(px.library.four_bar(), port=0) as made:
        yield made


@pytest.fixture(scope="module")
def abroad():
    with Viewer(px.library.puma560(), host="0.0.0.0", port=0) as made:
        yield made


def slider_of(viewer, label):
    return next(s for s in viewer._posing._sliders if s.label == label)


def test_a_page_of_another_origin_gets_nothing(viewer):
    with pytest.raises(InvalidStatus) as refused:
        page(viewer, origin="http://evil.example")
    assert refused.value.response.status_code == 403
    with page(viewer, origin=f"http://127.0.0.1:{viewer.port}") as own:
        assert own.recv()


def test_a_name_that_a_stranger_made_up_gets_nothing(viewer):
    asked = urllib.request.Request(viewer.url, headers={"Host": "evil.example"})
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(asked)


def test_values_beyond_the_slider_are_taken_for_its_end(viewer):
    """Sixteen million postures would have been closed on the way to 1e7 rad."""
    crank = slider_of(viewer, "crank [°]")
    with page(viewer) as visitor:
        visitor.send(move(crank, 1e7))
        assert eventually(lambda: viewer.q[0] != 0.0)
        assert eventually(lambda: crank.min <= crank.value <= crank.max)
        visitor.send(move(crank, 0.3))
        assert eventually(lambda: viewer.q[0] == pytest.approx(0.3))
    assert not closed_loops(viewer.mechanism).open_loops(viewer.q, 1e-11)


def test_no_page_can_take_a_slider_from_the_others(viewer):
    crank = slider_of(viewer, "crank [°]")
    with page(viewer) as visitor:
        visitor.send(move(crank, float("nan")))
        for others in ({"removed": True}, {"min": -1e9}):
            visitor.send(move(crank, 0.1, **others))
        visitor.send(b"\xc1 no message")
        visitor.send("text")
        visitor.send(move(crank, 0.2))
        assert eventually(lambda: viewer.q[0] == pytest.approx(0.2))
    assert not crank._impl.removed and crank.min > -1000


def test_a_flood_costs_no_memory_and_ends_with_the_newest_value(viewer):
    crank = slider_of(viewer, "crank [°]")
    with page(viewer) as visitor:
        rng = np.random.default_rng(0)
        with pytest.raises(ConnectionClosed) as cut:
            while True:  # more than any page sends, as fast as it goes
                visitor.send(move(crank, float(rng.uniform(-1, 1))))
        assert cut.value.rcvd.code == 1008
    assert viewer.tasks._waiting.keys() <= {id(crank)}
    with page(viewer) as person:
        person.send(move(crank, 0.25))
        assert eventually(lambda: viewer.q[0] == pytest.approx(0.25))


def test_closing_does_not_wait_for_what_is_left_to_do(viewer, monkeypatch):
    crank = slider_of(viewer, "crank [°]")
    closing = viewer._posing._closing
    strides = []
    monkeypatch.setattr(
        type(closing), "_obstacle", lambda *_: strides.append(time.sleep(0.02)) or ""
    )
    with page(viewer) as visitor:
        visitor.send(move(crank, 3.0))
        assert eventually(lambda: strides)
        visitor.send(move(crank, -3.0))
        viewer.close()
    assert not viewer.tasks._thread.is_alive()
    assert len(strides) < 60  # of those to 3 rad


def test_where_others_reach_it_a_token_is_needed_to_touch(abroad):
    joint = slider_of(abroad, "joint_1 [°]")
    assert abroad.url == f"http://localhost:{abroad.port}/?token={abroad.token}"
    with page(abroad) as watcher, page(abroad, f"/?token={abroad.token}") as owner:
        assert watcher.recv()
        watcher.send(move(joint, 0.5))
        owner.send(move(joint, 0.25))
        assert eventually(lambda: abroad.q[0] == pytest.approx(0.25))
    cookie = urllib.request.urlopen(abroad.url).headers["Set-Cookie"].partition(";")[0]
    with page(abroad, additional_headers={"Cookie": cookie}) as browser:
        browser.send(move(joint, 0.75))
        assert eventually(lambda: abroad.q[0] == pytest.approx(0.75))


def test_only_so_many_pages(viewer):
    with ThreadPoolExecutor(1) as pool:
        pages = [page(viewer) for _ in range(MOST_PAGES)]
        assert eventually(lambda: viewer.clients == MOST_PAGES)
        with pytest.raises(ConnectionClosed) as full:
            page(viewer).recv()
        assert full.value.rcvd.code == 1013
        list(pool.map(lambda one: one.close(), pages))


def test_visits_leave_nothing_behind(viewer):
    def visit():
        with page(viewer) as visitor:
            visitor.recv()
            assert eventually(lambda: viewer.clients == 1)
        assert eventually(lambda: viewer.clients == 0)

    def kept():
        gc.collect()
        kinds = ("ClientHandle", "GuiApi", "SceneApi", "AsyncMessageBuffer", "ServerConnection")
        return Counter(type(x).__name__ for x in gc.get_objects() if type(x).__name__ in kinds)

    visit()
    before = kept()
    for _ in range(5):
        visit()
    assert eventually(lambda: kept() == before), (before, kept())


def test_a_viser_that_cannot_be_guarded_is_refused(monkeypatch):
    from phalanx.view.web import guarded_server

    monkeypatch.setattr(guarded_server._Guard, "serve", None)
    monkeypatch.setattr(guarded_server, "_opening_ports_by", lambda guard: guarded_server.silent())
    with pytest.raises(px.PhalanxError, match="cannot be guarded"):
        Viewer(px.library.double_pendulum(), port=0)
