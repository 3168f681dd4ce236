"""Takes the pictures of ``docs/excavator.md`` (needs chromium and chromedriver)."""

import io
import shutil
import tempfile
import threading
import time
from pathlib import Path

from PIL import Image
from selenium import webdriver
from selenium.webdriver.support.select import Select

from phalanx.ground import LOAM, Ground
from phalanx.machines.excavator import LiveExcavator, cylinder_excavator
from phalanx.machines.excavator.cockpit import ExcavatorMachine
from phalanx.view.cockpit import Cockpit
from phalanx.view.scene.terrain import TerrainView

HERE = Path(__file__).parent
FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --use-gl=angle --use-angle=swiftshader "
    "--enable-unsafe-swiftshader --window-size=1440,940"
)
DESK, PHONE, PHONE_ON_ITS_SIDE = (1440, 900), (390, 844), (844, 390)
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


def resize(browser, size):
    """Make the screen that of a desk or a phone."""
    held = size != DESK
    metrics = {"width": size[0], "height": size[1], "deviceScaleFactor": 2 if held else 1}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics | {"mobile": held})
    time.sleep(3)


def take(browser, name):
    """Save what the page shows, without the note that it is drawn in software."""
    browser.switch_to.frame("view")
    for close in browser.find_elements("css selector", ".mantine-Notification-closeButton"):
        browser.execute_script("arguments[0].click()", close)
    browser.switch_to.default_content()
    time.sleep(1.0)
    page = Image.open(io.BytesIO(browser.get_screenshot_as_png())).convert("RGB")
    page.quantize(250).save(HERE / f"{name}.png", optimize=True)


def main():
    """Dig, and take pictures on the way."""
    with tempfile.TemporaryDirectory() as folder:
        excavator = cylinder_excavator(ground=Ground(LOAM), mode="RESOLVED")
        live = LiveExcavator(excavator, folder=Path(folder) / "recordings")
        machine = ExcavatorMachine(live)
        thread = threading.Thread(target=live.run.run)
        thread.start()
        with Cockpit(machine, port=0) as cockpit:
            TerrainView(cockpit.viewer, lambda: machine.terrain)
            live.loop.resume()
            options = webdriver.ChromeOptions()
            for flag in (*FLAGS.split(), f"--user-data-dir={folder}/profile"):
                options.add_argument(flag)
            service = webdriver.ChromeService(shutil.which("chromedriver"))
            browser = webdriver.Chrome(options, service)
            try:
                browser.get(cockpit.url)
                resize(browser, DESK)
                time.sleep(12)
                pictures(browser, live)
            finally:
                browser.quit()
        live.loop.stop()
        thread.join()


def pictures(browser, live):
    """From outside, from the cab, on a phone, and a recording on a phone on its side."""
    browser.find_element("id", "take").click()
    drive(live, [*CUT, *LIFT, *DUMP, *BACK, *CUT[:1], (1.8, CUT[1][1])])
    take(browser, "cockpit_orbit")
    browser.find_element("id", "record").click()
    drive(live, [*CUT[1:], *LIFT[:1]])
    browser.find_element("id", "cab").click()
    time.sleep(4)
    drive(live, [(0.7, LIFT[1][1])])
    take(browser, "cockpit_cab")
    browser.find_element("id", "orbit").click()
    resize(browser, PHONE)
    Select(browser.find_element("css selector", ".plot select")).select_by_index(1)
    drive(live, [(1.5, (0.2, -0.8, 0, 0)), (0.4, (0, 0, -0.3, 0.2))])
    time.sleep(8)  # notices go
    take(browser, "cockpit_phone")
    browser.find_element("id", "record").click()
    time.sleep(2)
    Select(browser.find_element("id", "replay")).select_by_index(1)
    resize(browser, PHONE_ON_ITS_SIDE)
    browser.find_element("id", "play").click()
    browser.execute_script(
        "const place = document.getElementById('place');"
        "place.value = Number(place.min) + 4; place.dispatchEvent(new Event('input'));"
    )
    time.sleep(8)
    take(browser, "cockpit_replay")


if __name__ == "__main__":
    main()
