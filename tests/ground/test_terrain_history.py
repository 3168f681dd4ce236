"""The ground of a recording, at any of its times and in any order."""

from __future__ import annotations

from copy import deepcopy

import numpy as np
import pytest

import phalanx as px
from phalanx.base.errors import InvalidInput
from phalanx.ground import SAND, DigSite, Ground, Terrain
from phalanx.ground.terrain_history import PERIOD, TerrainHistory

MACHINE = px.library.cat215b(payload=True)
GROUND = Ground(SAND)
TIME = np.arange(0.0, 6.0, PERIOD) + 3.0


@pytest.fixture(scope="module")
def worked():
    """Fills while it swings to one side, carries, and dumps on the other; the ground was worked."""
    share = np.linspace(0.0, 1.0, len(TIME))
    q = np.column_stack([2.0 * share - 1.0, *(np.full(len(TIME), x) for x in (0.2, -1.9, 0.3))])
    load = 900 * np.clip(np.interp(share, [0, 0.1, 0.45, 0.6, 0.9], [0.1, 0.1, 1, 1, 0]), 0, 1)
    first = Terrain.flat(soil=SAND)
    first.dump(4.0, 1.0, 0.4, 1.2)
    return first, q, load


@pytest.fixture
def past(worked):
    first, q, load = worked
    return TerrainHistory(MACHINE, GROUND, first, TIME, q, load)


def step_by_step(worked, until: float) -> Terrain:
    first, q, load = worked
    site = DigSite(MACHINE, GROUND, deepcopy(first), load[0])
    for k in np.flatnonzero(until >= TIME):
        site.update(q[k], load[k])
    return site.terrain


@pytest.mark.parametrize("order", [(0, 1, 2, 3, 4), (4, 3, 2, 1, 0), (2, 4, 0, 3, 1)])
def test_every_time_shows_what_had_been_moved_by_then(worked, past, order):
    times = [0.0, TIME[0], 5.123, 6.9, 100.0]
    for k in order:
        wanted = step_by_step(worked, times[k])
        np.testing.assert_allclose(past.at(times[k]).heights, wanted.heights, atol=1e-12)


def test_soil_is_conserved_at_every_time(worked, past):
    _, _, load = worked
    gained = Terrain.flat(soil=SAND).gained
    for time in np.linspace(TIME[0], TIME[-1], 7):
        terrain = past.at(time)
        carried = load[np.searchsorted(TIME, time, "right") - 1]
        moved = (terrain.gained - gained + terrain.outside - 0.4) * SAND.density
        assert moved + carried == pytest.approx(load[0], abs=1e-6)


def test_soil_that_was_taken_before_the_first_sample_is_gone_too(worked):
    first, q, load = worked
    late = TerrainHistory(MACHINE, GROUND, first, TIME, q, load, carried=load[0] - 30.0)
    at_once = (first.heights - late.at(TIME[0] + PERIOD).heights).sum() * first.cell**2
    assert at_once * SAND.density == pytest.approx(30.0, rel=1e-6)


def test_while_time_goes_on_only_what_changed_is_new(past):
    terrain = past.at(TIME[20])
    terrain.dirty[:] = False
    assert past.at(TIME[25]) is terrain and past.at(TIME[25]) is terrain
    past.at(TIME[60])
    assert past.at(TIME[10]) is not terrain, "back in time everything may differ"


def test_the_ground_it_began_with_stays(worked, past):
    first, _, _ = worked
    before = first.heights
    past.at(TIME[-1])
    np.testing.assert_array_equal(first.heights, before)


def test_samples_that_come_often_are_taken_a_period_apart(worked):
    first, q, load = worked
    fine = np.arange(TIME[0], TIME[-1], PERIOD / 4)
    often = TerrainHistory(
        MACHINE,
        GROUND,
        first,
        fine,
        np.column_stack([np.interp(fine, TIME, column) for column in q.T]),
        np.interp(fine, TIME, load),
    )
    end = often.at(1e9)
    assert (end.gained + end.outside - 0.4) * SAND.density == pytest.approx(90.0, abs=1.0)
    assert np.abs(end.heights - step_by_step(worked, 1e9).heights).max() < 0.1


def test_what_is_no_recording_of_digging_is_refused(worked):
    first, q, load = worked
    with pytest.raises(InvalidInput, match="0 samples"):
        TerrainHistory(MACHINE, GROUND, first, TIME[:0], q[:0], load[:0])
    with pytest.raises(InvalidInput, match="finite"):
        TerrainHistory(MACHINE, GROUND, first, TIME, q, np.full_like(load, np.nan))
    with pytest.raises(InvalidInput, match="load"):
        TerrainHistory(MACHINE, GROUND, first, TIME, q, -load)
    with pytest.raises(InvalidInput, match="same soil"):
        TerrainHistory(MACHINE, Ground(), first, TIME, q, load)
