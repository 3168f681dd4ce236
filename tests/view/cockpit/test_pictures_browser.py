"""Pictures of the machine: the 3-D view draws every posture of twenty in a second of machine time.

What a picture shows are the matrices that the browser gives to its graphics: two pictures differ
when some matrix does. How long a picture takes on this computer is not asked; ``python
benchmarks/cockpit.py`` measures that.
"""

from __future__ import annotations

import inspect
import re
import time

import pytest

from phalanx.machines.excavator import LiveExcavator, cylinder_excavator
from phalanx.machines.excavator.cockpit import ExcavatorMachine
from phalanx.view.cockpit import Cockpit
from phalanx.view.viewer.viewer import Viewer
from phalanx.view.web.http_handler import page_files
from waiting import eventually

pytestmark = pytest.mark.xdist_group("browser")

PICTURES = 20  # a second, as the source's display

# drawn by software: few pixels take less time
SMALL = """
Object.assign(document.getElementById("view").style,
              {position: "fixed", width: "160px", height: "120px"});
"""
WATCH = """
const graphics = WebGL2RenderingContext.prototype, give = graphics.uniformMatrix4fv;
let drawing = 0, last = 0;
window.pictures = 0;
graphics.uniformMatrix4fv = function (place, transpose, matrix, ...rest) {
  for (const x of matrix) drawing = (31 * drawing + x) % 1e9;
  return give.call(this, place, transpose, matrix, ...rest);
};
const look = () => {
  if (drawing) {
    if (drawing !== last) window.pictures++;
    last = drawing;
    drawing = 0;
  }
  requestAnimationFrame(look);
};
requestAnimationFrame(look);
"""


@pytest.fixture
def live(tmp_path):
    """A machine whose clock stands still unless somebody lets it pass."""
    return LiveExcavator(cylinder_excavator(), folder=tmp_path)


def pictures(browser) -> int:
    """How many pictures there were that differ from the one before."""
    return browser.execute_script("return window.pictures")


def loaded(browser) -> bool:
    """Whether no new picture came for a while: shapes arrive one after the other."""
    before = pictures(browser)
    time.sleep(1.0)
    return 0 < before == pictures(browser)


def test_twenty_postures_a_second_are_twenty_pictures(browser, live):
    with Cockpit(ExcavatorMachine(live), port=0) as cockpit:
        browser.get(cockpit.url)
        eventually(lambda: cockpit.clients == 1 and cockpit.viewer.clients == 1)
        browser.execute_script(SMALL)
        browser.switch_to.frame("view")
        try:
            browser.execute_script(WATCH)
            live.command([1.0, 0.0, 0.0, 0.0])
            live.run.advance(0.5)  # the swing is under way
            eventually(lambda: loaded(browser), 0.02)
            for _ in range(PICTURES):
                before = pictures(browser)
                live.run.advance(1 / PICTURES)
                eventually(lambda shown=before: pictures(browser) > shown, 0.02)
        finally:
            browser.switch_to.default_content()
            browser.get("about:blank")


def test_the_display_is_offered_twenty_pictures_a_second():
    """What the server sends and how often the page draws its gauges."""
    for server in (Cockpit, Viewer):
        assert inspect.signature(server).parameters["rate"].default >= PICTURES
    script = page_files("phalanx.view.cockpit")["/cockpit.js"].decode()
    (draw,) = re.findall(r"^const DRAW = (\d+);", script, flags=re.MULTILINE)
    assert int(draw) <= 1000 / PICTURES
