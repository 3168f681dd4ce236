"""URDF, the robot description format of ROS, read from its XML.

What the format leaves open is settled as urdfdom does: axes default to x, limits that are named but
not given are zero. A ``revolute`` or ``prismatic`` joint without any ``<limit>`` has no end stops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isinf, isnan
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from phalanx.errors import ReadError
from phalanx.mechanism.body import Body, Box, Capsule, Cylinder, Geometry, Mesh, Sphere, Visual
from phalanx.mechanism.joint import (
    Continuous,
    Fixed,
    Floating,
    Joint,
    Mimic,
    Motion,
    Planar,
    Prismatic,
    Revolute,
)
from phalanx.mechanism.mechanism import Mechanism
from phalanx.mechanism.pose import Array, Pose
from phalanx.mechanism.read.guarded_xml import parse_xml
from phalanx.mechanism.read.mesh_files import MeshFinder
from phalanx.mechanism.read.report import Remark, naming_file
from phalanx.mechanism.read.unphysical import body_as_written, check_unphysical

Colour = tuple[float, float, float, float]

WITHOUT_AXIS: dict[str, Callable[[], Motion]] = {"fixed": Fixed, "floating": Floating}
ABOUT_AXIS: dict[str, Callable[[Array], Motion]] = {
    "revolute": Revolute,
    "continuous": Continuous,
    "prismatic": Prismatic,
    "planar": Planar,
}


def read_urdf(
    path: Path, package_paths: Sequence[str | Path] = ()
) -> tuple[Mechanism, list[Remark]]:
    """The mechanism in a URDF file, and what to know about it.

    Args:
        path: The file.
        package_paths: Further folders in which ``package://`` meshes may lie.

    Raises:
        ReadError: When the file cannot be read, with the element and the reason.
        InvalidModel: When what it describes contradicts mechanics.
    """
    with naming_file(path):
        robot = parse_xml(path)
        if robot.tag != "robot":
            raise ReadError(f"the root element is <{robot.tag}>, a URDF file has <robot>.")
        meshes = MeshFinder(path, package_paths)
        colours = _named_colours(robot)
        ratios = _gear_ratios(robot)
        bodies = [_body(link, colours, meshes) for link in robot.findall("link")]
        joints = [_joint(joint, ratios) for joint in robot.findall("joint")]
        mechanism = Mechanism(robot.get("name") or path.stem, bodies, joints)
        unphysical = check_unphysical(mechanism)
    return mechanism, [
        Remark("inertias that no body can have, used as written", unphysical),
        Remark("meshes not found, so these are not drawn", meshes.missing),
    ]


# -- links ---------------------------------------------------------------------------------------


def _body(link: Element, colours: dict[str, Colour], meshes: MeshFinder) -> Body:
    name = _text(link, "name", "a link")
    who = f"link '{name}'"
    drawn = [_visual(visual, who, colours, meshes) for visual in link.findall("visual")]
    visuals = tuple(visual for visual in drawn if visual is not None)
    inertial = link.find("inertial")
    if inertial is None:
        return Body(name, visuals=visuals)
    X = _origin(inertial, who)
    mass = _number(_child(inertial, "mass", who), "value", who)
    moments = _child(inertial, "inertia", who)
    xx, xy, xz, yy, yz, zz = (
        _number(moments, key, who) for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    )
    I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return body_as_written(name, mass, X.translation, X.rotation @ I @ X.rotation.T, visuals)


def _visual(
    visual: Element, who: str, colours: dict[str, Colour], meshes: MeshFinder
) -> Visual | None:
    shape = _geometry(_child(visual, "geometry", who), who, meshes)
    if shape is None:
        return None
    colour = _colour(visual.find("material"), who, colours)
    pose = _origin(visual, who)
    return Visual(shape, pose, colour) if colour else Visual(shape, pose)


def _geometry(geometry: Element, who: str, meshes: MeshFinder) -> Geometry | None:
    """The shape; None for a mesh that is not there."""
    shape = next(iter(geometry), None)
    if shape is None:
        raise ReadError(f"{who} has an empty <geometry>.")
    match shape.tag:
        case "box":
            x, y, z = _numbers(shape, "size", 3, who)
            return Box((x, y, z))
        case "sphere":
            return Sphere(_number(shape, "radius", who))
        case "cylinder":
            return Cylinder(_number(shape, "radius", who), _number(shape, "length", who))
        case "capsule":
            return Capsule(_number(shape, "radius", who), _number(shape, "length", who))
        case "mesh":
            file = meshes.find(_text(shape, "filename", f"a mesh of {who}"))
            x, y, z = _numbers(shape, "scale", 3, who, default="1 1 1")
            return None if file is None else Mesh(file, (x, y, z))
        case _:
            raise ReadError(f"{who} has a geometry <{shape.tag}>, which URDF does not have.")


def _named_colours(robot: Element) -> dict[str, Colour]:
    """Colours by name: those of the robot, and of every visual that defines one for all."""
    colours: dict[str, Colour] = {}
    for material in [*robot.findall("link/visual/material"), *robot.findall("material")]:
        name = material.get("name")
        colour = _colour(material, f"material '{name}'", {})
        if name and colour:
            colours[name] = colour
    return colours


def _colour(material: Element | None, who: str, named: dict[str, Colour]) -> Colour | None:
    if material is None:
        return None
    colour = material.find("color")
    if colour is None:
        return named.get(material.get("name", ""))
    red, green, blue, opacity = _numbers(colour, "rgba", 4, who)
    return red, green, blue, opacity


# -- joints --------------------------------------------------------------------------------------


def _joint(joint: Element, ratios: dict[str, float]) -> Joint:
    name = _text(joint, "name", "a joint")
    who = f"joint '{name}'"
    motion = _motion(joint, who)
    limit, dynamics = joint.find("limit"), joint.find("dynamics")
    stops = motion.kind in ("revolute", "prismatic") and limit is not None
    return Joint(
        name,
        _text(_child(joint, "parent", who), "link", who),
        _text(_child(joint, "child", who), "link", who),
        motion,
        _origin(joint, who),
        lower=_number(limit, "lower", who, 0.0) if stops else -np.inf,
        upper=_number(limit, "upper", who, 0.0) if stops else np.inf,
        velocity_limit=_number(limit, "velocity", who, np.inf),
        effort_limit=_number(limit, "effort", who, np.inf),
        damping=_number(dynamics, "damping", who, 0.0),
        friction=_number(dynamics, "friction", who, 0.0),
        gear_ratio=ratios.get(name, 1.0),
        # a gripper fixed for a simpler model often keeps its mimic elements
        mimic=_mimic(joint, who) if motion.nv else None,
    )


def _motion(joint: Element, who: str) -> Motion:
    kind = _text(joint, "type", who)
    if kind in WITHOUT_AXIS:
        return WITHOUT_AXIS[kind]()
    if kind not in ABOUT_AXIS:
        known = ", ".join([*ABOUT_AXIS, *WITHOUT_AXIS])
        raise ReadError(f"{who} is of type '{kind}'; URDF has {known}.")
    axis = joint.find("axis")
    direction = [1.0, 0.0, 0.0] if axis is None else _numbers(axis, "xyz", 3, who)
    if not np.any(direction):
        raise ReadError(f"{who} has an axis of length zero.")
    return ABOUT_AXIS[kind](np.array(direction))


def _mimic(joint: Element, who: str) -> Mimic | None:
    mimic = joint.find("mimic")
    if mimic is None:
        return None
    return Mimic(
        _text(mimic, "joint", f"the mimic of {who}"),
        _number(mimic, "multiplier", who, 1.0),
        _number(mimic, "offset", who, 0.0),
    )


def _gear_ratios(robot: Element) -> dict[str, float]:
    """Motor turns per joint turn, from ``<transmission>``; with several motors, the first's."""
    ratios: dict[str, float] = {}
    for transmission in robot.findall("transmission"):
        reduction = next(transmission.iter("mechanicalReduction"), None)
        joints = transmission.findall("joint")
        # a transmission between several joints (a differential) is not a ratio
        if reduction is None or len(joints) != 1:
            continue
        name = _text(joints[0], "name", "the joint of a transmission")
        ratios.setdefault(name, _parse(reduction.text or "", 1, f"the reduction of '{name}'")[0])
    return ratios


