"""Makes the pictures of ``docs/hardware.md`` (needs chromium and chromedriver)."""

import io
import runpy
import shutil
import tempfile
import time
from contextlib import chdir
from pathlib import Path

from PIL import Image
from selenium import webdriver

import phalanx as px
from phalanx import hardware

HERE = Path(__file__).parent
EXAMPLE = HERE.parents[1] / "examples" / "16_systolic_array.py"
FLAGS = "--headless=new --no-sandbox --disable-gpu --window-size=1300,900"
MOMENT = 24  # Flops from the beginning, when sets are everywhere


def button(browser, text):
    """The button of the page that says so."""
    return next(one for one in browser.find_elements("css selector", "button") if one.text == text)


hardware.operator_array(px.library.puma560()).space_time(HERE / "linear_array.png", sets=6)
with tempfile.TemporaryDirectory() as folder, chdir(folder):
    runpy.run_path(str(EXAMPLE))
    shutil.copy("out/16_systolic_array.png", HERE / "systolic_array.png")
    options = webdriver.ChromeOptions()
    for flag in (*FLAGS.split(), f"--user-data-dir={folder}/profile"):
        options.add_argument(flag)
    browser = webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))
    browser.get(f"file://{folder}/out/16_array.html")
    time.sleep(1)
    button(browser, "Array").click()
    for _ in range(MOMENT):
        button(browser, "Step").click()
    time.sleep(1)
    picture = Image.open(io.BytesIO(browser.get_screenshot_as_png()))
    browser.quit()
picture.convert("RGB").save(HERE / "array_page.png", optimize=True)
