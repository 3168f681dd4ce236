"""What a person sees and does on the trajectory page, in a real browser."""

from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
from phalanx.planning import Limits, demo_waypoints
from phalanx.view.trajectory import TrajectoryPage
from waiting import eventually

pytestmark = pytest.mark.xdist_group("browser")

ARM = px.library.puma560()
LIMITS = Limits.of(ARM, torque=[97.6, 186.4, 89.4, 24.0, 20.0, 21.0])
# where a waypoint is on its canvas, as the page draws it: from its own scale
PLACE = """
const [id, time, value] = arguments;
const canvas = document.getElementById(id), box = canvas.getBoundingClientRect();
const plot = window.plots[id];
return [Math.round(plot.x(time) - box.width / 2), Math.round(plot.y(value) - box.height / 2)];
"""
POINTS = "return window.plots.position.content.points.map((point) => point.value)"
PICTURE = "return document.getElementById(arguments[0]).toDataURL()"


def text(browser, name):
    return browser.find_element("id", name).text


@pytest.fixture(scope="module")
def served(browser):
    size = browser.get_window_size()
    browser.set_window_size(1280, 940)
    with TrajectoryPage(ARM, demo_waypoints(ARM), 0.01, LIMITS, port=0) as page:
        page.viewer.server.scene.set_global_visibility(False)  # drawing takes longest
        browser.get(page.url)
        eventually(lambda: page.viewer.clients == 1)
        eventually(lambda: text(browser, "link") == "Connected")
        eventually(lambda: text(browser, "duration") == "3.000")
        yield page
        browser.get("about:blank")
    browser.set_window_size(size["width"], size["height"])


@pytest.fixture
def page(browser, served):
    """The page with the path as it was at first, and the first joint chosen."""
    browser.find_element("id", "reset").click()
    start = demo_waypoints(ARM).points
    eventually(lambda: np.array_equal(served.waypoints.points[1], start[1]))
    eventually(lambda: text(browser, "duration") == "3.000")
    press(browser, "1")
    # the page may still show what was before
    drawn = sorted(np.degrees(start[1]).ravel())
    eventually(lambda: np.allclose(sorted(browser.execute_script(POINTS)), drawn))
    return served


def press(browser, *keys):
    from selenium.webdriver import ActionChains

    ActionChains(browser).send_keys(*keys).perform()


