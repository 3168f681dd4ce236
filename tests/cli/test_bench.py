from __future__ import annotations

import json

import pytest


@pytest.fixture(autouse=True)
def short_turns(monkeypatch):
    from phalanx.bench.clock import TimingEffort

    monkeypatch.setattr("phalanx.bench.run.QUICK", TimingEffort(turn=1e-4, rounds=2))


def test_tables_json_and_plot(run, tmp_path):
    result = run("bench", "double_pendulum", "--quick", "--json", "b.json", "--plot", "b.png")
    assert "time of one evaluation" in result.stdout
    assert "first call of inverse dynamics" in result.stdout
    data = json.loads((tmp_path / "b.json").read_text())
    assert data["rows"][0]["quantity"] == "inverse-dynamics"
    assert data["rows"][0]["one"]["best"] > 0
    assert data["startup"]["cold"] > 0 and data["startup"]["cached"] > 0
    assert (tmp_path / "b.png").read_bytes().startswith(b"\x89PNG")


def test_alone(run):
    words = ("--quick", "--no-peers", "--no-startup", "--threads", "1", "--dtype", "float32")
    text = run("bench", "double_pendulum", *words).stdout
    assert "float32" in text
    assert "beside" not in text
    assert "import" not in text


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nothing",), "has no model"),
        (("double_pendulum", "--frame", "nowhere"), "has no frame"),
        (("double_pendulum", "--json", "no/b.json"), "there is no folder"),
        (("double_pendulum", "--plot", "b.doc"), "its suffix must be one of"),
    ],
)
def test_what_can_be_wrong(run, words, said):
    assert said in run("bench", *words, code=2).stderr
