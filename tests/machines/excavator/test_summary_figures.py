"""What is said of a recorded excavator, from recordings whose answers are known."""

import numpy as np
import pytest

import phalanx as px
from phalanx.machines.excavator.summary_figures import ExcavatorSummary, is_excavator
from phalanx.simulation.record.recording import Recording
from phalanx.simulation.record.signal import Signal

FOUR = ("cab", "boom", "stick", "bucket")
HINGES = tuple(f"{name}_hinge" for name in FOUR)
START = np.radians([0.0, 30.0, -120.0, 10.0])


def recording(load=None, model="cat215b"):
    """Held for 2 s, a degree of the stick wanted each second for 2 s more; it stays behind."""
    t = 0.1 * np.arange(41)
    desired = np.tile(START, (41, 1))
    desired[:, 2] += np.radians(np.clip(t - 1.95, 0, None)) * (t > 1.95)
    q = desired.copy()
    q[5, 1] -= np.radians(0.4)  # the boom sags once
    q[-1, 2] -= np.radians(1.5)
    signals = [
        Signal("q", "rad", HINGES, q),
        Signal("desired", "rad", FOUR, desired),
        Signal("voltage", "V", FOUR, np.zeros((41, 4))),
        Signal("spool", "cm", FOUR, np.tile([0.0, -0.02, 0.01, 0.0], (41, 1))),
    ]
    if load is not None:
        signals.append(Signal("soil_load", "kg", ("payload",), np.asarray(load)[:, None]))
    return Recording(t, signals, {"model": model})


def test_the_motion_begins_and_ends_where_wanted_angles_change():
    assert ExcavatorSummary(recording()).motion == (20, 40)


def test_the_tip_is_where_the_arms_lengths_say():
    trends = ExcavatorSummary(recording())
    a, b = np.radians(30.0), np.radians(-90.0)
    r, z = 1.4 + 5.2 * np.cos(a) + 1.8 * np.cos(b), 1.0 + 5.2 * np.sin(a) + 1.8 * np.sin(b)
    np.testing.assert_allclose(trends.tip[0], [r, z], rtol=1e-12)
    # wanted: the stick turned out by two degrees
    end = np.radians(-90.0 + 2.05)
    np.testing.assert_allclose(
        trends.wanted_tip[-1], [r + 1.8 * np.cos(end), z + 1.8 * np.sin(end) + 1.8]
    )


def test_said_with_units():
    told = ExcavatorSummary(recording()).described()
    assert told["sag until 2 s (desired - actual)"] == "cab 0, boom 0.4, stick 0, bucket 0 deg"
    assert told["lag at 4 s (desired - actual)"] == "cab 0, boom 0, stick 1.5, bucket 0 deg"
    assert told["largest spool opening"] == "cab 0, boom 0.02, stick 0.01, bucket 0 cm"
    assert "5.90 m at the start" in told["radius of the stick's end"]
    # 0.4 degrees on radii of 4.5 m
    assert told["height of the stick's end (actual - desired)"].startswith("-3.1 cm at 0.5 s")
    assert "soil in the bucket" not in told


def test_loads_are_told():
    load = np.concatenate([np.linspace(0, 800, 21), np.linspace(780, 10, 20)])
    told = ExcavatorSummary(recording(load)).described()
    assert told["soil in the bucket"] == "800 kg at most, at 2 s; 10 kg at the end"


def test_other_recordings_are_refused():
    other = recording(model="puma560")
    assert is_excavator(recording()) and not is_excavator(other)
    assert not is_excavator(Recording([], [], {"model": "cat215b"}))
    with pytest.raises(px.InvalidInput, match="not of an excavator"):
        ExcavatorSummary(other)
