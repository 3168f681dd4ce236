"""Takes the pictures of ``docs/viewer.md`` (needs chromium, chromedriver, example-robot-data)."""

import contextlib
import io
import shutil
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from PIL import Image
from selenium import webdriver
from selenium.common.exceptions import TimeoutException

import phalanx as px
from phalanx.cli.models import find_model
from phalanx.mechanism.library.cat215b_cylinders import cat215b_posture
from phalanx.simulation.record.recording import Recording
from phalanx.simulation.record.signal import Signal
from phalanx.view import Viewer
from phalanx.view.replay.replay import Replay

HERE = Path(__file__).parent
FLAGS = (
    "--headless=new --no-sandbox --use-gl=angle --use-angle=swiftshader "
    "--enable-unsafe-swiftshader --window-size=1180,860"
)
MACHINES = {
    "viewer_ur5": ("robot:ur5_robot", [0.3, -1.3, 1.4, -1.6, -1.57, 0.0]),
    "viewer_talos": ("robot:talos_full_v2", None),
    "viewer_excavator": (
        "cat215b_cylinders",
        cat215b_posture(px.library.cat215b_cylinders(), 0.4, 0.7, -1.5, -0.9),
    ),
}


def picture(browser):
    """The page as PNG; drawing in software may take longer than the browser waits."""
    for _ in range(10):
        with contextlib.suppress(TimeoutException):
            return browser.get_screenshot_as_png()
    return browser.get_screenshot_as_png()


def take(browser, viewer, name):
    """Save what the page shows, without the note that it is drawn in software."""
    browser.get(viewer.url + "?fixedDpr=1")
    time.sleep(20)
    for close in browser.find_elements("css selector", ".mantine-Notification-closeButton"):
        close.click()
    time.sleep(2)
    page = Image.open(io.BytesIO(picture(browser))).convert("RGB")
    page.quantize(200).save(HERE / f"{name}.png", optimize=True)


def weaving_arm():
    """The PUMA on a made-up path, with the forces it needs."""
    puma = px.library.puma560()
    t = np.linspace(0, 6, 3001)
    width, w = np.array([0.7, 0.5, 0.6, 0.8, 0.8, 0.8]), np.array([0.7, 1.1, 1.6, 2.0, 2.4, 3.0])
    phase = np.outer(t, w)
    q = width * np.sin(phase) + [0.0, -0.9, 0.5, 0.0, 0.6, 0.0]
    v, a = width * w * np.cos(phase), -width * w**2 * np.sin(phase)
    tau = px.Dynamics(puma).inverse_dynamics(q, v, a)
    names = tuple(joint.name for joint in puma.moving_joints)
    signals = [Signal("q", "rad", names, q), Signal("v", "rad/s", names, v)]
    return puma, Recording(t, [*signals, Signal("tau", "N·m", names, tau)])


warnings.simplefilter("ignore")
with tempfile.TemporaryDirectory() as profile:
    options = webdriver.ChromeOptions()
    for flag in (*FLAGS.split(), f"--user-data-dir={profile}"):
        options.add_argument(flag)
    browser = webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))
    for name, (model, q) in MACHINES.items():
        with Viewer(find_model(model), port=0) as viewer:
            if q is not None:
                viewer.show(q)
            take(browser, viewer, name)
    with Viewer(px.library.puma560(), port=0, drag="tool") as viewer:
        viewer.show([0.4, 0.3, 0.4, 0.0, 0.6, 0.0])
        take(browser, viewer, "viewer_drag")
    puma, recording = weaving_arm()
    with Viewer(puma, port=0, sliders=False) as viewer, Replay(viewer, recording) as replay:
        replay.playback.seek(2.2)
        take(browser, viewer, "viewer_replay")
    browser.quit()
