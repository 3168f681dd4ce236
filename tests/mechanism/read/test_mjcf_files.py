"""Files of an MJCF model: looked for where MuJoCo does, none outside, some not needed."""

import numpy as np
import pytest

from phalanx.base.errors import ReadError
from phalanx.mechanism import Mesh
from phalanx.mechanism.read import ModelWarning, load

pytest.importorskip("mujoco")

TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
INERTIAL = '<inertial pos="0 0 0.1" mass="2" diaginertia="0.1 0.2 0.3"/>'
ASSET = '<mujoco><asset><mesh name="m" file="../geometry/m.obj"/></asset></mujoco>'
MODEL = """<mujoco>{parts}
  <asset><texture name="t" type="2d" file="t.png"/><material name="paint" texture="t"/></asset>
  <worldbody><body name="a">{inertial}<joint/>
    <geom type="mesh" mesh="m" material="paint" {numbers}/></body></worldbody></mujoco>"""
INCLUDED = MODEL.format(
    parts='<include file="parts/asset/meshes.xml"/>', inertial=INERTIAL, numbers=""
).replace('file="t.png"', 'builtin="flat" width="1" height="1"')


@pytest.fixture
def folder(tmp_path):
    """A model's folder with a mesh beside a folder of included parts."""
    model = tmp_path / "robot"
    (model / "parts" / "asset").mkdir(parents=True)
    (model / "parts" / "geometry").mkdir()
    (model / "parts" / "asset" / "meshes.xml").write_text(ASSET)
    (model / "parts" / "geometry" / "m.obj").write_text(TETRAHEDRON)
    return model


def test_a_path_up_from_an_included_file_may_stay_inside(folder):
    (folder / "model.xml").write_text(INCLUDED)
    visual = load(folder / "model.xml").body("a").visuals[0]
    assert visual.geometry == Mesh((folder / "parts" / "geometry" / "m.obj").resolve())


def test_one_meaning_of_a_path_outside_is_enough_to_refuse_it(folder):
    """From the model's own folder, the same name leads to a stranger's file."""
    (folder / "model.xml").write_text(INCLUDED)
    (folder.parent / "geometry").mkdir()
    (folder.parent / "geometry" / "m.obj").write_text(TETRAHEDRON)
    with pytest.raises(ReadError, match=r"'../geometry/m.obj' lies outside"):
        load(folder / "model.xml")


def test_a_link_that_leads_outside_is_refused(folder):
    (folder.parent / "secret.obj").write_text(TETRAHEDRON)
    (folder / "parts" / "geometry" / "m.obj").unlink()
    (folder / "parts" / "geometry" / "m.obj").symlink_to(folder.parent / "secret.obj")
    (folder / "model.xml").write_text(INCLUDED)
    with pytest.raises(ReadError, match="lies outside"):
        load(folder / "model.xml")


MESH = '<asset><mesh name="m" file="gone.stl"/></asset>'


@pytest.mark.parametrize(
    ("inertial", "numbers"),
    [(INERTIAL, ""), (f"{INERTIAL}<geom size='1'/>", ""), ("<geom size='0.1'/>", 'density="0"')],
)
def test_meshes_that_only_draw_may_be_missing(tmp_path, inertial, numbers):
    file, bare = tmp_path / "model.xml", tmp_path / "bare.xml"
    file.write_text(MODEL.format(parts=MESH, inertial=inertial, numbers=numbers))
    bare.write_text(
        f'<mujoco><worldbody><body name="a">{inertial}<joint/></body></worldbody></mujoco>'
    )
    with pytest.warns(ModelWarning, match=r"not drawn: gone.stl, t.png"):
        ours = load(file).body("a")
    same = load(bare).body("a")
    assert ours.mass == same.mass > 0
    np.testing.assert_array_equal(ours.inertia, same.inertia)
    assert len(ours.visuals) == len(same.visuals)


@pytest.mark.parametrize(
    ("compiler", "inertial", "numbers"),
    [
        ("", "", ""),
        ("", "<geom size='1'/>", 'mass="0.5"'),
        ('<compiler inertiafromgeom="true"/>', INERTIAL, ""),
    ],
)
def test_a_missing_mesh_that_says_how_heavy_a_body_is_is_an_error(
    tmp_path, compiler, inertial, numbers
):
    file = tmp_path / "model.xml"
    file.write_text(MODEL.format(parts=compiler + MESH, inertial=inertial, numbers=numbers))
    with pytest.raises(ReadError, match=r"'gone.stl' is missing, and the inertia of body 'a'"):
        load(file)


def test_a_part_of_a_model_is_known_as_one(tmp_path):
    file = tmp_path / "keyframes.xml"
    file.write_text('<mujoco><keyframe><key name="home" qpos="0 1"/></keyframe></mujoco>')
    with pytest.raises(ReadError, match=r"It has no bodies: .* another model includes"):
        load(file)
