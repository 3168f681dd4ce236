"""SDF, the model format of Gazebo, versions 1.4 to 1.12, read from its XML.

Links have poses of their own and joints go where they like: a graph, whose cycles become loops.
The parser that is kept with the format is a C++ library without wheels, and what pip has leaves
poses as they are written; so the XML is read here, by the guarded parser of all formats.

A link without ``<inertial>`` has 1 kg and 1 kg·m², as the format says. A model without a joint to
the world stands on its canonical link, unless its base is set free.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from phalanx.errors import ReadError, shown
from phalanx.files import naming_file
from phalanx.mechanism.body import Body
from phalanx.mechanism.frame import Frame
from phalanx.mechanism.graph import from_graph, kept_joints
from phalanx.mechanism.joint import Fixed, Joint
from phalanx.mechanism.loop import Loop
from phalanx.mechanism.mechanism import GRAVITY, Mechanism
from phalanx.mechanism.pose import Array
from phalanx.mechanism.read.attributes import parse_numbers
from phalanx.mechanism.read.elements import ignored_elements
from phalanx.mechanism.read.formats import check_root
from phalanx.mechanism.read.guarded_xml import parse_xml
from phalanx.mechanism.read.limits import check_bodies
from phalanx.mechanism.read.mesh_files import MeshFinder
from phalanx.mechanism.read.report import Remark, Unsupported
from phalanx.mechanism.read.sdf_frames import MODEL, WORLD, SdfFrames
from phalanx.mechanism.read.sdf_gears import GEARBOX, with_gears
from phalanx.mechanism.read.sdf_joints import sdf_joint
from phalanx.mechanism.read.sdf_links import link_body
from phalanx.mechanism.read.sdf_words import flag_at, name_of, only_child
from phalanx.mechanism.read.unphysical import check_unphysical

VERSIONS = (1, 4), (1, 12)


def read_sdf(
    path: Path, package_paths: Sequence[str | Path] = ()
) -> tuple[Mechanism, list[Remark]]:
    """The mechanism in an SDF file, and what to know about it.

    Args:
        path: The file.
        package_paths: Further folders in which ``model://`` and ``package://`` meshes may lie.

    Raises:
        ReadError: When the file cannot be read, with the element and the reason.
        InvalidModel: When what it describes contradicts mechanics.
    """
    with naming_file(path):
        root = parse_xml(path)
        check_root(root.tag, "sdf")
        version = _version(root)
        model, gravity = _model(root)
        name = name_of(model, "a model")
        links = model.findall("link")
        check_bodies(len(links))
        frames, meshes = SdfFrames(model, version), MeshFinder(path, package_paths)
        bodies = [link_body(link, frames, meshes) for link in links]
        hinged = [joint for joint in model.findall("joint") if joint.get("type") != GEARBOX]
        joints = [sdf_joint(joint, frames, version) for joint in hinged]
        joints = with_gears(joints, model, frames, version)
        mechanism = _assembled(name, bodies, joints, model, frames, gravity)
        unphysical = check_unphysical(mechanism)
        bare = [link.get("name", "") for link in links if link.find("inertial") is None]
        light = [
            link.get("name", "")
            for link in links
            if not flag_at(link, "gravity", f"link '{link.get('name', '')}'", default=True)
        ]
    return mechanism, [
        Remark("links without <inertial>, to which SDF gives 1 kg and 1 kg·m²", bare),
        Unsupported("gravity that is switched off for links", light),
        *ignored_elements("SDF", root),
        Remark("inertias that no body can have, used as written", unphysical),
        Remark("meshes not found, so these are not drawn", meshes.missing),
    ]


def _version(root: Element) -> tuple[int, int]:
    written = root.get("version", "")
    found = re.fullmatch(r"(\d{1,3})\.(\d{1,3})", written)
    version = (int(found[1]), int(found[2])) if found else (0, 0)
    if not VERSIONS[0] <= version <= VERSIONS[1]:
        (a, b), (c, d) = VERSIONS
        raise ReadError(f"it is SDF version {shown(written)}; read are {a}.{b} to {c}.{d}.")
    return version


def _model(root: Element) -> tuple[Element, Array]:
    """The only model of a file, and the gravity of its world."""
    world = only_child(root, "world", "<sdf>")
    holder = root if world is None else world
    models = holder.findall("model")
    if len(models) != 1:
        names = ", ".join(shown(model.get("name", "")) for model in models[:8])
        raise ReadError(
            f"it holds {len(models)} models{f' ({names})' if names else ''}; expected one. Put the "
            "machine into a file of its own."
        )
    nested = next((part for part in models[0] if part.tag in ("model", "include")), None)
    if nested is not None:
        raise ReadError(
            f"model {shown(models[0].get('name', ''))} holds a <{nested.tag}>; models in models "
            "are not read. Expand the file: gz sdf --print."
        )
    gravity = None if world is None else only_child(world, "gravity", "<world>")
    if gravity is None:
        return models[0], np.array(GRAVITY)
    return models[0], np.array(parse_numbers(gravity.text or "", 3, "<gravity>"))


def _assembled(
    name: str,
    bodies: list[Body],
    joints: list[Joint],
    model: Element,
    frames: SdfFrames,
    gravity: Array,
) -> Mechanism:
    """The tree, with loops where joints form cycles."""
    bodies, joints = list(bodies), list(joints)
    static = flag_at(model, "static", f"model '{name}'", default=False)
    root, g, fixed = WORLD, gravity, []
    if static:  # scenery: nothing of it moves
        joints, fixed = [], [body.name for body in bodies]
    elif not any(joint.parent == WORLD for joint in joints):
        root = name if name not in {body.name for body in bodies} else f"{name}/frame"
        g, fixed = frames.model_pose.rotation.T @ gravity, [frames.canonical]
    # a joint meets its child where its own frame is
    ends = [frames.on_body(joint.child) for joint in joints]
    base = WORLD if root == WORLD else MODEL
    joints = [
        *(Joint(f"{x}_fixed", root, x, Fixed(), frames.between(base, x)) for x in fixed),
        *joints,
    ]
    bodies.insert(0, Body(root))
    marks = [frames.on_body(name_of(frame, "a frame")) for frame in model.findall("frame")]
    marks = [Frame(f.name, root if f.body == WORLD else f.body, f.pose) for f in marks]
    joints, twins, loops = _with_twins(name, joints, {end.name: end.body for end in ends})
    return from_graph(name, [*bodies, *twins], joints, [*ends, *marks], loops, g, root=root)


def _with_twins(
    name: str, joints: Sequence[Joint], bodies: dict[str, str]
) -> tuple[list[Joint], list[Body], list[Loop]]:
    """Joints of a cycle in which none may be cut, with a massless twin where the cycle closes.

    A joint with damping, a spring or a motor needs its coordinate. It then moves a body without
    mass, to which the body that it should move is welded.
    """
    kept = kept_joints(f"mechanism '{name}'", joints)
    group: dict[str, str] = {}

    def leader(body: str) -> str:
        while body in group:
            body = group[body]
        return body

    found: list[Joint] = []
    twins: list[Body] = []
    loops: list[Loop] = []
    for joint in joints:
        ends = leader(joint.parent), leader(bodies.get(joint.child, joint.child))
        if joint.name in kept and ends[0] == ends[1]:
            twin = Body(f"{joint.name}/twin")
            twins.append(twin)
            loops.append(Loop(joint.name, twin.name, joint.child))
            joint = replace(joint, child=twin.name)
        elif joint.name in kept:
            group[ends[1]] = ends[0]
        found.append(joint)
    return found, twins, loops
