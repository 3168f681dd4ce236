"""What a page shows is what its command prints: both come from one result."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from . import test_compare_chains, test_compare_loops
from .test_outputs import WRITING, option

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
    "array puma560 --kind logarithmic --samples 8 --page": {
        "latency": lambda data: data["latency"],
        "a set every": lambda data: data["interval"],
        "sets": lambda data: data["sets"],
        "time for these": lambda data: data["time"],
        "sets at a time": lambda data: data["sets_at_a_time"],
        "operators": lambda data: sum(sum(of.values()) for of in data["operators"].values()),
        "numbers in buffers": lambda data: data["words_stored"],
    },
    "array puma560 --single --samples 3 --page": {
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
    (printed,) = re.findall(
        r"^time +(\S+) (\S+); on one node .*: speedup (\S+)$", said, re.MULTILINE
    )
    assert agrees(f"{printed[0]} {printed[1]}", float(time.split()[0]) * UNITS[time.split()[1]])
    assert agrees(speedup, float(printed[2]))


def test_a_page_of_an_array_with_fewer_samples_than_passed_says_so(run, tmp_path):
    said = run("array", "double_pendulum", "--samples", "20", "--page", "page.html").stderr
    page = shown(tmp_path / "page.html")
    (sets, time), *_ = re.findall(r"(\d+) of 20 samples, in (\d+) Flops", said)
    assert page["sets"] == sets and page["time for these"] == f"{time} Flops"


# what else commands write for people, and the test that compares it with what they print; each
# stands beside the others in PAGES
OTHER_PAGES = {
    "simulate --report": "test_a_report_shows_what_the_run_prints",
    "sweep report --to": "test_a_report_of_a_sweep_shows_what_its_status_says",
    "trajectory --plot": "test_torques_of_a_picture_have_the_peaks_of_the_table",
    "schedule --plot": "test_a_picture_of_speedups_has_those_of_the_plans",
    "bench --plot": "test_bars_of_a_benchmark_are_its_numbers",
    "compare-loops --plot": "test_compare_loops.test_json_and_picture",
    "compare-loops --figures": "test_compare_loops.test_figures",
    "compare-chains --plot": "test_compare_chains.test_curves_are_the_counts_of_the_tables",
}
NO_NUMBERS = {"info --picture", "simulate --animation"}  # pictures of machines
FOR_PROGRAMS = {
    *("simulate --record", "sweep replay --record", "cosimulate --record", "rollout --output"),
    *("evaluate --output", "trajectory --save", "identify --excite", "schedule --save"),
    *("schedule --json", "bench --json", "export --to", "export --urdf"),
}


def test_every_page_is_compared_with_what_its_command_prints():
    """Who adds a page, a report or a picture of numbers says here how the two are compared."""
    written = {f"{command} {option(command, name)}" for command, name, _ in WRITING}
    pages = {f"{line.split()[0]} {line.split()[-1]}" for line in PAGES}
    assert written == pages | OTHER_PAGES.keys() | NO_NUMBERS | FOR_PROGRAMS
    here = {"test_compare_loops": test_compare_loops, "test_compare_chains": test_compare_chains}
    for test in OTHER_PAGES.values():
        module, _, name = test.rpartition(".")
        assert callable(vars(here[module])[name] if module else globals()[name])


def rows_of(page: Path) -> dict[str, str]:
    """The tables of a report: what stands in the second column, by the first."""
    text = page.read_text(encoding="utf-8")
    rows = re.findall(r'<tr><th scope="row">(.*?)</th><td[^>]*>(.*?)</td></tr>', text)
    return {unescape(name): unescape(value) for name, value in rows}


@pytest.mark.parametrize("scenario", ["puma-pd", "excavator-resolved"])
def test_a_report_shows_what_the_run_prints(run, tmp_path, scenario):
    said = run("simulate", scenario, "--duration", "0.1", "--report", "out").stdout
    page = rows_of(tmp_path / "out" / "report.html")
    assert f"at {page['final time'].removesuffix(' s')} s" in said
    *_, balance = said.partition("balance:\n")
    lines = [re.split(r"  +", line.strip()) for line in balance.splitlines() if line.endswith(" J")]
    assert len(lines) > 3
    for *named, value in lines:
        assert page[": ".join(named)] == value
    # words after the balance: its error, and what the machine itself has to say
    others = [line.partition(": ") for line in balance.splitlines() if ": " in line]
    assert len(others) == {"puma-pd": 1, "excavator-resolved": 6}[scenario]
    for name, _, value in others:
        name = name.replace("integration error", "integration error in energy")
        assert page[name] == value


def test_a_report_of_a_sweep_shows_what_its_status_says(run, tmp_path):
    pytest.importorskip("zarr")
    (tmp_path / "study.toml").write_text(
        'keep = ["cost"]\n[run]\nkind = "rollout"\nmodel = "double_pendulum"\nsteps = 5\n'
        'step = 0.01\nq0 = [0.3, 0.1]\nobjective = "distance"\ntarget = [0.0, 0.0]\n'
        '[vary]\nkind = "grid"\n[vary.values]\n"v0.shoulder" = [0.5, 1.0, 1.5]\n'
    )
    run("sweep", "study.toml", "--to", "out.zarr")
    run("sweep", "report", "out.zarr", "--to", "page.html")
    status = json.loads(run("sweep", "status", "out.zarr", "--json").stdout)
    page = rows_of(tmp_path / "page.html")
    assert int(page["cases"]) == status["cases"] == 3
    assert page["done"] == f"{status['done']} of {status['cases']}"
    assert int(page["failed"]) == status["failed"]
    said = run("sweep", "status", "out.zarr").stdout
    assert page["done"] in said and f"{page['made by']}, seed {page['seed']}" in said


def test_torques_of_a_picture_have_the_peaks_of_the_table(run, drawn):
    line = "trajectory puma560 --demo --step 0.01 --plot out.svg --json"
    peaks = json.loads(run(*line.split()).stdout)["peaks"]
    (figure,) = drawn
    assert len(figure.axes) == 1 + len(peaks)
    for axes, peak in zip(figure.axes[1:], peaks, strict=True):
        assert axes.get_ylabel().startswith(peak["joint"])
        time, torque = axes.lines[0].get_data()
        assert np.abs(torque).max() == abs(peak["torque"])
        assert time[np.abs(torque).argmax()] == peak["time"]


def test_a_picture_of_speedups_has_those_of_the_plans(run, drawn):
    line = "schedule puma560 --processors 1-3 --computer 8086 --tasks streamlined --plot out.svg"
    plans = json.loads(run(*line.split(), "--json", "-").stdout)["plans"]
    ((left, right),) = (figure.axes for figure in drawn)
    (planned,) = (line for line in left.lines if line.get_label() == "planned")
    assert planned.get_xdata().tolist() == [plan["processors"] for plan in plans]
    assert planned.get_ydata().tolist() == [plan["speedup"] for plan in plans]
    percent = right.lines[left.lines.index(planned)].get_ydata()
    assert percent == pytest.approx([100 * plan["efficiency"] for plan in plans], rel=1e-12)


def test_bars_of_a_benchmark_are_its_numbers(run, drawn, tmp_path, monkeypatch):
    from phalanx.bench.clock import TimingEffort

    monkeypatch.setattr("phalanx.bench.run.QUICK", TimingEffort(turn=1e-4, rounds=2))
    line = "bench double_pendulum --quick --no-peers --no-startup --json out.json --plot out.svg"
    spoken = [line.split() for line in run(*line.split()).stdout.splitlines()]
    rows = json.loads((tmp_path / "out.json").read_text())["rows"]
    (axes,) = drawn[0].axes
    bars = sorted(bar.get_width() for bar in axes.patches if bar.get_width())
    timed = ("batched", "large_all_threads", "one")
    assert bars == sorted(row[name]["best"] for row in rows for name in timed)
    for row in rows:
        (printed,) = (words for words in spoken if words[:1] == [row["quantity"]])
        assert agrees(" ".join(printed[2:4]), 1e-9 * row["one"]["best"])
