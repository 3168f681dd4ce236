"""The cockpit as a person has it: the command, a browser, a minute of driving; and a long soak.

    python benchmarks/cockpit.py [--seconds 60] [--machine cylinders|rotary] [--ground loam|none]
    python benchmarks/cockpit.py --soak 600

The first starts ``phalanx excavator`` and opens its page in headless Chromium. Keys are pressed and
let go all the time. It reports the share of missed deadlines at 1 kHz after the page is open, how
often the page draws and hears from the machine, and the time from a key to motion: from a stroke in
the page to the first telemetry in which a joint moves, on the page's own clock.

The second lets a page come and go every five seconds and looks at the memory of the process and at
the machine's clock: memory should stay flat, and the machine never stall.

Chromium draws without a graphics card here and takes most of the processors; a real one is easier.
Needs the extra `view`, selenium, chromium and chromedriver.
"""

from __future__ import annotations

import argparse
import itertools
import json
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which
from typing import Any
from urllib.parse import urlsplit

MISSED, DISPLAY, LATENCY, GROWTH = 0.01, 20.0, 0.100, 0.05

# a listener beside the page's own, and keys that the page takes for a person's
LISTEN = """
window.heard = {count: 0, last: null, first: performance.now(), drawn: 0, moved: null};
const draw = () => { window.heard.drawn += 1; requestAnimationFrame(draw); };
requestAnimationFrame(draw);
window.ear = new WebSocket(`ws://${location.host}/socket`);
window.ear.onmessage = (event) => {
  const message = JSON.parse(event.data);
  if (message.type !== "telemetry") return;
  window.heard.count += 1;
  window.heard.last = message;
  if (window.watch && Math.abs(message.rates[window.watch.joint]) > window.watch.above) {
    window.heard.moved = performance.now() - window.watch.since;
    window.watch = null;
  }
};
"""
PRESS = """
const [key, joint, above] = arguments;
window.heard.moved = null;
window.watch = {joint, above, since: performance.now()};
const code = "Key" + key.toUpperCase();
document.dispatchEvent(new KeyboardEvent("keydown", {key, code, bubbles: true}));
"""
RELEASE = """
const [key] = arguments;
const code = "Key" + key.toUpperCase();
document.dispatchEvent(new KeyboardEvent("keyup", {key, code, bubbles: true}));
"""


