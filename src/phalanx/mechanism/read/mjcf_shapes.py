"""Geoms of a compiled MuJoCo model as visuals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from phalanx.mechanism.body import Box, Capsule, Cylinder, Geometry, Mesh, Sphere, Visual
from phalanx.mechanism.pose import Pose
from phalanx.mechanism.read.mjcf_names import pose_of

# mjtGeom of MuJoCo's header; planes, height fields and ellipsoids are not drawn
SPHERE, CAPSULE, CYLINDER, BOX, MESH = 2, 3, 5, 6, 7
# MuJoCo's viewer hides higher groups, where models keep their collision shapes
LAST_VISIBLE_GROUP = 2
UNSET_COLOUR = (0.5, 0.5, 0.5, 1.0)


def visuals_of(model: Any, body: int, path: Path) -> tuple[Visual, ...]:
    """Visuals of a body."""
    start, count = model.body_geomadr[body], model.body_geomnum[body]
    drawn = (_visual(model, g, path) for g in range(start, start + count))
    return tuple(visual for visual in drawn if visual is not None)


def _visual(model: Any, g: int, path: Path) -> Visual | None:
    if model.geom_group[g] > LAST_VISIBLE_GROUP:
        return None
    geometry = _geometry(model, g, path)
    if geometry is None:
        return None
    pose = pose_of(model.geom_pos[g], model.geom_quat[g])
    if isinstance(geometry, Mesh):
        pose = pose @ _recentred(model, g).inverse()
    red, green, blue, opacity = map(float, _colour(model, g))
    return Visual(geometry, pose, (red, green, blue, opacity))


def _geometry(model: Any, g: int, path: Path) -> Geometry | None:
    a, b, c = map(float, model.geom_size[g])
    kind = int(model.geom_type[g])
    if kind == MESH:
        return _mesh(model, int(model.geom_dataid[g]), path)
    # MuJoCo's sizes are halves
    shapes: dict[int, Geometry] = {
        SPHERE: Sphere(a),
        CAPSULE: Capsule(a, 2 * b),
        CYLINDER: Cylinder(a, 2 * b),
        BOX: Box((2 * a, 2 * b, 2 * c)),
    }
    return shapes.get(kind)


def _mesh(model: Any, mesh: int, path: Path) -> Mesh | None:
    """The file of a mesh; None for one whose vertices stand in the model."""
    start = model.mesh_pathadr[mesh]
    if start < 0:
        return None
    file = model.paths[start : model.paths.index(b"\0", start)].decode()
    x, y, z = map(float, model.mesh_scale[mesh])
    return Mesh((path.parent / file).resolve(), (x, y, z))


def _recentred(model: Any, g: int) -> Pose:
    """The compiler moves a mesh to its principal axes, and its geom the other way."""
    mesh = int(model.geom_dataid[g])
    return pose_of(model.mesh_pos[mesh], model.mesh_quat[mesh])


def _colour(model: Any, g: int) -> Any:
    material = model.geom_matid[g]
    unset = np.allclose(model.geom_rgba[g], UNSET_COLOUR)
    return model.mat_rgba[material] if material >= 0 and unset else model.geom_rgba[g]
