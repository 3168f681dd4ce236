"""The viewer with a machine of thousands of bodies: pictures a second that a browser really draws.

    python benchmarks/viewer.py [--bodies 10000] [--seconds 20] [--picture tether.png]

A chain swings and is shown 30 times a second; its page is open in headless Chromium. First all of
it is seen, where a link is smaller than a pixel and only the thread from link to link is drawn;
then the camera stands beside some of its links, and those that are large enough are drawn too.

Counted in the page, below everything that the page does itself: how often it is given new places of
the thread or of links (uploads to the graphics card), and pictures drawn after such an upload. A
posture that arrives and is overtaken before it is drawn does not count. Reported too is the time of
processors that a picture takes: of the server, of the page, and of what stands in for a graphics
card. Where there is none, Chromium draws every triangle on the processors that server and page need
too; `thread and links left out` is what remains where they are not drawn and all else is done.

Needs the extra `view`, selenium, chromium and chromedriver.
"""

from __future__ import annotations

import argparse
import json
import os
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

# counts uploads of places of thread and links, and pictures drawn with them
COUNT = """
window.seen = {uploads: 0, pictures: 0, frames: 0, links: 0, draws: true};
(() => {
  const gl = WebGL2RenderingContext.prototype, seen = window.seen;
  let fresh = false, drawn = 0, links = 0;
  const hear = (name, least) => {
    const own = gl[name];
    gl[name] = function (...given) {
      const data = given.find((x) => x instanceof Float32Array);
      if (data && data.length >= least) {
        fresh = true;
        seen.uploads += 1;
      }
      return own.apply(this, given);
    };
  };
  for (const name of ["texSubImage2D", "texImage2D"]) hear(name, 16 * 100); // a matrix a link
  for (const name of ["bufferData", "bufferSubData"]) hear(name, 6 * 100); // two ends a stretch
  const own = gl.drawElementsInstanced;
  gl.drawElementsInstanced = function (mode, count, type, offset, instances) {
    if (instances >= 100) drawn += instances;
    if (count !== STRETCH) links += instances;
    if (seen.draws || instances < 100) own.call(this, mode, count, type, offset, instances);
  };
  const frame = () => {
    seen.frames += 1;
    if (drawn) seen.links = links;
    if (fresh && drawn) { seen.pictures += 1; fresh = false; }
    drawn = links = 0;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
})();
""".replace("STRETCH", "18")  # corners of the triangles of a stretch of thread


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
    page.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": COUNT})
    page.set_script_timeout(300)  # a page that draws on the processor has no time to answer
    opened = time.monotonic()
    page.get(viewer.url)
    seen = lambda: page.execute_script("return window.seen")  # noqa: E731
    wait_for(lambda: seen()["pictures"], 120)
    first = time.monotonic() - opened
    time.sleep(5.0)  # the panel is being laid out
    whole, links_whole = counted(page, options.seconds), seen()["links"]
    page.execute_script("window.seen.draws = false")
    left_out = counted(page, options.seconds)
    page.execute_script("window.seen.draws = true")
    stand_beside(viewer)
    time.sleep(3.0)
    near, links_near = counted(page, options.seconds), seen()["links"]
    facts = {
        "from opening the page to its first posture [s]": f"{first:.1f}",
        f"pictures of new postures a second (at least {PICTURES:g})": f"{whole['pictures']:.1f}",
        "  links in a picture, of those that can be seen": f"{links_whole:.0f}",
        "  in place of a graphics card [ms each]": f"{whole['card']:.0f}",
        "  in the page [ms each]": f"{whole['page']:.0f}",
        "  in the server [ms a posture]": f"{whole['server']:.0f}",
        "pictures a second, thread and links left out": f"{left_out['pictures']:.1f}",
        "  in place of a graphics card [ms each] ": f"{left_out['card']:.0f}",
        "pictures a second beside the links": f"{near['pictures']:.1f}",
        "  links in a picture": f"{links_near:.0f}",
        "  in place of a graphics card [ms each]  ": f"{near['card']:.0f}",
    }
    return facts, whole["pictures"] >= PICTURES


def stand_beside(viewer: Viewer) -> None:
    """Put the camera of every page where it sees about a hundred of the first links."""
    for client in viewer.server.get_clients().values():
        client.camera.position = (80.0, -80.0, -30.0)
        client.camera.look_at = (0.0, 0.0, -50.0)


def counted(page: Any, seconds: float) -> dict[str, float]:
    """Pictures a second, and milliseconds of processors for each."""
    before, start = page.execute_script("return window.seen"), time.monotonic()
    busy, server = processor_times(page.service.process.pid), time.process_time()
    time.sleep(seconds)
    after, wall = page.execute_script("return window.seen"), time.monotonic() - start
    pictures = after["pictures"] - before["pictures"]
    now = processor_times(page.service.process.pid)
    took = {kind: 1e3 * (now[kind] - busy[kind]) / max(pictures, 1) for kind in now}
    shown = 1e3 * (time.process_time() - server) / (SHOWN * wall)
    return {"pictures": pictures / wall, "server": shown, **took}


def processor_times(parent: int) -> dict[str, float]:
    """Seconds of processors that the browser below a process has used: page, graphics card."""
    used = {"page": 0.0, "card": 0.0}
    families: dict[int, list[int]] = {}
    times: dict[int, float] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            numbers = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has ended meanwhile
            continue
        families.setdefault(int(numbers[1]), []).append(int(entry.name))
        times[int(entry.name)] = (int(numbers[11]) + int(numbers[12])) / os.sysconf("SC_CLK_TCK")
    waiting = [parent]
    while waiting:
        for child in families.get(waiting.pop(), []):
            waiting.append(child)
            try:
                command = Path(f"/proc/{child}/cmdline").read_text()
            except OSError:
                continue
            if "--type=renderer" in command:
                used["page"] += times[child]
            elif "--type=gpu-process" in command:
                used["card"] += times[child]
    return used


if __name__ == "__main__":
    sys.exit(main())
