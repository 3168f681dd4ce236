"""Ground that a run digs: looked at once a period, fresh for every run."""

import numpy as np
import pytest

import phalanx as px
from phalanx.ground import DigSite, Ground
from phalanx.ground.terrain_while_digging import DugSurface

MACHINE = px.library.cat215b(payload=True)
Q = np.array([0.0, 0.1, -1.5, 0.0])


def watch(times, loads, **options):
    """Surfaces that a fresh watch gives at times and loads."""
    told = DugSurface(Ground(), **options).begin(MACHINE)
    return [
        float(told(t, Q, {"soil_load": np.array([load])})[0])
        for t, load in zip(times, loads, strict=True)
    ]


def test_it_is_level_until_something_is_dug():
    assert watch([0.0, 0.1], [0.0, 0.0]) == pytest.approx([Ground().surface] * 2, abs=1e-12)


def test_it_looks_once_a_period(monkeypatch):
    looks = []
    times = 0.001 * np.arange(101)
    monkeypatch.setattr(DigSite, "update", lambda site, q, load: looks.append(load) or 0.0)
    watch(times, times, period=0.02)
    # at 0, 0.02, … whatever the rounding of the times
    np.testing.assert_allclose(looks, [0.0, 0.02, 0.04, 0.06, 0.08, 0.1])


def test_what_was_in_the_bucket_at_first_comes_from_elsewhere():
    site = DugSurface(Ground()).site(MACHINE, 300.0)
    site.update(Q, 300.0)
    assert site.terrain.gained == 0


@pytest.mark.parametrize("period", [0.0, -1.0, np.nan, np.inf])
def test_periods_are_positive(period):
    with pytest.raises(px.InvalidInput, match="period"):
        DugSurface(Ground(), period)
