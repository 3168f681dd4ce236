from __future__ import annotations

import asyncio
from types import SimpleNamespace

import numpy as np
import pytest

import phalanx as px
from phalanx.view.cockpit.cab_view import AHEAD, EYE, FIELD, CabView
from phalanx.view.web.guarded_server import CALLED_BY

KEY = "a1b2"


class Client:
    """An open view whose camera can be looked at."""

    client_id = 7

    def __init__(self):
        self.camera = SimpleNamespace(
            position=np.array([9.0, 9.0, 9.0]), look_at=np.zeros(3), fov=0.7
        )
        self.flushed = 0

    def atomic(self):
        from contextlib import nullcontext

        return nullcontext()

    def flush(self):
        self.flushed += 1


class StillViewer:
    """A viewer that draws when it is told to, and does tasks at once."""

    def __init__(self, mechanism):
        self.mechanism, self.server, self.q = mechanism, self, mechanism.neutral
        self.dynamics = px.Dynamics(mechanism)
        self.drawables, self.shown = [], 0
        self.tasks = self

    def submit(self, key, task):
        task()

    def poses(self, q):
        names = [body.name for body in self.mechanism.bodies]
        return np.array([self.dynamics.forward_kinematics(q, frame=name) for name in names])

    def add_drawable(self, move):
        self.drawables.append(move)

    def show(self, q):
        self.shown += 1

    def on_client_connect(self, react):
        self.connected = react

    def on_client_disconnect(self, react):
        self.disconnect = lambda client: asyncio.run(react(client))

    def connect(self, client, path=f"/?window={KEY}"):
        async def come():
            CALLED_BY.set(path)
            await self.connected(client)

        asyncio.run(come())


@pytest.fixture
def viewer():
    return StillViewer(px.library.cat215b())


@pytest.fixture
def view(viewer):
    return CabView(viewer)


@pytest.mark.parametrize("swing", [0.0, 1.2, -2.5])
def test_who_sits_in_the_cab_turns_with_it(viewer, view, swing):
    client = Client()
    viewer.connect(client)
    view.choose(KEY, True)
    assert view.rides(KEY)
    assert viewer.shown, "at once, though the machine stands still"
    q = np.array([swing, 0.4, -1.0, 0.2])
    viewer.drawables[0](q)
    X = viewer.dynamics.forward_kinematics(q, frame=EYE)
    np.testing.assert_allclose(client.camera.position, X[:3, 3], atol=1e-12)
    gaze = client.camera.look_at - client.camera.position
    assert np.linalg.norm(gaze) == pytest.approx(AHEAD)
    assert gaze @ X[:3, 1] == pytest.approx(0.0, abs=1e-12), "neither left nor right"
    assert gaze @ X[:3, 0] > 0 > gaze @ X[:3, 2], "ahead and down"
    assert client.camera.fov == FIELD
    assert client.flushed


def test_leaving_the_cab_gives_the_old_camera_back(viewer, view):
    client = Client()
    viewer.connect(client)
    view.choose(KEY, True)
    view.choose(KEY, True)
    view.move(np.zeros(4))
    view.choose(KEY, False)
    assert not view.rides(KEY)
    np.testing.assert_array_equal(client.camera.position, [9, 9, 9])
    np.testing.assert_array_equal(client.camera.look_at, [0, 0, 0])
    assert client.camera.fov == 0.7
    view.move(np.ones(4))
    np.testing.assert_array_equal(client.camera.position, [9, 9, 9])


def test_a_view_that_is_closed_is_forgotten(viewer, view):
    client = Client()
    viewer.connect(client)
    view.choose(KEY, True)
    viewer.disconnect(client)
    assert not view.is_open(KEY) and not view.rides(KEY)
    view.move(np.ones(4))
    assert client.flushed == 0
    np.testing.assert_array_equal(client.camera.position, [9, 9, 9])


def test_each_view_is_known_by_its_own_word(viewer, view):
    first, second = Client(), Client()
    second.client_id = 8
    assert not view.is_open(KEY)
    viewer.connect(first)
    viewer.connect(second, "/?x=1&window=other")
    viewer.connect(Client(), "/")  # one that names no page
    assert view.is_open(KEY) and view.is_open("other") and not view.is_open("")
    view.choose("other", True)
    view.choose("nobody", True)
    assert view.rides("other") and not view.rides(KEY)
    view.move(np.zeros(4))
    assert second.flushed and not first.flushed


def test_a_machine_without_a_seat_has_views_and_no_cab():
    other = StillViewer(px.library.puma560())
    view = CabView(other)
    client = Client()
    other.connect(client)
    view.choose(KEY, True)
    assert view.is_open(KEY) and not view.has_cab and not view.rides(KEY)
    assert other.drawables == []
