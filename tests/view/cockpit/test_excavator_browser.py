"""From a person's hand to the bucket and back to the screen: the real machine in a real browser."""

from __future__ import annotations

import threading
import time
from dataclasses import replace

import numpy as np
import pytest

from phalanx.ground import LOAM, Ground
from phalanx.machines.excavator import LiveExcavator, cylinder_excavator
from phalanx.machines.excavator.cockpit import ExcavatorMachine
from phalanx.machines.excavator.recordings import title_of
from phalanx.simulation.record.recording import Recording
from phalanx.view.cockpit import Cockpit
from phalanx.view.scene.terrain import TerrainView
from waiting import eventually

from .test_cockpit_browser import text

pytestmark = pytest.mark.xdist_group("browser")

BUCKET = 3


@pytest.fixture(scope="module")
def live(tmp_path_factory):
    machine = LiveExcavator(
        cylinder_excavator(ground=Ground(LOAM)), folder=tmp_path_factory.mktemp("recordings")
    )
    thread = threading.Thread(target=machine.run.run)
    thread.start()
    machine.loop.resume()
    yield machine
    machine.loop.stop()
    thread.join(10)
    assert not thread.is_alive()


@pytest.fixture(scope="module")
def page(browser, live):
    size = browser.get_window_size()
    browser.set_window_size(1300, 1000)
    machine = ExcavatorMachine(live)
    with Cockpit(machine, port=0) as cockpit:
        browser.machine = machine
        TerrainView(cockpit.viewer, lambda: machine.terrain)
        cockpit.viewer.server.scene.set_global_visibility(False)  # drawing takes longest
        browser.get(cockpit.url)
        eventually(lambda: text(browser, "link") == "Connected")
        take = browser.find_element("id", "take")
        if take.is_displayed():
            take.click()
        eventually(lambda: text(browser, "seat") == "You drive")
        yield browser
        browser.get("about:blank")
        # the driver's page is gone: the spools go to the middle
        eventually(lambda: not live.instant.inputs[0].any())
    browser.set_window_size(size["width"], size["height"])


def test_a_stick_moves_the_bucket(page, live, record_property):
    from selenium.webdriver import ActionChains

    before = live.row(live.instant)["q"][BUCKET]
    pad = page.find_element("css selector", "#right_stick .pad")
    hold = ActionChains(page).move_to_element(pad).click_and_hold().move_by_offset(-40, 0)
    hold.perform()  # to the left: curl
    begin = time.perf_counter()
    eventually(lambda: live.row(live.instant)["v"][BUCKET] < -0.01)
    record_property("seconds from the stick to motion, at most", time.perf_counter() - begin)
    eventually(lambda: live.row(live.instant)["q"][BUCKET] < before - 0.1)
    ActionChains(page).release().perform()
    eventually(lambda: not live.instant.inputs[0].any())
    eventually(lambda: abs(live.row(live.instant)["v"][BUCKET]) < 0.05)
    assert live.fault == ""


def test_what_was_driven_is_recorded_and_shown_again(page, live):
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.select import Select

    live.terrain.dig(6.0, 0.0, 0.5, 1.0)  # somebody dug here before
    before = live.terrain.heights
    page.find_element("id", "record").click()
    eventually(lambda: live.run.is_recording)
    start = live.row(live.instant)["q"].copy()
    ActionChains(page).key_down("d").perform()  # swing to the right
    eventually(lambda: live.row(live.instant)["q"][0] < start[0] - 0.1)
    ActionChains(page).key_up("d").perform()
    page.find_element("id", "record").click()
    eventually(live.recordings)
    name = live.recordings()[-1]
    run = live.read(name)
    assert run["q"][0, 0] == pytest.approx(start[0], abs=0.05)
    assert run["q"][-1, 0] < start[0] - 0.1 and (np.diff(run.time) > 0).all()
    eventually(lambda: title_of(name) in page.find_element("id", "replay").text)
    # as if the bucket had filled on the way
    load = replace(run.signal("soil_load"), values=np.linspace(0, 800, len(run))[:, None])
    others = [signal for signal in run.signals.values() if signal.name != load.name]
    Recording(run.time, [*others, load], run.settings).write(live.folder / f"{name}.mcap")
    live.reset()  # the ground is level again
    Select(page.find_element("id", "replay")).select_by_value(name)
    eventually(lambda: live.loop.paused)
    place = page.find_element("id", "place")
    eventually(place.is_displayed)
    for key, at in ((Keys.END, run.time[-1]), (Keys.HOME, run.time[0])):
        page.machine.playback.pause()
        place.send_keys(key)
        eventually(lambda at=at: float(text(page, "time")) == pytest.approx(at, abs=0.06))
        assert page.machine.telemetry().time == pytest.approx(at, abs=1e-3)
        gone = (before - page.machine.terrain.heights).sum() * live.terrain.cell**2
        # a slider's end may be a rounding error before the last move of soil, of two samples
        wanted = pytest.approx(800, abs=3 * 800 / len(run)) if key == Keys.END else 0
        assert gone * LOAM.density == wanted
    np.testing.assert_array_equal(page.machine.terrain.heights, before)
    page.find_element("id", "live").click()
    eventually(lambda: page.machine.terrain is live.terrain and not place.is_displayed())
    assert np.ptp(live.terrain.heights) == 0
    page.find_element("id", "run").click()
    eventually(lambda: not live.loop.paused)


def test_a_reset_puts_it_back(page, live):
    page.find_element("id", "reset").click()
    eventually(lambda: np.allclose(live.row(live.instant)["q"], live.excavator.q0, atol=1e-2))
    assert live.instant.time < 20


# a notice goes after some seconds, between two looks at it on a busy machine
KEEP_NOTICES = """
const notices = document.getElementById("notices");
window.noticed = notices.textContent;
new MutationObserver(() => { window.noticed += notices.textContent; })
  .observe(notices, { childList: true, characterData: true, subtree: true });
"""


def test_a_machine_that_stopped_by_itself_says_why(page, live):
    def is_said():
        if not live.fault:  # the page's own sticks may have come in between
            live.loop.set_inputs({0: np.full(4, np.inf)})  # nothing a page could send
        return "left finite numbers" in page.execute_script("return window.noticed")

    page.execute_script(KEEP_NOTICES)
    eventually(is_said)
    assert live.loop.paused
    page.find_element("id", "reset").click()
    eventually(lambda: live.fault == "" and not live.instant.inputs[0].any())
    page.find_element("id", "run").click()
    eventually(lambda: not live.loop.paused)
