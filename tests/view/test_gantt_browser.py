"""What a person sees and does on the page of a plan, in a real browser."""

from __future__ import annotations

import io

import numpy as np
import pytest

from phalanx import multiprocessor as mp
from phalanx.kernel.graph.operations import Operations
from view.test_viewer_browser import button
from waiting import eventually

pytestmark = pytest.mark.xdist_group("browser")

LINKS, EACH = 6, 20
EVIL = "<b onclick=alert(1)>1</b>"


def plan():
    """Six links of twenty tasks on four processors; one has a name that is no markup."""
    names = [f"{100 * i + t}" for i in range(1, LINKS + 1) for t in range(1, EACH + 1)]
    names[3] = EVIL
    waits = {
        name: names[max(0, k - 12) : k - 3 : 5] if k > 3 else [] for k, name in enumerate(names)
    }
    kinds = (Operations(multiply=3), Operations(multiply=2, add=1), Operations(add=3))
    tasks = [
        mp.Task(name, kinds[k % 3], f"part {k}", f"link_{k // EACH + 1}")
        for k, name in enumerate(names)
    ]
    computer = mp.MessagePassing(4, topology=mp.Topology.ring(4), per_word=0.1, name="ring")
    return mp.schedule(mp.TaskGraph.of("six links", waits, tasks), computer)


