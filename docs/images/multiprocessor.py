"""Makes the pictures of ``docs/multiprocessor.md`` (needs chromium and chromedriver)."""

import io
import runpy
import shutil
import tempfile
import time
from pathlib import Path

from PIL import Image
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

import phalanx as px
from phalanx import hardware
from phalanx import multiprocessor as mp

HERE = Path(__file__).parent
FLAGS = "--headless=new --no-sandbox --disable-gpu --window-size=1180,800"
CHOSEN = "426"  # a task to click on
SHOWN = "3.T8"  # a task to look for


def keep(picture, name):
    """Save with all colours: fewer would turn one link into another."""
    picture.convert("RGB").save(HERE / f"{name}.png", optimize=True)


with tempfile.TemporaryDirectory() as folder:
    tasks = mp.streamlined_tasks(px.library.puma560())
    mp.schedule(tasks, mp.intel_8086(2), mp.layered).gantt(f"{folder}/two.png")
    keep(Image.open(f"{folder}/two.png"), "gantt_two_processors")

    mp.schedule(tasks, mp.intel_8086(6), mp.layered).gantt(f"{folder}/plan.html")
    options = webdriver.ChromeOptions()
    for flag in (*FLAGS.split(), f"--user-data-dir={folder}/profile"):
        options.add_argument(flag)
    browser = webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))
    browser.get(f"file://{folder}/plan.html")
    time.sleep(1)
    x, y = browser.execute_script("return gantt.placeOf(arguments[0])", CHOSEN)
    click = ActionChains(browser)
    click.w3c_actions.pointer_action.move_to_location(int(x), int(y)).click()
    click.perform()
    time.sleep(1)
    keep(Image.open(io.BytesIO(browser.get_screenshot_as_png())), "gantt_page")

    array = hardware.linear_array(mp.vector_tasks(px.library.puma560()))
    array.space_time(f"{folder}/array.html")
    browser.set_window_size(1300, 1000)
    browser.get(f"file://{folder}/array.html")
    time.sleep(1)
    browser.find_element("id", "find").send_keys(SHOWN, Keys.ENTER)
    browser.find_element("id", "find").clear()
    browser.find_element("id", "find").send_keys(" ", Keys.BACKSPACE)  # all is found again
    time.sleep(1)
    keep(Image.open(io.BytesIO(browser.get_screenshot_as_png())), "space_time_page")
    browser.quit()

runpy.run_path(str(HERE.parents[1] / "examples" / "09_second_processor.py"))
keep(Image.open("out/09_second_processor.png"), "second_processor")
