"""Takes the pictures of machines in ``docs/loops.md`` (needs chromium, chromedriver)."""

import io
import shutil
import tempfile
import time
from pathlib import Path

import numpy as np
from PIL import Image
from selenium import webdriver

import phalanx as px
from phalanx.view import Viewer

HERE = Path(__file__).parent
FLAGS = (
    "--headless=new --no-sandbox --use-gl=angle --use-angle=swiftshader "
    "--enable-unsafe-swiftshader --window-size=1000,640"
)
# machine: values of motors [m or rad]
MACHINES = {
    "stewart": [0.12, 0.05, -0.02, 0.0, 0.08, 0.02],
    "planar_3rrr": [0.25, 0.1, -0.15],
}


def posture(mechanism, values):
    """The closed posture for values of the motors, reached from zero in small steps."""
    q, motors = mechanism.neutral(), [joint.name for joint in mechanism.actuated_joints]
    places = [mechanism.q_slices[name].start for name in motors]
    for share in np.linspace(0, 1, 20):
        q[places] = share * np.array(values)
        q = px.assemble(mechanism, q, held=motors).q.copy()
    return q


def take(browser, viewer, name):
    """Save what the page shows, without the note that it is drawn in software."""
    browser.get(viewer.url + "?fixedDpr=1")
    time.sleep(20)
    for close in browser.find_elements("css selector", ".mantine-Notification-closeButton"):
        close.click()
    time.sleep(2)
    page = Image.open(io.BytesIO(browser.get_screenshot_as_png())).convert("RGB")
    page.quantize(200).save(HERE / f"{name}.png", optimize=True)


with tempfile.TemporaryDirectory() as profile:
    options = webdriver.ChromeOptions()
    for flag in (*FLAGS.split(), f"--user-data-dir={profile}"):
        options.add_argument(flag)
    browser = webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))
    for machine, values in MACHINES.items():
        mechanism = px.library.by_name(machine)
        with Viewer(mechanism, port=0) as viewer:
            viewer.show(posture(mechanism, values))
            take(browser, viewer, f"loops_{machine}")
    browser.quit()
