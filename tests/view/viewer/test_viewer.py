from __future__ import annotations

import sys
import threading
import time
import urllib.request

import numpy as np
import pytest

import phalanx as px
from phalanx.view import Viewer
from waiting import LONG, eventually

viser = pytest.importorskip("viser")


@pytest.fixture
def viewer():
    with Viewer(px.library.puma560(), port=0) as made:
        yield made


def node_position(viewer):
    return viewer._scene._nodes[6].position


def test_it_listens_here_and_serves_a_page(viewer):
    assert viewer.url.startswith("http://127.0.0.1:")
    with urllib.request.urlopen(viewer.url) as page:
        assert b"<html" in page.read().lower()


def test_a_position_shown_is_drawn(viewer):
    q = np.array([0.3, -0.5, 0.2, 0.1, 0.4, 0.0])
    viewer.show(q)
    np.testing.assert_array_equal(viewer.q, q)
    tip = px.Dynamics(viewer.mechanism).forward_kinematics(q, frame=viewer.mechanism.bodies[6].name)
    assert eventually(lambda: np.allclose(node_position(viewer), tip[:3, 3]))


def test_sliders_follow_to_the_last_position_in_degrees(viewer):
    for x in np.linspace(0, 0.7, 50):
        viewer.show([x] * 6)
    assert eventually(lambda: all(s.value == 40.1 for s in viewer._posing._sliders))


def test_showing_never_waits_for_what_is_drawn(viewer, monkeypatch):
    drawn, go_on = [], threading.Event()
    monkeypatch.setattr(viewer._scene, "move", lambda q: (drawn.append(q[0]), go_on.wait(LONG)))
    for k in range(1000):  # nothing is drawn to the end meanwhile
        viewer.show(np.full(6, 1e-3 * k))
    go_on.set()
    assert eventually(lambda: drawn[-1:] == [pytest.approx(0.999)])
    assert len(drawn) <= 2


def test_showing_is_throttled(viewer, monkeypatch):
    begins = []
    monkeypatch.setattr(viewer._scene, "move", lambda q: begins.append(time.monotonic()))
    for k in range(10):
        eventually(lambda k=k: len(begins) >= k)
        viewer.show(np.full(6, 1e-3 * k))
    eventually(lambda: len(begins) >= 10)
    # a sleep is never shorter than it should be, however late it ends
    assert np.diff(begins).min() >= 1 / 30 - 1e-3


def test_any_thread_may_show(viewer):
    def work(k):
        for _ in range(50):
            viewer.show(np.full(6, 0.1 * k))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    viewer.show(np.zeros(6))
    assert eventually(lambda: np.allclose(viewer._scene._placed, viewer._scene.poses(np.zeros(6))))


def test_a_client_that_does_not_read_blocks_nobody(viewer):
    from websockets.sync.client import connect

    protocol = f"viser-v{viser.__version__}"
    url = viewer.url.replace("http", "ws")
    with connect(url, subprotocols=[protocol], max_queue=1, close_timeout=0.1):
        for k in range(300):
            viewer.show(np.full(6, 0.01 * k))
        last = viewer._scene.poses(viewer.q)
        assert eventually(lambda: np.allclose(viewer._scene._placed, last))


@pytest.mark.parametrize("q", [[0.0], [0, 0, 0, 0, 0, np.nan], np.zeros((2, 6))])
def test_wrong_positions(viewer, q):
    with pytest.raises(px.InvalidInput, match="6 finite numbers"):
        viewer.show(q)


def test_no_page_can_ask_for_a_public_address(viewer):
    assert viewer._server.request_share_url() is None


def test_two_viewers_find_two_ports(viewer):
    with Viewer(px.library.double_pendulum(), port=viewer.port) as other:
        assert other.port != viewer.port


def test_closing_twice_and_showing_after(viewer):
    viewer.close()
    viewer.close()
    viewer.show(np.zeros(6))


@pytest.mark.parametrize("host", ["203.0.113.7", "no.such.host.invalid", ""])
def test_an_address_of_another_machine(host):
    with pytest.raises(px.InvalidInput, match="cannot listen"):
        Viewer(px.library.double_pendulum(), host=host)


@pytest.mark.parametrize("rate", [0.0, -1.0, float("nan")])
def test_wrong_rates(rate):
    with pytest.raises(px.InvalidInput, match="rate="):
        Viewer(px.library.double_pendulum(), rate=rate)


def test_without_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "viser", None)
    with pytest.raises(px.MissingExtra, match=r"\[view\]"):
        Viewer(px.library.double_pendulum())


def test_a_machine_that_cannot_move():
    with Viewer(px.Mechanism("stone", [px.Body("stone", 1.0)]), port=0) as viewer:
        viewer.show([])


def test_a_page_is_framed_on_what_is_shown_when_it_opens(viewer):
    """And all of a motion once that was asked for."""
    start = viewer._framing._points()
    q = np.array([1.5, -1.5, 0.0, 0.0, 0.0, 0.0])
    viewer.show(q)
    np.testing.assert_allclose(viewer._framing._points(), viewer._scene.points(q))
    viewer.frame(np.stack([np.zeros(6), q]))
    both = np.concatenate([start, viewer._scene.points(q)])
    np.testing.assert_allclose(viewer._framing._points(), both)
    before = viewer.server.initial_camera.position.copy()
    viewer.frame(np.zeros(6))
    assert not np.allclose(viewer.server.initial_camera.position, before)
