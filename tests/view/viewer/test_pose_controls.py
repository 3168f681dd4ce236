"""Sliders of machines with loops, moved as a page moves them."""

from __future__ import annotations

import threading
from types import SimpleNamespace

import numpy as np
import pytest

import phalanx as px
from phalanx.equations.loops.assembly.closed_loops import closed_loops
from phalanx.mechanism import Revolute, Strut
from phalanx.view import Viewer
from phalanx.view.viewer.joint_sliders import slider_values
from phalanx.view.viewer.pose_controls import PoseControls

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
        made.append(PoseControls(served.gui, served.tasks, mechanism, 1.0, shown.append))
        return made[-1], shown

    yield make
    for panel in made:
        panel.folder.remove()


def slide(posing, label, value, page=None):
    """Move the slider of a label by hand to an SI value."""
    slider = next(s for s in posing._sliders if s.label == label)
    slider.value = float(np.degrees(value)) if label.endswith("[°]") else value
    posing._on_slider(SimpleNamespace(client=page or Page(), target=slider))
    return slider


def shown_by(sliders):
    """What sliders say, in SI units, and half of what their last digit is worth."""
    sizes = np.array([np.radians(1.0) if s.label.endswith("[°]") else 1.0 for s in sliders])
    digits = np.array([0.5 * 10.0**-s.precision for s in sliders])
    return sizes * [s.value for s in sliders], 1.01 * sizes * digits


def assert_shown(sliders, values):
    said, rounding = shown_by(sliders)
    assert (np.abs(said - values) <= rounding).all()


def click(posing, label):
    posing._on_button(SimpleNamespace(target=SimpleNamespace(value=label)))


def test_other_sliders_follow_and_the_one_in_hand_is_left_alone(posing):
    stewart = px.library.stewart()
    panel, shown = posing(stewart)
    slider = slide(panel, "leg_1 [m]", 0.1)
    assert not closed_loops(stewart).open_loops(shown[-1], CLOSED)
    slider.value = 0.11  # the hand is already further when the others are set
    panel.settle()
    assert slider.value == 0.11
    values = slider_values(stewart, shown[-1])
    others = [k for k, s in enumerate(panel._sliders) if s is not slider]
    assert_shown([panel._sliders[k] for k in others], values[others])
    assert np.abs(values[others]).max() > 0.05


def test_a_slider_that_cannot_go_on_goes_back_and_says_so_once(posing):
    four_bar = px.library.four_bar()
    panel, shown = posing(four_bar)
    page = Page()
    for _ in range(3):
        slider = slide(panel, "rocker [°]", 1.5, page)
    assert_shown([slider], shown[-1][2])
    assert slider.value < 60.0
    assert not closed_loops(four_bar).open_loops(shown[-1], CLOSED)
    [(title, body)] = page.notices
    assert title == "rocker [°]"
    assert body.startswith("Stopped: the loops do not close beyond")


def test_buttons_give_closed_postures(posing):
    machine = px.library.planar_3rrr()
    panel, shown = posing(machine)
    click(panel, "Random")
    assert np.abs(shown[-1]).max() > 0.01
    assert not closed_loops(machine).open_loops(shown[-1], CLOSED)
    assert_shown(panel._sliders, slider_values(machine, shown[-1]))
    click(panel, "Home")
    np.testing.assert_allclose(shown[-1], 0.0, atol=1e-12)


def test_motors_come_first_and_passive_joints_are_folded_away(posing):
    machine = px.library.planar_3rrr()
    panel, _ = posing(machine)
    at_hand = [s.label for s in panel._sliders if s._impl.parent_container_id == _id(panel.folder)]
    assert at_hand == ["drive_1 [°]", "drive_2 [°]", "drive_3 [°]"]
    assert len(panel._sliders) == machine.nv


def _id(folder):
    return folder._impl.uuid


def test_a_posture_from_elsewhere_is_where_sliders_go_on(posing):
    machine = px.library.five_bar()
    panel, shown = posing(machine)
    q = px.assemble(machine, [0.3, 0.0, -0.2, 0.0], held=["left_drive", "right_drive"]).q
    panel.follow(q)
    slide(panel, "left_drive [°]", 0.35)
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
    assert not closed_loops(stewart).open_loops(shown[-1], CLOSED)
    legs = [stewart.q_slices[f"leg_{k}"].start for k in range(1, 7)]
    np.testing.assert_allclose(shown[-1][legs], 0.04, atol=1e-12)