# -- attributes ----------------------------------------------------------------------------------


def _origin(element: Element, who: str) -> Pose:
    origin = element.find("origin")
    if origin is None:
        return Pose()
    rpy = _numbers(origin, "rpy", 3, who, default="0 0 0")
    return Pose.from_rpy(_numbers(origin, "xyz", 3, who, default="0 0 0"), rpy)


def _child(element: Element, tag: str, who: str) -> Element:
    child = element.find(tag)
    if child is None:
        raise ReadError(f"{who}: <{element.tag}> has no <{tag}>.")
    return child


def _text(element: Element, key: str, who: str) -> str:
    text = element.get(key)
    if not text:
        raise ReadError(f"{who} has no attribute '{key}' in <{element.tag}>.")
    return text


def _number(element: Element | None, key: str, who: str, default: float | None = None) -> float:
    """An attribute as a number; the default where it, or the element, is missing."""
    if default is not None and (element is None or element.get(key) is None):
        return default
    assert element is not None
    return _numbers(element, key, 1, who)[0]


def _numbers(
    element: Element, key: str, count: int, who: str, default: str | None = None
) -> list[float]:
    text = element.get(key, default)
    if text is None:
        raise ReadError(f"{who} has no attribute '{key}' in <{element.tag}>.")
    # effort and velocity limits are the numbers that may be infinite
    return _parse(text, count, f"{who}, <{element.tag} {key}=…>,", finite=element.tag != "limit")


def _parse(text: str, count: int, what: str, *, finite: bool = True) -> list[float]:
    try:
        values = [float(word) for word in text.split()]
    except ValueError:
        values = []
    bad = any(isnan(value) or (finite and isinf(value)) for value in values)
    if bad or len(values) != count:
        hint = " Expand the xacro file first." if "${" in text else ""
        raise ReadError(f"{what} should be {count} number(s), got '{text}'.{hint}")
    return values
