"""``phalanx chip``: torques, formats, buses, faults, and what can be wrong."""

from __future__ import annotations

import json

import pytest


def test_torques_come_out_right(run):
    text = run("chip", "puma560", "--samples", "2").stdout
    lines = {line.split()[0]: line.split() for line in text.splitlines() if line.split()}
    assert "inverse dynamics of puma560 on chips, linear" in text
    assert lines["cycle"][1] == "4" and lines["latency"][1] == "62"
    assert float(lines["double"][3]) < 1e-14


def test_formats_are_compared(run):
    text = run("chip", "double_pendulum", "--formats", "--kind", "logarithmic").stdout
    rows = [line.split() for line in text.splitlines()]
    errors = {
        row[0].split(".")[0]: float(row[2]) for row in rows if len(row) == 4 and ":" in row[0]
    }
    assert list(errors) == [f"fixed:{width}" for width in range(16, 41, 4)]
    assert errors["fixed:40"] < errors["fixed:28"] < errors["fixed:16"]


def test_fewer_chips_take_longer(run):
    found = [
        json.loads(run("chip", "puma560", "--samples", "1", "--period", period, "--json").stdout)
        for period in ("1", "4", "0")
    ]
    chips, intervals = ([f[key] for f in found] for key in ("chips", "interval"))
    assert chips == sorted(chips, reverse=True) and intervals[:2] == [4, 16]
    assert all(f["formats"][0]["relative"] < 1e-14 for f in found)


def test_joints_that_are_held_leave_a_chain(run):
    words = ("--samples", "1", "--json")
    held = json.loads(run("chip", "chain:3", "--lock", "joint_3", *words).stdout)
    two = json.loads(run("chip", "chain:2", *words).stdout)
    assert held["chips"] == two["chips"] and held["formats"][0]["relative"] < 1e-14


def test_faults_and_buses_for_programs(run):
    words = ("--format", "fixed:32", "--faults", "2", "--bus", "--seed", "3", "--json")
    found = json.loads(run("chip", "double_pendulum", *words).stdout)
    assert found["spares"] == 2 and found["packets"] == 2 * (found["chips"] - 2)
    assert found["bus"]["least_cycle"] <= found["cycle"]
    assert len(found["bus"]["usage"]) == found["bus"]["tiers"]
    (row,) = found["formats"]
    assert row["words"].startswith("fixed:32.") and 0 < row["relative"] < 1e-5
    faults = found["faults"]
    assert faults["survived"] and len(faults["injected"]) == 2
    assert faults["wrong_sets"] < faults["sets"] - faults["sweep"]
    for fault in faults["injected"]:
        assert fault["reported"] == (fault["found_after"] is not None)


def test_faults_and_buses_for_people(run):
    text = run("chip", "double_pendulum", "--faults", "1", "--bus", "--seed", "2").stdout
    assert "mostly-local bus" in text and "1 of them spare" in text
    assert "1 faults, 1 found, survived" in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("double_pendulum", "--kind", "lineer"), "lineer"),
        (("double_pendulum", "--format", "fixed"), "no number format 'fixed'"),
        (("double_pendulum", "--format", "fixed:12"), "expected 16 to 128"),
        (("double_pendulum", "--format", "fixed:16.14"), "does not fit into fixed:16.14"),
        (("double_pendulum", "--faults", "-1"), "--faults"),
        (("double_pendulum", "--samples", "0"), "--samples"),
        (("chain:1", "--faults", "60"), "60 chains of"),
        (("double_pendulum", "--period", "2", "--bus"), "leave out the bus"),
        (("four_bar",), "loop 'pin' closes it; vector tasks are of trees. Take the tree alone"),
        (("double_pendulum", "--lock", "knee"), "has no joint 'knee'"),
    ],
)
def test_what_can_be_wrong(run, words, said):
    assert said in " ".join(run("chip", *words, code=2).stderr.split())
