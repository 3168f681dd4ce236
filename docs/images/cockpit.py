"""Takes the pictures of ``docs/excavator.md`` (needs chromium and chromedriver)."""

import io
import shutil
import tempfile
import threading
import time
from pathlib import Path

from PIL import Image
from selenium import webdriver

from phalanx.excavator import LiveExcavator, cylinder_excavator
from phalanx.excavator.cockpit import ExcavatorMachine
from phalanx.ground import LOAM, Ground
from phalanx.ground.terrain_view import TerrainView
from phalanx.view.cockpit import Cockpit

HERE = Path(__file__).parent
FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --use-gl=angle --use-angle=swiftshader "
    "--enable-unsafe-swiftshader --window-size=1440,940"
)
# seconds, and what the sticks say meanwhile: radius, arc, height, bucket
CUT = [(2.6, (0.2, 0, -0.7, 0)), (3.2, (-0.75, 0, -0.06, -0.28)), (1.5, (-0.2, 0, 0.4, -0.8))]
LIFT = [(2.0, (0, 0, 1, -0.1)), (2.5, (0.4, 0.85, 0.1, 0))]
DUMP = [(2.6, (0.6, 0, 0.1, 1.0)), (1.5, (0.4, 0, 0, 0.5))]
BACK = [(2.6, (0, -0.8, 0, 0)), (1.5, (0, 0, 0, -0.3))]


def drive(live, moves):
    """Do as an operator would."""
    for seconds, sticks in moves:
        live.command(sticks)
        end = live.instant.time + seconds
        while live.instant.time < end:
            time.sleep(0.01)
    live.centre()


def take(browser, name):
    """Save what the page shows, without the note that it is drawn in software."""
    browser.switch_to.frame("view")
    for close in browser.find_elements("css selector", ".mantine-Notification-closeButton"):
        browser.execute_script("arguments[0].click()", close)
    browser.switch_to.default_content()
    time.sleep(0.5)
    page = Image.open(io.BytesIO(browser.get_screenshot_as_png())).convert("RGB")
    page.quantize(250).save(HERE / f"{name}.png", optimize=True)


live = LiveExcavator(cylinder_excavator(ground=Ground(LOAM), mode="RESOLVED"))
thread = threading.Thread(target=live.run)
thread.start()
with (
    tempfile.TemporaryDirectory() as profile,
    Cockpit(ExcavatorMachine(live), port=0) as cockpit,
):
    TerrainView(cockpit.viewer, lambda: live.terrain)
    live.start()
    options = webdriver.ChromeOptions()
    for flag in (*FLAGS.split(), f"--user-data-dir={profile}"):
        options.add_argument(flag)
    browser = webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))
    browser.get(cockpit.url)
    time.sleep(15)
    drive(live, [*CUT, *LIFT, *DUMP, *BACK, *CUT[:1], (1.8, CUT[1][1])])
    take(browser, "cockpit_orbit")
    drive(live, [*CUT[1:], *LIFT[:1]])
    browser.switch_to.frame("view")
    for button in browser.find_elements("css selector", "button"):
        if button.text == "Cab":
            browser.execute_script("arguments[0].click()", button)
    browser.switch_to.default_content()
    time.sleep(4)
    drive(live, [(0.7, LIFT[1][1])])
    take(browser, "cockpit_cab")
    browser.quit()
live.stop()
thread.join()
