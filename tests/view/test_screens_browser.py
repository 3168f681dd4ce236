"""The view, a replay and reports on a desk, a tablet and a phone."""

from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
from phalanx.simulation.record.recording import Recording
from phalanx.simulation.record.signal import Signal
from phalanx.view import Viewer
from phalanx.view.replay.replay import Replay
from phalanx.view.reports.report import write_report
from view.pages_on_screens import SCREENS, covered, overflow, screen, violations
from waiting import eventually

pytestmark = pytest.mark.xdist_group("browser")


def swing(samples=31):
    """The PUMA from one side to the other."""
    t = np.linspace(0, 3, samples)
    q = np.outer(np.sin(t), [2.0, 0.5, 0.3, 0.0, 0.5, 0.0])
    names = tuple(joint.name for joint in px.library.puma560().moving_joints)
    return Recording(t, [Signal("q", "rad", names, q), Signal("energy", "J", (), t)])


def in_picture(viewer, postures):
    """Largest coordinate of the machine in the picture of the only page; 1 is at its edge."""
    [client] = viewer.server.get_clients().values()
    camera = client.camera
    from viser.transforms import SO3

    R = SO3(np.asarray(camera.wxyz)).as_matrix()
    points = np.concatenate([viewer._scene.points(q) for q in np.atleast_2d(postures)])
    x, y, z = ((points - camera.position) @ R).T
    assert (z > 0).all(), "behind the camera"
    tangent = np.tan(camera.fov / 2)
    return max(np.abs(x / z / (tangent * camera.aspect)).max(), np.abs(y / z / tangent).max())


def aspect_on_page(browser):
    return browser.execute_script(
        "const c = document.querySelector('canvas[data-engine]');"
        "return c ? c.clientWidth / c.clientHeight : 0"
    )


def fits_screen(browser, viewer, postures):
    """Whether the camera has the machine in view, and not as a dot, in the window as it is."""
    [client] = viewer.server.get_clients().values()
    if abs(client.camera.aspect / aspect_on_page(browser) - 1) > 0.02:
        return False
    return 0.6 < in_picture(viewer, postures) < 0.9


def check(browser, viewer, postures):
    for size in SCREENS:
        with screen(browser, *size):
            eventually(lambda: fits_screen(browser, viewer, postures))
            assert overflow(browser) == 0, size
            assert covered(browser) == [], size
            # names are given to controls a moment after these appear
            eventually(lambda: not violations(browser))


@pytest.fixture
def tab(browser):
    browser.switch_to.new_window("tab")
    yield browser
    browser.close()
    browser.switch_to.window(browser.window_handles[0])


def opened(browser, viewer):
    viewer.server.scene.set_global_visibility(False)  # drawing takes longest
    browser.get(viewer.url + "?fixedDpr=0.5")
    eventually(lambda: browser.find_elements("css selector", "[role=slider]"))
    eventually(lambda: viewer.clients == 1)


def number_boxes(tab):
    """Of each: what it shows, how wide that is and how wide the box [pixel].

    All at once, since the page makes its panel anew when the screen changes.
    """
    return tab.execute_script(
        "return [...document.querySelectorAll('.mantine-NumberInput-input')].map("
        "box => [box.value, box.scrollWidth, box.getBoundingClientRect().width])"
    )


def test_a_machine_is_framed_and_its_controls_are_at_hand(tab):
    with Viewer(px.library.puma560(), port=0) as viewer:
        opened(tab, viewer)
        assert tab.title == "puma560 · Phalanx"
        check(tab, viewer, viewer.q)
        viewer.show(np.full(6, -3.1))
        eventually(lambda: number_boxes(tab)[0][0] == "-177.6")
        for value, text, box in number_boxes(tab):
            assert text <= box, value


def test_all_of_a_run_is_framed_and_its_controls_are_at_hand(tab):
    run = swing()
    with (
        Viewer(px.library.puma560(), port=0, sliders=False) as viewer,
        Replay(viewer, run) as replay,
    ):
        opened(tab, viewer)
        check(tab, viewer, run["q"])
        with screen(tab, *SCREENS[-1]):
            [play] = tab.find_elements("xpath", "//button[contains(., 'Play')]")
            tab.execute_script("arguments[0].scrollIntoView()", play)
            play.click()
            eventually(lambda: replay.playback.playing or replay.playback.time > 0)


def test_a_report_reads_on_any_screen(tab, tmp_path):
    path = write_report(swing(), tmp_path)
    tab.get(path.as_uri())
    for size in SCREENS:
        with screen(tab, *size):
            assert overflow(tab) == 0, size
            assert violations(tab) == {}, size
