"""URDF, the robot description format of ROS, read from its XML.

What the format leaves open is settled as urdfdom does: axes default to x, limits that are named but
not given are zero. A ``revolute`` or ``prismatic`` joint without any ``<limit>`` has no end stops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from phalanx.base.errors import ReadError
from phalanx.base.files import naming_file
from phalanx.base.guarded_xml import foreign_name, parse_xml
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
from phalanx.mechanism.mechanism import GRAVITY, Mechanism
from phalanx.mechanism.pose import Array, Pose
from phalanx.mechanism.read.attributes import (
    child_of,
    number_of,
    numbers_of,
    parse_numbers,
    text_of,
)
from phalanx.mechanism.read.elements import ignored_elements
from phalanx.mechanism.read.formats import check_bodies, check_root
from phalanx.mechanism.read.mesh_files import MeshFinder
from phalanx.mechanism.read.report import NOT_OPENED, Remark, Unsupported
from phalanx.mechanism.read.unphysical import body_as_written, check_unphysical
from phalanx.mechanism.read.urdf_words import GRAVITY_WORD, LOOP_WORD, ROTOR_WORD, check_words

Colour = tuple[float, float, float, float]

PRODUCTS = ("ixy", "ixz", "iyz")
ENDLESS = 1e300  # from here on, a limit is none

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
        check_root(robot.tag, "robot")
        check_bodies(len(robot.findall("link")))
        check_words(robot)
        meshes = MeshFinder(path, package_paths)
        colours = _named_colours(robot)
        ratios, rotors = _gear_ratios(robot), _rotor_inertias(robot)
        bodies = [_body(link, colours, meshes) for link in robot.findall("link")]
        joints = [_joint(joint, ratios, rotors) for joint in robot.findall("joint")]
        _check_mimics(joints)
        name = robot.get("name") or path.stem
        mechanism = Mechanism(name, bodies, joints, gravity=_gravity(robot))
        unphysical = check_unphysical(mechanism)
        idle = [name for name in ratios if name not in {joint.name for joint in joints}]
    return mechanism, [
        Remark("inertias that no body can have, used as written", unphysical),
        Remark("meshes not found, so these are not drawn", meshes.missing),
        Remark(NOT_OPENED, meshes.outside),
        Remark("links with a mass and no <inertia>, taken as point masses", _points(robot)),
        Remark("products of inertia that are not written are taken as zero", _partial(robot)),
        Remark("shapes that URDF does not have are not drawn", _not_shapes(robot)),
        Remark("closures in a form that is not read are left out", _loops(robot)),
        Remark("transmissions of joints that are not there are left out", idle),
        Unsupported("transmissions between several joints", _differentials(robot), quiet=True),
        *ignored_elements("URDF", robot),
        Remark(
            "limits of joints have lower above upper, as Bullet writes it where there are none; "
            "these have no end stops",
            [
                joint.get("name", "")
                for joint in robot.findall("joint")
                if joint.get("type") in ("revolute", "prismatic") and _is_reversed(joint)
            ],
        ),
    ]


# -- links ---------------------------------------------------------------------------------------


def _body(link: Element, colours: dict[str, Colour], meshes: MeshFinder) -> Body:
    name = text_of(link, "name", "a link")
    who = f"link '{name}'"
    drawn = [_visual(visual, who, colours, meshes) for visual in link.findall("visual")]
    visuals = tuple(visual for visual in drawn if visual is not None)
    inertial = link.find("inertial")
    if inertial is None:
        return Body(name, visuals=visuals)
    X = _origin(inertial, who)
    mass = number_of(child_of(inertial, "mass", who), "value", who)
    moments = inertial.find("inertia")
    if moments is None:
        return Body(name, mass, X.translation, visuals=visuals)
    xx, yy, zz = (number_of(moments, key, who) for key in ("ixx", "iyy", "izz"))
    xy, xz, yz = (number_of(moments, key, who, 0.0) for key in PRODUCTS)
    I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return body_as_written(name, mass, X.translation, X.rotation @ I @ X.rotation.T, visuals)


def _visual(
    visual: Element, who: str, colours: dict[str, Colour], meshes: MeshFinder
) -> Visual | None:
    geometry = visual.find("geometry")
    shape = None if geometry is None else _geometry(geometry, who, meshes)
    if shape is None:
        return None
    colour = _colour(visual.find("material"), who, colours)
    pose = _origin(visual, who)
    return Visual(shape, pose, colour) if colour else Visual(shape, pose)


def _geometry(geometry: Element, who: str, meshes: MeshFinder) -> Geometry | None:
    """The shape; None for a mesh that is not there, and for a shape of another program's."""
    shape = next(iter(geometry), None)
    if shape is None:
        raise ReadError(f"{who} has an empty <geometry>.")
    match shape.tag:
        case "box":
            x, y, z = numbers_of(shape, "size", 3, who)
            return Box((x, y, z))
        case "sphere":
            return Sphere(number_of(shape, "radius", who))
        case "cylinder":
            return Cylinder(number_of(shape, "radius", who), number_of(shape, "length", who))
        case "capsule":
            return Capsule(number_of(shape, "radius", who), number_of(shape, "length", who))
        case "mesh":
            file = meshes.drawn(text_of(shape, "filename", f"a mesh of {who}"))
            scale = shape.get("scale", "1 1 1")
            # one number is for all axes, as Drake has it
            x, y, z = (
                numbers_of(shape, "scale", 3, who, "1 1 1")
                if " " in scale.strip()
                else [number_of(shape, "scale", who)] * 3
            )
            return None if file is None else Mesh(file, (x, y, z))
        case foreign if foreign_name(foreign):
            return None
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
    red, green, blue, opacity = numbers_of(colour, "rgba", 4, who)
    return red, green, blue, opacity


