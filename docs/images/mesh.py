"""Makes the pictures of ``docs/mesh.md`` (needs chromium and chromedriver)."""

import io
import shutil
import tempfile
import time
from pathlib import Path

import numpy as np
from PIL import Image
from selenium import webdriver

import phalanx as px
from phalanx import multiprocessor as mp
from phalanx.hardware import mesh as tm
from phalanx.studies.wong.mesh_figure import where_a_mesh_pays

HERE = Path(__file__).parent
FLAGS = "--headless=new --no-sandbox --disable-gpu --window-size=1250,900"
STEP = 12  # a cycle in which all phases but the last are under way

tasks = tm.mesh_evaluation(px.library.cat215b())
state = np.array([0.1, 0.5, -1.2, -0.5]), np.array([0.2, -0.1, 0.3, 0.1]), np.zeros(4)
made = mp.plan_at_work(tasks.plan(tm.CYCLES), state, tasks.shape.positions)
with tempfile.TemporaryDirectory() as folder:
    made.draw(f"{folder}/mesh.html")
    options = webdriver.ChromeOptions()
    for flag in (*FLAGS.split(), f"--user-data-dir={folder}/profile"):
        options.add_argument(flag)
    browser = webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))
    browser.get(f"file://{folder}/mesh.html")
    time.sleep(1)
    for name, view in (("mesh_time", "time"), ("mesh_page", "array")):
        browser.find_element("css selector", f"[data-view={view}]").click()
        if view == "array":
            for _ in range(STEP):
                browser.find_element("id", "forth").click()
        time.sleep(1)
        picture = Image.open(io.BytesIO(browser.get_screenshot_as_png()))
        picture.convert("RGB").save(HERE / f"{name}.png", optimize=True)
    browser.quit()

machines = [px.library.cat215b(), px.library.puma600(), px.library.torso()]
where_a_mesh_pays(machines).savefig(HERE / "mesh_pays.png", dpi=110)
