from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pytest

from phalanx.cli import serving

LIMITS = "97.6,186.4,89.4,24,20,21"
WEAK = "50,100,89,24,20,21"


def facts(run, *words):
    return json.loads(run("trajectory", *words, "--json").stdout)


def test_a_demo_within_its_limits(run):
    text = run("trajectory", "puma560", "--demo", "--torque-limit", LIMITS).stdout
    assert "3,001 rows at 0.001 s, 3 s long" in text
    assert "All limits are kept." in text
    row = next(line.split() for line in text.splitlines() if line.startswith("joint_2"))
    assert row[2] == "-186.4" and row[3].endswith("%")


def test_violations_are_listed_with_their_time(run):
    text = run("trajectory", "puma560", "--demo", "--torque-limit", WEAK).stdout
    assert "3 beyond limits:" in text
    assert "joint_1: torque -65.53 is 15.5 below -50 at 2.4 s" in text
    assert "Uniform scaling: at most 0.8735 times as fast, 12.7% slower" in text


@pytest.mark.parametrize("scale", ["uniform", "optimal"])
def test_a_path_is_made_possible_saved_and_read_again(run, scale, tmp_path):
    if scale == "optimal":
        pytest.importorskip("toppra")
    weak = ("puma560", "--torque-limit", WEAK)
    words = ("--demo", "--scale", scale, "--save", "possible.csv", "--plot", "torque.png")
    before, after = facts(run, *weak, "--demo"), facts(run, *weak, *words)
    assert before["violations"] and not after["violations"]
    assert (tmp_path / "torque.png").stat().st_size > 5000
    # the saved rows are the same path, also where accelerations jump
    again = facts(run, *weak, "possible.csv")
    assert again["rows"] == after["rows"]
    for one, other in zip(again["peaks"], after["peaks"], strict=True):
        assert one["torque"] == pytest.approx(other["torque"], rel=1e-6)


def test_facts_for_programs(run):
    found = facts(run, "puma560", "--demo", "--step", "0.01")
    assert (found["machine"], found["rows"], found["step"]) == ("puma560", 301, 0.01)
    assert found["peaks"][5]["limit"] is None  # no limit is known
    assert np.isfinite(found["peaks"][5]["torque"])


def test_the_range_and_the_limits_of_a_model(run, pendulum, tmp_path):
    (tmp_path / "path.csv").write_text("time,hinge [deg]\n0,-50\n0.2,50\n1,0\n")
    found = facts(run, str(pendulum), "path.csv")
    assert {"torque", "velocity"} <= {one["quantity"] for one in found["violations"]}
    (tmp_path / "far.csv").write_text("0,0\n1,1.5\n")
    text = run("trajectory", str(pendulum), "far.csv", code=2).stderr
    assert "far.csv: line 2: joint 'hinge' is at 1.5, 0.5 outside of its range -1 to 1" in text


@pytest.mark.parametrize("curve", ["cubic", "quintic", "trapezoid", "blends"])
def test_points_without_times_are_passed_within_limits(run, curve, tmp_path):
    (tmp_path / "points.csv").write_text(
        "joint_2 [deg],joint_1,joint_3,joint_4,joint_5,joint_6\n"
        "0,0,0,0,0,0\n30,0.4,0,0.1,0.2,0\n-20,0.8,0.3,0.1,0,0\n"
    )
    limits = ("--velocity-limit", "0.8", "--acceleration-limit", "2,2,2,2,2,3")
    words = ("puma560", "--through", "points.csv", "--curve", curve, *limits)
    facts(run, *words, "--save", "rows.csv")
    table = np.genfromtxt(tmp_path / "rows.csv", delimiter=",", skip_header=1)
    q, v, a = table[:, 1:7], table[:, 7:13], table[:, 13:19]
    assert 0.5 < np.abs(v).max() <= 0.8 + 1e-9
    assert 1.0 < np.abs(a[:, :5]).max() <= 2 + 1e-9
    np.testing.assert_allclose(q[-1, :3], [0.8, np.deg2rad(-20), 0.3], atol=1e-6)
    (tmp_path / "points.csv").write_text("0,0,0,0,0,0,0\n1,1,1,1,1,1,1\n")
    text = run("trajectory", *words, code=2).stderr
    assert "7 columns; expected 6" in text and "A file with times is a path of its own" in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("puma560",), "needs a file with a path, --through or --demo; none"),
        (("puma560", "x.csv", "--demo"), "several were given"),
        (("puma560", "x.csv"), "No such file"),
        (("puma560", "--demo", "--torque-limit", "1,2"), "--torque-limit has 2 numbers"),
        (("puma560", "--demo", "--torque-limit", "-5"), "expected a positive number"),
        (("puma560", "--demo", "--torque-limit", "x"), "expected numbers"),
        (("puma560", "--demo", "--step", "0"), "positive time"),
        (("puma560", "--demo", "--step", "10"), "expected at least one"),
        (("puma560", "--demo", "--step", "1e-9"), "fewer than"),
        (("puma560", "--demo", "--save", "x.txt"), "suffix"),
        (("puma560", "--demo", "--edit", "--json"), "choose one"),
        (("puma560", "--demo", "--scale", "uniform", "--torque-limit", "20"), "gravity alone"),
        (("puma560", "--demo", "--curve", "blends"), "chooses its own times"),
        (("puma560", "--demo", "--velocity-limit", "1"), "choose times of --through"),
        (("puma560", "--through", "x.csv"), "give --acceleration-limit"),
        (("puma560", "--through", "x.csv", "--edit"), "points that have times"),
        (("double_pendulum", "--demo", "--scale", "uniform"), "nothing limits the speed"),
        (("four_bar", "--demo"), "closed loops"),
        (("double_pendulum", "--demo", "--floating-base"), "is floating"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(run, words, said):
    assert said in run("trajectory", *words, code=2).stderr


def test_the_page_is_opened(run, monkeypatch, tmp_path):
    pytest.importorskip("viser")

    def interrupted():
        raise KeyboardInterrupt  # as a person ends it

    event = SimpleNamespace(wait=interrupted)
    monkeypatch.setattr(serving, "threading", SimpleNamespace(Event=lambda: event))
    words = ("puma560", "--edit", "--port", "0", "--no-open")
    assert "puma560 at http://127.0.0.1:" in run("trajectory", *words, "--demo").stdout
    run("trajectory", "puma560", "--demo", "--save", "rows.csv")
    said = run("trajectory", *words, "rows.csv").stderr
    assert "3,001 points were reduced to" in said and "changes by at most" in said