def _points(robot: Element) -> list[str]:
    """Links whose <inertial> has a mass alone."""
    return [
        link.get("name", "")
        for link in robot.findall("link")
        if (inertial := link.find("inertial")) is not None and inertial.find("inertia") is None
    ]


def _partial(robot: Element) -> list[str]:
    """Links whose <inertia> lacks products."""
    return [
        link.get("name", "")
        for link in robot.findall("link")
        if (moments := link.find("inertial/inertia")) is not None
        and any(key not in moments.attrib for key in PRODUCTS)
    ]


def _not_shapes(robot: Element) -> list[str]:
    """Links with a <visual> that has no shape, or one of another program's."""
    return [
        link.get("name", "")
        for link in robot.findall("link")
        if any(
            (shape := visual.find("geometry/*")) is None or foreign_name(shape.tag)
            for visual in link.findall("visual")
        )
    ]


def _loops(robot: Element) -> list[str]:
    return [loop.get("name", "") for loop in robot.findall(LOOP_WORD)]


# -- joints --------------------------------------------------------------------------------------


def _joint(joint: Element, ratios: dict[str, float], rotors: dict[str, float]) -> Joint:
    name = text_of(joint, "name", "a joint")
    who = f"joint '{name}'"
    motion = _motion(joint, who)
    limit, dynamics = joint.find("limit"), joint.find("dynamics")
    stops = motion.kind in ("revolute", "prismatic") and limit is not None
    stops = stops and not _is_reversed(joint)
    return Joint(
        name,
        text_of(child_of(joint, "parent", who), "link", who),
        text_of(child_of(joint, "child", who), "link", who),
        motion,
        _origin(joint, who),
        lower=_limit(limit, "lower", who, 0.0) if stops else -np.inf,
        upper=_limit(limit, "upper", who, 0.0) if stops else np.inf,
        velocity_limit=_limit(limit, "velocity", who, np.inf),
        effort_limit=_limit(limit, "effort", who, np.inf),
        damping=number_of(dynamics, "damping", who, 0.0),
        friction=number_of(dynamics, "friction", who, 0.0),
        rotor_inertia=rotors.get(name, 0.0),
        gear_ratio=ratios.get(name, 1.0),
        # a gripper fixed for a simpler model often keeps its mimic elements
        mimic=_mimic(joint, who) if motion.nv else None,
    )


