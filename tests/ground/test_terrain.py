"""Terrain: soil is conserved, cuts are flat, heaps stand at their angle of repose."""

from dataclasses import replace
from math import radians, tan

import numpy as np
import pytest

from phalanx.base.errors import InvalidInput
from phalanx.ground import LOAM, SAND, Patches, Terrain


def test_soil_is_conserved_through_digging_dumping_and_sliding():
    rng = np.random.default_rng(3)
    terrain = Terrain.flat(reach=3.0, cell=0.2)
    moved = 0.0
    for _ in range(150):
        # a quarter of these edges reach over the rim
        x, y = rng.uniform(-3.5, 3.5, 2)
        volume, width, heading = rng.uniform(0, 0.2), rng.uniform(0.1, 1.5), rng.uniform(-4, 4)
        if rng.random() < 0.5:
            terrain.dig(x, y, volume, width, heading)
            moved -= volume
        else:
            terrain.dump(x, y, volume, width, heading)
            moved += volume
    assert terrain.gained + terrain.outside == pytest.approx(moved, abs=1e-12)
    before = terrain.gained
    terrain.settle(50)
    assert terrain.gained == pytest.approx(before, abs=1e-12)
    assert terrain.outside != 0 and (terrain.loose >= 0).all()


def test_what_was_dug_takes_more_room_when_dumped():
    terrain = Terrain.flat(0.0, reach=4.0)
    terrain.dump(0.3, -0.2, 0.6, 1.0)
    assert terrain.heights.sum() * terrain.cell**2 == pytest.approx(0.6 * LOAM.swell)
    # and is taken away again before firm ground is
    terrain.settle()
    heap = terrain.heights
    terrain.dig(0.3, -0.2, 0.01, 0.2)
    assert (terrain.heights >= 0).all()
    assert (heap - terrain.heights).sum() * terrain.cell**2 == pytest.approx(0.01 * LOAM.swell)


@pytest.mark.parametrize("heading", [0.0, 0.4, np.pi / 2])
def test_a_straight_cut_leaves_a_flat_bottom(heading):
    # 0.2 m deep and 1.5 m wide, in steps much shorter than a cell
    terrain, width, depth, step = Terrain.flat(0.0, reach=5.0, cell=0.1), 1.5, 0.2, 0.01
    ahead, across = (
        np.array([np.cos(heading), np.sin(heading)]),
        np.array([-np.sin(heading), np.cos(heading)]),
    )
    for k in range(int(4 / step)):
        x, y = ahead * (k * step - 2)
        terrain.dig(x, y, width * depth * step, width, heading)
    side = np.linspace(-0.5, 0.5, 11)
    for along in (-1.0, 0.3, 1.5):
        points = along * ahead + side[:, None] * across
        np.testing.assert_allclose(terrain.height_at(*points.T), -depth, rtol=0.03)
    beside = 1.0 * across + np.array([-1, 0, 1])[:, None] * ahead
    assert (terrain.height_at(*beside.T) == 0).all()


def test_an_edge_takes_what_stands_above_it_from_itself_forwards():
    terrain = Terrain.flat(0.0, reach=2.0, cell=0.1)
    terrain.dump(0.3, 0.0, 0.02, 0.5)
    terrain.dig(0.0, 0.0, 0.03, 0.55, floor=-0.1)
    dug = np.argwhere(terrain.heights < -1e-9)
    assert terrain.heights.min() == pytest.approx(-0.1)
    at = dug * 0.1 + terrain.corner
    # six points across; 0.003 m³ stand over each row
    assert np.abs(at[:, 1]).max() < 0.28 and -0.16 < at[:, 0].min() and at[:, 0].max() < 0.5
    assert terrain.gained == pytest.approx(0.02 - 0.03)


@pytest.mark.parametrize("soil", [SAND, LOAM], ids=["sand", "loam"])
def test_a_heap_stands_at_its_angle_of_repose(soil):
    terrain = Terrain.flat(0.0, reach=3.0, soil=soil)
    for _ in range(20):
        terrain.dump(0.0, 0.0, 0.05, 0.3)
    assert terrain.settle() < 2e-3
    heights, run = terrain.heights, terrain.cell
    steepest = max(np.abs(np.diff(heights, axis=axis)).max() for axis in (0, 1)) / run
    assert steepest == pytest.approx(tan(soil.repose), rel=0.02)
    # about a cone of its volume: V = π h³ / (3 tan²)
    cone = (3 * soil.swell * tan(soil.repose) ** 2 / np.pi) ** (1 / 3)
    assert heights.max() == pytest.approx(cone, rel=0.15)
    assert (heights[0] == 0).all() and (heights[:, -1] == 0).all()


