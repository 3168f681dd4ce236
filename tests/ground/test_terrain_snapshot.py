"""A terrain that was written down is the terrain itself."""

from __future__ import annotations

import json

import numpy as np
import pytest

import phalanx as px
from phalanx.base.errors import InvalidInput
from phalanx.ground import CLAY, SAND, DigSite, Ground, Terrain
from phalanx.ground.terrain_snapshot import load_from, site_facts, terrain_facts, terrain_from


def worked() -> Terrain:
    terrain = Terrain.flat(-0.93, reach=3.0, cell=0.15, soil=SAND)
    terrain.dig(1.0, 0.2, 0.3, 1.0, 0.4)
    terrain.dump(-1.5, 0.7, 0.2, 1.0)
    return terrain


@pytest.mark.parametrize(
    "terrain", [worked(), Terrain([[0.0, 1.0], [2.0, -0.1]], 0.5, (-1.0, 3.0), CLAY)]
)
def test_it_comes_back_to_the_last_bit(terrain):
    again = terrain_from(json.loads(json.dumps(terrain_facts(terrain))))
    np.testing.assert_array_equal(again.heights, terrain.heights)
    np.testing.assert_array_equal(again.loose, terrain.loose)
    assert (again.cell, again.corner, again.soil) == (terrain.cell, terrain.corner, terrain.soil)
    assert again.gained == pytest.approx(0.0, abs=1e-12), "it counts from now on"


def test_level_ground_takes_no_room():
    facts = terrain_facts(Terrain.flat())
    assert facts["places"] == [] and len(json.dumps(facts)) < 1000


def test_soil_that_was_loose_is_dug_as_such():
    terrain = worked()
    again = terrain_from(terrain_facts(terrain))
    for one in (terrain, again):
        one.dig(-1.5, 0.7, 0.1, 1.0)
    np.testing.assert_array_equal(again.heights, terrain.heights)


def test_a_site_keeps_the_load_that_its_ground_knows_of():
    ground = Ground(SAND)
    site = DigSite(px.library.cat215b(payload=True), ground, Terrain.flat(soil=SAND), 20.0)
    site.update(np.array([0.7, 0.2, -1.9, 0.3]), 300.0)
    facts = json.loads(json.dumps(site_facts(site)))
    assert load_from(facts) == 300.0
    np.testing.assert_array_equal(terrain_from(facts).heights, site.terrain.heights)
    assert load_from({}) is None
    for wrong in (-1.0, float("nan"), "much", True):
        with pytest.raises(InvalidInput, match="load kept"):
            load_from({"load": wrong})


@pytest.mark.parametrize(
    "wrong",
    [
        None,
        [],
        {},
        {"shape": [1, 5]},
        {"shape": [10**6, 10**6]},
        {"places": [10**9]},
        {"places": ["x"]},
        {"loose": [-1.0]},
        {"soil": {"colour": "red"}},
        {"soil": {"unit_weight": -1, "cohesion": 0, "friction": 0, "metal_friction": 0}},
        {"corner": [0.0]},
        {"cell": "wide"},
        {"level": float("nan")},
    ],
)
def test_what_is_no_terrain_is_refused(wrong):
    facts = {**terrain_facts(worked()), **wrong} if wrong else wrong
    with pytest.raises(InvalidInput, match="terrain that was kept"):
        terrain_from(facts)
