"""Pictures of the machine: twenty in a second of its time, from its state to the browser.

What a picture shows are the matrices that the browser gives to its graphics: two pictures differ
when some matrix does. Rates are counted by clocks of the test: those of the server and of the
viewer show the machine's time, which goes on only when all that was due is done. So a busy computer
takes longer and counts the same. How many pictures this computer draws in a second of its own is
not asked; ``python benchmarks/cockpit.py`` measures that.
"""

from __future__ import annotations

import asyncio
import threading
import time
from functools import partial

import numpy as np
import pytest

from phalanx.machines.excavator import LiveExcavator, cylinder_excavator
from phalanx.machines.excavator.cockpit import ExcavatorMachine
from phalanx.view.cockpit import Cockpit
from phalanx.view.viewer import viewer as viewer_module
from waiting import eventually, falls_asleep

pytestmark = pytest.mark.xdist_group("browser")

PICTURES = 20  # a second, as the source's display
MOST_LOST = 2  # pictures that a browser may leave out: it draws what is latest
FRAMES_TO_COME = 600  # of the browser, within which a posture is drawn; ten seconds of an idle one

# drawn by software: few pixels take less time
SMALL = """
Object.assign(document.getElementById("view").style,
              {position: "fixed", width: "160px", height: "120px"});
"""
WATCH = """
const graphics = WebGL2RenderingContext.prototype, give = graphics.uniformMatrix4fv;
let drawing = 0, last = 0;
window.pictures = window.framesSoFar = 0;
graphics.uniformMatrix4fv = function (place, transpose, matrix, ...rest) {
  for (const x of matrix) drawing = (31 * drawing + x) % 1e9;
  return give.call(this, place, transpose, matrix, ...rest);
};
const look = () => {
  window.framesSoFar++;
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


def comes(browser, before: int) -> bool:
    """Wait for a new picture, while the browser goes on drawing; whether it came."""
    ends = browser.execute_script("return window.framesSoFar") + FRAMES_TO_COME

    def over() -> str:
        shown, frames = browser.execute_script("return [window.pictures, window.framesSoFar]")
        return "new" if shown > before else "none" if frames > ends else ""

    return eventually(over, 0.01) == "new"


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


class MachineClock:
    """The machine's time, for the event loop of the server and for the thread of the viewer.

    It stands for the module ``time``. Once the machine is let go it runs on by itself.
    """

    def __init__(self, live: LiveExcavator) -> None:
        self._live, self._released = live, float("inf")

    def monotonic(self) -> float:
        return self._live.instant.time + max(0.0, time.monotonic() - self._released)

    def sleep(self, seconds: float) -> None:
        end = self.monotonic() + seconds
        while self.monotonic() < end:
            time.sleep(1e-3)

    def release(self) -> None:
        self._released = time.monotonic()


class MachineLoop(asyncio.SelectorEventLoop):
    """An event loop by that clock."""

    def __init__(self, clock: MachineClock) -> None:
        self._machine_clock = clock
        super().__init__()

    def time(self) -> float:
        return self._machine_clock.monotonic()

    def do_what_is_due(self) -> None:
        """Return when every timer that has run out was served."""
        for _ in range(5):  # a timer, the task that waits for it, what that task begins
            asyncio.run_coroutine_threadsafe(asyncio.sleep(0), self).result()


@pytest.fixture
def timed(live, monkeypatch):
    """A cockpit by the machine's clock, and its event loop."""
    clock, loops = MachineClock(live), []

    def run(main):
        with asyncio.Runner(loop_factory=partial(MachineLoop, clock)) as runner:
            loops.append(runner.get_loop())
            return runner.run(main)

    monkeypatch.setattr(viewer_module, "time", clock)
    with monkeypatch.context() as begin:
        begin.setattr(asyncio, "run", run)
        cockpit = Cockpit(ExcavatorMachine(live), port=0)
    with cockpit:
        yield cockpit, loops[0]
        clock.release()


def before_a_draw(browser, drawn) -> tuple[int, int]:
    """How many postures were drawn, and how many pictures came, none of a later posture."""
    while True:
        count = len(drawn)
        found = pictures(browser)
        if len(drawn) == count:
            return count, found


def test_a_second_of_the_machine_is_twenty_pictures(browser, live, timed):
    """Counted are postures that the viewer draws and of which the browser makes a new picture."""
    cockpit, loop = timed
    drawn = []

    def note(q) -> None:
        if not (drawn and np.array_equal(drawn[-1], q)):
            drawn.append(q)

    cockpit.viewer.add_drawable(note)
    (painter,) = [t for t in threading.enumerate() if t.name == "phalanx-viewer"]
    browser.get(cockpit.url)
    eventually(lambda: cockpit.clients == 1 and cockpit.viewer.clients == 1)
    browser.execute_script(SMALL)
    browser.switch_to.frame("view")
    try:
        browser.execute_script(WATCH)
        live.command([1.0, 0.0, 0.0, 0.0])
        live.run.advance(0.5)
        eventually(lambda: loaded(browser), 0.02)
        step, steps = 5e-3, 200
        arrived = 0
        seen, before = before_a_draw(browser, drawn)
        for _ in range(steps):
            live.run.advance(step)
            loop.do_what_is_due()
            falls_asleep(painter)
            if len(drawn) > seen:
                arrived += comes(browser, before)
                seen, before = before_a_draw(browser, drawn)
        assert arrived >= PICTURES * step * steps - MOST_LOST
    finally:
        browser.switch_to.default_content()
        browser.get("about:blank")


# frames of a display at 60 Hz come when the test says so; counted are those that clear a plot
FRAMES = """
if (window === top) {
  const waiting = [], canvas = CanvasRenderingContext2D.prototype, clear = canvas.clearRect;
  let cleared = false, now = 1e6;
  window.requestAnimationFrame = (draw) => waiting.push(draw);
  canvas.clearRect = function (...box) { cleared = true; return clear.apply(this, box); };
  window.plotted = (milliseconds) => {
    let count = 0;
    for (const end = now + milliseconds; now < end; now += 1000 / 60) {
      cleared = false;
      for (const draw of waiting.splice(0)) draw(now);
      count += cleared;
    }
    return count;
  };
}
"""


def test_plots_are_drawn_twenty_times_a_second(browser, live):
    added = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": FRAMES})
    size = browser.get_window_size()
    browser.set_window_size(1300, 1000)  # a small page has no plots
    try:
        with Cockpit(ExcavatorMachine(live), port=0) as cockpit:
            cockpit.viewer.server.scene.set_global_visibility(False)
            browser.get(cockpit.url)
            eventually(lambda: cockpit.clients == 1)
            assert eventually(lambda: browser.execute_script("return plotted(1000)")) >= PICTURES
            browser.get("about:blank")
    finally:
        browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)
        browser.set_window_size(size["width"], size["height"])
