"""Runs in xarray and pandas: numbers, names and units as they are in the run."""

import json
import sys

import numpy as np
import pytest

import phalanx as px
from phalanx.base.errors import MissingExtra


@pytest.fixture(scope="module")
def recording():
    balls = px.library.chain(2, "spherical")
    return px.simulate(balls, balls.neutral(), duration=0.01)


@pytest.fixture(scope="module")
def arm():
    return px.library.chain(3)


def test_a_recording_in_xarray(recording):
    data = recording.to_xarray()
    assert data["q"].dims == ("time", "joint") and data["energy"].dims == ("time",)
    # four positions and three velocities a ball: names that differ, so dimensions that do
    assert data["v"].dims == data["tau"].dims == ("time", "v_entry")
    assert tuple(data["joint"].values) == recording.signal("q").labels
    for name, signal in recording.signals.items():
        np.testing.assert_array_equal(data[name].values, signal.values)
        assert data[name].attrs.get("units", "") == signal.unit
    np.testing.assert_array_equal(data["time"].values, recording.time)
    assert data["time"].attrs == {"units": "s"}
    assert json.loads(data.attrs["settings"]) == dict(recording.settings)


def test_a_recording_in_pandas(recording):
    table = recording.to_pandas()
    np.testing.assert_array_equal(table.index, recording.time)
    assert table.index.name == "time"
    columns = [column for channel in recording.channels for column in channel.columns]
    assert list(table.columns) == columns
    np.testing.assert_array_equal(table.to_numpy(), recording.table[:, 1:])
    assert table.attrs["units"]["energy"] == "J"
    assert table.attrs["settings"] == dict(recording.settings)


def test_a_batch_in_xarray(arm):
    q0 = np.random.default_rng(0).normal(size=(5, 3))
    done = px.rollout(arm, q0, np.zeros(3), steps=8, objective=lambda q, v, tau: q.T @ q)
    data = done.to_xarray()
    assert data["q"].dims == ("run", "time", "joint")
    assert dict(data.sizes) == {"run": 5, "time": 8, "joint": 3}
    assert data["q"].attrs["units"] == "rad"
    for name in ("q", "v", "final_q", "final_v", "cost", "diverged"):
        np.testing.assert_array_equal(data[name].values, getattr(done, name))
    np.testing.assert_array_equal(data["q"].sel(joint="joint_2", run=3), done.q[3, :, 1])


def test_a_batch_in_pandas(arm):
    q0 = np.random.default_rng(0).normal(size=(2, 3, 3))
    done = px.rollout(arm, q0, np.zeros(3), steps=4)
    table = done.to_pandas()
    assert list(table.index.names) == ["run_0", "run_1", "time"] and len(table) == 2 * 3 * 4
    rows = table.xs((1, 2), level=("run_0", "run_1"))
    np.testing.assert_array_equal(rows["v.joint_3"], done.v[1, 2, :, 2])
    np.testing.assert_array_equal(rows.index, done.time)


def test_one_run_has_no_axis_of_runs(arm):
    done = px.rollout(arm, np.zeros(3), np.zeros(3), steps=4)
    assert done.to_xarray()["q"].dims == ("time", "joint")
    assert done.to_pandas().shape == (4, 6)


def test_the_end_alone_is_a_row_a_run(arm):
    done = px.rollout(arm, np.zeros((5, 3)), np.zeros(3), steps=4, record=())
    table = done.to_pandas()
    assert table.shape == (5, 3 + 3 + 1)
    np.testing.assert_array_equal(table["final_v.joint_1"], done.final_v[:, 0])
    assert not table["diverged"].any()
    assert done.to_xarray()["final_q"].dims == ("run", "joint")


def test_runs_that_begin_at_different_times(arm):
    loop = px.CompiledRollout(arm, step=1e-3)
    done = loop(np.zeros((2, 3)), np.zeros(3), steps=5, start=np.array([0.0, 7.0]))
    data = done.to_xarray()
    np.testing.assert_allclose(data["begin"], [1e-3, 7.001])
    np.testing.assert_allclose(data["time"], 1e-3 * np.arange(5))
    np.testing.assert_array_equal(done.to_pandas().loc[1].index, done.time[1])


def test_a_sweep_in_pandas(arm):
    run = px.sweeps.Rollout(arm, steps=5)
    found = px.sweep(run, px.sweeps.Grid({"v0[0]": [0.0, 1.0, 2.0]}))
    table = found.to_pandas()
    assert table.index.name == "case" and table["v0[0]"].tolist() == [0.0, 1.0, 2.0]
    np.testing.assert_array_equal(table["q_end.joint_3"], found["q_end"][:, 2])
    assert table.attrs["units"]["v_end.joint_1"] == "rad/s"


@pytest.mark.parametrize("package", ["pandas", "xarray"])
def test_without_the_package(recording, arm, monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    done = px.rollout(arm, np.zeros(3), np.zeros(3), steps=2)
    for run in (recording, done):
        with pytest.raises(MissingExtra, match=rf"{package}.*\[data\]"):
            getattr(run, f"to_{package}")()
