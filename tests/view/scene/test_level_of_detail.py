"""How large things look from the cameras of open pages, whatever those say."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import numpy as np
import pytest

from phalanx.view.scene.level_of_detail import LevelOfDetail


class Camera:
    def __init__(self, position=(0.0, 0.0, 0.0), fov=np.pi / 2, image_height=1000):
        self.position, self.fov, self.image_height = position, fov, image_height
        self.heard = []

    def on_update(self, callback):
        self.heard.append(callback)


class Server:
    """Stands in for ``viser.ViserServer``."""

    def __init__(self, *cameras):
        self.clients = {k: SimpleNamespace(camera=camera) for k, camera in enumerate(cameras)}
        self.met = []

    def on_client_connect(self, callback):
        self.met.append(callback)

    def get_clients(self):
        return self.clients


def nothing():
    pass


def test_a_metre_is_as_large_as_on_the_page_that_is_nearest():
    sight = LevelOfDetail(Server(Camera(), Camera((10.0, 0.0, 0.0), image_height=500)), nothing)
    # a right angle over 1000 pixels: two metres at a distance of one
    found = sight.pixels(np.array([[0.0, 1.0, 0.0], [5.0, 0.0, 0.0], [10.0, 0.0, 2.0]]))
    np.testing.assert_allclose(found, [500.0, 100.0, 125.0])


def test_without_a_page_nothing_has_a_size():
    assert LevelOfDetail(Server(), nothing).pixels(np.ones((3, 3))).tolist() == [0.0, 0.0, 0.0]


def test_at_the_camera_itself_things_are_large_but_finite():
    (found,) = LevelOfDetail(Server(Camera()), nothing).pixels(np.zeros((1, 3)))
    assert 1e6 < found < np.inf


@pytest.mark.parametrize(
    "nonsense",
    [
        {"position": (np.nan, 0.0, 0.0)},
        {"position": (np.inf, 0.0, 0.0)},
        {"position": (0.0, 0.0)},
        {"position": "here"},
        {"position": None},
        {"position": (10**400, 0, 0)},
        {"fov": 0.0},
        {"fov": np.nan},
        {"fov": 4.0},
        {"fov": "wide"},
        {"image_height": 0},
        {"image_height": -5},
        {"image_height": 10**400},
        {"image_height": None},
    ],
    ids=str,
)
def test_cameras_that_cannot_be_are_nobodys(nonsense):
    honest = Camera((0.0, 0.0, 1.0))
    sight = LevelOfDetail(Server(Camera(**nonsense), honest), nothing)
    np.testing.assert_allclose(sight.pixels(np.zeros((1, 3))), [500.0])


def test_a_page_that_opens_and_one_that_looks_elsewhere_are_told():
    server, told = Server(Camera()), []
    sight = LevelOfDetail(server, lambda: told.append("moved"))
    assert not sight.has_moved()
    asyncio.run(server.met[0](server.clients[0]))
    assert sight.has_moved() and not sight.has_moved()
    asyncio.run(server.clients[0].camera.heard[0](server.clients[0].camera))
    assert sight.has_moved()
    assert told == ["moved", "moved"]