def drag(browser, page, waypoint, joint, up, shift=False, right=0):
    """Drag a point by some pixels."""
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.keys import Keys

    press(browser, str(joint + 1))
    times, positions = page.waypoints.points
    at = browser.execute_script(
        PLACE, "position", times[waypoint], np.degrees(positions[waypoint, joint])
    )
    canvas = browser.find_element("id", "position")
    moves = ActionChains(browser, duration=20).move_to_element_with_offset(canvas, *at)
    if shift:
        moves.key_down(Keys.SHIFT)
    moves.click_and_hold().move_by_offset(right // 2, -up // 2)
    moves.move_by_offset(right - right // 2, -(up - up // 2)).release()
    if shift:
        moves.key_up(Keys.SHIFT)
    moves.perform()


def test_a_dragged_point_changes_torques_a_violation_appears_and_undo_takes_it_back(browser, page):
    assert text(browser, "verdict") == "All limits are kept"
    before = page.waypoints.points[1].copy()
    pictures = {name: browser.execute_script(PICTURE, name) for name in ("torque", "share")}
    drag(browser, page, 2, 1, up=90)
    eventually(lambda: page.waypoints.points[1][2, 1] > before[2, 1] + 0.5)
    eventually(lambda: "beyond limits" in text(browser, "verdict"))
    assert "joint_2: torque" in text(browser, "violations")
    chips = browser.find_elements("css selector", "#joints button.beyond")
    assert [chip.text for chip in chips] == ["joint_2"]
    for name, picture in pictures.items():
        assert browser.execute_script(PICTURE, name) != picture
    # only the point that was dragged has moved, all along one gesture
    changed = np.argwhere(page.waypoints.points[1] != before)
    assert changed.tolist() == [[2, 1]]
    browser.find_element("id", "undo").click()
    eventually(lambda: np.array_equal(page.waypoints.points[1], before))
    eventually(lambda: text(browser, "verdict") == "All limits are kept")
    browser.find_element("id", "redo").click()
    eventually(lambda: "beyond limits" in text(browser, "verdict"))


def test_a_violation_leads_to_its_time_and_scaling_removes_it(browser, page):
    drag(browser, page, 2, 1, up=90)
    eventually(lambda: "beyond limits" in text(browser, "verdict"))
    press(browser, "4")
    browser.find_element("css selector", "#violations button").click()
    eventually(lambda: text(browser, "time") == "1.200")
    chosen = browser.find_element("css selector", "#joints [aria-pressed='true']")
    assert chosen.text == "joint_2"
    browser.find_element("id", "scale").click()
    eventually(lambda: text(browser, "verdict") == "All limits are kept")
    assert float(text(browser, "duration")) > 3.0
    eventually(lambda: "longer" in text(browser, "notices"))


def test_time_optimal(browser, page):
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.keys import Keys

    pytest.importorskip("toppra")
    browser.find_element("id", "optimise").click()
    eventually(lambda: text(browser, "timing") == "time-optimal")
    assert float(text(browser, "duration")) < 1.9
    ActionChains(browser).key_down(Keys.CONTROL).send_keys("z").key_up(Keys.CONTROL).perform()
    eventually(lambda: text(browser, "timing") == "spline")


def test_keys_and_fields_move_a_point(browser, page):
    from selenium.webdriver.common.keys import Keys

    start = page.waypoints.points[1].copy()
    while not text(browser, "waypoint_name").startswith("Waypoint 3"):
        press(browser, Keys.ARROW_RIGHT)
    press(browser, "3", Keys.ARROW_UP, Keys.ARROW_UP, Keys.ARROW_DOWN)
    eventually(lambda: np.isclose(page.waypoints.points[1][2, 2], start[2, 2] + np.radians(1)))
    field = browser.find_element("id", "waypoint_position")
    # without leaving the field: it would be filled with the latest position
    field.send_keys(Keys.CONTROL + "a" + Keys.NULL + "12.5" + Keys.ENTER)
    eventually(lambda: np.isclose(page.waypoints.points[1][2, 2], np.radians(12.5)))
    press(browser, Keys.DELETE)
    eventually(lambda: len(page.waypoints) == 5)


def test_a_point_is_dragged_in_time_and_one_is_added(browser, page):
    from selenium.webdriver import ActionChains

    before = page.waypoints.points
    drag(browser, page, 2, 0, up=0, right=40, shift=True)
    eventually(lambda: page.waypoints.points[0][2] > before[0][2] + 0.05)
    np.testing.assert_allclose(page.waypoints.points[1], before[1], atol=1e-6)
    at = browser.execute_script(PLACE, "position", 1.0, 70.0)
    canvas = browser.find_element("id", "position")
    ActionChains(browser).move_to_element_with_offset(canvas, *at).double_click().perform()
    eventually(lambda: len(page.waypoints) == 7)


def test_it_plays_and_a_click_shows_another_time(browser, page):
    from selenium.webdriver import ActionChains

    press(browser, " ")
    eventually(lambda: text(browser, "play") == "Stop")
    shown = text(browser, "time")
    eventually(lambda: text(browser, "time") != shown)
    press(browser, " ")
    eventually(lambda: text(browser, "play") == "Play")
    at = browser.execute_script(PLACE, "torque", 2.0, 0.0)
    canvas = browser.find_element("id", "torque")
    ActionChains(browser).move_to_element_with_offset(canvas, *at).click().perform()
    eventually(lambda: abs(float(text(browser, "time")) - 2.0) < 0.02)
    eventually(lambda: np.allclose(page.viewer.q, page.table.q[200], atol=0.05))


def test_the_curves_have_units_and_the_second_plot_can_show_accelerations(browser, page):
    titles = [one.text for one in browser.find_elements("css selector", ".plot h3 b")]
    assert titles == [
        "Position [deg]",
        "Velocity [deg/s]",
        "Torque [N·m]",
        "Torque of all joints [% of limit]",
    ]
    browser.find_element("id", "second").click()
    assert browser.find_elements("css selector", ".plot h3 b")[1].text == "Acceleration [deg/s²]"
    browser.find_element("id", "second").click()


def test_nothing_is_cut_off_at_a_usual_size(browser, page):
    wide = browser.execute_script(
        "return [document.documentElement.scrollWidth, innerWidth, "
        "document.documentElement.scrollHeight, innerHeight]"
    )
    assert wide[0] <= wide[1] and wide[2] <= wide[3]
    for name in ("position", "rate", "torque", "share"):
        box = browser.find_element("id", name).rect
        assert box["height"] > 60 and box["width"] > 400
