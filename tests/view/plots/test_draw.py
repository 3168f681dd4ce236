from __future__ import annotations

import numpy as np
import pytest

import phalanx as px
from phalanx.mechanism import Box, Capsule, Cylinder, Mesh, Mimic, Pose, Prism, Revolute, Sphere
from phalanx.view import draw, save
from phalanx.view.plots.draw import body_poses
from phalanx.view.scene.surfaces import surface


@pytest.mark.parametrize("name", px.library.names())
def test_poses_are_those_of_forward_kinematics(name):
    mechanism = px.library.by_name(name)
    q = mechanism.random_positions()
    last = mechanism.bodies[-1].name
    X = px.Dynamics(mechanism).forward_kinematics(q, frame=last)
    np.testing.assert_allclose(body_poses(mechanism, q)[-1].matrix, X, atol=1e-12)


def test_a_mimic_follows():
    bodies = [px.Body("base"), px.Body("a", 1.0), px.Body("b", 1.0)]
    joints = [
        px.Joint("lead", "base", "a", Revolute()),
        px.Joint("follow", "a", "b", Revolute(), mimic=Mimic("lead", -1.0, 0.0)),
    ]
    poses = body_poses(px.Mechanism("pair", bodies, joints), [0.7])
    np.testing.assert_allclose(poses[2].rotation, np.eye(3), atol=1e-12)


@pytest.mark.parametrize(
    ("shape", "size"),
    [
        (Box((1.0, 2.0, 3.0)), (1, 2, 3)),
        (Cylinder(0.5, 3.0), (1, 1, 3)),
        (Sphere(0.5), (1, 1, 1)),
        (Capsule(0.5, 2.0), (1, 1, 3)),
        (Prism(((-0.5, -0.3), (1.5, -0.3), (-0.5, 0.7)), 3.0), (2, 1, 3)),
    ],
)
def test_a_shape_has_its_size_and_looks_outward(shape, size):
    polygons = surface(shape, Pose(translation=np.array([1.0, 0.0, 0.0])))
    points = np.vstack(polygons)
    np.testing.assert_allclose(np.ptp(points, axis=0), size, rtol=1e-9)
    for polygon in polygons:
        normal = np.cross(polygon[2] - polygon[0], polygon[3] - polygon[1])
        assert normal @ (polygon.mean(axis=0) - [1.0, 0.0, 0.0]) > 0


def test_a_mesh_is_left_out(tmp_path):
    assert surface(Mesh(tmp_path / "x.stl"), Pose()) == []


def test_the_figure_has_metres_and_equal_scales():
    figure = draw(px.library.puma560(), inertias=True)
    axes = figure.axes[0]
    assert axes.get_xlabel() == "x [m]"
    spans = [np.ptp(limits) for limits in (axes.get_xlim(), axes.get_ylim(), axes.get_zlim())]
    np.testing.assert_allclose(np.array(spans) / axes._box_aspect, spans[0] / axes._box_aspect[0])


def test_given_axes_are_used():
    from matplotlib.figure import Figure

    axes = Figure().add_subplot(projection="3d")
    assert draw(px.library.chain(3), axes=axes) is axes.figure


@pytest.mark.parametrize("q", [[0.0], [0.0, np.nan]])
def test_wrong_positions(q):
    with pytest.raises(px.InvalidInput, match="2 finite numbers"):
        draw(px.library.double_pendulum(), q)


def test_save_knows_its_formats(tmp_path):
    figure = draw(px.library.double_pendulum())
    for suffix in (".png", ".svg", ".pdf"):
        assert save(figure, tmp_path / f"x{suffix}").stat().st_size > 1000
    with pytest.raises(px.InvalidInput, match="expected"):
        save(figure, tmp_path / "x.doc")
