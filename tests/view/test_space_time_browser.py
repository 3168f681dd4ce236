"""What a person sees and does on the page of an array at work, in a real browser."""

from __future__ import annotations

import numpy as np
import pytest

from hardware.cells.test_clocked import solver_array
from multiprocessor.plans.test_space_time import one_after_the_other
from phalanx import multiprocessor as mp
from view.test_gantt_browser import complaints, pixels
from waiting import eventually

pytestmark = pytest.mark.xdist_group("browser")

NODES, PARTS = 6, 5
EVIL = "<b onclick=alert(1)>1</b>"


def line() -> mp.Periodic:
    """Six nodes of five operators; each part waits for that of the node before, and the last."""
    names = [f"{EVIL if i == k == 1 else f'T{k}'}.{i}" for i in range(NODES) for k in range(PARTS)]
    waits = {
        name: [names[j - PARTS]] * (j >= PARTS) + [names[j - 1]] * (j % PARTS > 0)
        for j, name in enumerate(names)
    }
    tasks = [mp.Task(name, label=f"part {j % PARTS}", words=3) for j, name in enumerate(names)]
    operators = [
        mp.Operator(f"node {j // PARTS} · T{j % PARTS}", {"add": 1.0}) for j in range(len(names))
    ]
    graph = mp.TaskGraph.of("six nodes", waits, tasks)
    rows = tuple(
        mp.Placement(j, j, start, start + 1)
        for j, start in enumerate(2.0 * (j // PARTS) + j % PARTS for j in range(len(names)))
    )
    computer = mp.SharedMemory(len(names), operators, "ticks", "operators")
    return mp.Periodic(mp.Schedule(graph, computer, rows), 2.0)


@pytest.fixture(scope="module", autouse=True)
def large_window(browser):
    before = browser.get_window_size()
    browser.set_window_size(1200, 900)
    yield
    browser.set_window_size(before["width"], before["height"])


@pytest.fixture(scope="module")
def addresses(tmp_path_factory):
    folder = tmp_path_factory.mktemp("arrays")
    line().space_time(folder / "line.html", sets=10)
    one_after_the_other().space_time(folder / "serial.html")
    sides = np.random.default_rng(3).normal(size=(4, 3))
    streams = {f"b{i}": np.concatenate([np.zeros(2 * i), sides[:, i]]) for i in range(3)}
    cells = solver_array(np.array([[1.0, 0, 0], [2, 1, 0], [3, 4, 2]]))
    places = {cell.name: place_of(cell.name) for cell in cells.cells}
    made = cells.at_work(8, places, **streams)
    made.draw(folder / "mesh.html")
    return made, {name: (folder / f"{name}.html").as_uri() for name in ("line", "serial", "mesh")}


def place_of(name: str) -> tuple[float, float]:
    row, column = (name[4:], name[4:]) if name.startswith("edge") else (name[5], name[6])
    return float(column), float(row)


def opened(browser, address):
    browser.get(address)
    eventually(lambda: browser.execute_script("return 'spaceTime' in window"))


@pytest.fixture
def page(browser, addresses):
    opened(browser, addresses[1]["line"])
    yield browser
    assert complaints(browser) == []


@pytest.fixture
def mesh(browser, addresses):
    opened(browser, addresses[1]["mesh"])
    yield addresses[0]
    assert complaints(browser) == []


def shown(browser):
    return browser.execute_script("return spaceTime.shown")


def click(browser, name):
    browser.find_element("id", name).click()


def point_at(browser, place):
    from selenium.webdriver.common.action_chains import ActionChains

    actions = ActionChains(browser)
    actions.w3c_actions.pointer_action.move_to_location(*(int(part) for part in place))
    return actions


def where(browser, site, number):
    """Where a site's work for a set is drawn, once it is."""
    drawn = "try { return spaceTime.placeOf(...arguments) } catch { return null }"
    return eventually(lambda: browser.execute_script(drawn, site, number))


def colour_at(browser, place):
    ratio = browser.execute_script("return window.devicePixelRatio")
    x, y = (int(part * ratio) for part in place)
    return pixels(browser)[y, x].astype(int)


def test_nodes_fold_and_unfold(browser, page):
    assert shown(browser)["rows"] == NODES  # thirty operators begin as six nodes
    click(browser, "unfold")
    assert shown(browser)["rows"] == NODES * (1 + PARTS)
    click(browser, "fold")
    assert shown(browser)["rows"] == NODES
    name = browser.execute_script("return spaceTime.placeOfName('node 2')")
    point_at(browser, name).click().perform()
    eventually(lambda: shown(browser)["rows"] == NODES + PARTS)
    point_at(browser, name).click().perform()
    eventually(lambda: shown(browser)["rows"] == NODES)


def test_steps_go_from_moment_to_moment(browser, page):
    first = shown(browser)
    assert (first["step"], first["begin"], first["end"]) == (0, 0, 1)
    click(browser, "forth")
    click(browser, "forth")
    assert (shown(browser)["begin"], shown(browser)["end"]) == (2, 3)
    assert browser.find_element("id", "now").text == "2 to 3 ticks"
    click(browser, "back")
    assert shown(browser)["begin"] == 1
    click(browser, "first")
    assert shown(browser)["begin"] == 0


def test_playing_comes_to_the_end_and_stops(browser, page):
    from selenium.webdriver.support.select import Select

    Select(browser.find_element("id", "speed")).select_by_visible_text("20")
    click(browser, "play")
    eventually(lambda: shown(browser)["step"] > 1)
    click(browser, "play")
    assert not shown(browser)["playing"]
    still = shown(browser)["step"]
    click(browser, "play")
    eventually(lambda: shown(browser)["step"] == shown(browser)["steps"] - 1)
    eventually(lambda: not shown(browser)["playing"])
    assert still < shown(browser)["step"]
    assert browser.find_element("id", "play").text == "Play"


def test_sets_have_their_colours_and_can_be_seen_alone(browser, page):
    click(browser, "unfold")
    place = where(browser, "node 0 · T1", 1)
    beside = [place[0] - 8, place[1] - 6]  # not on its name
    orange = np.array([0xE6, 0x9F, 0x00])
    eventually(lambda: abs(colour_at(browser, beside) - orange).sum() < 24)
    legend = browser.find_element("id", "legend")
    assert legend.text.split() == ["set", *map(str, range(10)), "idle", "values", "waiting"]
    legend.find_elements("css selector", "button")[3].click()
    eventually(lambda: abs(colour_at(browser, beside) - orange).sum() > 60)  # now dimmed


def test_pointing_at_a_node_tells_who_works(browser, page):
    point_at(browser, where(browser, "node 2 · T4", 0)).perform()
    tip = browser.find_element("id", "tip")
    eventually(tip.is_displayed)
    assert "node 2" in tip.text and f"of {PARTS} work" in tip.text
    assert "T4.2 of set 0" in tip.text


def test_search_finds_work_and_names_that_are_not_markup(browser, page):
    from selenium.webdriver.common.keys import Keys

    field = browser.find_element("id", "find")
    field.send_keys("onclick")
    assert browser.find_element("id", "found").text == f"in 1 of {NODES * PARTS} cells"
    field.send_keys(Keys.ENTER)
    assert shown(browser)["selected"] == [f"{EVIL}.1", 0]
    panel = browser.find_element("id", "details")
    assert panel.find_element("class name", "name").text == f"{EVIL}.1"
    assert not panel.find_elements("css selector", "b")
    assert shown(browser)["rows"] == NODES + PARTS  # its node was unfolded
    field.send_keys(Keys.ENTER)
    assert shown(browser)["selected"] == [f"{EVIL}.1", 1]


def test_buffers_are_told_of_the_work_that_reads_them(browser, addresses):
    """On one processor, products wait for each other until their sum is made."""
    from selenium.webdriver.common.keys import Keys

    opened(browser, addresses[1]["serial"])
    browser.find_element("id", "find").send_keys("add", Keys.ENTER)
    name, number = shown(browser)["selected"]
    made = one_after_the_other().at_work()
    work = next(work for work in made.works if work.name == name)
    panel = browser.find_element("id", "details").text.split("\n")
    told = panel[panel.index("waited in buffers, until now") + 1 :]
    waited = [store for store in made.stores if store.name in {q.name for q in work.reads}]
    assert number == 0 and len(waited) == 2
    assert sorted(told) == sorted(f"{store.name} 1 of {store.depth} places" for store in waited)


def test_zoom_keys_and_escape(browser, page):
    from selenium.webdriver.common.keys import Keys

    chart = browser.find_element("id", "grid")
    browser.execute_script("arguments[0].focus()", chart)
    whole = shown(browser)
    chart.send_keys("+")
    assert shown(browser)["to"] - shown(browser)["from"] == pytest.approx(whole["to"] / 2)
    chart.send_keys("0")
    assert shown(browser)["to"] == whole["to"]
    chart.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert shown(browser)["step"] == 2
    chart.send_keys(Keys.END)
    assert shown(browser)["step"] == whole["steps"] - 1
    chart.send_keys(Keys.HOME, " ")
    eventually(lambda: shown(browser)["step"] > 0)
    chart.send_keys(" ")
    assert not shown(browser)["playing"]
    chart.send_keys("u")
    assert shown(browser)["rows"] == NODES * (1 + PARTS)
    point_at(browser, where(browser, "node 0 · T1", 2)).click().perform()
    eventually(lambda: shown(browser)["selected"] == ["T1.0", 2])
    chart.send_keys(Keys.ESCAPE)
    assert shown(browser)["selected"] is None


def test_the_axis_moves_to_a_step(browser, page):
    x, _ = where(browser, "node 3 · T0", 1)
    box = browser.execute_script(
        "const b = document.getElementById('grid').getBoundingClientRect(); return b.top"
    )
    point_at(browser, (x, box + 10)).click().perform()
    eventually(lambda: shown(browser)["begin"] == 2.0 * 3 + 2.0)


def test_a_mesh_tells_the_numbers_of_a_set(browser, mesh):
    names = [site.name for site in mesh.sites]
    work = mesh.works[names.index("inner21")]
    point_at(browser, where(browser, "inner21", 1)).click().perform()
    eventually(lambda: shown(browser)["selected"] == ["inner21", 1])
    panel = browser.find_element("id", "details").text
    for quantity in (*work.reads, *work.writes):
        number = mesh.numbers[1][quantity.slots[0]]
        assert f"{quantity.name} {float(f'{number:.5g}'):.12g}" in panel


def test_the_array_lights_up_step_by_step(browser, mesh):
    click_view = "[data-view=array]"
    browser.find_element("css selector", click_view).click()
    assert shown(browser)["view"] == "array"
    blue = np.array([0x00, 0x72, 0xB2])

    def corner(site):
        x, y = where(browser, site, 0)
        return [x + 14, y + 14]

    eventually(lambda: abs(colour_at(browser, corner("edge0")) - blue).sum() < 24)
    assert abs(colour_at(browser, corner("edge2")) - blue).sum() > 60
    for _ in range(4):
        click(browser, "forth")
    eventually(lambda: abs(colour_at(browser, corner("edge2")) - blue).sum() < 24)
    point_at(browser, where(browser, "edge2", 0)).click().perform()
    eventually(lambda: shown(browser)["selected"] == ["edge2", 0])


def test_dark_is_dark(browser, page):
    light = pixels(browser).mean()
    click(browser, "theme")
    other = pixels(browser).mean()
    assert min(light, other) < 110 < 180 < max(light, other)


def test_of_ten_thousand_operators_only_those_in_sight_are_put_together(browser, tmp_path):
    names = [f"{i}.{k}" for i in range(500) for k in range(20)]
    waits = {name: [names[j - 20]] if j >= 20 else [] for j, name in enumerate(names)}
    operators = [mp.Operator(f"node {n.replace('.', ' · ')}", {"add": 1.0}) for n in names]
    rows = tuple(mp.Placement(j, j, float(j // 20), j // 20 + 1.0) for j in range(len(names)))
    computer = mp.SharedMemory(len(names), operators, "ticks")
    plan = mp.Schedule(mp.TaskGraph.of("line", waits), computer, rows)
    mp.Periodic(plan, 1.0).space_time(tmp_path / "line.html", sets=20)
    opened(browser, (tmp_path / "line.html").as_uri())
    first = shown(browser)
    assert first["rows"] == 500
    assert 20 < first["kept"] < 2500  # all would be more than 11 000
    chart = browser.find_element("id", "grid")
    browser.execute_script("arguments[0].focus()", chart)
    for keys in ("u", "f"):
        chart.send_keys(keys, "+", "-")
        eventually(lambda: browser.execute_script("return spaceTime.shown.kept") < 3000)
    chart.send_keys("\ue00f")  # a page down: others come into sight
    eventually(lambda: first["kept"] < shown(browser)["kept"] < 5000)
