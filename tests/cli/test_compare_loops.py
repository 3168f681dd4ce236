from __future__ import annotations

import json

import pytest

WORDS = ("compare-loops", "springs", "legs")


def test_tables(run):
    text = run(*WORDS, "--rules").stdout
    lines = [line.split() for line in text.splitlines() if line.split()]
    springs, legs = (next(line for line in lines if line[0] == name) for name in WORDS[1:])
    assert springs[1:3] == ["18", "523"] and legs[1] == "12"
    assert ["10", "ms", "stable", "fails", "fails", "fails"] in lines
    assert ["1", "ms", "stable", "stable", "stable", "fails"] in lines
    assert sum(line[:3] == ["sliding", "block", "of"] for line in lines) == 8
    assert "as printed: departs at 1.08 s, diverges at 1.96 s" in text
    assert "efficiency by evaluations" in " ".join(text.split())


def test_json_and_picture(run, tmp_path, drawn):
    found = json.loads(run("compare-loops", "legs", "--json", "--plot", "made.svg").stdout)
    legs = found["methods"]["legs"]
    assert legs["tolerance_1e-3"]["evaluations"] < 200
    assert max(legs["feedback_1ms"]["correction_percent"]) < 1
    assert legs["printed_grades"][-1] == "medium" and legs["grades"]["accuracy"] == "high"
    assert legs["sharing"]["messages"] == 4 and legs["grades"]["distribution"] == "medium"
    assert all(block["seconds"] > 0 for block in found["blocks"])
    assert found["as_printed"]["diverges_s"] == 1.96
    assert found["springs"]["0.001"] == {
        "1000": True,
        "10000": True,
        "100000": True,
        "1e+06": False,
    }
    assert "<svg" in (tmp_path / "made.svg").read_text()
    bars = [bar.get_width() for bar in drawn[0].axes[3].patches]
    assert bars == [legs[name]["evaluations"] for name in ("tolerance_1e-3", "tolerance_1e-6")]


def test_a_method_alone_that_decomposes_and_does_not_finish(run):
    """Nothing to compare its operations with, and no run that reached its end."""
    found = json.loads(run("compare-loops", "qr", "--budget", "100", "--json").stdout)
    qr = found["methods"]["qr"]
    assert qr["operations"] is None and "evaluations" in qr["tolerance_1e-6"]["stopped"]
    assert qr["sharing"] is None and qr["grades"]["distribution"] == "-"
    assert qr["grades"]["efficiency"] == "low" and qr["grades"]["accuracy"] == "high"


def test_a_method_that_is_not_there(run):
    text = run("compare-loops", "leg", code=2).stderr
    assert "no method 'leg'. Did you mean 'legs'?" in " ".join(text.split())


def test_a_picture_that_cannot_be_written(run):
    assert ".png" in run("compare-loops", "--plot", "made.txt", code=2).stderr


@pytest.mark.slow
def test_figures(run, tmp_path):
    result = run("compare-loops", "--figures", "made", "--json")
    found = json.loads(result.stdout)["figures"]
    assert found["4.3, k = 1e+03 N/m"]["evaluations"] == 1465
    names = {path.name for path in (tmp_path / "made").iterdir()}
    assert {f"figure_4_{k}.png" for k in range(1, 11)} < names
    assert "figure_4_1.png exists" in run("compare-loops", "--figures", "made", code=2).stderr


def test_figures_are_instead_of_the_comparison(run):
    assert "leave METHOD" in run("compare-loops", "legs", "--figures", "made", code=2).stderr
