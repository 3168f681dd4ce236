"""``phalanx chain``: one method, all methods, and what can be wrong."""

from __future__ import annotations

import json

import pytest

from phalanx.bench.chains.methods import METHODS
from phalanx.bench.clock import TimingEffort
from phalanx.dynamics.evaluators.choice import SIZES, Sizes


@pytest.fixture(autouse=True)
def short_turns(monkeypatch):
    monkeypatch.setattr("phalanx.bench.chains.comparison.EFFORT", TimingEffort(turn=1e-5, rounds=1))


def test_all_methods_in_a_table_agree_with_fifty_digits(run):
    text = run("chain", "--bodies", "6", "--compare", "--threads", "1").stdout
    lines = {line.split()[0]: line.split() for line in text.splitlines() if line.split()}
    for name in METHODS:
        error, missing = map(float, lines[name][-2:])
        # methods that end with rounding, and one that stops at 1e-10
        assert error < 1e-8 and missing < 1e-8
    assert "forward dynamics of 6 bodies, nv = 6, 1 state, 1 thread" in text
    assert "difference from a reference of fifty digits" in " ".join(text.split())


def test_one_method_for_programs(run):
    words = ("--bodies", "5", "--joint", "spherical", "--posture", "hanging", "--samples", "3")
    found = json.loads(run("chain", *words, "--seed", "1", "--json").stdout)
    assert (found["bodies"], found["freedoms"], found["samples"]) == (5, 15, 3)
    (row,) = found["methods"].values()
    assert row["method"] == "serial" and row["depth"] == 15 and row["refused"] is None
    assert row["timing"]["best"] > 0 and 0 < row["error"] < 1e-12 and row["residual"] < 1e-12


def test_beyond_a_thousand_the_sweep_is_the_reference(run, monkeypatch):
    monkeypatch.setattr("phalanx.bench.chains.comparison.DECIMAL_NODES", 4)
    text = run("chain", "--bodies", "5", "--planar").stdout
    assert "difference from the serial method" in " ".join(text.split())
    row = next(line.split() for line in text.splitlines() if line.startswith("serial"))
    assert float(row[-2]) == 0 and float(row[-1]) < 1e-14


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--bodies", "0"), "--bodies 0: expected a positive whole number"),
        (("--bodies", "ten"), "--bodies ten"),
        (("--samples", "-1"), "--samples -1"),
        (("--method", "seriel"), "no method 'seriel'. Did you mean 'serial'?"),
        (("--bodies", "600", "--method", "unrolled"), "expected at most 500"),
        (("--joint", "floating"), "floating"),
    ],
)
def test_what_can_be_wrong(run, words, said):
    assert said in " ".join(run("chain", *words, code=2).stderr.split())


def test_a_method_that_does_not_fit_has_a_row_beside_others(run, monkeypatch):
    monkeypatch.setitem(SIZES, "quantity", Sizes(3, 3000))
    found = json.loads(run("chain", "--bodies", "3", "--compare", "--json").stdout)["methods"]
    assert "expected at most 2" in found["unrolled"]["refused"]
    assert found["unrolled"]["timing"] is None and found["serial"]["timing"] is not None
