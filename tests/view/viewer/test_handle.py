"""A handle on a frame, dragged as a page drags it."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import phalanx as px
from phalanx.equations.loops.assembly.closed_loops import closed_loops
from phalanx.view import Viewer
from phalanx.view.viewer.handle import frames_that_move
from waiting import eventually

pytest.importorskip("viser")


class Page:
    """A client that keeps what it is told."""

    def __init__(self):
        self.notices = []

    def add_notification(self, title, body, **_):
        self.notices.append((title, body))


def drag(handle, by, phase="update", page=None):
    """Pull the handle by a shift [m]."""
    control = handle._control
    control.position = np.asarray(control.position) + by
    handle._on_drag(SimpleNamespace(client=page or Page(), target=control, phase=phase))


def place(viewer):
    return viewer.handle._pose(viewer.q)


@pytest.fixture(scope="module")
def puma():
    with Viewer(px.library.puma560(), port=0, drag="tool") as made:
        yield made


@pytest.fixture
def viewer(puma):
    puma.show(np.array([0.2, 0.3, -0.4, 0.1, 0.5, 0.0]))
    eventually(lambda: np.allclose(puma.handle._control.position, place(puma)[:3, 3]))
    return puma


def test_the_machine_follows(viewer):
    start = place(viewer)
    drag(viewer.handle, [0.05, -0.04, 0.03], "end")
    assert np.abs(place(viewer)[:3, 3] - start[:3, 3] - [0.05, -0.04, 0.03]).max() < 1e-3
    assert np.abs(place(viewer)[:3, :3] - start[:3, :3]).max() < 1e-3


def test_a_handle_that_is_held_stays_with_the_hand(viewer):
    page = Page()
    drag(viewer.handle, [2.0, 0.0, 0.0], "start", page)
    held = np.array(viewer.handle._control.position)
    viewer.handle.move(viewer.q)
    assert np.array_equal(viewer.handle._control.position, held)
    ((title, said),) = page.notices
    assert title == "tool" and "position off by" in said
    # let go, it returns to its frame
    drag(viewer.handle, [0.0, 0.0, 0.0], "end", page)
    assert np.allclose(viewer.handle._control.position, place(viewer)[:3, 3])
    assert len(page.notices) == 1  # not again at once


def test_a_handle_follows_the_sliders(viewer):
    viewer.show(np.zeros(6))
    eventually(lambda: np.allclose(viewer.handle._control.position, place(viewer)[:3, 3]))


def test_loops_stay_closed_and_few_freedoms_are_not_turned():
    machine = px.library.five_bar()
    with Viewer(machine, port=0, drag="tool") as viewer:
        assert viewer.handle.place_only.value
        start = place(viewer)
        drag(viewer.handle, [0.05, 0.0, -0.03])
        assert np.abs(place(viewer)[:3, 3] - start[:3, 3] - [0.05, 0.0, -0.03]).max() < 1e-3
        assert not closed_loops(machine).open_loops(viewer.q)
        drag(viewer.handle, [3.0, 0.0, 0.0])
        assert not closed_loops(machine).open_loops(viewer.q)
        viewer.handle.choice.value = "none"
        viewer.handle._grip()
        assert viewer.handle._control is None


def test_frames_that_cannot_be_dragged():
    arm = px.library.puma560()
    assert "base" not in frames_that_move(arm) and "tool" in frames_that_move(arm)
    root = arm.bodies[0].name
    for wrong, error, message in (
        ({"drag": "tolo"}, px.UnknownName, "Did you mean 'tool'"),
        ({"drag": root}, px.InvalidInput, "nothing moves"),
        ({"drag": "tool", "sliders": False}, px.InvalidInput, "sliders"),
    ):
        with pytest.raises(error, match=message):
            Viewer(arm, port=0, **wrong)
    with pytest.raises(px.InvalidInput, match="up to 200"):
        Viewer(px.library.chain(300), port=0, drag="link_3")
