"""Scene nodes for shapes."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx.mechanism import Box, Capsule, Cylinder, Mesh, Pose, Prism, Sphere, Visual
from phalanx.mechanism.pose import Array
from phalanx.view.scene.meshes import COLLADA, has_own_colours, one_surface, read_mesh
from phalanx.view.scene.skeleton import has_colour
from phalanx.view.scene.surfaces import surface, triangles

if TYPE_CHECKING:
    from viser import SceneApi

AROUND = 48  # corners of a circle


def add_shape(scene: SceneApi, path: str, visual: Visual, pose: Pose) -> tuple[Any, Array]:
    """Add a shape at a pose in its parent node; its own ``visual.pose`` does not count.

    Returns:
        The node, and points (n, 3) in its frame whose box holds the shape.

    Raises:
        ReadError: When it is a mesh that cannot be read.
    """
    shape, at = visual.geometry, placed(pose)
    paint: dict[str, Any] = {
        "color": colour_bytes(visual.colour),
        "opacity": visual.colour[3] if visual.colour[3] < 1 else None,
    }
    if isinstance(shape, Mesh):
        return _add_mesh(scene, path, visual, shape, at, paint)
    node: Any
    match shape:
        case Box(size):
            node = scene.add_box(path, dimensions=size, **paint, **at)
        case Cylinder(radius, length):
            node = scene.add_cylinder(path, radius, length, radial_segments=AROUND, **paint, **at)
        case Sphere(radius):
            node = scene.add_icosphere(path, radius, **paint, **at)
        case Capsule(radius, length):
            from trimesh.creation import capsule

            whole = capsule(length, radius, count=(AROUND, AROUND))
            # trimesh has its capsules stand on the centre of a cap, or lie about their middle
            vertices = whole.vertices - whole.bounds.mean(axis=0)
            node = scene.add_mesh_simple(path, vertices, whole.faces, **paint, **at)
        case Prism():
            sides = surface(shape, Pose())
            vertices, faces = triangles(sides)
            node = scene.add_mesh_simple(path, vertices, faces, flat_shading=True, **paint, **at)
    return node, np.concatenate(surface(shape, Pose()))


def _add_mesh(
    scene: SceneApi, path: str, visual: Visual, shape: Mesh, at: Any, paint: Any
) -> tuple[Any, Array]:
    mesh = read_mesh(shape)
    corners = np.array(list(product(*mesh.bounds.T)))
    if brings_colours(visual, mesh):
        return scene.add_glb(path, mesh.export(file_type="glb"), **at), corners
    vertices, faces = one_surface(mesh)
    # flat, as machined parts are: corners shared between sides would blur their edges
    node = scene.add_mesh_simple(
        path, vertices, faces, flat_shading=True, side="double", **paint, **at
    )
    return node, corners


def brings_colours(visual: Visual, mesh: Any) -> bool:
    """Whether a mesh is drawn in colours of its own."""
    # in Collada files colours are meant; in others they are often left over from an export
    shape = visual.geometry
    meant = isinstance(shape, Mesh) and shape.path.suffix.lower() == COLLADA
    return (meant or not has_colour(visual)) and has_own_colours(mesh)


def placed(pose: Pose) -> dict[str, Any]:
    """A pose as the scene's keywords."""
    from viser.transforms import SO3

    return {"wxyz": SO3.from_matrix(pose.rotation).wxyz, "position": pose.translation}


def colour_bytes(colour: tuple[float, ...]) -> tuple[int, int, int]:
    """Red, green and blue from 0 to 255."""
    red, green, blue = (round(255 * min(max(part, 0.0), 1.0)) for part in colour[:3])
    return red, green, blue
