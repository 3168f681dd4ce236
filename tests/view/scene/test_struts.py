"""Cylinders in a scene reach from pin to pin, whatever the posture."""

import numpy as np
import pytest

import phalanx as px
from phalanx.base.errors import UnknownName
from phalanx.mechanism import Strut
from phalanx.mechanism.library.cat215b_cylinders import cat215b_posture
from phalanx.view.plots.draw import body_poses
from phalanx.view.scene.scene import Scene
from phalanx.view.scene.struts import Struts
from view.scene_log import SceneLog

MACHINE = px.library.cat215b_cylinders()
POSTURES = [(0.0, 0.5, -1.5, -0.3), (1.0, -0.7, -0.6, 0.5), (-2.0, 1.0, -2.6, -2.0)]


def pin(q, name):
    frame = MACHINE.frame(name)
    pose = body_poses(MACHINE, q)[MACHINE.body_index(frame.body)] @ frame.pose
    return pose.translation, pose.rotation[:, 2]


def ends(log, path, length):
    pose = log.world_pose(path)
    half = length / 2 * pose.rotation[:, 2]
    return pose.translation - half, pose.translation + half


@pytest.mark.parametrize("posture", POSTURES)
def test_barrels_begin_and_rods_end_at_their_pins_on_one_line(posture):
    log = SceneLog()
    struts = Struts(log, MACHINE, MACHINE.struts)
    q = cat215b_posture(MACHINE, *posture)
    struts.move(q)
    for strut in MACHINE.struts:
        (base, _), (rod, z) = pin(q, strut.base), pin(q, strut.rod)
        for k, shift in enumerate(strut.aside):
            path = f"/machine/strut_{strut.name}_"
            barrel_start, barrel_end = ends(log, f"{path}{2 * k}", strut.length)
            rod_start, rod_end = ends(log, f"{path}{2 * k + 1}", strut.length)
            np.testing.assert_allclose(barrel_start, base + shift * z, atol=1e-9)
            np.testing.assert_allclose(rod_end, rod + shift * z, atol=1e-9)
            along = (rod - base) / np.linalg.norm(rod - base)
            np.testing.assert_allclose((barrel_end - barrel_start) / strut.length, along, atol=1e-9)
            # the rod comes out of the barrel, and does not come through its base
            assert 0 < (rod_start - barrel_start) @ along < strut.length


def test_a_scene_brings_the_struts_of_its_machine_along():
    log = SceneLog()
    q = cat215b_posture(MACHINE, *POSTURES[0])
    scene = Scene(log, MACHINE, q)
    path = "/machine/strut_stick_cylinder_1"
    before = log.world_pose(path).translation
    scene.move(cat215b_posture(MACHINE, *POSTURES[1]))
    assert np.linalg.norm(log.world_pose(path).translation - before) > 0.5
    scene.show_layer("shapes", False)
    assert not log.nodes[path].visible


def test_frames_on_one_point_still_have_a_cylinder():
    strut = Strut("short", "teeth", "teeth", 0.1, 0.02, 0.01)
    log = SceneLog()
    Struts(log, MACHINE, [strut]).move(MACHINE.neutral())
    assert np.isfinite(log.world_pose("/machine/strut_short_0").matrix).all()


def test_unknown_frames_are_refused():
    with pytest.raises(UnknownName, match="Did you mean 'teeth'"):
        Struts(SceneLog(), MACHINE, [Strut("x", "tooth", "teeth", 1.0, 0.1, 0.1)])
