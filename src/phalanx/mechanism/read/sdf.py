"""SDF, the model format of Gazebo, versions 1.2 to 1.12, read from its XML.

Links have poses of their own and joints go where they like: a graph, whose cycles become loops.
The parser that is kept with the format is a C++ library without wheels, and what pip has leaves
poses as they are written; so the XML is read here, by the guarded parser of all formats.

A link without ``<inertial>`` has 1 kg and 1 kg·m², as the format says. A model without a joint to
the world stands on its canonical link, unless its base is set free. Of several trees, those that
no joint ties to the world move freely.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from xml.etree.ElementTree import Element

import numpy as np

from phalanx.base.files import naming_file
from phalanx.base.guarded_xml import parse_xml
from phalanx.mechanism.body import Body, Frame
from phalanx.mechanism.graph import from_graph, kept_joints
from phalanx.mechanism.joint import Fixed, Floating, Joint
from phalanx.mechanism.loop import Loop
from phalanx.mechanism.mechanism import GRAVITY, Mechanism
from phalanx.mechanism.pose import Array
from phalanx.mechanism.read.attributes import parse_numbers
from phalanx.mechanism.read.elements import ignored_elements
from phalanx.mechanism.read.formats import check_bodies
from phalanx.mechanism.read.report import NOT_OPENED, Remark, Unsupported
from phalanx.mechanism.read.sdf_frames import MODEL, WORLD, SdfFrames
from phalanx.mechanism.read.sdf_gears import GEARBOX, with_gears
from phalanx.mechanism.read.sdf_joints import sdf_joint
from phalanx.mechanism.read.sdf_links import link_body
from phalanx.mechanism.read.sdf_models import FlatModel, ModelExpander
from phalanx.mechanism.read.sdf_versions import upgrade
from phalanx.mechanism.read.sdf_words import flag_at, left_out, name_of, only_child
from phalanx.mechanism.read.unphysical import check_unphysical


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
        upgrade(root)
        expander = ModelExpander(path, package_paths)
        flat = expander.only_model(root)
        model = flat.element
        name = name_of(model, "a model")
        links = model.findall("link")
        check_bodies(len(links))
        frames = SdfFrames(model)
        bodies = [link_body(x, frames, flat.finders[x.get("name", "")]) for x in links]
        hinged = [joint for joint in model.findall("joint") if joint.get("type") != GEARBOX]
        joints = [sdf_joint(joint, frames) for joint in hinged]
        joints = with_gears(joints, model, frames)
        mechanism, free = _assembled(name, bodies, joints, flat, frames, _gravity(root))
        unphysical = check_unphysical(mechanism)
        bare = [link.get("name", "") for link in links if link.find("inertial") is None]
        light = [
            link.get("name", "")
            for link in links
            if not flag_at(link, "gravity", f"link '{link.get('name', '')}'", default=True)
        ]
    return mechanism, [
        Remark("links without <inertial>, to which SDF gives 1 kg and 1 kg·m²", bare),
        Remark("links that no joint ties to the world or to these move freely", free),
        Unsupported("gravity that is switched off for links", light),
        *ignored_elements("SDF", root, *expander.included),
        Remark("elements of other programs are left out", left_out(model)),
        Remark("inertias that no body can have, used as written", unphysical),
        Remark("meshes not found, so these are not drawn", expander.missing),
        Remark(NOT_OPENED, expander.outside),
    ]


def _gravity(root: Element) -> Array:
    world = only_child(root, "world", "<sdf>")
    gravity = None if world is None else only_child(world, "gravity", "<world>")
    if gravity is None:
        return np.array(GRAVITY)
    return np.array(parse_numbers(gravity.text or "", 3, "<gravity>"))


def _assembled(
    name: str,
    bodies: list[Body],
    joints: list[Joint],
    flat: FlatModel,
    frames: SdfFrames,
    gravity: Array,
) -> tuple[Mechanism, list[str]]:
    """The tree, with loops where joints form cycles; and links that move freely."""
    bodies, joints = list(bodies), list(joints)
    # scenery: nothing of it moves, whatever its joints are
    still = {*flat.static, WORLD}
    joints = [x for x in joints if not {x.parent, frames.body(x.child)} <= still]
    fixed = [body.name for body in bodies if body.name in flat.static]
    root, g = WORLD, gravity
    free = _free_links(bodies, joints, frames, fixed)
    stands = len(free) == 1 and not fixed and not any(x.parent == WORLD for x in joints)
    if stands and frames.canonical != WORLD:
        root = name if name not in {body.name for body in bodies} else f"{name}/frame"
        g, fixed, free = frames.model_pose.rotation.T @ gravity, [frames.canonical], []
    # a joint meets its child where its own frame is
    ends = [frames.on_body(joint.child) for joint in joints]
    base = WORLD if root == WORLD else MODEL
    joints = [
        *(Joint(f"{x}_fixed", root, x, Fixed(), frames.between(base, x)) for x in fixed),
        *(Joint(f"{x}_floating", root, x, Floating(), frames.between(base, x)) for x in free),
        *joints,
    ]
    bodies.insert(0, Body(root))
    written = flat.element.findall("frame")
    marks = [frames.on_body(name_of(frame, "a frame")) for frame in written]
    marks = [Frame(f.name, root if f.body == WORLD else f.body, f.pose) for f in marks]
    joints, twins, loops = _with_twins(name, joints, {end.name: end.body for end in ends})
    everything = [*bodies, *twins]
    tree = from_graph(name, everything, joints, [*ends, *marks], loops, g, root=root)
    return tree, free


def _free_links(
    bodies: Sequence[Body], joints: Sequence[Joint], frames: SdfFrames, fixed: Sequence[str]
) -> list[str]:
    """One link of each tree that nothing ties to the world: where its joints begin, if they do."""
    ends = [(joint.parent, frames.body(joint.child)) for joint in joints]
    near: dict[str, list[str]] = {body.name: [] for body in bodies}
    near[WORLD] = list(fixed)
    for parent, child in ends:
        near[parent].append(child)
        near[child].append(parent)
    children = {child for _, child in ends}
    seen: set[str] = set()
    found: list[str] = []
    names = [body.name for body in bodies]
    first = [x for x in names if x not in children]
    for start in (WORLD, *first, *names):
        if start in seen:
            continue
        if start != WORLD:
            found.append(start)
        ahead = [start]
        while ahead:
            body = ahead.pop()
            if body not in seen:
                seen.add(body)
                ahead += near[body]
    return found


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
