"""Takes the picture of ``docs/trajectory.md`` (needs chromium and chromedriver)."""

import io
import shutil
import tempfile
import time
from pathlib import Path

from PIL import Image
from selenium import webdriver

import phalanx as px
from phalanx.planning import Limits, demo_waypoints
from phalanx.view.trajectory import TrajectoryPage

HERE = Path(__file__).parent
FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --use-gl=angle --use-angle=swiftshader "
    "--enable-unsafe-swiftshader --window-size=1280,940"
)

arm = px.library.puma560()
limits = Limits.of(arm, torque=[97.6, 186.4, 89.4, 24.0, 20.0, 21.0])
waypoints = demo_waypoints(arm).moved(2, 1, 2.35)
with (
    tempfile.TemporaryDirectory() as profile,
    TrajectoryPage(arm, waypoints, limits=limits, port=0) as page,
):
    options = webdriver.ChromeOptions()
    for flag in (*FLAGS.split(), f"--user-data-dir={profile}"):
        options.add_argument(flag)
    browser = webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))
    browser.get(page.url)
    time.sleep(10)
    browser.find_element("css selector", "#violations button").click()
    time.sleep(2)
    # the note that it is drawn in software
    browser.switch_to.frame("view")
    for close in browser.find_elements("css selector", ".mantine-Notification-closeButton"):
        browser.execute_script("arguments[0].click()", close)
    browser.switch_to.default_content()
    time.sleep(2)
    picture = Image.open(io.BytesIO(browser.get_screenshot_as_png())).convert("RGB")
    picture.quantize(256, Image.Quantize.MAXCOVERAGE).save(
        HERE / "trajectory_page.png", optimize=True
    )
    browser.quit()
