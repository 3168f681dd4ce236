"""What a person sees and does: sticks, keys and buttons of the page in a real browser."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from phalanx.machines.excavator.instruments import MODE_TITLES
from phalanx.view.cockpit import Cockpit
from phalanx.view.cockpit.cab_view import EYE
from waiting import eventually

from .fake_machine import START, FakeMachine

pytestmark = pytest.mark.xdist_group("browser")

STILL = (0.0,) * 4
# share of the columns of the first plot in which there is its first line's colour, #5aa9ff
DRAWN = """
const canvas = document.querySelector(".plot canvas"), left = 46;
const { width, height } = canvas, wanted = [90, 169, 255];
const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
const has = (k) => wanted.every((value, c) => Math.abs(data[k + c] - value) < 20);
let columns = 0;
for (let x = left; x < width - 10; x++) {
  for (let y = 0; y < height; y++) if (has(4 * (y * width + x))) { columns++; break; }
}
return columns / (width - 10 - left);
"""


def text(browser, name):
    return browser.find_element("id", name).text


@pytest.fixture(scope="module")
def cockpit(browser):
    machine = FakeMachine()
    machine.instruments = replace(machine.instruments, title="Digger No. 5", modes=MODE_TITLES)
    size = browser.get_window_size()
    browser.set_window_size(1300, 1000)
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
    from selenium.webdriver.support.select import Select

    assert text(browser, "machine") == "Digger No. 5" and "Digger No. 5" in browser.title
    assert text(browser, "modes").split("\n") == ["By joint", "By tip"]
    pickers = [Select(one) for one in browser.find_elements("css selector", ".plot select")]
    assert [picker.first_selected_option.text for picker in pickers] == [
        "Angles [deg]",
        "Valve openings [%]",
    ]
    legend, _ = browser.find_elements("css selector", ".legend")
    for name, angle in zip(machine.instruments.joints, machine.telemetry().angles, strict=True):
        words = f"{name} {np.degrees(angle):.1f}".replace("-", "−")
        eventually(lambda words=words: words in legend.text.replace("\n", " "))
    drawn = "return [...document.querySelectorAll('.plot canvas')].map(c => c.toDataURL())"
    before = browser.execute_script(drawn)
    eventually(
        lambda: all(a != b for a, b in zip(before, browser.execute_script(drawn), strict=True))
    )


def test_a_plot_that_was_chosen_is_found_again(browser, machine):
    from selenium.webdriver.support.select import Select

    def second():
        return Select(browser.find_elements("css selector", ".plot select")[1])

    second().select_by_visible_text("Pressures [MPa]")
    eventually(lambda: "boom.rod" in browser.find_elements("css selector", ".legend")[1].text)
    browser.refresh()
    eventually(lambda: text(browser, "link") == "Connected")
    eventually(lambda: second().options)
    assert second().first_selected_option.text == "Pressures [MPa]"


def test_telemetry_is_for_who_asks_for_it(browser, machine):
    from selenium.webdriver import ActionChains

    panel = browser.find_element("id", "telemetry")
    assert not panel.is_displayed()
    ActionChains(browser).send_keys("t").perform()
    eventually(lambda: "320 µs of 1000 µs" in text(browser, "step_meter"))
    assert "0.20 %" in text(browser, "missed_meter") and "Round trip" in panel.text
    ActionChains(browser).send_keys("?").perform()
    eventually(browser.find_element("id", "telemetry_button").is_displayed)
    browser.find_element("id", "telemetry_button").click()
    assert not panel.is_displayed()
    browser.find_element("css selector", "#help .primary").click()


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

    ActionChains(browser).send_keys(" ").perform()
    eventually(lambda: text(browser, "run") == "Start")
    assert machine.loop.paused
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
    eventually(lambda: "Recorded: dig_003." in text(browser, "notices"))
    replay = browser.find_element("id", "replay")
    eventually(lambda: "dig_003" in replay.text)


def test_the_cab_view_rides_on_the_machine(browser, cockpit, machine):
    import phalanx as px

    (client,) = cockpit.viewer.server.get_clients().values()
    orbit = client.camera.position.copy()
    dynamics = px.Dynamics(machine.mechanism)

    def sits(q):
        eye = dynamics.forward_kinematics(q, frame=EYE)[:3, 3]
        return np.allclose(client.camera.position, eye, atol=1e-3)

    eventually(lambda: browser.find_element("id", "cab").is_displayed())
    browser.find_element("id", "cab").click()
    eventually(lambda: sits(machine.telemetry().q))
    machine.command((1.0, 0.0, 0.0, 0.0))
    eventually(lambda: machine.telemetry().q[0] < -0.3)
    machine.centre()
    eventually(lambda: sits(machine.telemetry().q))
    eventually(lambda: browser.find_element("id", "cab").get_attribute("aria-pressed") == "true")
    browser.find_element("id", "orbit").click()
    eventually(lambda: np.allclose(client.camera.position, orbit, atol=1e-2))


def test_a_replay_is_played_paused_and_wound(browser, machine):
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.select import Select

    bar = browser.find_element("id", "replay_bar")
    assert not bar.is_displayed()
    Select(browser.find_element("id", "replay")).select_by_value("dig_001")
    eventually(bar.is_displayed)
    ActionChains(browser).send_keys(" ").perform()
    eventually(lambda: machine.playback is not None and not machine.playback.playing)
    place = browser.find_element("id", "place")
    ActionChains(browser).move_to_element(place).click().perform()
    eventually(lambda: 6.5 < machine.playback.time < 7.5)
    eventually(lambda: text(browser, "place_time") == f"{machine.playback.time - 2:.1f} of 10.0 s")
    place.send_keys(Keys.END)
    eventually(lambda: machine.playback.time == 12.0)
    eventually(lambda: text(browser, "time") == "12.0")
    # the plot, from 0 to 20 s, has what was before
    eventually(lambda: browser.execute_script(DRAWN) > 0.5)
    Select(browser.find_element("id", "speed")).select_by_visible_text("0.5 ×")
    eventually(lambda: machine.playback.speed == 0.5)
    browser.find_element("id", "play").click()
    eventually(lambda: machine.playback.playing and machine.playback.time < 12.0)
    browser.find_element("id", "live").click()
    eventually(lambda: machine.playback is None and not bar.is_displayed())
    assert Select(browser.find_element("id", "replay")).first_selected_option.text == "Live"


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
