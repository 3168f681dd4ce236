from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
from phalanx.mechanism import Mesh
from phalanx.view.scene.meshes import has_own_colours, one_surface, read_mesh

trimesh = pytest.importorskip("trimesh")

BOMB = """<?xml version="1.0"?>
<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">&b;</COLLADA>
"""


@pytest.fixture
def brick(tmp_path):
    path = tmp_path / "brick.stl"
    trimesh.creation.box((1.0, 2.0, 3.0)).export(path)
    return path


def test_a_mesh_is_scaled(brick):
    scene = read_mesh(Mesh(brick, (0.1, 0.1, 0.1)))
    np.testing.assert_allclose(scene.bounds[1], [0.05, 0.1, 0.15])
    assert not has_own_colours(scene)


def test_a_mirrored_mesh_still_looks_outward(brick):
    vertices, faces = one_surface(read_mesh(Mesh(brick, (1.0, -1.0, 1.0))))
    assert trimesh.Trimesh(vertices, faces).volume > 0


def test_collada_keeps_its_unit_and_colours(tmp_path):
    box = trimesh.creation.box((1.0, 1.0, 1.0))
    box.visual.face_colors = (200, 30, 30, 255)
    text = trimesh.exchange.dae.export_collada(box).decode()
    path = tmp_path / "box.dae"
    path.write_text(text)
    scene = read_mesh(Mesh(path))
    np.testing.assert_allclose(scene.extents, 1.0)
    assert has_own_colours(scene)
    unit = '<unit name="centimeter" meter="0.01"/>'
    path.write_text(text.replace("<asset>", f"<asset>{unit}"))
    np.testing.assert_allclose(read_mesh(Mesh(path)).extents, 0.01)


def test_an_entity_bomb_is_refused(tmp_path):
    path = tmp_path / "bomb.dae"
    path.write_text(BOMB)
    with pytest.raises(px.ReadError):
        read_mesh(Mesh(path))


def test_a_mesh_pulls_in_no_file_from_elsewhere(tmp_path):
    folder = tmp_path / "meshes"
    folder.mkdir()
    (tmp_path / "secret.mtl").write_text("newmtl red\nKd 1 0 0\n")
    obj = folder / "thing.obj"
    obj.write_text("mtllib ../secret.mtl\nusemtl red\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    part = next(iter(read_mesh(Mesh(obj)).geometry.values()))
    assert tuple(part.visual.main_color[:3]) != (255, 0, 0)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(px.ReadError, match="No such file"):
        read_mesh(Mesh(tmp_path / "none.stl"))


def test_a_point_cloud_is_no_surface(tmp_path):
    path = tmp_path / "points.obj"
    path.write_text("v 0 0 0\nv 1 0 0\n")
    with pytest.raises(px.ReadError, match=r"points\.obj"):
        read_mesh(Mesh(path))
