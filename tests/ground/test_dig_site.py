"""Digging over time: the trench is as deep as the edge went, and no soil is lost on the way."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import phalanx as px
from ground.sledge import HOE, at_contact, sledge
from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.ground import LOAM, SAND, DigSite, Ground, Terrain

STEP = 0.04
GROUND = Ground(LOAM, replace(HOE, capacity=3.0), surface=0.0)


def work(kernel, site, terrain, path, load):
    """Move the edge along x, z, rake given over time; returns the load at the end [kg]."""
    surface = site.surface([*_q(path[0])])
    for before, after in pairwise(path):
        q, v = _q(before), (_q(after) - _q(before)) / STEP
        rate = kernel(q, v, [load], [surface])[1]
        load = min(max(load + STEP * float(rate[0]), 0.0), GROUND.full_load)
        surface = site.update(_q(after), load)
    return load


def _q(point):
    x, z, rake = point
    return np.array([x, 0.3, z, rake])


def test_a_cut_leaves_a_trench_and_a_dump_a_heap():
    machine, terrain = sledge(), Terrain.flat(0.0, reach=5.0, cell=0.1)
    kernel, site = at_contact(GROUND, machine), DigSite(machine, GROUND, terrain)
    x = np.arange(-2, 0.5, 0.02)
    cut = np.column_stack([x, np.full_like(x, -0.25), np.full_like(x, np.radians(30))])
    load = work(kernel, site, terrain, cut, 0.0)
    # the swept volume, and a flat bottom where the edge went
    assert load == pytest.approx(LOAM.density * HOE.width * 0.25 * 2.48, rel=1e-6)
    np.testing.assert_allclose(terrain.height_at(np.linspace(-1.5, 0, 16), 0.3), -0.25, rtol=0.02)
    dug = load
    assert LOAM.density * terrain.gained + load == pytest.approx(0, abs=1e-9)

    # curl, lift, go aside, tip
    lift = np.column_stack([np.full(50, 0.5), np.linspace(-0.25, 2, 50), np.full(50, -1.0)])
    aside = np.column_stack([np.linspace(0.5, 3, 50), np.full(50, 2.0), np.full(50, -1.0)])
    tip = np.column_stack([np.full(150, 3.0), np.full(150, 2.0), np.full(150, 1.0)])
    load = work(kernel, site, terrain, np.vstack([lift, aside]), load)
    assert load > 0.95 * dug
    load = work(kernel, site, terrain, tip, load)
    assert load < 1e-3
    terrain.settle()
    assert terrain.height_at(3.0, 0.3) > 0.3
    assert LOAM.density * (terrain.gained + terrain.outside) + load == pytest.approx(0, abs=1e-9)

    # a second pass over the same ground meets hardly any
    again = work(kernel, site, terrain, cut[:-20], load)
    assert again < 0.05 * dug


def test_the_excavator_cuts_towards_its_cab():
    machine = px.library.cat215b(payload=True)
    terrain = Terrain.flat(soil=SAND)
    site = DigSite(machine, Ground(SAND), terrain)
    q = np.array([0.7, 0.2, -1.9, 0.3])
    edge = px.Dynamics(machine).forward_kinematics(q, frame="teeth")[:2, 3]
    site.update(q, 10.0)
    i, j = np.argwhere(terrain.heights < -0.93).mean(axis=0) * terrain.cell + terrain.corner
    np.testing.assert_allclose([i, j], edge, atol=0.2)
    # the ground before the edge, nearer to the cab, is whole
    toward = edge * (1 - 2 * terrain.cell / np.linalg.norm(edge))
    assert site.surface(q) == pytest.approx(float(terrain.height_at(*toward)), abs=1e-3) == -0.93


def test_an_edge_never_digs_deeper_than_it_goes():
    # back and forth before a wall: the soil comes from the wall, not from under the edge
    machine, terrain = sledge(), Terrain.flat(0.0, reach=3.0, cell=0.1)
    kernel, site = at_contact(GROUND, machine), DigSite(machine, GROUND, terrain)
    x = np.abs(np.arange(-1, 1, 0.02)) * 0.3
    path = np.column_stack([np.tile(x, 3), np.full(3 * len(x), -0.5), np.full(3 * len(x), 0.6)])
    assert work(kernel, site, terrain, path, 0.0) > 100
    assert terrain.heights.min() == pytest.approx(-0.5, abs=1e-9)


def test_what_does_not_fit_is_refused():
    machine = px.library.cat215b(payload=True)
    with pytest.raises(InvalidInput, match="same soil"):
        DigSite(machine, Ground(SAND), Terrain.flat(soil=LOAM))
    with pytest.raises(UnknownName, match="payload"):
        DigSite(px.library.cat215b(), Ground(), Terrain.flat())
    site = DigSite(machine, Ground(), Terrain.flat())
    for load in (-1.0, float("nan")):
        with pytest.raises(InvalidInput, match="load"):
            site.update(np.zeros(4), load)
