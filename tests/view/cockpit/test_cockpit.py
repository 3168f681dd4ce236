from __future__ import annotations

import sys
import urllib.request

import numpy as np
import pytest

import phalanx as px
from phalanx.view.cockpit import Cockpit

from .fake_machine import FakeMachine

pytest.importorskip("viser")

from waiting import eventually

from .pages import Page


@pytest.fixture(scope="module")
def cockpit():
    with Cockpit(FakeMachine(), port=0) as made:
        yield made


def test_it_listens_here_and_serves_the_page(cockpit):
    assert cockpit.url == f"http://127.0.0.1:{cockpit.port}"
    with urllib.request.urlopen(cockpit.url) as page:
        assert b"Phalanx cockpit" in page.read()


def test_pages_are_told_where_the_view_is_and_counted(cockpit):
    with Page(cockpit.port) as page:
        assert page.hello["view_port"] == cockpit.viewer.port
        assert not page.hello["locked"]
        assert cockpit.clients == 1
    assert eventually(lambda: cockpit.clients == 0)


def test_the_machine_is_drawn_where_it_is(cockpit):
    with Page(cockpit.port) as page:
        page.take()
        page.say("sticks", values=[1, 0, 0, 0])
        assert eventually(lambda: cockpit.viewer.q[0] < 0.28)
        page.say("release")
    drawn = cockpit.viewer._scene._placed
    assert eventually(lambda: np.allclose(drawn, cockpit.viewer.poses(cockpit.viewer.q), atol=0.1))


def test_a_port_in_use_gives_the_next_free_one(cockpit):
    with Cockpit(FakeMachine(), port=cockpit.port) as other:
        assert cockpit.port < other.port <= cockpit.port + 100
        assert len({cockpit.port, cockpit.viewer.port, other.port, other.viewer.port}) == 4


def test_where_others_reach_it_a_token_is_made_up_for_the_driver():
    with Cockpit(FakeMachine(), host="0.0.0.0", port=0) as cockpit:
        assert len(cockpit.token) >= 20
        assert cockpit.url == f"http://localhost:{cockpit.port}/#token={cockpit.token}"
        with Page(cockpit.port) as page:
            assert page.hello["locked"]
            page.say("unlock", token=cockpit.token)
            page.hear("unlocked")


@pytest.mark.parametrize("token", ["", "short", "with space in it", "#token=abcdefgh", "x" * 200])
def test_tokens_that_are_none(token):
    with pytest.raises(px.InvalidInput, match="8 to 128"):
        Cockpit(FakeMachine(), token=token, port=0)


def test_wrong_rates_and_addresses_leave_nothing_behind():
    with pytest.raises(px.InvalidInput, match="rate="):
        Cockpit(FakeMachine(), rate=0.0, port=0)
    with pytest.raises(px.InvalidInput, match="cannot listen"):
        Cockpit(FakeMachine(), host="203.0.113.7")


@pytest.mark.parametrize("package", ["viser", "websockets"])
def test_without_the_extra(monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(px.MissingExtra, match=r"\[view\]"):
        Cockpit(FakeMachine(), port=0)
