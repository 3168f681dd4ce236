"""From a drag to new torque curves in the browser, on the page's own clock.

    python benchmarks/trajectory_page.py [--drags 20] [--model puma560] [--step 1e-3] [--hidden]

Opens the trajectory page in headless Chromium and drags a waypoint up and down with the mouse. The
page counts from the event of the pointer to the display's next picture after the curves that answer
it were drawn: waiting for the display, the way to the server, the spline, the torques of all rows,
violations, the way back, and drawing. Promised: 50 ms at the median.

Chromium draws the 3-D view without a graphics card here, on the processors that the page needs too;
``--hidden`` leaves the arm out of the view.

Needs the extra `view`, selenium, chromium and chromedriver.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from shutil import which

import numpy as np
from selenium import webdriver
from selenium.webdriver import ActionChains

from phalanx.cli.models import find_model
from phalanx.planning import demo_waypoints
from phalanx.view.trajectory import TrajectoryPage

PROMISED = 50.0  # [ms]
FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --use-gl=angle --use-angle=swiftshader "
    "--enable-unsafe-swiftshader --disable-dev-shm-usage --window-size=1280,940"
)
PLACE = """
const [time, value] = arguments, plot = window.plots.position;
const box = plot.canvas.getBoundingClientRect();
return [Math.round(plot.x(time) - box.width / 2), Math.round(plot.y(value) - box.height / 2)];
"""


def drag(browser: webdriver.Chrome, page: TrajectoryPage, way: int) -> None:
    """Drag the third waypoint of the first joint by some pixels, a few at a time."""
    times, positions = page.waypoints.points
    at = browser.execute_script(PLACE, times[2], np.degrees(positions[2, 0]))
    canvas = browser.find_element("id", "position")
    moves = ActionChains(browser, duration=25).move_to_element_with_offset(canvas, *at)
    moves.click_and_hold()
    for _ in range(10):
        moves.move_by_offset(0, way // 10)
    moves.release().perform()


def main() -> int:
    """Measure; the exit code says whether all was as promised."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--drags", type=int, default=20)
    parser.add_argument("--model", default="puma560")
    parser.add_argument("--step", type=float, default=1e-3)
    parser.add_argument("--hidden", action="store_true", help="nothing in the 3-D view")
    options = parser.parse_args()
    arm = find_model(options.model)
    chrome = webdriver.ChromeOptions()
    chrome.binary_location = which("chromium") or which("google-chrome") or ""
    with (
        tempfile.TemporaryDirectory() as profile,
        TrajectoryPage(arm, demo_waypoints(arm), options.step, port=0) as page,
    ):
        if options.hidden:
            page.viewer.server.scene.set_global_visibility(False)
        for flag in (*FLAGS.split(), f"--user-data-dir={profile}"):
            chrome.add_argument(flag)
        browser = webdriver.Chrome(chrome, webdriver.ChromeService(which("chromedriver")))
        try:
            browser.get(page.url)
            time.sleep(8.0)  # shapes are being drawn for the first time
            browser.execute_script("window.latencies = []")
            for k in range(options.drags):
                drag(browser, page, 40 if k % 2 else -40)
                time.sleep(0.1)
            found = np.array(browser.execute_script("return window.latencies"))
        finally:
            browser.quit()
        rows = len(page.table)
    if not found.size:
        sys.exit("nothing was dragged")
    median, most = np.median(found), np.percentile(found, 95)
    print(f"{arm.name}, {rows:,} rows, {found.size} moves")
    print(f"drag to curves, median (at most {PROMISED:g} ms)   {median:.1f} ms")
    print(f"95 of 100, worst                       {most:.1f} ms, {found.max():.1f} ms")
    print(f"load average {os.getloadavg()[0]:.1f}")
    print("as promised" if median <= PROMISED else "NOT as promised")
    return 0 if median <= PROMISED else 1


if __name__ == "__main__":
    sys.exit(main())
