"""Machines of hundreds of bodies: a few nodes for all, every copy where kinematics puts it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import phalanx as px
from phalanx.mechanism import (
    Box,
    Capsule,
    Cylinder,
    Floating,
    Mesh,
    Mimic,
    Pose,
    Prism,
    Sphere,
    Visual,
)
from phalanx.view.plots.draw import body_poses
from phalanx.view.scene.instanced_scene import InstancedScene
from phalanx.view.scene.postures import MOST_NODES, has_many_bodies, poses_of
from view.scene_log import SceneLog

pytest.importorskip("viser")

AT = Pose.from_rpy((0.1, 0.2, -0.3), (0.3, -0.4, 0.5))
TRIANGLE = ((0.0, 0.0), (0.1, 0.0), (0.0, 0.1))


def long_chain(joint="revolute", *shapes, count=MOST_NODES + 10):
    """A chain, its links with shapes by turns, where some are given."""
    chain = px.library.chain(count, joint)
    if not shapes:
        return chain
    bodies = [chain.bodies[0]]
    bodies += [
        replace(body, visuals=(Visual(shapes[k % len(shapes)], AT),))
        for k, body in enumerate(chain.bodies[1:])
    ]
    return replace(chain, bodies=bodies)


def matrices(node):
    """Poses of the copies of a node, shape (n, 4, 4)."""
    poses = [
        Pose.from_quaternion(p, (x, y, z, w))
        for p, (w, x, y, z) in zip(node.batched_positions, node.batched_wxyzs, strict=True)
    ]
    return np.array([pose.matrix for pose in poses])


def batches(log):
    return {p: n for p, n in log.nodes.items() if n.kind.startswith("batched")}


@pytest.mark.parametrize("joint", ["revolute", "universal", "spherical"])
def test_poses_of_long_machines_are_those_of_kinematics(joint):
    chain = long_chain(joint)
    assert has_many_bodies(chain)
    q = chain.random_positions(seed=3)
    expected = np.array([pose.matrix for pose in body_poses(chain, q)])
    np.testing.assert_allclose(poses_of(chain)(q), expected, atol=1e-11)


@pytest.mark.parametrize("joint", ["revolute", "spherical"])
def test_every_copy_is_where_kinematics_puts_it(joint):
    chain = long_chain(joint, Capsule(0.05, 1.0))
    log = SceneLog()
    crowd = InstancedScene(log, chain, chain.neutral())
    q = chain.random_positions(seed=2)
    crowd.move(q)
    [node] = batches(log).values()
    poses = body_poses(chain, q)
    expected = np.array([(pose @ AT).matrix for pose in poses[1:]])
    # single precision of places some hundred metres away
    np.testing.assert_allclose(matrices(node), expected, atol=1e-4)


def test_shapes_of_one_kind_are_one_node_whatever_their_size():
    shapes = [Box((0.1, 0.2, 0.3)), Box((1.0, 2.0, 3.0)), Cylinder(0.1, 2.0), Cylinder(0.2, 1.0)]
    shapes += [Sphere(0.1), Sphere(0.3), Capsule(0.1, 1.0), Capsule(0.2, 2.0), Prism(TRIANGLE, 0.1)]
    chain = long_chain("revolute", *shapes, count=210 // len(shapes) * len(shapes) + len(shapes))
    log = SceneLog()
    InstancedScene(log, chain, chain.neutral())
    found = batches(log)
    assert len(found) == 5
    scales = {tuple(s) for node in found.values() for s in node.batched_scales.round(6).tolist()}
    expected = [(0.1, 0.2, 0.3), (1, 2, 3), (0.1, 0.1, 2), (0.2, 0.2, 1), (0.1,) * 3, (0.3,) * 3]
    expected += [(0.2,) * 3, (1,) * 3]
    assert scales == {tuple(np.float32(s).round(6).tolist()) for s in expected}
    assert sum(len(node.batched_positions) for node in found.values()) == len(chain.joints)


def test_a_posture_is_a_message_or_two_a_surface_and_none_where_nothing_moves():
    chain = long_chain()
    log = SceneLog()
    crowd = InstancedScene(log, chain, chain.neutral())
    log.changes.clear()
    crowd.move(chain.neutral())
    assert not log.changes
    crowd.move(chain.random_positions())
    assert sorted(name for _, name in log.changes) == [
        "batched_positions",
        "batched_wxyzs",
        "points",
    ]


def test_hidden_layers_stay_behind_and_catch_up_when_they_are_shown():
    chain = long_chain()
    log = SceneLog()
    crowd = InstancedScene(log, chain, chain.neutral())
    assert crowd.shown_at_first == ("shapes", "thread")
    crowd.show_layer("joints", False)
    assert not [path for path in log.nodes if "joints" in path], "made when it is first shown"
    for layer in crowd.layers:
        crowd.show_layer(layer, True)
        crowd.show_layer(layer, False)
    log.changes.clear()
    q = chain.random_positions(seed=1)
    crowd.move(q)
    assert not log.changes
    crowd.show_layer("frames", True)
    node = log.nodes["/machine/frames"]
    expected = np.array([pose.matrix for pose in body_poses(chain, q)])
    np.testing.assert_allclose(matrices(node), expected, atol=1e-4)


def test_a_machine_without_shapes_has_bones_and_one_thread():
    chain = long_chain()
    bare = replace(chain, bodies=[replace(body, visuals=()) for body in chain.bodies])
    log = SceneLog()
    InstancedScene(log, bare, bare.neutral())
    copies = sum(len(node.batched_positions) for node in batches(log).values())
    assert copies == len(chain.joints) + 1  # a ball where the first rod hangs on the base
    assert log.nodes["/machine/thread"].points.shape == (len(chain.joints), 2, 3)


def test_the_thread_of_a_long_chain_is_as_fine_as_a_picture():
    chain = px.library.chain(5000)
    log = SceneLog()
    InstancedScene(log, chain, chain.neutral())
    points = log.nodes["/machine/thread"].points
    assert len(points) == 500
    # from the base to the last joint without a gap
    np.testing.assert_array_equal(points[1:, 0], points[:-1, 1])
    np.testing.assert_allclose(points[[0, -1], [0, 1], 2], [0.0, -4999.0])


def test_bounds_hold_all_shapes():
    chain = long_chain()
    crowd = InstancedScene(SceneLog(), chain, chain.neutral())
    low, high = crowd.bounds(chain.neutral())
    assert low[2] <= -len(chain.joints) and high[2] >= 0.0
    assert (low[:2] <= -0.05).all() and (high[:2] >= 0.05).all()


def test_a_broken_mesh_is_said_once_and_replaced_by_bones(tmp_path):
    path = tmp_path / "link.stl"
    path.write_text("no mesh")
    chain = long_chain("revolute", Mesh(path))
    log = SceneLog()
    with pytest.warns(UserWarning, match="Drawn without it") as caught:
        InstancedScene(log, chain, chain.neutral())
    assert len(caught) == 1
    assert batches(log)


def test_a_mesh_is_read_once_and_copied(tmp_path):
    import trimesh

    path = tmp_path / "link.stl"
    trimesh.creation.box((0.1, 0.1, 1.0)).export(path)
    chain = long_chain("revolute", Mesh(path), Mesh(path, (2.0, 2.0, 2.0)))
    log = SceneLog()
    InstancedScene(log, chain, chain.neutral())
    assert [len(node.batched_positions) for node in batches(log).values()] == [105, 105]


def test_joints_that_follow_others_are_drawn_too(monkeypatch):
    monkeypatch.setattr("phalanx.view.scene.postures.MOST_NODES", 5)
    chain = long_chain(count=10)
    assert has_many_bodies(chain)
    follower = replace(chain.joints[5], mimic=Mimic("joint_1", 2.0, 0.1))
    tied = replace(chain, joints=[*chain.joints[:5], follower, *chain.joints[6:]])
    q = 0.1 * tied.random_positions(seed=4)
    expected = np.array([pose.matrix for pose in body_poses(tied, q)])
    np.testing.assert_allclose(poses_of(tied)(q), expected, atol=1e-9)


class Eye:
    """Stands in for the cameras of open pages: a metre takes so many pixels below a height."""

    def __init__(self, pixels, above=np.inf):
        self.scale, self.above, self.moved = pixels, above, False

    def pixels(self, places):
        return np.where(-places[:, 2] < self.above, self.scale, 0.0)

    def has_moved(self):
        moved, self.moved = self.moved, False
        return moved


def test_what_the_thread_covers_is_not_drawn():
    """Only links among the first ten are large enough; each has its own size and colour."""
    chain = long_chain("revolute", Box((0.1, 0.2, 0.3)), Box((0.2, 0.1, 0.5)))
    log, eye = SceneLog(), Eye(100.0, above=9.5)
    crowd = InstancedScene(log, chain, chain.neutral(), eye)
    [node] = batches(log).values()
    everything = SceneLog()
    InstancedScene(everything, chain, chain.neutral())
    [whole] = batches(everything).values()
    seen = np.flatnonzero(-whole.batched_positions[:, 2] < 9.5)
    assert 5 < len(seen) < 15
    for name in ("batched_positions", "batched_wxyzs", "batched_scales", "batched_colors"):
        np.testing.assert_array_equal(getattr(node, name), getattr(whole, name)[seen])
    # nothing but the thread moves when no link is seen
    eye.scale = 0.1
    crowd.move(chain.random_positions(seed=1))
    assert not node.visible
    log.changes.clear()
    crowd.move(chain.random_positions(seed=2))
    assert [name for _, name in log.changes] == ["points"]


def test_a_camera_that_comes_near_finds_all_links():
    chain = long_chain("revolute", Box((0.1, 0.2, 0.3)))
    log, eye = SceneLog(), Eye(0.1)
    crowd = InstancedScene(log, chain, chain.neutral(), eye)
    [node] = batches(log).values()
    assert not node.visible
    eye.scale = 100.0
    crowd.move(chain.neutral())
    assert not node.visible, "nobody has said that the camera moved"
    eye.moved = True
    crowd.move(chain.neutral())
    assert node.visible and len(node.batched_positions) == len(chain.joints)
    assert len(node.batched_colors) == len(node.batched_scales) == len(chain.joints)


def test_without_the_thread_all_links_are_drawn():
    chain = long_chain()
    log = SceneLog()
    crowd = InstancedScene(log, chain, chain.neutral(), Eye(0.1))
    nodes = batches(log).values()
    assert not any(node.visible for node in nodes)
    crowd.show_layer("thread", False)
    assert all(node.visible for node in nodes)
    crowd.show_layer("shapes", False)
    crowd.show_layer("thread", True)
    assert not any(node.visible for node in nodes)
    crowd.show_layer("shapes", True)
    assert not any(node.visible for node in nodes), "too small again"


def test_bodies_that_no_thread_holds_are_always_drawn():
    """A swarm of free bodies has nothing else to be seen by."""
    count = MOST_NODES + 1
    bodies = [px.Body("ground")]
    bodies += [
        px.Body(f"b{k}", 1.0, inertia=np.eye(3), visuals=(Visual(Sphere(0.1)),))
        for k in range(count)
    ]
    joints = [px.Joint(f"j{k}", "ground", f"b{k}", Floating()) for k in range(count)]
    swarm = px.Mechanism("swarm", bodies, joints)
    log = SceneLog()
    InstancedScene(log, swarm, swarm.neutral(), Eye(0.1))
    [node] = batches(log).values()
    assert node.visible and len(node.batched_positions) == count
