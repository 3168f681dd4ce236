from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

import phalanx as px
from phalanx.mechanism import Box, Capsule, Cylinder, Mesh, Pose, Revolute, Sphere, Visual
from phalanx.view.plots.draw import body_poses
from phalanx.view.scene.scene import Scene, carriers
from phalanx.view.scene.skeleton import bones, joint_marks
from strategies import moving
from view.scene_log import SceneLog

pytest.importorskip("viser")


def arm(*shapes, mass=1.0):
    """A base, an arm with shapes, and a tool bolted to it."""
    at = Pose(translation=np.array([0.1, 0.2, 0.3]))
    bodies = [
        px.Body("base"),
        px.Body("arm", mass, inertia=np.eye(3), visuals=[Visual(shape, at) for shape in shapes]),
        px.Body("tool/tip", 0.5, inertia=np.eye(3), visuals=[Visual(Sphere(0.1), at)]),
    ]
    joints = [
        px.Joint("hinge", "base", "arm", Revolute((0, 1, 0)), Pose(translation=np.ones(3))),
        px.Joint("bolt", "arm", "tool/tip", pose=Pose(translation=np.array([0, 0, 1.0]))),
    ]
    return px.Mechanism("arm", bodies, joints)


@pytest.mark.parametrize("name", px.library.names())
def test_every_shape_is_where_kinematics_puts_it(name):
    mechanism = px.library.by_name(name)
    log = SceneLog()
    scene = Scene(log, mechanism, mechanism.neutral())
    q = mechanism.random_positions()
    scene.move(q)
    poses = body_poses(mechanism, q)
    for i, body in enumerate(mechanism.bodies):
        for k, visual in enumerate(body.visuals):
            [path] = [p for p in log.nodes if p.endswith(f"/{i}_{body.name}_shape_{k}")]
            expected = (poses[i] @ visual.pose).matrix
            np.testing.assert_allclose(log.world_pose(path).matrix, expected, atol=1e-9)


@given(moving())
def test_poses_of_all_bodies_come_from_one_call(drawn):
    mechanism, state = drawn
    scene = Scene(SceneLog(), mechanism, mechanism.neutral())
    expected = [pose.matrix for pose in body_poses(mechanism, state.q)]
    np.testing.assert_allclose(scene.poses(state.q), expected, atol=1e-9)


def test_shapes_become_nodes_of_their_kind():
    log = SceneLog()
    shapes = (Box((1, 2, 3)), Cylinder(0.1, 1.0), Sphere(0.2), Capsule(0.1, 1.0))
    mechanism = arm(*shapes)
    Scene(log, mechanism, mechanism.neutral())
    kinds = [log.nodes[f"/machine/1_arm/1_arm_shape_{k}"].kind for k in range(4)]
    assert kinds == ["box", "cylinder", "icosphere", "mesh_simple"]


def test_bolted_bodies_ride_on_one_node():
    mechanism = arm(Sphere(0.1))
    carrier, on_carrier = carriers(mechanism)
    assert carrier == [0, 1, 1]
    np.testing.assert_allclose(on_carrier[2].translation, [0, 0, 1])
    log = SceneLog()
    Scene(log, mechanism, mechanism.neutral())
    assert "/machine/1_arm/2_tool_tip_shape_0" in log.nodes


def test_only_what_moved_is_sent():
    mechanism = px.library.puma560()
    log = SceneLog()
    scene = Scene(log, mechanism, mechanism.neutral())
    log.changes.clear()
    scene.move(np.array([0, 0, 0, 0, 0.3, 0]))
    assert {path.split("_")[1] for path, _ in log.changes} == {"link"}
    assert len(log.changes) == 2 * 2  # the last two bodies: position and rotation
    log.changes.clear()
    scene.move(np.array([0, 0, 0, 0, 0.3, 0]))
    assert log.changes == []


