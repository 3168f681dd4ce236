"""What a page shows is what its command prints: both come from one result."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import pytest

UNITS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "%": 1e-2}
# command line, and for each number of the page the one of --json
PAGES: dict[str, dict[str, Callable[[Any], float]]] = {
    "mesh cat215b --page": {
        "time": lambda data: data["makespan"],
        "on one processor": lambda data: data["serial_time"],
        "speed-up": lambda data: data["speedup"],
        "processors": lambda data: data["nodes"] + 1,
        "at work": lambda data: data["utilization"],
        "tasks": lambda data: data["tasks"],
        "messages": lambda data: data["messages"],
        "numbers sent": lambda data: data["words_sent"],
    },
    "array puma560 --kind logarithmic --sets 8 --page": {
        "latency": lambda data: data["latency"],
        "a set every": lambda data: data["interval"],
        "sets": lambda data: data["sets"],
        "time for these": lambda data: data["time"],
        "sets at a time": lambda data: data["sets_at_a_time"],
        "operators": lambda data: sum(sum(of.values()) for of in data["operators"].values()),
        "numbers in buffers": lambda data: data["words_stored"],
    },
    "array puma560 --single --sets 3 --page": {
        "latency": lambda data: data["latency"],
        "a set every": lambda data: data["interval"],
        "time for these": lambda data: data["time"],
        "numbers in buffers": lambda data: data["words_stored"],
    },
    "systolic-solve --size 6 --page": {
        "cells": lambda data: data["cells"],
        "ticks": lambda data: data["cycles"],
    },
    "schedule puma560 --processors 4 --computer 8086 --tasks streamlined --gantt": {
        "makespan": lambda data: data["plans"][0]["makespan"],
        "speed-up": lambda data: data["plans"][0]["speedup"],
        "efficiency": lambda data: data["plans"][0]["efficiency"],
        "utilisation": lambda data: data["plans"][0]["utilization"],
        "tasks": lambda data: data["tasks"],
        "critical path": lambda data: data["critical_path"],
    },
}


def shown(page: Path) -> dict[str, str]:
    text = page.read_text(encoding="utf-8")
    facts = re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", text)
    return {unescape(name): unescape(value) for name, value in facts}


def agrees(text: str, number: float) -> bool:
    """Whether a text is that number, to the digits that it has."""
    digits, _, unit = text.replace(",", "").partition(" ")
    scale = UNITS.get(unit, 1.0)
    places = len(digits.partition("e")[0].partition(".")[2])
    return abs(float(digits) - number / scale) <= 0.501 * 10.0**-places


@pytest.mark.parametrize(("line", "facts"), PAGES.items())
def test_a_page_shows_what_the_command_prints(run, tmp_path, line, facts):
    said = ["--json", "-"] if line.startswith("schedule") else ["--json"]
    data = json.loads(run(*line.split(), "page.html", *said).stdout)
    page = shown(tmp_path / "page.html")
    for name, value in facts.items():
        assert agrees(page[name], value(data)), (name, page[name], value(data))


def test_a_mesh_prints_the_time_of_its_page(run, tmp_path):
    said = run("mesh", "cat215b", "--page", "page.html").stdout
    time, speedup = (shown(tmp_path / "page.html")[name] for name in ("time", "speed-up"))
    (printed,) = re.findall(r"^time +(\S+) (\S+); one node .*, (\S+) times$", said, re.MULTILINE)
    assert agrees(f"{printed[0]} {printed[1]}", float(time.split()[0]) * UNITS[time.split()[1]])
    assert agrees(speedup, float(printed[2]))
