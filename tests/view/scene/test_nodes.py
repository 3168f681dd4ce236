"""Shapes as triangles have the volume of their formula, whichever way a page draws them."""

import numpy as np
import pytest

from phalanx.mechanism import Pose, Prism, Visual
from phalanx.view.scene.nodes import add_shape
from view.scene_log import SceneLog

OUTLINES = {
    "triangle": (((0, 0), (2, 0), (0, 1)), 1.0),
    "square": (((0, 0), (1, 0), (1, 1), (0, 1)), 1.0),
    "hexagon": (
        tuple((np.cos(t), np.sin(t)) for t in np.arange(6) * np.pi / 3),
        1.5 * np.sqrt(3),
    ),
}


class Recorded(SceneLog):
    def add_mesh_simple(self, path, vertices, faces, **options):
        self.mesh = vertices, faces
        return self.__getattr__("add_mesh_simple")(path, **options)


@pytest.mark.parametrize("name", OUTLINES)
def test_a_prism_is_closed_and_looks_outward(name):
    outline, area = OUTLINES[name]
    log = Recorded()
    _, points = add_shape(log, "/prism", Visual(Prism(outline, 0.5)), Pose())
    vertices, faces = log.mesh
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a) / 2
    np.testing.assert_allclose(normals.sum(axis=0), 0, atol=1e-12)  # closed
    assert (a * normals).sum() / 3 == pytest.approx(0.5 * area)  # divergence theorem
    np.testing.assert_allclose(np.ptp(points[:, 2]), 0.5)