@pytest.fixture(scope="module")
def opened(browser, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "plan.html"
    made = plan()
    made.gantt(path)
    return made, path.as_uri()


@pytest.fixture
def page(browser, opened):
    made, address = opened
    browser.get(address)
    eventually(lambda: browser.execute_script("return 'gantt' in window"))
    yield made
    assert complaints(browser) == []


def complaints(browser):
    """Errors of a page that is a file; a page of a server, left before, may still miss it."""
    entries = browser.get_log("browser")
    return [e for e in entries if e["level"] == "SEVERE" and e["message"].startswith("file:")]


def shown(browser):
    return browser.execute_script("return gantt.shown")


def pixels(browser):
    from PIL import Image

    return np.asarray(Image.open(io.BytesIO(browser.get_screenshot_as_png())).convert("RGB"))


def point_at(browser, name):
    from selenium.webdriver.common.action_chains import ActionChains

    # what was selected before may have moved the rows: they are where the next pictures draw them
    x, y = browser.execute_async_script(
        "const [name, done] = arguments;"
        "const drawn = requestAnimationFrame;"
        "drawn(() => drawn(() => done(gantt.placeOf(name))));",
        name,
    )
    actions = ActionChains(browser)
    actions.w3c_actions.pointer_action.move_to_location(int(x), int(y))
    return actions


def canvas(browser):
    return browser.find_element("id", "gantt")


def test_bars_have_the_colours_of_their_links(browser, page):
    x, y = browser.execute_script("return gantt.placeOf('101')")
    ratio = browser.execute_script("return window.devicePixelRatio")

    def is_blue():
        red, green, blue = pixels(browser)[int(y * ratio), int(x * ratio)].astype(int)
        return abs(red - 0x00) + abs(green - 0x72) + abs(blue - 0xB2) < 12

    eventually(is_blue)
    legend = browser.find_element("id", "legend").text.split("\n")
    assert legend == [*(f"link_{i}" for i in range(1, 7)), "critical path", "idle"]


def test_pointing_at_a_task_tells_of_it(browser, page):
    task = page.graph.number("305")
    point_at(browser, "305").perform()
    tip = browser.find_element("id", "tip")
    eventually(tip.is_displayed)
    text = tip.text
    before = ", ".join(page.graph.tasks[p].name for p in page.graph.predecessors[task])
    for words in ("305", "part 44", "link_3", f"waits for {before}", "waited for by"):
        assert words in text


def test_a_click_shows_what_waits_for_what_and_leads_there(browser, page):
    point_at(browser, "305").click().perform()
    eventually(lambda: shown(browser)["selected"] == "305")
    panel = browser.find_element("id", "details")
    task = page.graph.number("305")
    names = [page.graph.tasks[p].name for p in page.graph.predecessors[task]]
    assert f"waits for ({len(names)})" in panel.text
    button(browser, names[0]).click()
    eventually(lambda: shown(browser)["selected"] == names[0])
    assert names[0] in browser.find_element("id", "spoken").get_attribute("textContent")


def test_the_wheel_and_the_buttons_zoom(browser, page):
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.actions.wheel_input import ScrollOrigin

    whole = shown(browser)
    assert whole["from"] == 0 and whole["to"] == pytest.approx(page.makespan)
    browser.find_element("id", "closer").click()
    half = shown(browser)
    assert half["to"] - half["from"] == pytest.approx(whole["to"] / 2)
    origin = ScrollOrigin.from_element(canvas(browser))
    ActionChains(browser).scroll_from_origin(origin, 0, -100).perform()
    eventually(lambda: shown(browser)["to"] - shown(browser)["from"] < 0.9 * whole["to"] / 2)
    ActionChains(browser).drag_and_drop_by_offset(canvas(browser), 60, 0).perform()
    eventually(lambda: shown(browser)["from"] < half["from"] + whole["to"] / 4)
    browser.find_element("id", "whole").click()
    assert shown(browser) == whole


def test_keys_alone_suffice(browser, page):
    from selenium.webdriver.common.keys import Keys

    chart = canvas(browser)
    browser.execute_script("arguments[0].focus()", chart)
    chart.send_keys(Keys.ARROW_RIGHT)
    first = shown(browser)["selected"]
    assert first == page.graph.tasks[page.on_processor(0)[0].task].name
    chart.send_keys(Keys.ARROW_RIGHT)
    assert shown(browser)["selected"] == page.graph.tasks[page.on_processor(0)[1].task].name
    chart.send_keys(Keys.ARROW_DOWN)
    below = page.graph.number(shown(browser)["selected"])
    assert below in [p.task for p in page.on_processor(1)]
    chart.send_keys("+")
    assert shown(browser)["to"] - shown(browser)["from"] < page.makespan
    chart.send_keys("0")
    assert shown(browser)["to"] == pytest.approx(page.makespan)
    ways = []
    for _ in range(3):
        chart.send_keys("c")
        ways.append(shown(browser)["way"])
    assert ways == ["kind", "critical", "link"]
    chart.send_keys(Keys.ESCAPE)
    assert shown(browser)["selected"] is None


def test_search_finds_names_that_are_not_markup(browser, page):
    from selenium.webdriver.common.keys import Keys

    field = browser.find_element("id", "find")
    field.send_keys("onclick")
    assert browser.find_element("id", "found").text == f"1 of {LINKS * EACH}"
    field.send_keys(Keys.ENTER)
    assert shown(browser)["selected"] == EVIL
    panel = browser.find_element("id", "details")
    assert panel.find_element("class name", "name").text == EVIL
    assert not panel.find_elements("css selector", "b")


def test_dark_is_dark(browser, page):
    light = pixels(browser).mean()
    browser.find_element("id", "theme").click()
    other = pixels(browser).mean()
    assert min(light, other) < 110 < 180 < max(light, other)


def test_ten_thousand_tasks_are_drawn_quickly(browser, tmp_path):
    names = [f"t{k}" for k in range(10_000)]
    waits = {name: names[max(0, k - 40) : k : 20] for k, name in enumerate(names)}
    mp.schedule(mp.TaskGraph.of("large", waits), mp.uniform_tasks(16)).gantt(tmp_path / "plan.html")
    browser.get((tmp_path / "plan.html").as_uri())
    eventually(lambda: browser.execute_script("return 'gantt' in window"))
    seconds = browser.execute_async_script(
        """
        const done = arguments[0], chart = document.getElementById("gantt");
        let frames = 0;
        const begun = performance.now();
        const next = () => {
          chart.dispatchEvent(new KeyboardEvent("keydown", {key: frames % 2 ? "-" : "+"}));
          if (++frames < 20) requestAnimationFrame(next);
          else done((performance.now() - begun) / 1e3 / frames);
        };
        next();
        """
    )
    assert seconds < 0.5  # a loaded machine without a graphics card draws a frame in 50 ms


def test_tasks_on_top_of_each_other_can_all_be_reached(browser, tmp_path):
    """A wrong plan is what one looks at to see why it is wrong."""
    from selenium.webdriver.common.action_chains import ActionChains

    graph = mp.TaskGraph.of("wrong", {"long": [], "a": [], "b": [], "c": ["a"]})
    spans = [(0.0, 10.0), (1.0, 2.0), (3.0, 4.0), (5.0, 6.0)]
    placements = tuple(mp.Placement(k, 0, *span) for k, span in enumerate(spans))
    mp.Schedule(graph, mp.uniform_tasks(1), placements).gantt(tmp_path / "plan.html")
    browser.get((tmp_path / "plan.html").as_uri())
    eventually(lambda: browser.execute_script("return 'gantt' in window"))
    assert "cannot be carried out" in browser.find_element("css selector", "details.wrong").text
    for name in ("a", "b", "c"):
        point_at(browser, name).click().perform()
        eventually(lambda name=name: shown(browser)["selected"] == name)
    # closer, "long" begins far to the left of what is shown and is still there between b and c
    browser.find_element("id", "closer").click()
    browser.find_element("id", "closer").click()
    (b, y), (c, _) = (browser.execute_script(f"return gantt.placeOf('{name}')") for name in "bc")
    between = ActionChains(browser)
    between.w3c_actions.pointer_action.move_to_location(int((b + c) / 2), int(y))
    between.click().perform()
    eventually(lambda: shown(browser)["selected"] == "long")
