"""The page of a plan with messages on their roads, in a real browser."""

from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
from phalanx import multiprocessor as mp
from phalanx.hardware.mesh import CYCLES, mesh_evaluation
from view.test_gantt_browser import complaints
from view.test_space_time_browser import click, opened, point_at, shown, where
from waiting import eventually

pytestmark = pytest.mark.xdist_group("browser")


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    tasks = mesh_evaluation(px.library.cat215b())
    plan = tasks.plan(CYCLES)
    made = mp.plan_at_work(plan, (np.ones(4), np.ones(4), np.zeros(4)), tasks.shape.positions)
    path = tmp_path_factory.mktemp("mesh") / "mesh.html"
    made.draw(path)
    return made, plan, path.as_uri()


@pytest.fixture
def page(browser, drawn):
    before = browser.get_window_size()
    browser.set_window_size(1300, 950)
    opened(browser, drawn[2])
    yield browser
    browser.set_window_size(before["width"], before["height"])
    assert complaints(browser) == []


def test_phases_are_named_and_nodes_lie_as_a_triangle(page, drawn):
    legend = page.find_element("id", "legend").text
    for name in drawn[0].set_names:
        assert name in legend
    page.find_element("css selector", "[data-view=array]").click()
    eventually(lambda: shown(page)["view"] == "array")
    places = {name: where(page, name, 0) for name in ("(0,1)", "(1,1)", "(1,4)", "(4,4)", "(0,0)")}
    assert places["(0,1)"][0] == places["(1,1)"][0] > places["(0,0)"][0]
    assert places["(1,4)"][0] == places["(4,4)"][0]
    assert places["(1,1)"][1] == places["(1,4)"][1] < places["(4,4)"][1]


def test_a_message_on_its_road_tells_what_it_carries(page, drawn):
    made = drawn[0]
    page.find_element("css selector", "[data-view=array]").click()
    event = next(e for e in made.events if made.sites[e.site].name.startswith("(1,2) → (1,3)"))
    for _ in range(int(event.start)):
        click(page, "forth")
    eventually(lambda: shown(page)["begin"] == event.start)
    name = made.sites[event.site].name
    point_at(page, where(page, name, event.set)).perform()
    eventually(lambda: made.works[event.work].name in page.find_element("id", "tip").text)
    told = page.find_element("id", "tip").text
    assert "from (1,2) to (1,3)" in told
    assert f"{event.start:g} to {event.end:g} cycles" in told
    assert "results" in told