def main() -> int:
    """Measure; the exit code says whether all was as promised."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--soak", type=float, help="seconds of pages that come and go")
    parser.add_argument("--machine", default="cylinders")
    parser.add_argument("--ground", default="loam")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with excavator(options.machine, options.ground) as (process, url), browser() as page:
        if options.soak:
            facts, passed = soak(process, url, page, options.soak)
        else:
            facts, passed = live(url, page, options.seconds)
    for name, value in facts.items():
        print(f"{name:<42} {value}")
    print("as promised" if passed else "NOT as promised")
    if options.json:
        options.json.write_text(json.dumps(facts, indent=2))
    return 0 if passed else 1


def live(url: str, page: Any, seconds: float) -> tuple[dict[str, str], bool]:
    """Drive for a while."""
    page.get(url)
    wait_for(lambda: page.find_element("id", "link").get_attribute("data-state") == "open", 30)
    if page.find_element("id", "take").is_displayed():
        page.find_element("id", "take").click()
    wait_for(lambda: page.find_element("id", "seat").text == "You drive", 30)
    page.execute_script(LISTEN)
    wait_for(lambda: page.execute_script("return window.heard.last"), 10)
    time.sleep(5.0)  # shapes are being drawn for the first time
    before = page.execute_script("return window.heard")
    started, delays = time.monotonic(), []
    for key in itertools.cycle("wsad"):
        if time.monotonic() - started >= seconds:
            break
        joint = 2 if key in "ws" else 0
        page.execute_script(PRESS, key, joint, 0.01)
        moved = wait_for(lambda: page.execute_script("return window.heard.moved"), 5)
        delays.append(moved / 1e3)
        time.sleep(0.3)
        page.execute_script(RELEASE, key)
        time.sleep(0.7)  # until it stands still
    after = page.execute_script("return window.heard")
    elapsed = after["last"]["time"] - before["last"]["time"]
    missed = missed_between(before["last"], after["last"])
    wall = time.monotonic() - started
    told = (after["count"] - before["count"]) / wall
    drawn = (after["drawn"] - before["drawn"]) / wall
    worst, usual = max(delays), statistics.median(delays)
    facts = {
        "machine time over clock time": f"{elapsed / wall:.4f}",
        f"missed deadlines (at most {MISSED:.0%})": f"{missed:.2%}",
        "step, median and 99 of 100 [µs]": f"{after['last']['step_median'] * 1e6:.0f}, "
        f"{after['last']['step_p99'] * 1e6:.0f}",
        f"postures told a second (at least {DISPLAY:g})": f"{told:.1f}",
        f"pictures drawn a second (at least {DISPLAY:g})": f"{drawn:.1f}",
        f"key to motion, median (at most {LATENCY * 1e3:g} ms)": f"{usual * 1e3:.0f} ms",
        "key to motion, worst": f"{worst * 1e3:.0f} ms of {len(delays)}",
    }
    passed = missed <= MISSED and min(told, drawn) >= DISPLAY and usual <= LATENCY
    return facts, passed


def missed_between(before: dict[str, Any], after: dict[str, Any]) -> float:
    """Share of missed deadlines between two messages; each tells the share since the begin."""
    steps = [message["time"] / message["period"] for message in (before, after)]
    counts = [m["missed_share"] * k for m, k in zip((before, after), steps, strict=True)]
    return max(0.0, counts[1] - counts[0]) / (steps[1] - steps[0])


def soak(process: Any, url: str, page: Any, seconds: float) -> tuple[dict[str, str], bool]:
    """Let a page come and go."""
    memory, stalls, started = [], 0, time.monotonic()
    visits, machine_time = 0, -1.0
    while time.monotonic() - started < seconds:
        page.get(url)
        wait_for(lambda: page.find_element("id", "link").get_attribute("data-state") == "open", 30)
        page.execute_script(LISTEN)
        heard = wait_for(lambda: page.execute_script("return window.heard.last"), 10)
        stalls += heard["time"] <= machine_time
        machine_time = heard["time"]
        time.sleep(5.0)
        page.get("about:blank")
        visits += 1
        memory.append(resident(process.pid))
        if visits % 10 == 0:
            print(f"{time.monotonic() - started:.0f} s: {memory[-1]:.0f} MB", file=sys.stderr)
    # the first visits fill caches
    first = statistics.median(memory[len(memory) // 10 : len(memory) // 10 + 6])
    last = statistics.median(memory[-6:])
    growth = last / first - 1
    facts = {
        "pages that came and went": str(visits),
        "memory at first, at last [MB]": f"{first:.1f}, {last:.1f}",
        f"growth (at most {GROWTH:.0%})": f"{growth:.1%}",
        "visits in which the machine stood still": str(stalls),
    }
    return facts, growth <= GROWTH and stalls == 0


def resident(pid: int) -> float:
    """Memory of a process [MB]."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024


@contextmanager
def excavator(machine: str, ground: str) -> Iterator[tuple[Any, str]]:
    """The command in a process of its own, and where its page is."""
    command = [sys.executable, "-u", "-c", "from phalanx.cli import app; app()", "excavator"]
    command += ["--no-open", "--port", "0", "--machine", machine, "--ground", ground]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        line = process.stdout.readline()
        found = re.search(r"http://\S+", line)
        if not found:
            sys.exit(f"phalanx excavator did not start: {line}")
        yield process, urlsplit(found[0]).geturl()
    finally:
        process.terminate()
        process.wait(20)


@contextmanager
def browser() -> Iterator[Any]:
    """Headless Chromium."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = which("chromium") or which("google-chrome") or ""
    flags = "headless=new no-sandbox disable-gpu use-gl=angle use-angle=swiftshader"
    flags += " enable-unsafe-swiftshader disable-background-networking disable-dev-shm-usage"
    for flag in (*flags.split(), "window-size=1280,850"):
        options.add_argument(f"--{flag}")
    driver = webdriver.Chrome(options=options, service=Service(which("chromedriver")))
    try:
        yield driver
    finally:
        driver.quit()


def wait_for(condition: Any, seconds: float) -> Any:
    """What a condition gives once it is true."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        if time.monotonic() > end:
            sys.exit(f"nothing came of it in {seconds:g} s")
        time.sleep(0.02)
    return found


if __name__ == "__main__":
    sys.exit(main())
