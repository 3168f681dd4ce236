"""Upgrade of SDF files from earlier versions to the latest.

What changed between versions, as far as it says how a machine moves: until 1.2 the root element was
``<gazebo>``; until 1.4 axes were in the model's frame, and until 1.6 an element said which; until
1.5 gravity was among the physics; until 1.6 a pose named its base by another word, and a joint
could have the name of a link.
"""

from __future__ import annotations

import re
from collections import Counter
from xml.etree.ElementTree import Element, SubElement

from phalanx.base.errors import ReadError, shown
from phalanx.mechanism.read.formats import check_root
from phalanx.mechanism.read.sdf_frames import MODEL
from phalanx.mechanism.read.sdf_joints import AXIS
from phalanx.mechanism.read.sdf_words import flag_at, name_of, only_child

VERSIONS = (1, 2), (1, 12)
OLD_ROOT = "gazebo"
AXES_IN_MODEL = (1, 4)
GRAVITY_IN_PHYSICS = (1, 5)
# since this version no joint has the name of a link, and poses are relative to what they say
NAMES_UNIQUE = (1, 7)


def upgrade(root: Element) -> None:
    """Rewrite a file in the words of the latest version, in place.

    Raises:
        ReadError: When it is no SDF, or of a version that is not read.
    """
    if root.tag != OLD_ROOT or "version" not in root.attrib:
        check_root(root.tag, "sdf")
    root.tag = "sdf"
    version = _version(root)
    for joint in root.iter("joint"):
        for tag in ("axis", "axis2"):
            _upgrade_axis(joint, tag, version)
    if version < NAMES_UNIQUE:
        for pose in root.iter("pose"):
            if pose.get("frame"):
                pose.set("relative_to", pose.attrib.pop("frame"))
    else:
        for model in root.iter("model"):
            _check_names(model)
    if version <= GRAVITY_IN_PHYSICS:
        for world in root.findall("world"):
            physics = only_child(world, "physics", "<world>")
            gravity = None if physics is None else only_child(physics, "gravity", "<physics>")
            if gravity is not None and world.find("gravity") is None:
                world.append(gravity)


def _version(root: Element) -> tuple[int, int]:
    written = root.get("version", "")
    found = re.fullmatch(r"(\d{1,3})\.(\d{1,3})", written)
    version = (int(found[1]), int(found[2])) if found else (0, 0)
    if not VERSIONS[0] <= version <= VERSIONS[1]:
        (a, b), (c, d) = VERSIONS
        raise ReadError(f"it is SDF version {shown(written)}; read are {a}.{b} to {c}.{d}.")
    return version


def _upgrade_axis(joint: Element, tag: str, version: tuple[int, int]) -> None:
    """Say by ``expressed_in`` that an axis is in the model's frame."""
    who = f"joint '{joint.get('name', '')}'"
    axis = joint.find(tag)
    if axis is None:
        return
    in_model = version <= AXES_IN_MODEL
    if not flag_at(axis, "use_parent_model_frame", f"{who}, <{tag}>", default=in_model):
        return
    xyz = axis.find("xyz")
    if xyz is None:
        xyz = SubElement(axis, "xyz")
        xyz.text = AXIS
    if not xyz.get("expressed_in"):
        xyz.set("expressed_in", MODEL)


def _check_names(model: Element) -> None:
    owner = f"model '{model.get('name', '')}'"
    parts = ("link", "joint", "frame", "model")
    names = Counter(name_of(x, f"a {x.tag} of {owner}") for x in model if x.tag in parts)
    twice = next((name for name, number in names.items() if number > 1), None)
    if twice is not None:
        raise ReadError(f"{owner} has two parts named '{twice}'; names are unique.")
