from __future__ import annotations

import numpy as np

from phalanx.simulation.record.lines import MOST_IN_PANEL, SOME, some_of
from phalanx.view.replay.charts import LINES, envelope


def test_few_samples_stay_as_they_are():
    time, values = np.arange(5.0), np.arange(10.0).reshape(5, 2)
    t, v = envelope(time, values, points=6)
    assert t is time and v is values


def test_a_spike_survives():
    time = np.linspace(0, 1, 100_001)
    values = np.zeros((len(time), 2))
    values[54_321, 1] = 7.0
    t, v = envelope(time, values, points=600)
    assert t.shape == (600,) and v.shape == (600, 2)
    assert v[:, 1].max() == 7.0 and not v[:, 0].any()
    assert (np.diff(t) >= 0).all() and t[0] == 0.0 and t[-1] == 1.0


def test_a_ramp_stays_a_ramp():
    time = np.linspace(0, 1, 10_000)
    t, v = envelope(time, np.stack([time, -time], axis=1), points=100)
    np.testing.assert_allclose(v[:, 0], t)
    np.testing.assert_allclose(v[:, 1], -t)


def test_of_thousands_of_lines_a_few_are_drawn_evenly_spread():
    assert some_of(3) == [0, 1, 2]
    chosen = some_of(10_000)
    assert (chosen[0], chosen[-1]) == (0, 9999)
    assert len(chosen) == SOME and sorted(set(chosen)) == chosen


def test_every_line_of_a_plot_has_a_colour_of_its_own():
    assert len(set(LINES)) == len(LINES) == MOST_IN_PANEL
