from __future__ import annotations

import json

import numpy as np
import pytest

from phalanx.simulation.record.recording import Recording
from phalanx.simulation.record.signal import Signal
from simulation.runs import noisy, pendulum


def changed(run, name, values, **settings):
    """The run with other values of a signal."""
    signals = dict(run.signals)
    old = signals[name]
    signals[name] = Signal(name, old.unit, old.labels, values)
    return Recording(run.time, signals, {**run.settings, **settings})


@pytest.fixture
def pair(tmp_path):
    """Write two recordings where the command runs."""

    def write(a, b):
        a.write(tmp_path / "a.mcap")
        b.write(tmp_path / "b.mcap")

    return write


def test_equal_to_the_last_bit(run, pair):
    pair(noisy(), noisy())
    text = run("diff", "a.mcap", "b.mcap", "--tolerance", "0").stdout
    assert "equal within 0" in text
    assert "settings" not in text


def test_a_difference_is_found_where_it_is(run, pair):
    a = pendulum()
    v = a["v"].copy()
    v[700] += 1e-3
    pair(a, changed(a, "v", v, integrator="euler"))
    text = run("diff", "a.mcap", "b.mcap", code=1).stdout
    row = next(line for line in text.splitlines() if line.startswith("v "))
    assert row.split() == ["v", "[rad/s]", "0.001", "0.7", "v.hinge", "2.24e-05", "0.00033"]
    assert "integrator" in text and '"euler"' in text
    assert "different within 1e-09" in text
    run("diff", "a.mcap", "b.mcap", "--tolerance", "2e-3")
    run("diff", "a.mcap", "b.mcap", "--signal", "q", "--signal", "tau")
    run("diff", "a.mcap", "b.mcap", "--signal", "v", code=1)


def test_json(run, pair):
    a = pendulum()
    q = a["q"].copy()
    q[0] = np.nan
    pair(a, changed(a, "q", q))
    facts = json.loads(run("diff", "a.mcap", "b.mcap", "--json", code=1).stdout)
    assert facts["equal"] is False
    assert facts["signals"]["q"]["largest"] is None
    assert facts["signals"]["q"]["column"] == "q.hinge"
    assert facts["signals"]["v"] | {"within": True, "largest": 0.0} == facts["signals"]["v"]


def test_missing_signals_and_labels(run, pair):
    a = pendulum()
    wide = Signal("q", "rad", ("hinge", "elbow"), np.hstack([a["q"], a["q"]]))
    b = Recording(a.time, [wide, a.signal("v"), Signal("x", "", (), a.time)], a.settings)
    pair(a, b)
    text = run("diff", "a.mcap", "b.mcap", code=1).stdout
    assert "only in A: tau.hinge, energy" in text
    assert "only in B: q.elbow, x" in text
    run("diff", "a.mcap", "b.mcap", "--signal", "v")


def test_other_times_are_interpolated(run, pair):
    pair(pendulum(step=1e-3), pendulum(step=5e-4).every(1))
    text = run("diff", "a.mcap", "b.mcap", "--tolerance", "1e-12").stdout
    assert "interpolated linearly" in text and "step" in text
    pair(pendulum(step=1e-3), pendulum(step=1e-2))
    assert "different" in run("diff", "a.mcap", "b.mcap", code=1).stdout


def test_a_shorter_run_is_different_and_still_compared(run, pair):
    pair(pendulum(2.0), changed(pendulum(1.5), "energy", pendulum(2.0)["energy"][:1501]))
    text = run("diff", "a.mcap", "b.mcap", code=1).stdout
    assert "compared from 0 to 1.5 s: A covers 0 to 2 s, B 0 to 1.5 s" in text
    assert "interpolated" not in text


def test_a_file_that_was_cut_off(run, pair, tmp_path):
    pair(pendulum(), pendulum())
    data = (tmp_path / "b.mcap").read_bytes()
    (tmp_path / "b.mcap").write_bytes(data[:-10])
    assert "cut off at t = 2 s" in run("diff", "a.mcap", "b.mcap").stderr


def test_no_samples(run, pair):
    pair(noisy(0), noisy(0))
    run("diff", "a.mcap", "b.mcap")
    pair(noisy(0), noisy(3))
    assert "no samples" in run("diff", "a.mcap", "b.mcap", code=2).stderr


def test_nothing_in_common(run, pair):
    a = pendulum()
    pair(a.between(0.0, 0.5), a.between(1.0, 1.5))
    assert "no time in common" in run("diff", "a.mcap", "b.mcap", code=2).stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("a.mcap", "no.mcap"), "No such file"),
        (("a.mcap", "text.mcap"), "is not an MCAP file"),
        (("a.mcap", "b.mcap", "--signal", "tua"), "Did you mean 'tau'"),
        (("a.mcap", "b.mcap", "--tolerance", "-1"), "at least zero"),
        (("a.mcap", "b.mcap", "--tolerance", "nan"), "at least zero"),
    ],
)
def test_what_cannot_be_compared(run, pair, tmp_path, words, said):
    pair(pendulum(), pendulum())
    (tmp_path / "text.mcap").write_text("hello")
    assert said in run("diff", *words, code=2).stderr


def test_settings_keep_their_names_on_a_narrow_terminal(run, pair, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    a = pendulum()
    one, other = (
        changed(a, "v", a["v"], control=60 * letter, a_rather_long_name=50 * letter)
        for letter in "xy"
    )
    pair(one, other)
    text = run("diff", "a.mcap", "b.mcap").stdout
    assert "control" in text and "a_rather_long_name" in text
    assert max(map(len, text.splitlines())) <= 80
