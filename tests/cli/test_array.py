from __future__ import annotations

import json
import re

import pytest

import phalanx as px
from phalanx import hardware
from phalanx.multiprocessor import Kind

MODEL = "double_pendulum"


def rows_of(text: str) -> dict[str, list[int]]:
    """Numbers of the table by the first word of a row."""
    found = {}
    for line in text.splitlines():
        name = re.match(r"(outward|own|inward|readout|all)\b", line)
        if name:
            found[name[1]] = [int(n.replace(",", "")) for n in re.findall(r"[\d,]+", line)]
    return found


def test_the_table_is_what_the_array_is(run):
    text = run("array", MODEL, "--samples", "7").stdout
    array = hardware.operator_array(px.library.double_pendulum())
    assert f"latency           {array.latency:g} Flops, {array.latency_to_wrenches:g} to" in text
    assert "interval          4 Flops from one sample to the next, at least 3;" in text
    assert f"7 samples         {array.time(7):g} Flops" in text
    rows = rows_of(text)
    for direction, counts in array.operators.items():
        *kinds, operators, processors = rows[direction][: len(counts) + 2]
        assert sum(kinds) == operators == counts.total()
        assert processors == array.vector_processors[direction]
    assert rows["all"][-3:] == [62, 62, 60]  # operators, processors, published; 2 × 30 and read-out
    error = re.search(r"error +(\S+) of the largest torque, relative", text)
    assert error and float(error[1]) < 1e-12


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (("--kind", "linear"), "linear array"),
        (("--single",), "wrapped node"),
        (("--kind", "logarithmic", "--network", "kogge-stone"), "prefix tree"),
        (("--kind", "logarithmic", "--single", "--grounded", "--unified"), "wrapped tier"),
    ],
)
def test_every_kind_as_data(run, words, name):
    data = json.loads(run("array", MODEL, *words, "--samples", "3", "--json").stdout)
    assert data["array"] == name
    assert data["kind"] == ("logarithmic" if "logarithmic" in words else "linear")
    assert data["error"] < 1e-12
    assert data["time"] == data["latency"] + 2 * data["interval"]
    assert data["flop_time"] == pytest.approx(1 / (60 * data["interval"]))
    assert set(data["published_processors"]) == {"outward", "own", "inward"}


def test_times_of_operators_and_a_rate_of_ones_own(run):
    words = ("--multiply", "5", "--interval", "9.5", "--padded", "--rate", "1000", "--json")
    data = json.loads(run("array", MODEL, *words).stdout)
    array = hardware.operator_array(
        px.library.double_pendulum(), multiply=5.0, interval=9.5, padded=True
    )
    assert (data["latency"], data["interval"]) == (array.latency, 9.5)
    assert data["flop_time"] == pytest.approx(1 / 9500)


@pytest.mark.parametrize("single", [(), ("--single",)], ids=["systolic", "single"])
def test_pipelined_operators_take_samples_more_often(run, single):
    times = ("--multiply", "5", "--add", "7")
    enters = ("--multiply-interval", "1", "--add-interval", "2")
    slow, fast = (
        json.loads(run("array", MODEL, *single, *times, *words, "--json").stdout)
        for words in ((), enters)
    )
    assert (slow["pipelined"], fast["pipelined"]) == (False, True)
    assert slow["interval"] == (slow["latency"] if single else 26)
    assert fast["interval"] == fast["least_interval"] == (4 if single else 2)  # two joints
    assert fast["latency"] >= slow["latency"]
    assert max(slow["error"], fast["error"]) < 1e-12
    assert fast["multipliers"] == slow["multipliers"]
    assert fast["adders"] > slow["adders"]
    text = run("array", MODEL, *single, *times, *enters).stdout
    assert f"{fast['multipliers']:,} multipliers and {fast['adders']:,} adders" in text


def test_a_page(run, tmp_path):
    words = ("--kind", "logarithmic", "--page", "array.html", "--samples", "3")
    result = run("array", MODEL, *words)
    text = (tmp_path / "array.html").read_text()
    assert "outward tier 1, 1" in text
    assert "Diagram of 3 of 3 samples, in 39 Flops, written to array.html" in result.stderr


def test_joints_that_are_held(run):
    words = ("array", "torso", "--kind", "logarithmic", "--unified")
    refused = " ".join(run(*words, code=2).stderr.split())
    assert "branches at joint 'right_upper_arm_hinge'; expected a chain" in refused
    assert "Lock what branches off (phalanx.lock, --lock), or leave out unified" in refused
    torso = px.library.torso()
    held = [j.name for j in torso.moving_joints if j.name.startswith(("right", "head"))]
    data = json.loads(run(*words, "--lock", ", ".join(held), "--json").stdout)
    assert data["error"] < 1e-12


