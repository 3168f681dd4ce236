"""Sliders of machines with loops, moved as a page moves them."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import numpy as np
import pytest

import phalanx as px
from phalanx.equations.assembly.posture import open_loops
from phalanx.view import Viewer
from phalanx.view.knobs import knob_values
from phalanx.view.posing import Posing

pytest.importorskip("viser")

CLOSED = 1e-11  # [m or rad]


class Page:
    """A client that keeps what it is told."""

    def __init__(self):
        self.notices = []

    def add_notification(self, title, body, **_):
        self.notices.append((title, body))


@pytest.fixture(scope="module")
def served():
    """A panel to put sliders on; machines come and go."""
    with Viewer(px.library.double_pendulum(), port=0, sliders=False) as viewer:
        yield viewer


@pytest.fixture
def posing(served):
    made = []

    def make(mechanism):
        shown = []
        made.append(Posing(served.gui, served.errands, mechanism, 1.0, shown.append))
        return made[-1], shown

    yield make
    for panel in made:
        panel.folder.remove()


def slide(posing, label, value, page=None):
    """Move the slider of a label by hand."""
    slider = next(s for s in posing._sliders if s.label == label)
    slider.value = value
    posing._on_slider(SimpleNamespace(client=page or Page(), target=slider))
    return slider


def click(posing, label):
    posing._on_button(SimpleNamespace(target=SimpleNamespace(value=label)))


def test_other_sliders_follow_and_the_one_in_hand_is_left_alone(posing):
    stewart = px.library.stewart()
    panel, shown = posing(stewart)
    slider = slide(panel, "leg_1 [m]", 0.1)
    assert not open_loops(stewart, shown[-1], CLOSED)
    slider.value = 0.11  # the hand is already further when the others are set
    panel.settle()
    assert slider.value == 0.11
    values = knob_values(stewart, shown[-1])
    others = [k for k, s in enumerate(panel._sliders) if s is not slider]
    np.testing.assert_allclose([panel._sliders[k].value for k in others], values[others])
    assert np.abs(values[others]).max() > 0.05


def test_a_slider_that_cannot_go_on_goes_back_and_says_so_once(posing):
    four_bar = px.library.four_bar()
    panel, shown = posing(four_bar)
    page = Page()
    for _ in range(3):
        slider = slide(panel, "rocker [rad]", 1.5, page)
    assert slider.value == pytest.approx(shown[-1][2]) and slider.value < 1.0
    assert not open_loops(four_bar, shown[-1], CLOSED)
    [(title, body)] = page.notices
    assert title == "rocker [rad]"
    assert body.startswith("Stopped: the loops do not close beyond")


def test_buttons_give_closed_postures(posing):
    machine = px.library.planar_3rrr()
    panel, shown = posing(machine)
    click(panel, "Random")
    assert np.abs(shown[-1]).max() > 0.01
    assert not open_loops(machine, shown[-1], CLOSED)
    shown_by_sliders = [s.value for s in panel._sliders]
    np.testing.assert_allclose(shown_by_sliders, knob_values(machine, shown[-1]))
    click(panel, "Home")
    np.testing.assert_allclose(shown[-1], 0.0, atol=1e-12)


def test_motors_come_first_and_passive_joints_are_folded_away(posing):
    machine = px.library.planar_3rrr()
    panel, _ = posing(machine)
    at_hand = [s.label for s in panel._sliders if s._impl.parent_container_id == _id(panel.folder)]
    assert at_hand == ["drive_1 [rad]", "drive_2 [rad]", "drive_3 [rad]"]
    assert len(panel._sliders) == machine.nv


def _id(folder):
    return folder._impl.uuid


def test_a_posture_from_elsewhere_is_where_sliders_go_on(posing):
    machine = px.library.five_bar()
    panel, shown = posing(machine)
    q = px.assemble(machine, [0.3, 0.0, -0.2, 0.0], held=["left_drive", "right_drive"]).q
    panel.follow(q)
    slide(panel, "left_drive [rad]", 0.35)
    assert shown[-1][0] == pytest.approx(0.35)
    assert shown[-1][2] == pytest.approx(-0.2)


def test_many_hands_at_once_leave_it_closed(posing):
    stewart = px.library.stewart()
    panel, shown = posing(stewart)

    def shake(k):
        for step in range(5):
            slide(panel, f"leg_{k} [m]", 0.01 * step)

    threads = [threading.Thread(target=shake, args=(k,)) for k in range(1, 7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not open_loops(stewart, shown[-1], CLOSED)
    legs = [stewart.q_slices[f"leg_{k}"].start for k in range(1, 7)]
    np.testing.assert_allclose(shown[-1][legs], 0.04, atol=1e-12)


def test_a_tree_is_posed_as_it_is(posing):
    puma = px.library.puma560()
    panel, shown = posing(puma)
    slide(panel, "joint_2 [rad]", -0.7)
    np.testing.assert_array_equal(shown[-1], [0, -0.7, 0, 0, 0, 0])
    panel.settle()
    assert panel._sliders[1].value == -0.7
