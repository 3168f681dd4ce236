"""URDF, the robot description format of ROS, written from any machine.

Beyond URDF's own words: the inertia of rotors in those of Drake, gravity in one of ours; both are
read back here, and skipped by who does not know them. Loops go into a closures file beside it.
"""

from __future__ import annotations

import os
import re
import warnings
from pathlib import Path
from xml.etree.ElementTree import Element, ElementTree, SubElement, indent, register_namespace

import numpy as np

from phalanx.base.arguments import checked
from phalanx.base.errors import InvalidInput, InvalidModel, WriteError
from phalanx.base.files import home_path
from phalanx.mechanism.body import Body
from phalanx.mechanism.joint import Continuous, Joint
from phalanx.mechanism.mechanism import GRAVITY, Mechanism
from phalanx.mechanism.read.closures import closures_path
from phalanx.mechanism.read.report import ModelWarning
from phalanx.mechanism.read.urdf_words import GRAVITY_WORD, NAMESPACES, ROTOR_WORD
from phalanx.mechanism.write.closures import write_closures
from phalanx.mechanism.write.numbers import add_origin, limit_text, text_of
from phalanx.mechanism.write.urdf_shapes import ShapeWriter
from phalanx.mechanism.write.urdf_tree import urdf_tree

# characters that XML has no way to write
_UNWRITABLE = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@checked
def export_urdf(mechanism: Mechanism, path: str | os.PathLike[str]) -> Path:
    """Write a machine as a URDF file; ``px.load`` of it has the same dynamics.

    Surfaces lie in a folder ``NAME_meshes`` beside it, loops in ``NAME.closures.yaml``. Files that
    are there are overwritten. Universal and cylindrical joints become two joints with the same
    coordinates, named frames become links without mass.

    >>> px.export_urdf(px.load("stewart"), "stewart.urdf")

    Args:
        mechanism: The machine.
        path: The file, ``.urdf``.

    Returns:
        The file.

    Warns:
        ModelWarning: When balls become three hinges, whose angles are other coordinates; when
            cylinders for the eye are left out.

    Raises:
        InvalidModel: When URDF cannot say what moves or loads the machine.
        InvalidInput: When the suffix is another, or a closures file of another machine is there.
        WriteError: When a file cannot be written.
    """
    target = home_path(path)
    if target.suffix.lower() != ".urdf":
        raise InvalidInput(f"cannot write {target.name}: a URDF file ends with .urdf.")
    beside = closures_path(target)
    if not mechanism.loops and os.path.exists(beside):
        raise InvalidInput(
            f"{beside} lies beside {target.name} and would be read with it, and mechanism "
            f"'{mechanism.name}' has no loops. Remove it, or take another name."
        )
    tree = urdf_tree(mechanism)
    for prefix, uri in NAMESPACES.items():
        register_namespace(prefix, uri)
    robot = Element("robot", name=mechanism.name)
    if not np.array_equal(mechanism.gravity, GRAVITY):
        SubElement(robot, GRAVITY_WORD, xyz=text_of(mechanism.gravity))
    shapes = ShapeWriter(target)
    for link in tree.links:
        _add_link(robot, link, shapes)
    for joint in tree.joints:
        _add_joint(robot, joint)
    for joint in tree.joints:
        _add_transmission(robot, joint)
    _check_text(robot)
    if mechanism.loops:
        write_closures(mechanism, beside)
    indent(robot)
    try:
        ElementTree(robot).write(target, encoding="utf-8", xml_declaration=True)
    except (OSError, ValueError) as error:  # a NUL in the name
        raise WriteError(f"{target} cannot be written: {error}.") from error
    for remark in tree.remarks:
        if remark.names:
            # at the line that called the checked function
            warnings.warn(ModelWarning(f"{target}: {remark}"), stacklevel=3)
    return target


def _add_link(robot: Element, body: Body, shapes: ShapeWriter) -> None:
    link = SubElement(robot, "link", name=body.name)
    if body.mass or body.inertia.any():
        inertial = SubElement(link, "inertial")
        SubElement(inertial, "origin", xyz=text_of(body.com), rpy="0 0 0")
        SubElement(inertial, "mass", value=text_of(body.mass))
        I = (body.inertia + body.inertia.T) / 2
        places = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2)}
        places["izz"] = (2, 2)
        SubElement(inertial, "inertia", {key: text_of(I[at]) for key, at in places.items()})
    for visual in body.visuals:
        shapes.add(link, visual)


def _add_joint(robot: Element, joint: Joint) -> None:
    kind = _kind(joint)
    element = SubElement(robot, "joint", name=joint.name, type=kind)
    add_origin(element, joint.pose)
    SubElement(element, "parent", link=joint.parent)
    SubElement(element, "child", link=joint.child)
    if not joint.motion.nv:
        return
    axis = getattr(joint.motion, "axis", None)
    if axis is not None:
        SubElement(element, "axis", xyz=text_of(axis))
    lower, upper, speed, effort, damping, friction = (
        float(np.asarray(getattr(joint, name))[0])
        for name in ("lower", "upper", "velocity_limit", "effort_limit", "damping", "friction")
    )
    stops = kind in ("revolute", "prismatic")
    if stops or np.isfinite([speed, effort]).any():
        ends = {"lower": limit_text(lower), "upper": limit_text(upper)} if stops else {}
        others = {"effort": limit_text(effort), "velocity": limit_text(speed)}
        SubElement(element, "limit", ends | others)
    if damping or friction:
        SubElement(element, "dynamics", damping=text_of(damping), friction=text_of(friction))
    if joint.mimic is not None:
        numbers = {"multiplier": joint.mimic.multiplier, "offset": joint.mimic.offset}
        said = {key: text_of(number) for key, number in numbers.items()}
        SubElement(element, "mimic", {"joint": joint.mimic.leader} | said)


def _kind(joint: Joint) -> str:
    """URDF's name of a joint; one without stops that has some is an ordinary hinge."""
    limits = np.concatenate([np.asarray(joint.lower), np.asarray(joint.upper)])
    endless = isinstance(joint.motion, Continuous)
    return "revolute" if endless and np.isfinite(limits).any() else joint.motion.kind


def _add_transmission(robot: Element, joint: Joint) -> None:
    """Ratio and rotor, where a joint has them."""
    if not joint.motion.nv:
        return
    ratio, rotor = (float(np.asarray(x)[0]) for x in (joint.gear_ratio, joint.rotor_inertia))
    if ratio == 1.0 and rotor == 0.0:
        return
    if ratio == 0.0:
        raise InvalidModel(
            f"joint '{joint.name}' has a gear ratio of zero, which URDF's readers refuse: a motor "
            "would turn nothing."
        )
    transmission = SubElement(robot, "transmission", name=f"{joint.name}_transmission")
    SubElement(transmission, "type").text = "transmission_interface/SimpleTransmission"
    SubElement(transmission, "joint", name=joint.name)
    motor = SubElement(transmission, "actuator", name=f"{joint.name}_motor")
    SubElement(motor, "mechanicalReduction").text = text_of(ratio)
    if rotor:
        SubElement(motor, ROTOR_WORD, value=text_of(rotor))
        SubElement(motor, ROTOR_WORD.replace("rotor_inertia", "gear_ratio"), value=text_of(ratio))


def _check_text(robot: Element) -> None:
    for element in robot.iter():
        for text in element.attrib.values():
            if _UNWRITABLE.search(text):
                raise InvalidModel(f"the name {text!r} has characters that XML cannot hold.")
