"""The viewer with a machine of thousands of bodies: pictures a second that a browser really draws.

    python benchmarks/viewer.py [--bodies 10000] [--seconds 20] [--picture tether.png]

A chain swings and is shown 30 times a second; its page is open in headless Chromium. Counted in the
page, below everything that the page does itself: how often it is given new places of all links
(uploads to the graphics card), and pictures drawn after such an upload. A posture that arrives and
is overtaken before it is drawn does not count. Where there is no graphics card, Chromium draws all
triangles on the processors that server and page need too, which takes most of the time. So it is
counted twice: as it is, and with the drawing of links left out, which is the part that a graphics
card would do; all else, from the posture to the upload, is done. The promise is about the second.

Needs the extra `view`, selenium, chromium and chromedriver.
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np

import phalanx as px
from cockpit import browser, wait_for
from phalanx.view import Viewer

PICTURES = 20.0  # a second
SHOWN = 30.0  # postures a second

# counts uploads of places of links, and pictures drawn with them
COUNT = """
window.seen = {uploads: 0, pictures: 0, frames: 0, links: 0, draws: true};
(() => {
  const gl = WebGL2RenderingContext.prototype, seen = window.seen;
  let fresh = false, drawn = 0;
  for (const name of ["texSubImage2D", "texImage2D"]) {
    const own = gl[name];
    gl[name] = function (...given) {
      const data = given.find((x) => x instanceof Float32Array);
      // 16 numbers of a matrix for each link
      if (data && data.length >= 16 * LEAST) {
        fresh = true;
        seen.uploads += 1;
      }
      return own.apply(this, given);
    };
  }
  const own = gl.drawElementsInstanced;
  gl.drawElementsInstanced = function (mode, count, type, offset, instances) {
    if (instances >= LEAST / 4) drawn += instances;
    if (seen.draws || instances < 100) own.call(this, mode, count, type, offset, instances);
  };
  const frame = () => {
    seen.frames += 1;
    if (drawn) seen.links = drawn;
    if (fresh && drawn) { seen.pictures += 1; fresh = false; }
    drawn = 0;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})();
"""


def swinging(chain: px.Mechanism, t: float) -> np.ndarray:
    """A wave that runs down a chain whose links are turned about two axes by turns."""
    n = chain.nq
    along = np.linspace(0.0, 1.0, n)
    slow = 6.0 / n * np.sin(1.1 * t + 2 * np.pi * along)
    quick = 20.0 / n * along * np.sin(2.3 * t - 9 * np.pi * along)
    bend = np.where(np.arange(n) % 2, quick, slow + quick)
    bend[0] += 0.9 * np.cos(0.7 * t)
    return bend


def main() -> int:
    """Measure; the exit code says whether all was as promised."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--bodies", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--picture", type=Path, help="a picture of the page, taken at the end")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    started = time.monotonic()
    chain = px.library.chain(options.bodies, alternate=True)
    built = time.monotonic()
    with Viewer(chain, port=0, rate=SHOWN) as viewer, browser() as page:
        served = time.monotonic()
        done = threading.Event()
        swing = threading.Thread(target=show, args=(viewer, done), daemon=True)
        swing.start()
        try:
            facts, passed = watch(viewer, page, options)
        finally:
            done.set()
            swing.join()
        if options.picture:
            time.sleep(3.0)  # until the last posture is drawn
            page.save_screenshot(str(options.picture))
    facts = {
        "building the machine [s]": f"{built - started:.2f}",
        "making the scene, and a browser [s]": f"{served - built:.2f}",
        **facts,
    }
    for name, value in facts.items():
        print(f"{name:<52} {value}")
    print("as promised" if passed else "NOT as promised")
    if options.json:
        options.json.write_text(json.dumps(facts, indent=2))
    return 0 if passed else 1


def show(viewer: Viewer, done: threading.Event) -> None:
    """Show postures by the clock."""
    while not done.wait(1 / SHOWN):
        viewer.show(swinging(viewer.mechanism, time.monotonic()))


def watch(viewer: Viewer, page: Any, options: argparse.Namespace) -> tuple[dict[str, str], bool]:
    """Count what the page draws."""
    script = COUNT.replace("LEAST", str(options.bodies))
    page.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": script})
    opened = time.monotonic()
    page.get(viewer.url)
    seen = lambda: page.execute_script("return window.seen")  # noqa: E731
    wait_for(lambda: seen()["pictures"], 120)
    first = time.monotonic() - opened
    time.sleep(5.0)  # the panel is being laid out
    drawn = counted(page, options.seconds)
    page.execute_script("window.seen.draws = false")
    time.sleep(2.0)
    left_out = counted(page, options.seconds)
    page.execute_script("window.seen.draws = true")
    facts = {
        "from opening the page to its first picture [s]": f"{first:.1f}",
        "links drawn in a picture": f"{seen()['links']:.0f}",
        "pictures of new postures a second, as it is": f"{drawn['pictures']:.1f}",
        f"the same without drawing links (at least {PICTURES:g})": f"{left_out['pictures']:.1f}",
        "processors that the server keeps busy then": f"{left_out['busy']:.2f}",
    }
    return facts, left_out["pictures"] >= PICTURES


def counted(page: Any, seconds: float) -> dict[str, float]:
    """What happens in a second."""
    before, start = page.execute_script("return window.seen"), time.monotonic()
    busy = time.process_time()
    time.sleep(seconds)
    after, wall = page.execute_script("return window.seen"), time.monotonic() - start
    rates = {name: (after[name] - before[name]) / wall for name in ("uploads", "pictures")}
    return {**rates, "busy": (time.process_time() - busy) / wall}


if __name__ == "__main__":
    sys.exit(main())