def test_a_tree_is_posed_as_it_is(posing):
    puma = px.library.puma560()
    panel, shown = posing(puma)
    slide(panel, "joint_2 [°]", -0.7)
    np.testing.assert_allclose(shown[-1], [0, -0.7, 0, 0, 0, 0], atol=1e-12)
    panel.settle()
    assert_shown(panel._sliders, shown[-1])


def choose(posing, word):
    posing._on_units(SimpleNamespace(target=SimpleNamespace(value=word)))


def test_units_change_what_is_read_and_not_the_posture(posing):
    stewart = px.library.stewart()
    panel, shown = posing(stewart)
    slide(panel, "leg_1 [m]", 0.1)
    q = shown[-1]
    assert all(s.label.endswith(("[°]", "[m]")) for s in panel._sliders)
    choose(panel, "radians")
    choose(panel, "millimetres")
    by_label = {s.label: s for s in panel._sliders}
    assert by_label["leg_1 [mm]"].value == pytest.approx(100.0)
    turn = slider_values(stewart, q)[stewart.v_slices["universal_1"]][0]
    assert by_label["universal_1 first [rad]"].value == pytest.approx(turn, abs=0.005)
    assert by_label["universal_1 first [rad]"].max == pytest.approx(np.pi, abs=0.005)
    np.testing.assert_array_equal(panel.q, q)
    by_label["leg_1 [mm]"].value = 50.0
    panel._on_slider(SimpleNamespace(client=Page(), target=by_label["leg_1 [mm]"]))
    assert shown[-1][stewart.q_slices["leg_1"]] == pytest.approx(0.05)
    choose(panel, "furlongs")  # a page of somebody's own making
    assert by_label["leg_1 [mm]"].label == "leg_1 [mm]"


def test_numbers_are_round_and_limits_are_kept(posing):
    limits = (-2.9670597, 2.9670597)  # ±170°
    joint = px.Joint("joint", "base", "arm", Revolute(), lower=limits[0], upper=limits[1])
    arm = px.Mechanism("arm", [px.Body("base"), px.Body("arm", 1.0)], [joint])
    panel, shown = posing(arm)
    [slider] = panel._sliders
    assert (slider.min, slider.max, slider.step, slider.precision) == (-170.0, 170.0, 0.5, 1)
    slide(panel, "joint [°]", 3.0)
    assert shown[-1][0] <= limits[1]


def lift():
    """A boom about y, held by a cylinder of 1 m, whole from 1 m to 2 m."""
    bodies = [px.Body("base"), px.Body("boom", 1.0)]
    hinge = px.Joint("hinge", "base", "boom", Revolute(np.array([0.0, 1.0, 0.0])))
    frames = [
        px.Frame("foot", "base", px.Pose(translation=np.array([0.0, 0.0, -1.5]))),
        px.Frame("eye", "boom", px.Pose(translation=np.array([1.0, 0.0, 0.0]))),
    ]
    strut = Strut("lift", "foot", "eye", 1.0, 0.05, 0.03)
    return px.Mechanism("lift", bodies, [hinge], frames, struts=[strut])


def length(q):
    """Of the cylinder, by the cosine theorem: sides 1 and 1.5 with 90° + q between them."""
    return np.sqrt(1 + 1.5**2 - 2 * 1.5 * np.cos(np.pi / 2 - q))


@pytest.mark.parametrize(("way", "end"), [(-3.0, 2.0), (3.0, 1.0)])
def test_a_slider_stops_where_a_cylinder_does(posing, way, end):
    panel, shown = posing(lift())
    page = Page()
    slider = slide(panel, "hinge [°]", way, page)
    assert length(shown[-1][0]) == pytest.approx(end, abs=2e-3)
    assert 1.0 - 1e-9 <= length(shown[-1][0]) <= 2.0 + 1e-9
    assert "cylinder 'lift' is at the end of its stroke beyond" in page.notices[0][1]
    assert_shown([slider], shown[-1])


def test_random_keeps_cylinders_whole(posing):
    panel, shown = posing(lift())
    for _ in range(20):
        click(panel, "Random")
        assert 1.0 <= length(shown[-1][0]) <= 2.0
    assert np.ptp([q[0] for q in shown]) > 0.1


def test_random_leaves_a_machine_that_could_fly_away_where_it_is(posing):
    free = px.with_floating_base(px.library.double_pendulum())
    panel, shown = posing(free)
    click(panel, "Random")
    np.testing.assert_array_equal(shown[-1][:7], free.neutral()[:7])
    assert shown[-1][7:].all()
