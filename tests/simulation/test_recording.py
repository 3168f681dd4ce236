from __future__ import annotations

import csv

import numpy as np
import pytest

from phalanx.base.errors import InvalidInput, MissingExtra, UnknownName
from phalanx.simulation.record.recording import Recording
from phalanx.simulation.record.signal import Channel, Signal

from .runs import JOINTS, SETTINGS, assert_same, noisy, pendulum


def test_values_signals_and_columns():
    run = pendulum()
    assert run["q"].shape == (2001, 1)
    assert run["energy"].shape == (2001,)
    assert run.signal("v").unit == "rad/s"
    np.testing.assert_array_equal(run.signal("q").column("hinge"), run["q"][:, 0])
    assert "q" in run and "x" not in run
    assert len(run) == 2001
    assert repr(run) == (
        "<Recording: 2 s, 2001 samples: q (1) [rad], v (1) [rad/s], tau (1) [N·m], energy [J]>"
    )


def test_an_unknown_name_is_answered_with_the_nearest():
    with pytest.raises(UnknownName, match=r"no signal 'enrgy'\. Did you mean 'energy'"):
        noisy()["enrgy"]
    with pytest.raises(UnknownName, match="Did you mean 'shoulder'"):
        noisy().signal("q").column("sholder")


def test_nothing_can_be_changed():
    run = noisy()
    with pytest.raises(AttributeError, match="read-only"):
        run.time = np.zeros(3)
    with pytest.raises(ValueError, match="read-only"):
        run["q"][0] = 1.0
    with pytest.raises(TypeError):
        run.signals["x"] = run.signal("q")
    with pytest.raises(TypeError):
        run.settings["x"] = 1


def test_the_givers_array_stays_writable():
    mine = np.zeros(3)
    Recording(mine, [Signal("x", "", (), mine)])
    mine[0] = 1.0


def test_between_takes_both_ends():
    run = pendulum()
    part = run.between(0.5, 1.0)
    assert part.time[0] == 0.5 and part.time[-1] == 1.0 and len(part) == 501
    np.testing.assert_array_equal(part["q"], run["q"][500:1001])
    assert len(run.between(1.0, 0.5)) == 0
    assert dict(part.settings) == dict(run.settings)


def test_every():
    run = pendulum()
    np.testing.assert_array_equal(run.every(7)["v"], run["v"][::7])
    with pytest.raises(InvalidInput, match="at least 1"):
        run.every(0)


@pytest.mark.parametrize(
    ("time", "said"),
    [([0.0, 2.0, 1.0], "not decrease"), ([0.0, np.nan, 1.0], "finite"), ([[0.0]], "one row")],
)
def test_time_that_cannot_be(time, said):
    with pytest.raises(InvalidInput, match=said):
        Recording(time, [])


def test_signals_that_do_not_fit():
    x = Signal("x", "", (), np.zeros(3))
    with pytest.raises(InvalidInput, match="3 samples and time 2"):
        Recording([0.0, 1.0], [x])
    with pytest.raises(InvalidInput, match="comes twice"):
        Recording(np.arange(3.0), [x, x])
    with pytest.raises(InvalidInput, match=r"column 'x\.a' comes twice"):
        wide = Signal("x", "", ("a",), np.zeros((3, 1)))
        Recording(np.arange(3.0), [wide, Signal("x.a", "", (), np.zeros(3))])
    with pytest.raises(InvalidInput, match=r"shape \(3,\); expected \(T, 2\)"):
        Signal("q", "rad", ("a", "b"), np.zeros(3))
    with pytest.raises(InvalidInput, match="names that differ"):
        Channel("q", "rad", ("a", "a"))
    with pytest.raises(InvalidInput, match="empty"):
        Channel("")


@pytest.mark.parametrize("value", [object(), float("nan"), {1, 2}, [float("inf")]])
def test_settings_that_are_not_json(value):
    with pytest.raises(InvalidInput, match="setting 'x'"):
        Recording([], [], {"x": value})


def test_settings_from_numpy_become_plain():
    run = Recording([], [], {"step": np.float64(0.1), "gains": np.array([1, 2]), "n": np.int32(3)})
    assert dict(run.settings) == {"step": 0.1, "gains": [1, 2], "n": 3}
    with pytest.raises(InvalidInput, match="text"):
        Recording([], [], {1: 2})


@pytest.mark.parametrize("samples", [0, 1, 100])
def test_csv_reads_back_exactly(samples, tmp_path):
    run = noisy(samples)
    with run.to_csv(tmp_path / "run.csv").open(newline="", encoding="utf-8") as file:
        header, *lines = csv.reader(file)
    assert header[:3] == ["time [s]", "q.shoulder [rad]", "q.elbow/1 [rad]"]
    assert header[-1] == "energy [J]"
    table = np.array(lines, dtype=float).reshape(samples, len(header))
    assert table.tobytes() == run.table.tobytes()


def test_parquet_reads_back_exactly(tmp_path):
    from pyarrow import parquet

    run = noisy()
    table = parquet.read_table(run.to_parquet(tmp_path / "run.parquet"))
    assert table.column_names[0] == "time"
    assert table.schema.field("q.shoulder").metadata == {b"unit": b"rad"}
    assert b"arm <b>" in table.schema.metadata[b"phalanx.settings"]
    columns = [table[name].to_numpy() for name in table.column_names]
    assert np.column_stack(columns).tobytes() == run.table.tobytes()


def test_parquet_without_pyarrow(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"\[parquet\]"):
        noisy().to_parquet(tmp_path / "run.parquet")


def test_a_table_and_back():
    run = noisy()
    assert_same(run, Recording.from_table(run.channels, run.table, SETTINGS))
    assert run.signal("q").channel.columns[0] == f"q.{JOINTS[0]}"
