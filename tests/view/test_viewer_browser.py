"""What a person sees and does: pages drawn by a real browser, sliders moved by its keyboard."""

from __future__ import annotations

import http.server
import io
import threading
import time
from dataclasses import replace

import numpy as np
import pytest

import phalanx as px
from phalanx.simulation.record.recording import Recording
from phalanx.simulation.record.signal import Signal
from phalanx.view import Viewer
from phalanx.view.replay.replay import Replay
from waiting import eventually

pytestmark = pytest.mark.xdist_group("browser")


def picture(browser):
    """The middle of the scene, where the machine is and no message, shape (rows, columns, 3)."""
    from PIL import Image

    # of the page, not of the element: that takes a browser ten times as long
    page = Image.open(io.BytesIO(browser.get_screenshot_as_png())).convert("RGB")
    box = browser.find_element("css selector", "canvas[data-engine]").rect
    rows, columns = int(box["height"]), int(box["width"])
    pixels = np.asarray(page)[int(box["y"]) :, int(box["x"]) :][:rows, :columns]
    return pixels[rows // 3 :, columns // 4 : -columns // 8].astype(int)


def colours(pixels):
    return len(np.unique(pixels.reshape(-1, 3), axis=0))


def settled(browser):
    """The picture once it has stopped changing, with something in it."""
    before = picture(browser)

    def still():
        nonlocal before
        time.sleep(0.3)
        now = picture(browser)
        same, before = now.shape == before.shape and (now == before).all(), now
        return same and colours(now) > 200

    eventually(still)
    return before


def share_changed(a, b):
    return float((np.abs(a - b).sum(axis=2) > 30).mean())


def sliders(browser):
    return eventually(lambda: browser.find_elements("css selector", "[role=slider]"))


def shown(browser):
    """What the sliders say, angles [rad]."""
    return [read(slider) for slider in sliders(browser)]


def read(slider):
    value = float(slider.get_attribute("aria-valuenow"))
    name = eventually(lambda: slider.get_attribute("aria-label"))
    return np.radians(value) if name.endswith("[°]") else value


def press(slider, key, times):
    slider.send_keys(*[key] * times)


def button(browser, text):
    path = f"//button[.//*[text()='{text}'] or text()='{text}']"
    return eventually(lambda: browser.find_elements("xpath", path))[0]


def open_page(browser, viewer):
    # reflections take seconds in software; a fixed resolution keeps pictures comparable
    viewer._server.scene.configure_environment_map(None)
    clients = viewer.clients
    browser.get(viewer.url + "?fixedDpr=0.7")
    eventually(lambda: viewer.clients == clients + 1)
    eventually(lambda: colours(picture(browser)) > 200)


@pytest.fixture(scope="module")
def page(browser):
    """One page for all tests: loading it is what takes longest."""
    with Viewer(px.library.puma560(), port=0) as made:
        open_page(browser, made)
        yield made
        browser.get("about:blank")


@pytest.fixture
def viewer(browser, page):
    """The viewer of the open page, at home."""
    page.show(np.zeros(6))
    eventually(lambda: shown(browser) == [0.0] * 6)
    return page


def test_the_machine_is_drawn(browser, viewer):
    assert colours(settled(browser)) > 200
    assert len(sliders(browser)) == viewer.mechanism.nv


def test_a_slider_moves_the_machine(browser, viewer):
    from selenium.webdriver.common.keys import Keys

    before = settled(browser)
    press(sliders(browser)[1], Keys.ARROW_LEFT, 80)
    eventually(lambda: viewer.q[1] < -0.5)
    assert not viewer.q[[0, 2, 3, 4, 5]].any()
    assert share_changed(before, settled(browser)) > 0.01


def test_buttons_set_all_sliders(browser, viewer):
    button(browser, "Random").click()
    eventually(lambda: viewer.q.all())
    # a slider has steps
    eventually(lambda: np.allclose(shown(browser), viewer.q, atol=0.02))
    button(browser, "Home").click()
    eventually(lambda: not viewer.q.any())


def test_a_posture_shown_by_the_program_arrives(browser, viewer):
    before = settled(browser)
    viewer.show([0.0, -1.2, 0.4, 0.0, 0.5, 0.0])
    eventually(lambda: abs(shown(browser)[1] + 1.2) < 0.02)
    assert share_changed(before, settled(browser)) > 0.01


def test_a_second_page_shows_the_same_and_may_go(browser, viewer):
    from selenium.webdriver.common.keys import Keys

    first = browser.current_window_handle
    before = settled(browser)
    browser.switch_to.new_window("tab")
    open_page(browser, viewer)
    press(sliders(browser)[2], Keys.ARROW_RIGHT, 40)
    eventually(lambda: viewer.q[2] > 0.3)
    eventually(lambda: shown(browser)[2] > 0.3)
    second = shown(browser)
    browser.close()
    browser.switch_to.window(first)
    eventually(lambda: viewer.clients == 1)
    # the pages' sliders agree, and the scene of this one has followed
    eventually(lambda: shown(browser) == second)
    eventually(lambda: share_changed(before, settled(browser)) > 0.01)
    viewer.show(np.zeros(6))
    eventually(lambda: shown(browser)[2] == 0)


def test_a_replay_is_moved_by_its_slider_and_plays(browser):
    from selenium.webdriver.common.keys import Keys

    puma = px.library.puma560()
    t = np.linspace(0, 3, 301)
    q = np.outer(np.sin(t), [0.5, -1.0, 0.3, 0.5, 0.5, 0.5])
    names = tuple(joint.name for joint in puma.moving_joints)
    recording = Recording(t, [Signal("q", "rad", names, q)])
    browser.switch_to.new_window("tab")
    with Viewer(puma, port=0, sliders=False) as viewer, Replay(viewer, recording) as replay:
        open_page(browser, viewer)
        before = settled(browser)
        press(sliders(browser)[0], Keys.ARROW_RIGHT, 20)
        eventually(lambda: replay.playback.time > 0)
        press(sliders(browser)[0], Keys.END, 1)
        eventually(lambda: replay.playback.time == pytest.approx(3.0))
        replay.playback.seek(1.5)
        assert share_changed(before, settled(browser)) > 0.01
        assert browser.find_elements("css selector", ".uplot canvas"), "a chart beside the scene"
        button(browser, "Play").click()
        eventually(lambda: replay.playback.time > 1.6)
        button(browser, "Pause").click()
        eventually(lambda: not replay.playback.playing)
    browser.close()
    browser.switch_to.window(browser.window_handles[0])


def test_a_slider_moves_a_machine_on_its_loops(browser):
    from selenium.webdriver.common.keys import Keys

    from phalanx.equations.loops.assembly.closed_loops import closed_loops

    plain = px.library.stewart()
    # legs that have no end of their own go until the loops do not close
    stewart = replace(
        plain, joints=[replace(joint, lower=-np.inf, upper=np.inf) for joint in plain.joints]
    )
    browser.switch_to.new_window("tab")
    with Viewer(stewart, port=0) as viewer:
        viewer._server.scene.set_global_visibility(False)  # drawing takes longest
        browser.get(viewer.url)
        home = viewer.q
        legs = [stewart.q_slices[joint.name].start for joint in stewart.actuated_joints]
        press(sliders(browser)[0], Keys.ARROW_RIGHT, 40)
        eventually(lambda: viewer.q[legs[0]] > 0.05)
        moved = np.abs(viewer.q - home) > 1e-3
        assert not moved[legs[1:]].any(), "the other motors stand still"
        assert moved[:7].any() and moved.sum() > 10, "platform and passive joints move"
        assert not closed_loops(stewart).open_loops(viewer.q, 1e-9)
        press(sliders(browser)[0], Keys.END, 1)  # further than any leg can go
        eventually(lambda: browser.find_elements("xpath", "//*[contains(text(), 'Stopped:')]"))
        assert not closed_loops(stewart).open_loops(viewer.q, 1e-9)
        eventually(lambda: abs(shown(browser)[0] - viewer.q[legs[0]]) < 0.01)
    browser.close()
    browser.switch_to.window(browser.window_handles[0])


def on_page(viewer, browser, place):
    """Where a place in the world is seen, from the middle of the scene [pixel]."""
    from viser.transforms import SO3

    (client,) = viewer.server.get_clients().values()
    box = browser.find_element("css selector", "canvas[data-engine]").rect
    x, y, z = SO3(client.camera.wxyz).as_matrix().T @ (place - client.camera.position)
    scale = box["height"] / 2 / np.tan(client.camera.fov / 2)
    return np.array([scale * x / z, scale * y / z])


def test_a_handle_takes_the_machine_along(browser, viewer):
    from selenium.webdriver.common.action_chains import ActionChains

    handle = viewer.handle
    handle.choice.value = "tool"
    handle._grip()
    try:
        settled(browser)
        start = handle._pose(viewer.q)
        arrow = start[:3, 0] * handle._control.scale
        grip, end = (on_page(viewer, browser, start[:3, 3] + k * arrow) for k in (0.7, 1.2))
        canvas = browser.find_element("css selector", "canvas[data-engine]")
        hand = ActionChains(browser).move_to_element_with_offset(canvas, *map(int, grip))
        hand.click_and_hold().move_by_offset(*(int(x) for x in end - grip)).perform()
        eventually(lambda: np.abs(viewer.q).max() > 0.1)
        ActionChains(browser).release().perform()
        eventually(lambda: not handle._is_held)
        pulled = handle._pose(viewer.q)
        # along the arrow, and nowhere else
        way = start[:3, :3].T @ (pulled[:3, 3] - start[:3, 3])
        assert way[0] > 0.05
        assert np.abs(way[1:]).max() < 1e-3
        assert np.abs(pulled[:3, :3] - start[:3, :3]).max() < 1e-3
    finally:
        handle.choice.value = "none"
        handle._grip()


def test_a_notebook_on_this_machine_may_show_it_in_a_frame(browser):
    """A page of another port, which calls the machine by another name than the viewer does."""

    class Notebook(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(f"<html><body>{viewer._repr_html_()}</body></html>".encode())

        def log_message(self, *_):
            pass

    with (
        Viewer(px.library.puma560(), port=0) as viewer,
        http.server.ThreadingHTTPServer(("127.0.0.1", 0), Notebook) as notebook,
    ):
        threading.Thread(target=notebook.serve_forever, daemon=True).start()
        try:
            browser.get(f"http://localhost:{notebook.server_port}/")
            browser.switch_to.frame(browser.find_element("css selector", "iframe"))
            eventually(lambda: viewer.clients == 1)
            eventually(lambda: browser.find_elements("css selector", "canvas[data-engine]"))
        finally:
            browser.switch_to.default_content()
            notebook.shutdown()
