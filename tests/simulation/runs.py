"""Recordings for tests: random numbers of every size, with the awkward ones among them."""

from __future__ import annotations

import numpy as np

from phalanx.simulation.record.recording import Recording
from phalanx.simulation.record.signal import Channel, Signal

JOINTS = ("shoulder", "elbow/1", "ünder score")
AWKWARD = (0.1, -0.0, 5e-324, 1.7976931348623157e308, np.inf, -np.inf, np.nan, np.pi)

CHANNELS = (
    Channel("q", "rad", JOINTS),
    Channel("v", "rad/s", JOINTS),
    Channel("tau", "N·m", JOINTS),
    Channel("energy", "J"),
)
SETTINGS = {"model": "arm <b>", "step": 1e-3, "nested": {"list": [1, None, True, "ä"]}}


def noisy(samples: int = 100, seed: int = 0) -> Recording:
    """Random numbers, and awkward ones among the first of ``tau``."""
    rng = np.random.default_rng(seed)
    time = 0.1 + np.cumsum(rng.random(samples))
    table = rng.standard_normal((samples, 1 + sum(channel.width for channel in CHANNELS)))
    table[:, 0] = time
    table[: len(AWKWARD), 8] = AWKWARD[:samples]
    return Recording.from_table(CHANNELS, table, SETTINGS)


def pendulum(duration: float = 2.0, step: float = 1e-3) -> Recording:
    """A swing that is known in closed form: q = cos 3t; its energy falls by a per cent."""
    t = np.arange(round(duration / step) + 1) * step
    parts = {"q": np.cos(3 * t), "v": -3 * np.sin(3 * t), "tau": 0.5 * np.sin(t)}
    units = {"q": "rad", "v": "rad/s", "tau": "N·m"}
    signals = [Signal(k, units[k], ("hinge",), x[:, None]) for k, x in parts.items()]
    signals.append(Signal("energy", "J", (), 20.0 * (1 - 0.01 * t / duration)))
    settings = {"model": "pendulum", "step": step, "real_time_factor": 12.5}
    return Recording(t, signals, settings)


def assert_same(a: Recording, b: Recording) -> None:
    """Equal to the last bit, with names, units, labels and settings."""
    assert a.channels == b.channels
    assert dict(a.settings) == dict(b.settings)
    for x, y in [(a.time, b.time), *((a[name], b[name]) for name in a.signals)]:
        assert x.dtype == y.dtype == np.float64
        assert x.shape == y.shape
        assert x.tobytes() == y.tobytes()
