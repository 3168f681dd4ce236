"""Polygon meshes of shapes, for drawing."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from phalanx.mechanism import Box, Capsule, Cylinder, Geometry, Pose, Prism, Sphere
from phalanx.mechanism.pose import Array

AROUND = 20  # corners of a drawn circle


def surface(geometry: Geometry, pose: Pose, around: int = AROUND) -> list[Array]:
    """The polygons (corners, 3) of a shape; none for a mesh, which is a file and not a formula.

    Args:
        geometry: The shape.
        pose: Where it stands.
        around: Corners of a circle, a multiple of four.
    """
    match geometry:
        case Box(size):
            polygons = _box(*size)
        case Cylinder(radius, length):
            low, high = -length / 2, length / 2
            polygons = _turned([(0.0, low), (radius, low), (radius, high), (0.0, high)], around)
        case Sphere(radius):
            polygons = _turned(_arc(radius, 0.0, -np.pi / 2, np.pi / 2, around), around)
        case Capsule(radius, length):
            below = _arc(radius, -length / 2, -np.pi / 2, 0.0, around)
            above = _arc(radius, length / 2, 0.0, np.pi / 2, around)
            polygons = _turned([*below, *above], around)
        case Prism(outline, width):
            polygons = _prism(outline, width)
        case _:
            return []
    return [polygon @ pose.rotation.T + pose.translation for polygon in polygons]


def triangles(polygons: Sequence[Array]) -> tuple[Array, NDArray[np.int64]]:
    """Convex polygons as triangles about their first corners: vertices (n, 3), faces (m, 3)."""
    starts = np.cumsum([0, *(len(polygon) for polygon in polygons)])
    faces = [
        (start, start + k, start + k + 1)
        for start, polygon in zip(starts, polygons, strict=False)
        for k in range(1, len(polygon) - 1)
    ]
    return np.concatenate(polygons), np.array(faces)


def welded(vertices: Array, faces: NDArray[np.int64]) -> tuple[Array, NDArray[np.int64]]:
    """The same surface, corners at one place being one, without sides that have no area."""
    rounded = np.round(vertices / max(np.abs(vertices).max(), 1e-30), 9) + 0.0
    _, first, of_vertex = np.unique(rounded, axis=0, return_index=True, return_inverse=True)
    faces = of_vertex.reshape(-1)[faces]
    whole = (faces != np.roll(faces, 1, axis=1)).all(axis=1)
    return vertices[first], faces[whole]


def _arc(
    radius: float, height: float, start: float, end: float, around: int
) -> list[tuple[float, float]]:
    """Points (distance from z, z) on an arc about a centre on z."""
    angles = np.linspace(start, end, round(around * (end - start) / (2 * np.pi)) + 1)
    return [(radius * float(np.cos(t)), height + radius * float(np.sin(t))) for t in angles]


def _turned(outline: Sequence[tuple[float, float]], around: int) -> list[Array]:
    """The surface that an outline (distance from z, z), from below to above, makes about z."""
    turn = np.linspace(0, 2 * np.pi, around + 1)
    circle = np.stack([np.cos(turn), np.sin(turn)], axis=-1)
    rings = [np.column_stack([r * circle, np.full(len(turn), z)]) for r, z in outline]
    return [
        np.array([low[k], low[k + 1], high[k + 1], high[k]])
        for low, high in itertools.pairwise(rings)
        for k in range(around)
    ]


def _prism(outline: Sequence[tuple[float, float]], width: float) -> list[Array]:
    low, high = (np.array([(x, y, z) for x, y in outline]) for z in (-width / 2, width / 2))
    ahead = np.roll(np.arange(len(outline)), -1)
    sides = [np.array([low[i], low[j], high[j], high[i]]) for i, j in enumerate(ahead)]
    ends = [low[::-1], high]
    # a side has four corners at least; a triangle's last one counts twice
    return [*sides, *(end if len(end) > 3 else end[[0, 1, 2, 2]] for end in ends)]


def _box(x: float, y: float, z: float) -> list[Array]:
    corners = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]) / 2
    corners = corners * (x, y, z)
    # seen from outside, counter-clockwise
    sides = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    return [corners[list(side)] for side in sides]