def _is_reversed(joint: Element) -> bool:
    """Whether the lower limit is above the upper one, which to Bullet means none."""
    who, limit = f"joint '{joint.get('name', '')}'", joint.find("limit")
    return _limit(limit, "lower", who, 0.0) > _limit(limit, "upper", who, 0.0)


def _limit(limit: Element | None, key: str, who: str, default: float) -> float:
    """A limit; the largest numbers there are stand for none, as URDF has no infinity."""
    number = number_of(limit, key, who, default)
    return number if abs(number) < ENDLESS else float(np.copysign(np.inf, number))


def _motion(joint: Element, who: str) -> Motion:
    kind = text_of(joint, "type", who)
    if kind in WITHOUT_AXIS:
        return WITHOUT_AXIS[kind]()
    if kind not in ABOUT_AXIS:
        known = ", ".join([*ABOUT_AXIS, *WITHOUT_AXIS])
        raise ReadError(f"{who} is of type '{kind}'; URDF has {known}.")
    axis = joint.find("axis")
    direction = [1.0, 0.0, 0.0] if axis is None else numbers_of(axis, "xyz", 3, who)
    if not np.any(direction):
        raise ReadError(f"{who} has an axis of length zero.")
    return ABOUT_AXIS[kind](np.array(direction))


def _mimic(joint: Element, who: str) -> Mimic | None:
    mimic = joint.find("mimic")
    if mimic is None:
        return None
    return Mimic(
        text_of(mimic, "joint", f"the mimic of {who}"),
        number_of(mimic, "multiplier", who, 1.0),
        number_of(mimic, "offset", who, 0.0),
    )


def _check_mimics(joints: Sequence[Joint]) -> None:
    """Say which joint follows one that is not there, and what was probably meant."""
    names = [joint.name for joint in joints]
    for joint in joints:
        if joint.mimic is not None and joint.mimic.leader not in names:
            leader = joint.mimic.leader
            near = get_close_matches(leader, names, n=1)
            hint = f" Did you mean '{near[0]}'?" if near else ""
            raise ReadError(
                f"the file has no joint '{leader}', which joint '{joint.name}' mimics.{hint} "
                "Mend its <mimic>, or remove it to let the joint move by itself."
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
        name = text_of(joints[0], "name", "the joint of a transmission")
        ratio = parse_numbers(reduction.text or "", 1, f"the reduction of '{name}'")[0]
        if ratio == 0:
            raise ReadError(f"the reduction of '{name}' is zero; a motor would turn nothing.")
        ratios.setdefault(name, ratio)
    return ratios


def _differentials(robot: Element) -> list[str]:
    """Transmissions that are no ratio of one joint."""
    several = (x for x in robot.findall("transmission") if len(x.findall("joint")) > 1)
    return [transmission.get("name", "") for transmission in several]


def _rotor_inertias(robot: Element) -> dict[str, float]:
    """Of the motors [kg·m²], in the words of Drake, which URDF lacks."""
    rotors: dict[str, float] = {}
    for transmission in robot.findall("transmission"):
        rotor, joints = next(transmission.iter(ROTOR_WORD), None), transmission.findall("joint")
        if rotor is not None and len(joints) == 1:
            name = text_of(joints[0], "name", "the joint of a transmission")
            rotors.setdefault(name, number_of(rotor, "value", f"the rotor of '{name}'"))
    return rotors


def _gravity(robot: Element) -> Array:
    """Of the machine [m/s²], in a word of ours; URDF leaves it to who simulates."""
    gravity = robot.find(GRAVITY_WORD)
    given = GRAVITY if gravity is None else numbers_of(gravity, "xyz", 3, "the robot")
    return np.array(given)


def _origin(element: Element, who: str) -> Pose:
    origin = element.find("origin")
    if origin is None:
        return Pose()
    rpy = numbers_of(origin, "rpy", 3, who, default="0 0 0")
    return Pose.from_rpy(numbers_of(origin, "xyz", 3, who, default="0 0 0"), rpy)
