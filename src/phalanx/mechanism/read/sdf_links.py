"""Links of an SDF model: inertia and visuals."""

from __future__ import annotations

from xml.etree.ElementTree import Element

import numpy as np

from phalanx.base.errors import ReadError
from phalanx.base.guarded_xml import foreign_name
from phalanx.mechanism.body import Body, Box, Capsule, Cylinder, Geometry, Mesh, Sphere, Visual
from phalanx.mechanism.read import sdf_words
from phalanx.mechanism.read.attributes import parse_numbers
from phalanx.mechanism.read.mesh_files import MeshFinder
from phalanx.mechanism.read.sdf_frames import SdfFrames
from phalanx.mechanism.read.sdf_words import (
    TRUE,
    descendant,
    name_of,
    number_at,
    only_child,
    pose_of,
    relative_to,
    text_at,
    vector_at,
)
from phalanx.mechanism.read.unphysical import body_as_written

# what the format gives a link that says nothing of its inertia
DEFAULT_MASS, DEFAULT_MOMENT = 1.0, 1.0
NOT_DRAWN = ("plane", "ellipsoid", "cone", "heightmap", "image", "polyline", "empty")


def link_body(link: Element, frames: SdfFrames, meshes: MeshFinder) -> Body:
    """The body of a link.

    Raises:
        ReadError: When a number is none, or masses are to be computed from shapes.
    """
    name = name_of(link, "a link")
    who = f"link '{name}'"
    drawn = (_visual(visual, who, name, frames, meshes) for visual in link.findall("visual"))
    visuals = tuple(visual for visual in drawn if visual is not None)
    inertial = only_child(link, "inertial", who)
    if inertial is None:
        return Body(name, DEFAULT_MASS, np.zeros(3), DEFAULT_MOMENT * np.eye(3), visuals)
    if inertial.get("auto", "").lower() in TRUE:
        raise ReadError(
            f"{who} has <inertial auto='true'>: its mass is that of its shapes, which are not "
            "read. Write its mass and inertia."
        )
    X = pose_of(inertial, who)
    if relative_to(inertial, who):
        X = frames.between(name, relative_to(inertial, who)) @ X
    mass = number_at(inertial, "mass", who, DEFAULT_MASS)
    xx, yy, zz = (
        number_at(inertial, f"inertia/{key}", who, DEFAULT_MOMENT) for key in ("ixx", "iyy", "izz")
    )
    xy, xz, yz = (number_at(inertial, f"inertia/{key}", who, 0.0) for key in ("ixy", "ixz", "iyz"))
    I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return body_as_written(name, mass, X.translation, X.rotation @ I @ X.rotation.T, visuals)


def _visual(
    visual: Element, who: str, link: str, frames: SdfFrames, meshes: MeshFinder
) -> Visual | None:
    geometry = only_child(visual, "geometry", who)
    shape = None if geometry is None else _geometry(geometry, who, meshes)
    if shape is None:
        return None
    X = pose_of(visual, who)
    if relative_to(visual, who):
        X = frames.between(link, relative_to(visual, who)) @ X
    colour = descendant(visual, "material/diffuse", who)
    if colour is None:
        return Visual(shape, X)
    numbers = (colour.text or "").split()
    opaque = " ".join([*numbers, "1"]) if len(numbers) == 3 else colour.text or ""
    red, green, blue, opacity = parse_numbers(opaque, 4, f"{who}, <diffuse>,")
    return Visual(shape, X, (red, green, blue, opacity))


def _geometry(geometry: Element, who: str, meshes: MeshFinder) -> Geometry | None:
    """The shape; None for one that is not drawn: a plane, an ellipsoid, a mesh that is not here."""
    shape = next(iter(geometry), None)
    kind = "empty" if shape is None else shape.tag
    if shape is None or kind in NOT_DRAWN or (foreign_name(kind) and kind != sdf_words.CAPSULE):
        return None
    match kind:
        case "box":
            x, y, z = vector_at(shape, "size", who, "1 1 1").tolist()
            return Box((x, y, z))
        case "sphere":
            return Sphere(number_at(shape, "radius", who, 1.0))
        case "cylinder" | "capsule" | sdf_words.CAPSULE:
            make = Cylinder if kind == "cylinder" else Capsule
            return make(number_at(shape, "radius", who, 1.0), number_at(shape, "length", who, 1.0))
        case "mesh":
            file = meshes.drawn(text_at(shape, "uri", f"a mesh of {who}"))
            x, y, z = vector_at(shape, "scale", who, "1 1 1").tolist()
            return None if file is None else Mesh(file, (x, y, z))
        case _:
            raise ReadError(f"{who} has a geometry <{kind}>, which SDF does not have.")
