"""The cockpit on a desk, a tablet and a phone: everything in reach, by thumbs, keys and words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from phalanx.machines.excavator.instruments import MODE_TITLES
from phalanx.view.cockpit import Cockpit
from waiting import eventually

from .fake_machine import FakeMachine
from .test_cockpit_browser import STILL, text

pytestmark = pytest.mark.xdist_group("browser")

SIZES = {
    "phone": (390, 844),
    "phone on its side": (844, 390),
    "tablet": (768, 1024),
    "desk": (1440, 900),
}
FINGER = 44  # px

# every control that is shown, with its box, and what a finger in its middle would touch
CONTROLS = """
return [...document.querySelectorAll("button, select, input, .pad")].filter(
  (one) => one.checkVisibility({visibilityProperty: true}) && !one.closest("dialog:not([open])")
).map((one) => {
  const box = one.getBoundingClientRect();
  const hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  return {name: one.id || one.className || one.getAttribute("aria-label"), x: box.x, y: box.y,
          width: box.width, height: box.height, free: one.contains(hit)};
});
"""
# whether all of the machine's name is seen
NAMED = """
const name = document.getElementById("machine"), box = name.getBoundingClientRect();
const hit = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
const whole = name.scrollWidth <= name.clientWidth && name.scrollHeight <= name.clientHeight + 1;
return hit === name && whole;
"""
SCROLLS = """
const page = document.scrollingElement;
scrollTo(50, 50);
return [page.scrollWidth - innerWidth, scrollX, scrollY];
"""

# the 3-D view is another server's page
AXE = """
const done = arguments[arguments.length - 1];
axe.run(document, {iframes: false}).then((found) => done(found.violations), (error) => done(error));
"""
MOVING = """
return [...document.querySelectorAll("*")].filter((one) => {
  const style = getComputedStyle(one);
  return style.animationName !== "none" || parseFloat(style.transitionDuration) > 0;
}).length;
"""
TOUCHED = """
return [...document.querySelectorAll("body, button, select, .pad, canvas, header")].map((one) => {
  const all = [];
  for (let x = one; x; x = x.parentElement) all.push(getComputedStyle(x).touchAction);
  return all.find((way) => way !== "auto") ?? "auto";
});
"""
FOCUSED = """
const one = document.activeElement;
const seen = one === document.body || getComputedStyle(one).outlineStyle !== "none";
return [one.id || one.className || one.getAttribute("aria-label"), seen];
"""


@pytest.fixture(scope="module")
def machine(browser):
    """A machine whose page drives it, at no size yet."""
    made = FakeMachine()
    title = "Caterpillar 215B with cylinders"
    made.instruments = replace(made.instruments, title=title, modes=MODE_TITLES)
    with Cockpit(made, port=0) as cockpit:
        cockpit.viewer.server.scene.set_global_visibility(False)  # drawing takes longest
        browser.get(cockpit.url)
        browser.execute_script("localStorage.clear()")
        browser.refresh()
        eventually(lambda: browser.find_element("id", "take").is_enabled())
        browser.find_element("id", "take").click()
        eventually(lambda: cockpit.viewer.clients == 1)
        yield made
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})
        browser.get("about:blank")


@pytest.fixture(params=SIZES)
def size(request, browser, machine):
    """A screen of some size, of glass where one would hold it."""
    width, height = SIZES[request.param]
    held = request.param != "desk"
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": held}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    browser.execute_cdp_cmd(
        "Emulation.setTouchEmulationEnabled", {"enabled": held, "maxTouchPoints": 5 if held else 1}
    )
    eventually(lambda: browser.execute_script("return innerWidth") == width)
    return request.param


def check_reach(browser, size):
    width, height = SIZES[size]
    found = browser.execute_script(CONTROLS)
    for one in found:
        assert one["free"], f"{one} is covered"
        assert one["x"] >= 0 and one["x"] + one["width"] <= width, one
        assert one["y"] >= 0 and one["y"] + one["height"] <= height, one
        if size != "desk":
            assert min(one["width"], one["height"]) >= FINGER, f"{one} is small"
    return {one["name"] for one in found}


def test_nothing_scrolls_and_nothing_is_covered(browser, machine, size):
    eventually(lambda: browser.find_element("id", "cab").is_displayed())
    assert browser.execute_script(SCROLLS) == [0, 0, 0]
    assert browser.execute_script(NAMED) and text(browser, "machine") == machine.instruments.title
    names = check_reach(browser, size)
    assert {"run", "reset", "record", "replay", "release", "help_button", "orbit", "cab"} <= names
    plots = browser.find_element("id", "plots_button")
    if plots.get_attribute("aria-pressed") == "false":
        plots.click()
        check_reach(browser, size)
        plots.click()


def test_a_replay_has_room_too(browser, machine, size):
    machine.replay("dig_001")
    eventually(lambda: browser.find_element("id", "replay_bar").is_displayed())
    assert {"play", "place", "speed", "live"} <= check_reach(browser, size)
    time = browser.find_element("id", "place_time").rect
    assert time["width"] > 40 and time["x"] + time["width"] <= SIZES[size][0]
    assert browser.execute_script(SCROLLS) == [0, 0, 0]
    machine.replay(None)
    eventually(lambda: not browser.find_element("id", "replay_bar").is_displayed())


def test_people_who_do_not_see_or_point_can_use_it(browser, machine, size):
    axe = pytest.importorskip("axe_core_python.selenium").Axe()
    browser.execute_script(axe.axe_script)

    def serious():
        found = browser.execute_async_script(AXE)
        return [
            (one["id"], [node["html"] for node in one["nodes"]])
            for one in found
            if one["impact"] in ("serious", "critical")
        ]

    assert serious() == []
    browser.find_element("id", "help_button").click()
    assert serious() == []
    assert browser.execute_script("return help.scrollWidth <= help.clientWidth")
    browser.find_element("css selector", "#help .primary").click()


def test_everything_is_reached_by_tab_and_seen_to_be(browser, machine):
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.keys import Keys

    wanted = {one["name"] for one in browser.execute_script(CONTROLS)}
    browser.execute_script("document.activeElement.blur()")
    reached = set()
    for _ in range(2 * len(wanted)):
        ActionChains(browser).send_keys(Keys.TAB).perform()
        name, seen = browser.execute_script(FOCUSED)
        assert seen, f"nobody sees that {name} has the focus"
        reached.add(name)
    assert wanted <= reached
    pad = browser.find_element("css selector", "#left_stick .pad")
    assert "Left stick: swing left or right" in pad.get_attribute("aria-label")
    browser.execute_script("arguments[0].focus()", pad)
    ActionChains(browser).key_down(Keys.ARROW_RIGHT).perform()
    eventually(lambda: machine.sticks == (1.0, 0.0, 0.0, 0.0))
    ActionChains(browser).key_up(Keys.ARROW_RIGHT).perform()
    eventually(lambda: machine.sticks == STILL)


def test_two_thumbs_move_two_sticks_at_once(browser, machine, size):
    pads = browser.find_elements("css selector", ".pad")
    middles = [
        browser.execute_script(
            "const box = arguments[0].getBoundingClientRect();"
            "return [box.x + box.width / 2, box.y + box.height / 2];",
            pad,
        )
        for pad in pads
    ]

    def touch(kind, *moves):
        points = [
            {"x": x + dx, "y": y + dy, "id": k}
            for k, ((x, y), (dx, dy)) in enumerate(zip(middles, moves, strict=False))
        ]
        browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    machine.commands.clear()
    touch("touchStart", (0, 0))
    touch("touchStart", (0, 0), (0, 0))
    touch("touchMove", (300, 0), (0, -300))
    eventually(lambda: machine.sticks == (1.0, 0.0, 0.0, 1.0))
    touch("touchMove", (0, 300), (-300, 0))
    eventually(lambda: machine.sticks == (0.0, -1.0, -1.0, 0.0))
    touch("touchEnd")
    eventually(lambda: machine.sticks == STILL)
    assert browser.execute_script("return [visualViewport.scale, scrollX, scrollY]") == [1, 0, 0]


def test_a_double_tap_does_not_zoom(browser, machine):
    assert set(browser.execute_script(TOUCHED)) <= {"manipulation", "none"}


def test_who_wants_no_motion_gets_none(browser, machine):
    media = {"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    moving = browser.execute_script(MOVING)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert moving == 0


def test_the_view_is_covered_until_it_is_there(browser, machine):
    cover = browser.find_element("id", "cover")
    eventually(lambda: not cover.is_displayed())
    # a page whose view never comes
    browser.execute_cdp_cmd("Network.enable", {})
    browser.execute_cdp_cmd("Network.setBlockedURLs", {"urls": ["*websocket=*"]})
    browser.refresh()
    eventually(lambda: text(browser, "machine") == machine.instruments.title)
    cover = browser.find_element("id", "cover")
    assert cover.is_displayed() and "Loading" in cover.text
    assert browser.execute_script(
        "const box = document.getElementById('view').getBoundingClientRect();"
        "return document.elementFromPoint(box.x + box.width / 2, box.y + 20).closest('#cover')"
    )
    browser.execute_cdp_cmd("Network.setBlockedURLs", {"urls": []})
    browser.execute_cdp_cmd("Network.disable", {})