def test_a_body_without_shapes_has_bones():
    log = SceneLog()
    mechanism = arm()
    Scene(log, mechanism, mechanism.neutral())
    assert any("1_arm_bone" in path for path in log.nodes)
    assert not any("0_base_bone" in path for path in log.nodes), "a massless body is a name"


def test_a_machine_without_any_shapes_is_a_skeleton():
    log = SceneLog()
    bodies = [px.Body("base"), px.Body("rod", 1.0, com=np.array([0, 0, -1.0]))]
    joints = [px.Joint("hinge", "base", "rod", Revolute(), Pose(translation=np.ones(3)))]
    mechanism = px.Mechanism("pendulum", bodies, joints)
    Scene(log, mechanism, mechanism.neutral())
    assert {"/machine/0_base/0_base_bone_0", "/machine/1_rod/1_rod_bone_0"} <= set(log.nodes)


def test_bones_reach_to_where_a_loop_closes():
    linkage = px.library.four_bar()
    bare = [replace(body, visuals=()) for body in linkage.bodies]
    crank, rocker = linkage.joint("crank"), linkage.joint("rocker")
    cam = px.Loop.coupled("cam", rocker, crank, [0.1, 0.2])
    machine = replace(linkage, bodies=bare, loops=[*linkage.loops, cam])
    for name in ("coupler", "rocker"):
        (bone,) = bones(machine, machine.body_index(name), 1.0)
        end = machine.frame(f"{name}_end").pose.translation
        np.testing.assert_allclose(2 * bone.pose.translation, end, atol=1e-15)
    # a coupling of joints is nowhere: it has neither bone nor mark
    assert len(joint_marks(machine, 1.0)) == len(machine.joints) + 1


def test_layers_are_made_when_they_are_first_shown():
    log = SceneLog()
    mechanism = arm(Sphere(0.1))
    scene = Scene(log, mechanism, mechanism.neutral())
    assert not any("inertia" in path for path in log.nodes)
    scene.show_layer("inertias", False)
    assert not any("inertia" in path for path in log.nodes)
    for layer in scene.layers:
        scene.show_layer(layer, True)
    ellipsoid = log.nodes["/machine/1_arm/1_arm_inertia"]
    np.testing.assert_allclose(ellipsoid.scale, np.sqrt(2.5), rtol=1e-12)  # I = 2/5 m r²
    scene.show_layer("inertias", False)
    assert not ellipsoid.visible


def test_bounds_hold_all_shapes():
    mechanism = arm(Box((2, 2, 2)))
    scene = Scene(SceneLog(), mechanism, mechanism.neutral())
    low, high = scene.bounds(mechanism.neutral())
    np.testing.assert_allclose(low, [0, 0, 0], atol=0.21)
    np.testing.assert_allclose(high, [2.1, 2.2, 2.4], atol=1e-6)


@pytest.mark.parametrize("content", [b"no mesh at all", b""])
def test_a_broken_mesh_is_left_out_and_said(tmp_path, content):
    path = tmp_path / "broken.stl"
    path.write_bytes(content)
    mechanism = arm(Mesh(path))
    log = SceneLog()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        Scene(log, mechanism, mechanism.neutral())
    assert any("broken.stl" in str(warning.message) for warning in caught)
    assert "/machine/1_arm/1_arm_bone_0" in log.nodes


def test_loops_are_marked_where_they_close_and_free_bodies_are_not():
    stewart = px.library.stewart()
    marks = joint_marks(stewart, 1.0)
    poses = Scene(SceneLog(), stewart, stewart.neutral()).poses(stewart.neutral())
    places = np.array([poses[i, :3, :3] @ m.pose.translation + poses[i, :3, 3] for i, m in marks])
    ends = [poses[stewart.body_index(f"rod_{i}"), :3, 3] for i in range(1, 7)]
    for end in ends:  # of the leg: there it meets the platform, and its own slide begins
        assert np.isclose(np.linalg.norm(places - end, axis=1), 0, atol=1e-9).sum() == 2
    assert len(marks) == 6 * 3  # universal joint, slide and ball of each leg; none of the platform
