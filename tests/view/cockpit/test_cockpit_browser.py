"""What a person sees and does: sticks, keys and buttons of the page in a real browser."""

from __future__ import annotations

import numpy as np
import pytest

from phalanx.view.cockpit import Cockpit
from phalanx.view.cockpit.cab_view import EYE
from waiting import eventually

from .fake_machine import START, FakeMachine

pytestmark = pytest.mark.xdist_group("browser")

STILL = (0.0,) * 4


def text(browser, name):
    return browser.find_element("id", name).text


@pytest.fixture(scope="module")
def cockpit(browser):
    machine = FakeMachine()
    size = browser.get_window_size()
    browser.set_window_size(1200, 850)
    with Cockpit(machine, port=0) as made:
        made.machine = machine
        made.viewer.server.scene.set_global_visibility(False)  # drawing takes longest
        browser.get(made.url)
        eventually(lambda: made.viewer.clients == 1)
        eventually(lambda: text(browser, "link") == "Connected")
        yield made
        browser.get("about:blank")
    browser.set_window_size(size["width"], size["height"])


@pytest.fixture
def machine(browser, cockpit):
    """The machine of the open page, which drives it."""
    take = browser.find_element("id", "take")
    if take.is_displayed():
        take.click()
    eventually(lambda: text(browser, "seat") == "You drive")
    return cockpit.machine


def test_a_stick_is_dragged_and_springs_back(browser, machine):
    from selenium.webdriver import ActionChains

    pad = browser.find_element("css selector", "#left_stick .pad")
    before = machine.telemetry().angles[0]
    drag = ActionChains(browser).move_to_element(pad).click_and_hold()
    # inside the pad, then far out of it: the stick stays in the hand
    drag.move_by_offset(20, -12).pause(0.5).move_by_offset(500, 0).pause(0.5).release().perform()
    eventually(lambda: machine.sticks == STILL)
    assert any(0.2 < x < 1 and 0.1 < y < 1 for x, y, *_ in machine.commands)
    assert any(x == 1 and 0.1 < y < 1 for x, y, *_ in machine.commands)
    assert all(right == [0, 0] for _, _, *right in machine.commands)
    assert machine.telemetry().angles[0] < before - 0.1


def test_the_page_shows_the_machine(browser, machine):
    shown = float(text(browser, "time"))
    eventually(lambda: float(text(browser, "time")) > shown)
    assert 600 < float(text(browser, "payload")) < 680
    assert "320 µs of 1000 µs" in text(browser, "step_meter")
    assert "0.20 %" in text(browser, "missed_meter")
    titles = [h.text for h in browser.find_elements("css selector", ".plot h3")]
    assert [t.split("]")[0] + "]" for t in titles] == [
        "Angles [deg]",
        "Pressures [MPa]",
        "Spools [%]",
        "Torques [kN·m]",
    ]
    drawn = "return [...document.querySelectorAll('.plot canvas')].map(c => c.toDataURL())"
    before = browser.execute_script(drawn)
    eventually(
        lambda: all(a != b for a, b in zip(before, browser.execute_script(drawn), strict=True))
    )


def test_keys_move_the_sticks_until_they_are_let_go(browser, machine):
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.keys import Keys

    for key, axis, way in [("d", 0, 1), ("s", 1, -1), ("j", 2, -1), (Keys.ARROW_UP, 3, 1)]:
        ActionChains(browser).key_down(key).perform()
        eventually(lambda axis=axis, way=way: machine.sticks[axis] == way)
        ActionChains(browser).key_up(key).perform()
        eventually(lambda: machine.sticks == STILL)


def test_keys_work_after_a_click_into_the_view(browser, machine):
    from selenium.webdriver import ActionChains

    view = browser.find_element("id", "view")
    ActionChains(browser).move_to_element(view).click().perform()
    eventually(lambda: browser.execute_script("return document.activeElement.id") != "view")
    ActionChains(browser).key_down("a").perform()
    eventually(lambda: machine.sticks[0] == -1)
    ActionChains(browser).key_up("a").perform()
    eventually(lambda: machine.sticks == STILL)


def test_keys_and_buttons_run_the_machine(browser, machine):
    from selenium.webdriver import ActionChains

    press = ActionChains(browser).send_keys
    press(" ").perform()
    eventually(lambda: text(browser, "run") == "Start")
    assert not machine.running
    browser.find_element("id", "run").click()
    eventually(lambda: text(browser, "run") == "Pause")
    ActionChains(browser).send_keys("m").perform()
    eventually(lambda: "radius" in text(browser, "left_stick"))
    assert machine.mode == "RESOLVED" and "height" in text(browser, "right_stick")
    browser.find_element("css selector", "#modes button").click()
    eventually(lambda: "boom" in text(browser, "right_stick"))
    ActionChains(browser).send_keys("r").perform()
    eventually(lambda: np.allclose(machine.telemetry().angles, START))
    record = browser.find_element("id", "record")
    record.click()
    eventually(lambda: record.get_attribute("aria-pressed") == "true")
    record.click()
    eventually(lambda: "Recorded as dig_003." in text(browser, "notices"))
    replay = browser.find_element("id", "replay")
    eventually(lambda: "Replay dig_003" in replay.text)


def test_the_cab_view_rides_on_the_machine(browser, cockpit, machine):
    import phalanx as px

    (client,) = cockpit.viewer.server.get_clients().values()
    orbit = client.camera.position.copy()
    dynamics = px.Dynamics(machine.mechanism)

    def press(label):
        browser.switch_to.frame(browser.find_element("id", "view"))
        path = f"//button[.//*[text()='{label}'] or text()='{label}']"
        eventually(lambda: browser.find_elements("xpath", path))[0].click()
        browser.switch_to.default_content()

    def sits(q):
        eye = dynamics.forward_kinematics(q, frame=EYE)[:3, 3]
        return np.allclose(client.camera.position, eye, atol=1e-3)

    press("Cab")
    eventually(lambda: sits(machine.telemetry().q))
    machine.command((1.0, 0.0, 0.0, 0.0))
    eventually(lambda: machine.telemetry().q[0] < -0.3)
    machine.centre()
    eventually(lambda: sits(machine.telemetry().q))
    press("Orbit")
    eventually(lambda: np.allclose(client.camera.position, orbit, atol=1e-2))


def test_a_second_page_asks_and_is_given_the_controls(browser, cockpit, machine):
    first = browser.current_window_handle
    browser.switch_to.new_window("tab")
    browser.get(cockpit.url)
    eventually(lambda: "drives" in text(browser, "seat"))
    browser.find_element("id", "take").click()
    eventually(lambda: text(browser, "take") == "Asked …")
    second = browser.current_window_handle
    browser.switch_to.window(first)
    eventually(lambda: browser.find_element("id", "hand_over").is_displayed())
    browser.find_element("id", "hand_over").click()
    eventually(lambda: "drives" in text(browser, "seat"))
    browser.switch_to.window(second)
    eventually(lambda: text(browser, "seat") == "You drive")
    browser.close()
    browser.switch_to.window(first)
    eventually(lambda: text(browser, "seat") == "Controls are free")
    eventually(lambda: cockpit.clients == 1)
