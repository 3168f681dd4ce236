from __future__ import annotations

import json

import pytest

from phalanx.cli.app import COMMANDS
from phalanx.studies.sharf.comparison import PARTS


def test_figures_as_tables(run):
    text = run("compare-chains", "figure2", "--solutions", "4").stdout
    lines = [line.split() for line in text.splitlines() if line.split()]
    longest = [line for line in lines if line[:3] == ["1", "freedom", "20"]]
    assert longest and longest[0][3] == "100"  # five constraint forces a joint
    assert sum(line[0] in "12" and line[1].startswith("freedom") for line in lines) == 18
    assert "paper: of J-CG's time on a Sun 3/60" in text


def test_json_and_picture(run, tmp_path):
    words = ("compare-chains", "figure3", "--threads", "1", "--json", "--plot", "made.svg")
    found = json.loads(run(*words).stdout)
    assert set(found) == {"figure3"}
    for row in found["figure3"]:
        assert row["threads"] == 1 and row["serial"] <= row["ideal"] <= row["real"]
    assert "<svg" in (tmp_path / "made.svg").read_text()


def test_parts_are_those_there_are(run):
    assert f"Parts: {', '.join(PARTS)}." in COMMANDS["compare-chains"].__doc__
    text = run("compare-chains", "figur2", code=2).stderr
    assert "no part 'figur2'. Did you mean 'figure2'?" in " ".join(text.split())


@pytest.mark.parametrize("words", [("--plot", "made.txt"), ("--solutions", "0")])
def test_what_cannot_be_done_is_said_before_the_work(run, words):
    assert run("compare-chains", *words, code=2).stderr