def test_firm_walls_stand_while_loose_soil_slides_into_the_cut():
    terrain = Terrain.flat(0.0, reach=3.0, cell=0.1)
    for x in np.arange(-1, 1, 0.02):
        terrain.dig(x, 0.0, 0.02 * 0.8, 1.0)
    terrain.settle()
    wall = terrain.height_at(0.0, 0.8) - terrain.height_at(0.0, 0.3)
    assert wall == pytest.approx(0.8, rel=0.05)
    terrain.dump(0.0, 0.6, 0.3, 0.2, np.pi / 2)
    terrain.settle()
    assert terrain.height_at(0.0, 0.3) > -0.75


def test_heights_between_grid_points_and_beyond_the_rim():
    x, y = np.meshgrid(np.arange(4.0), np.arange(3.0), indexing="ij")
    plane = Terrain(2 + 0.5 * x - y, 1.0, (0.0, 0.0))
    at = np.random.default_rng(0).uniform(0, 1, (50, 2)) * [3, 2]
    np.testing.assert_allclose(plane.height_at(*at.T), 2 + 0.5 * at[:, 0] - at[:, 1], rtol=1e-12)
    np.testing.assert_allclose(plane.height_at([-5, 9, 3], [0, 0, 7]), [2, 3.5, 1.5], rtol=1e-12)


def test_only_changed_patches_are_drawn_anew():
    terrain = Terrain.flat(reach=3.0, cell=0.1)
    patches = Patches(terrain, cells=10)
    whole = patches.all()
    assert len(whole) == 36 and patches.changed() == []
    terrain.dig(0.45, 0.45, 0.05, 0.3)
    (patch,) = patches.changed()
    assert patch.name == "3_3" and patches.changed() == []
    assert patch.vertices[:, 2].min() < terrain.soil.swell * -0.93
    # a seam belongs to both sides
    terrain.dig(1.0, 0.45, 0.05, 0.3)
    assert {patch.name for patch in patches.changed()} == {"3_3", "4_3"}


def test_patches_cover_the_ground_once_and_look_up():
    rng = np.random.default_rng(1)
    terrain = Terrain(rng.normal(size=(13, 8)), 0.5, (-2.0, 1.0))
    area = 0.0
    for patch in Patches(terrain, cells=5).all():
        a, b, c = (patch.vertices[patch.faces[:, k]] for k in range(3))
        up = np.cross(b - a, c - a)[:, 2] / 2
        assert (up > 0).all()
        area += up.sum()
        np.testing.assert_allclose(
            patch.vertices[:, 2], terrain.height_at(*patch.vertices[:, :2].T), atol=1e-5
        )
    assert area == pytest.approx(12 * 7 * 0.25, rel=1e-6)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Terrain([[0.0]], 0.1, (0, 0)),
        lambda: Terrain(np.full((3, 3), np.nan), 0.1, (0, 0)),
        lambda: Terrain(np.zeros((3, 3)), 0.0, (0, 0)),
        lambda: Terrain(np.zeros((3, 3)), 0.1, (0, 0), loose=np.zeros((3, 2))),
        lambda: Terrain(np.zeros((3, 3)), 0.1, (0, 0), loose=np.full((3, 3), -1e-3)),
        lambda: Terrain(np.zeros((3, 3)), 0.1, (0, 0), loose=np.full((3, 3), np.inf)),
        lambda: Terrain(np.zeros((3, 3)), 0.1, (0, 0), loose=np.full((3, 3), np.nan)),
        lambda: Terrain(np.zeros((3, 3)), 0.1, (0, np.inf)),
        lambda: Terrain.flat(reach=0.05),
        lambda: Terrain.flat().dig(0, 0, np.nan, 1),
        lambda: Terrain.flat().dig(0, 0, -0.1, 1),
        lambda: Terrain.flat().dump(0, 0, 0.1, 0),
        lambda: Patches(Terrain.flat(), 0),
    ],
)
def test_bad_terrain_is_refused(make):
    with pytest.raises(InvalidInput):
        make()


def test_a_given_angle_of_repose_counts():
    assert replace(LOAM, repose=radians(30)).heap_slope == pytest.approx(tan(radians(30)))
    assert replace(LOAM, repose=None, friction=radians(25)).heap_slope == pytest.approx(
        tan(radians(25))
    )
