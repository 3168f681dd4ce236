"""Visual shapes as URDF: boxes, cylinders, spheres and mesh files.

Files are copied into a folder beside the model, since readers do not follow a model to places that
its user does not trust. A capsule is a cylinder and two spheres; a prism becomes a file.
"""

from __future__ import annotations

import itertools
import shutil
import struct
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

import numpy as np

from phalanx.base.errors import WriteError
from phalanx.mechanism.body import (
    Box,
    Capsule,
    Cylinder,
    Geometry,
    Mesh,
    Prism,
    Sphere,
    Visual,
)
from phalanx.mechanism.pose import Array, Pose
from phalanx.mechanism.write.numbers import add_origin, text_of


class ShapeWriter:
    """Writes the shapes of one model, and the files that they need."""

    def __init__(self, model: Path) -> None:
        """For a model file; nothing is written yet."""
        self._home = model.absolute().parent
        self._folder = f"{model.stem}_meshes"
        self._names: dict[object, str] = {}

    def add(self, link: Element, visual: Visual) -> None:
        """The elements of a shape.

        Raises:
            WriteError: When a file of a surface cannot be read or written.
        """
        for geometry, pose in _plain_shapes(visual.geometry):
            element = SubElement(link, "visual")
            add_origin(element, visual.pose @ pose)
            self._add_geometry(SubElement(element, "geometry"), geometry)
            if visual.colour != Visual.colour:
                rgba = text_of(visual.colour)
                material = SubElement(element, "material", name=f"rgba {rgba}")
                SubElement(material, "color", rgba=rgba)

    def _add_geometry(self, element: Element, geometry: Geometry) -> None:
        match geometry:
            case Box():
                SubElement(element, "box", size=text_of(geometry.size))
            case Sphere():
                SubElement(element, "sphere", radius=text_of(geometry.radius))
            case Cylinder():
                sizes = {"radius": text_of(geometry.radius), "length": text_of(geometry.length)}
                SubElement(element, "cylinder", sizes)
            case Mesh():
                mesh = SubElement(element, "mesh", filename=self._copied(geometry.path))
                if geometry.scale != Mesh.scale:
                    mesh.set("scale", text_of(geometry.scale))
            case Prism():
                SubElement(element, "mesh", filename=self._written(geometry))
            case Capsule():
                raise AssertionError("a capsule is three shapes")

    def _copied(self, source: Path) -> str:
        """Where a surface lies as the model sees it; copied where that is not below its folder."""
        source = source.absolute()
        if source.is_relative_to(self._home):
            return source.relative_to(self._home).as_posix()
        if source not in self._names:
            target = self._target(source.stem, source.suffix)
            try:
                shutil.copyfile(source, self._home / target)
            except OSError as error:
                raise WriteError(f"mesh {source} cannot be copied: {error}.") from error
            self._names[source] = target
        return self._names[source]

    def _written(self, prism: Prism) -> str:
        if prism not in self._names:
            target = self._target("prism", ".stl")
            try:
                (self._home / target).write_bytes(_stl(prism))
            except OSError as error:
                raise WriteError(f"{self._home / target} cannot be written: {error}.") from error
            self._names[prism] = target
        return self._names[prism]

    def _target(self, stem: str, suffix: str) -> str:
        """A name that no other surface of this model has."""
        try:
            (self._home / self._folder).mkdir(exist_ok=True)
        except OSError as error:
            folder = self._home / self._folder
            raise WriteError(f"{folder} cannot be made: {error}.") from error
        taken = set(self._names.values())
        name = f"{self._folder}/{stem}{suffix}"
        for number in itertools.count(2):
            if name not in taken:
                break
            name = f"{self._folder}/{stem}_{number}{suffix}"
        return name


def _plain_shapes(geometry: Geometry) -> list[tuple[Geometry, Pose]]:
    """Shapes that every reader knows, each at its place in the shape."""
    if not isinstance(geometry, Capsule):
        return [(geometry, Pose())]
    ends = [Pose(translation=np.array([0, 0, z * geometry.length / 2])) for z in (-1.0, 1.0)]
    ball = Sphere(geometry.radius)
    return [(Cylinder(geometry.radius, geometry.length), Pose()), *((ball, end) for end in ends)]


def _stl(prism: Prism) -> bytes:
    """The surface of a prism, in binary STL."""
    outline = np.array(prism.outline, dtype=np.float64)
    low, high = (np.column_stack([outline, np.full(len(outline), z)]) for z in _ends(prism))
    n = len(outline)
    triangles: list[tuple[Array, Array, Array]] = []
    for k in range(1, n - 1):
        triangles += [(low[0], low[k + 1], low[k]), (high[0], high[k], high[k + 1])]
    for k in range(n):
        a, b = k, (k + 1) % n
        triangles += [(low[a], low[b], high[b]), (low[a], high[b], high[a])]
    corners = np.array(triangles, dtype="<f4").reshape(-1, 9)
    normals = np.zeros((len(corners), 3), dtype="<f4")  # readers find these from the corners
    rows = np.hstack([normals, corners])
    head = b"phalanx prism".ljust(80, b"\0") + struct.pack("<I", len(rows))
    return head + b"".join(row.tobytes() + b"\0\0" for row in rows)


def _ends(prism: Prism) -> tuple[float, float]:
    return -prism.width / 2, prism.width / 2
