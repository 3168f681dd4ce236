from __future__ import annotations

import json
import re

import pytest

import phalanx as px
from phalanx.hardware.mesh import T800, mesh_evaluation


def test_the_lines_are_what_the_plan_is(run):
    text = run("mesh", "cat215b").stdout
    plan = mesh_evaluation(px.library.cat215b()).plan(T800)
    assert "mesh              4 columns, 14 nodes and the interface, 25 links" in text
    assert f"messages          {len(plan.messages)} with {plan.words_sent} numbers" in text
    assert re.search(r"numbers, one link each; 9\d % of their time overlaps", text)
    error = re.search(r"error +(\S+) of the largest acceleration", text)
    assert error and float(error[1]) < 1e-12
    assert re.search(r"moving sums +41\.5 µs", text)


@pytest.mark.parametrize("variant", ["recompute", "pass"])
def test_as_data(run, variant):
    words = ("--costs", "cycles", "--variant", variant, "--seed", "3", "--json")
    data = json.loads(run("mesh", "torso", *words).stdout)
    assert (data["columns"], data["nodes"], data["buses"]) == (6, 27, True)
    assert data["variant"] == variant and data["unit"] == "cycles"
    assert data["error"] < 1e-12
    assert sum(part["time"] for part in data["exposed"]) == pytest.approx(data["makespan"])


def test_a_step(run):
    words = ("--step", "0.01", "--costs", "cycles", "--json")
    step = json.loads(run("mesh", "double_pendulum", *words).stdout)
    one = json.loads(run("mesh", "double_pendulum", *words[2:]).stdout)
    assert step["error"] < 1e-12
    assert 3 * one["makespan"] < step["makespan"] < 5 * one["makespan"]
    assert {part["phase"] for part in step["exposed"]} >= {"pipelines", "integration"}


def test_messages_without_overlap(run):
    words = ("mesh", "double_pendulum", "--costs", "t800-measured", "--json")
    beside = json.loads(run(*words).stdout)
    held = json.loads(run(*words, "--blocking").stdout)
    assert held["makespan"] > beside["makespan"] and held["error"] < 1e-12
    assert held["messages"] == beside["messages"]


def test_like_for_like(run):
    text = run("mesh", "cat215b", "--like-for-like").stdout
    # (630 x, 484 +) without actuators
    assert "like for like: 872 µs by the serial count" in text
    for name in ("messages for nothing", "messages beside the work", "messages hold the nodes"):
        assert name in text
    data = json.loads(run("mesh", "cat215b", "--like-for-like", "--step", "0.01", "--json").stdout)
    nothing, beside, held = data["like_for_like"]
    assert nothing["mesh"] < beside["mesh"] < held["mesh"]
    assert beside["mesh"] == pytest.approx(data["makespan"] / 4)
    assert beside["speedup"] == pytest.approx(872e-6 / beside["mesh"])


def test_loops_and_hydraulics(run):
    words = ("mesh", "five_bar", "--independent", "left_drive,left_elbow", "--json")
    data = json.loads(run(*words).stdout)
    assert (data["columns"], data["rows"]) == (4, 2) and data["error"] < 1e-12
    words = ("--step", "0.001", "--hydraulics", "cylinders", "--costs", "cycles")
    text = run("mesh", "cat215b_cylinders", *words).stdout
    assert "6 columns, 4 rows, 31 nodes and the interface" in text and "a row above row 0" in text
    error = re.search(r"error +(\S+) of the largest acceleration", text)
    assert error and float(error[1]) < 1e-12
    words = ("--step", "0.01", "--hydraulics", "rotary", "--like-for-like", "--json")
    rotary = json.loads(run("mesh", "cat215b", *words).stdout)
    assert rotary["error"] < 1e-12
    assert rotary["like_for_like"][1]["speedup"] == pytest.approx(3.49, abs=0.005)


def test_a_page(run, tmp_path):
    result = run("mesh", "double_pendulum", "--page", "mesh.html", "--unbalanced")
    text = (tmp_path / "mesh.html").read_text()
    assert "moving sums" in text and r"(1,1) \u2192 (1,2), wire" in text
    assert "Diagram written to mesh.html" in result.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("five_bar",), "on a mesh they come before all others"),
        (("four_bar", "--variant", "pass"), "variant 'pass' of the moving sums is for trees"),
        (("cat215b", "--hydraulics", "rotary"), "--hydraulics are integrated in a step"),
        (("puma600", "--columns", "4"), "has 6 freedoms for 4 columns; joint 'link_5_hinge' has"),
        (("puma600", "--columns", "0"), "Invalid value for '--columns'"),
        (("puma600", "--costs", "t900"), "'t900' is not one of 'cycles', 't800'"),
        (("puma600", "--variant", "guess"), "'guess' is not one of 'recompute', 'pass'"),
        (("puma600", "--step", "-1"), "a step of -1.0 s; it must be positive"),
        (("puma600", "--page", "mesh.txt"), "its suffix must be one of .html"),
        (("double_pendulum", "--ranks", "7"), "7"),
        (("torso", "--like-for-like"), "'torso' is no chain of hinges"),
        (("puma600", "--like-for-like", "--costs", "cycles"), "give every task one time"),
    ],
)
def test_what_cannot_be_is_told(run, words, message):
    result = run("mesh", *words, code=2)
    shown = re.sub(r"[│\s]+", " ", result.stderr)  # usage errors come in a box
    assert message in shown
