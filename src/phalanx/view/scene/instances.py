"""Instanced rendering of shapes: a surface sent once, then the poses of its copies.

Boxes, cylinders and balls of any size are one surface each, stretched; capsules are one where
length and radius are in proportion; others where they are equal. Colours differ as they like. A
picture costs one message a surface, however many bodies there are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from phalanx.base.cached import cached_property
from phalanx.mechanism import Box, Capsule, Cylinder, Geometry, Mesh, Pose, Sphere, Visual
from phalanx.mechanism.pose import Array
from phalanx.mechanism.quaternions import quaternions_of
from phalanx.view.scene.meshes import one_surface, read_mesh
from phalanx.view.scene.nodes import brings_colours, colour_bytes
from phalanx.view.scene.surfaces import surface, triangles, welded

if TYPE_CHECKING:
    from viser import SceneApi

# corners of a circle, of so many copies or fewer: where they are many, they are small
AROUND = {1000: 12, 3000: 8}
LEAST_AROUND = 4

Scale = tuple[float, float, float]
Key = tuple[Geometry, float, bool]  # surface, opacity, whether it has colours of its own


@final
@dataclass(frozen=True, eq=False)
class Placements:
    """Placements of copies on bodies that move.

    Attributes:
        body: Index of the body of each copy, shape (n,).
        wxyz: Quaternions there, shape (n, 4).
        translation: Places there [m], shape (n, 3).
    """

    body: NDArray[np.intp]
    wxyz: Array
    translation: Array

    @staticmethod
    def of(bodies: Sequence[int], poses: Sequence[Pose]) -> Placements:
        """Placements at poses in bodies."""
        turns = quaternions_of(np.array([pose.rotation for pose in poses]).reshape(-1, 3, 3))
        shifts = np.array([pose.translation for pose in poses]).reshape(-1, 3)
        return Placements(np.array(bodies, np.intp), np.roll(turns, 1, axis=1), shifts)

    def positions(self, X: Array) -> Array:
        """Places of all copies with bodies at ``X`` (bodies, 4, 4), shape (n, 3)."""
        own = X[self.body]
        return own[:, :3, 3] + np.einsum("nij,nj->ni", own[:, :3, :3], self.translation)

    def turns(self, wxyz: Array) -> Array:
        """Quaternions of all copies with bodies turned like ``wxyz`` (bodies, 4), shape (n, 4)."""
        return _product(wxyz[self.body], self.wxyz)


# of copies on bodies (n,), at places (n, 3), in balls of radii (n,): which of them to draw
Choice = Callable[[NDArray[np.intp], Array, Array], NDArray[np.bool_]]


@final
class InstanceBatch:
    """All copies of one surface, of which some may be left out."""

    def __init__(
        self, node: Any, placements: Placements, radii: Array, **looks: NDArray[Any]
    ) -> None:
        """Of a node of the scene.

        Args:
            node: The node, with all copies.
            placements: Where they are.
            radii: Of balls that hold a copy each [m], shape (n,).
            looks: What else the node has for each copy, by the name it has there.
        """
        self.node, self._placements, self._radii, self._looks = node, placements, radii, looks
        self._drawn: Any = slice(None)  # which copies the node has now
        self._is_wanted = bool(node.visible)

    @property
    def visible(self) -> bool:
        """Whether it is shown, if any copy is to be drawn."""
        return self._is_wanted

    @visible.setter
    def visible(self, value: bool) -> None:
        self._is_wanted = value
        self._show()

    def place(self, X: Array, wxyz: Array, choice: Choice | None = None) -> None:
        """Put the copies onto bodies at poses ``X`` (bodies, 4, 4), turned like ``wxyz``."""
        positions = self._placements.positions(X)
        if choice is not None:
            self._draw_only(choice(self._placements.body, positions, self._radii))
        elif not isinstance(self._drawn, slice):
            self._draw_only(np.full(len(positions), True))
        if self._has_any:
            turns = self._placements.turns(wxyz)
            self.node.batched_positions = positions[self._drawn].astype(np.float32)
            self.node.batched_wxyzs = turns[self._drawn].astype(np.float32)
        self._show()

    def bounds(self, X: Array) -> Array:
        """Corners of boxes that hold the copies, shape (2 n, 3)."""
        at, reach = self._placements.positions(X), self._radii[:, None]
        return np.concatenate([at - reach, at + reach])

    @property
    def _has_any(self) -> bool:
        return isinstance(self._drawn, slice) or len(self._drawn) > 0

    def _draw_only(self, chosen: NDArray[np.bool_]) -> None:
        """Send what copies look like when others are drawn than before."""
        drawn = slice(None) if chosen.all() else np.flatnonzero(chosen)
        if np.array_equal(np.arange(len(chosen))[drawn], np.arange(len(chosen))[self._drawn]):
            return
        self._drawn = drawn
        if self._has_any:
            for name, values in self._looks.items():
                setattr(self.node, name, values[drawn])

    def _show(self) -> None:
        shown = self._is_wanted and self._has_any
        if self.node.visible != shown:
            self.node.visible = shown


@final
@dataclass(frozen=True, eq=False)
class Instance:
    """A shape on a body, stretched by ``scale`` before it is posed."""

    body: int
    visual: Visual
    scale: Scale = (1.0, 1.0, 1.0)


def add_batches(scene: SceneApi, path: str, instances: Iterable[Instance]) -> list[InstanceBatch]:
    """Add shapes as instances, a node a surface, which :meth:`InstanceBatch.place` puts in place.

    Raises:
        ReadError: When one is a mesh that cannot be read.
    """
    groups: dict[Key, list[tuple[Instance, Scale]]] = {}
    read = cache(read_mesh)
    for instance in instances:
        visual = instance.visual
        shape, scale = _standard(visual.geometry)
        own_colours = isinstance(shape, Mesh) and brings_colours(visual, read(shape))
        key = (shape, round(min(visual.colour[3], 1.0), 3), own_colours)
        x, y, z = (a * b for a, b in zip(scale, instance.scale, strict=True))
        groups.setdefault(key, []).append((instance, (x, y, z)))
    return [
        _batch(scene, f"{path}_{k}", key, members)
        for k, (key, members) in enumerate(groups.items())
    ]


def _batch(
    scene: SceneApi, path: str, key: Key, members: Sequence[tuple[Instance, Scale]]
) -> InstanceBatch:
    shape, opacity, own_colours = key
    placements = Placements.of([i.body for i, _ in members], [i.visual.pose for i, _ in members])
    scales = np.array([scale for _, scale in members])
    still: dict[str, Any] = {
        "batched_wxyzs": placements.wxyz.astype(np.float32),
        "batched_positions": placements.translation.astype(np.float32),
        "batched_scales": scales.astype(np.float32),
        "cast_shadow": False,  # a second picture of all copies, for the light
        "receive_shadow": False,
    }
    form = _Form(shape, _around(len(members)))
    looks: dict[str, NDArray[Any]] = {"batched_scales": still["batched_scales"]}
    node: Any
    if own_colours:
        node = scene.add_batched_glb(path, form.mesh.export(file_type="glb"), **still)
    else:
        vertices, faces = form.surface
        colours = [colour_bytes(instance.visual.colour) for instance, _ in members]
        looks["batched_colors"] = np.array(colours, np.uint8)
        node = scene.add_batched_meshes_simple(
            path,
            vertices,
            faces,
            batched_colors=looks["batched_colors"],
            opacity=opacity if opacity < 1 else None,
            flat_shading=not form.is_smooth,
            side="double" if isinstance(shape, Mesh) else "front",
            **still,
        )
    radii = np.abs(scales).max(axis=1) * float(np.linalg.norm(form.corners, axis=1).max())
    return InstanceBatch(node, placements, radii, **looks)


@final
class _Form:
    """A surface that copies have in common."""

    def __init__(self, shape: Geometry, around: int) -> None:
        self.shape, self.around = shape, around

    @property
    def is_smooth(self) -> bool:
        return isinstance(self.shape, Sphere | Capsule)

    @cached_property
    def mesh(self) -> Any:
        assert isinstance(self.shape, Mesh)
        return read_mesh(self.shape)

    @cached_property
    def surface(self) -> tuple[Array, NDArray[np.int64]]:
        """Vertices (n, 3) and triangles (m, 3)."""
        if isinstance(self.shape, Mesh):
            return one_surface(self.mesh)
        whole = triangles(surface(self.shape, Pose(), self.around))
        return welded(*whole) if self.is_smooth else whole

    @property
    def corners(self) -> Array:
        """Points whose box holds it, shape (n, 3)."""
        if isinstance(self.shape, Mesh):
            return np.array(list(product(*self.mesh.bounds.T)))
        return self.surface[0]


def _around(copies: int) -> int:
    """How many corners a circle has."""
    return next((around for most, around in AROUND.items() if copies <= most), LEAST_AROUND)


def _standard(shape: Geometry) -> tuple[Geometry, Scale]:
    """The shape that others are stretched from, and by how much."""
    match shape:
        case Box(size):
            return Box((1.0, 1.0, 1.0)), size
        case Cylinder(radius, length):
            return Cylinder(1.0, 1.0), (radius, radius, length)
        case Sphere(radius):
            return Sphere(1.0), (radius, radius, radius)
        case Capsule(radius, length) if radius > 0:
            return Capsule(1.0, round(length / radius, 6)), (radius, radius, radius)
        case _:
            return shape, (1.0, 1.0, 1.0)


def _product(a: Array, b: Array) -> Array:
    """Products of quaternions (w, x, y, z), shape (n, 4)."""
    w, u = a[:, :1], a[:, 1:]
    s, v = b[:, :1], b[:, 1:]
    scalar = w * s - (u * v).sum(axis=1, keepdims=True)
    return np.hstack([scalar, w * v + s * u + np.cross(u, v)])