@pytest.mark.parametrize("kind", ["linear", "logarithmic"])
@pytest.mark.parametrize("model", ["torso", "chain:3,joint=spherical"])
def test_trees_and_joints_of_several_freedoms(run, model, kind):
    data = json.loads(run("array", model, "--kind", kind, "--samples", "3", "--json").stdout)
    assert (data["kind"], data["interval"]) == (kind, 4.0)
    assert data["error"] < 1e-12


@pytest.mark.parametrize(
    "words",
    [
        ("forward-kinematics", "--frame", "left_lower_arm"),
        ("jacobian", "--frame", "left_lower_arm"),
        ("mass-matrix",),
        ("forward-dynamics",),
    ],
)
def test_other_quantities(run, words):
    data = json.loads(run("array", "torso", "--quantity", *words, "--json").stdout)
    assert data["quantity"] == words[0].replace("-", "_")
    assert data["error"] < 1e-12
    assert data["published_processors"] is None
    text = run("array", "torso", "--quantity", *words).stdout
    assert "of the largest entry, relative to" in text
    assert "published: the source counts inverse dynamics only." in text


@pytest.mark.parametrize(("sine", "kind"), [("polynomial", "SP"), ("cordic", "SC")])
def test_sines_by_operators(run, sine, kind):
    words = ("array", MODEL, "--sine", sine, "--samples", "3")
    data = json.loads(run(*words, "--json").stdout)
    assert data["error"] < 1e-12
    assert data["operators"]["joint"] == {kind: 2, "MM": 2}
    assert data["interval"] == Kind(kind).time()  # as long as the sine takes
    text = run(*words).stdout
    assert re.search(rf"MM +{kind} +operators", text)
    assert re.search(r"joint +2 +2 +4 +8 +–", text)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--interval", "0"), "an interval of 0.0 between sets; it must be finite and positive"),
        (("--interval", "nan"), "an interval of nan between sets"),
        (("--interval", "2"), "cannot take a set every 2 Flops: outward 1 · T11 is still at 1.T11"),
        (("--grounded",), "grounded is for the logarithmic form"),
        (("--samples", "0"), "Invalid value for '--samples'"),
        (("--rate", "0"), "4.0 operations at 0.0 Hz; both must be positive"),
        (("--multiply", "inf"), "a time must be finite"),
        (
            ("--multiply-interval", "2"),
            "interval of a multiplication is 2.0; it must be positive, at most",
        ),
        (("--add-interval", "nan"), "interval of an addition is nan; it must be positive, at most"),
        (("--kind", "cubic"), "'cubic' is not one of 'linear', 'logarithmic'"),
        (("--quantity", "jacobian"), "jacobian needs a frame"),
        (("--quantity", "mass-matrix", "--padded"), "is computed joint after joint"),
        (("--network", "bush"), "'bush' is not one of 'sklansky'"),
        (("--lock", "knee"), "has no joint 'knee'"),
        (("--page", "array.txt"), "its suffix must be one of .html"),
        (("--page", "nowhere/array.html"), "there is no folder"),
    ],
)
def test_what_cannot_be_is_told(run, words, message):
    result = run("array", MODEL, *words, code=2)
    shown = re.sub(r"[│\s]+", " ", result.stderr)  # usage errors come in a box
    assert message in shown


def test_processors_beside_a_published_count_say_what_the_count_leaves_out(run):
    """Hashimoto and Kimura's tree has 137; those for all that is needed are more."""
    words = ("array", "puma560", "--kind", "logarithmic", "--single", "--samples", "1")
    said = run(*words).stdout
    data = json.loads(run(*words, "--json").stdout)
    built, published = data["vector_processors"], data["published_processors"]
    assert sum(built.values()) == 207 and sum(published.values()) == 137
    assert data["published_note"] in said.replace("\n", " ")
    assert "--grounded --unified build it" in said and "without the operators that read" in said
    # what the note names is all of the difference
    data = json.loads(run(*words, "--grounded", "--unified", "--json").stdout)
    tree = data["vector_processors"]
    assert tree.pop("readout") == 4
    assert {of: tree[of] - published[of] for of in tree} == {"outward": 0, "own": 0, "inward": 3}
