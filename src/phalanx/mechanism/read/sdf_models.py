"""Nested and included SDF models, flattened to one model of links, joints and frames.

A part of a nested model is called ``inner::part``, and the frame of the nested model ``inner``;
everything that names a part, such as ``relative_to`` or ``<parent>``, is renamed with it. Included
files are looked for where meshes are, in the folders that the user trusts, and are brought to the
latest version before they are taken in. A world of several models is such a model too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement

from phalanx.base.errors import ReadError, shown
from phalanx.base.files import naming_file
from phalanx.base.guarded_xml import MOST_ELEMENTS, foreign_name, parse_xml
from phalanx.mechanism.quaternions import quaternions_of
from phalanx.mechanism.read.mesh_files import MeshFinder
from phalanx.mechanism.read.sdf_frames import MODEL, WORLD, SdfFrames
from phalanx.mechanism.read.sdf_versions import upgrade
from phalanx.mechanism.read.sdf_words import (
    DRAKE_JOINT,
    FALSE,
    TRUE,
    flag_at,
    name_of,
    only_child,
    relative_to,
    text_at,
)

SCOPE = "::"
PARTS = ("link", "joint", "frame")
DEEPEST = 16
MOST_INCLUDES = 1000


@dataclass
class FlatModel:
    """A model without models in it.

    Attributes:
        element: The ``<model>`` with its links, joints and frames.
        finders: Of each link, who finds the meshes that it names.
        static: Links of what is static.
    """

    element: Element
    finders: dict[str, MeshFinder] = field(default_factory=dict)
    static: set[str] = field(default_factory=set)


class ModelExpander:
    """Takes nested and included models into the one that holds them, within limits."""

    def __init__(self, path: Path, package_paths: Sequence[str | Path]) -> None:
        """Include files from the folders of ``path``, the outermost file, and ``package_paths``."""
        self._files = MeshFinder(path, package_paths)
        self._open = [path.resolve()]
        self._elements = self._includes = self._depth = 0
        self.missing, self.outside = self._files.missing, self._files.outside
        self.included: list[Element] = []  # roots of the files that were taken in

    def only_model(self, root: Element) -> FlatModel:
        """What a file describes: its model, or all models of its world.

        Raises:
            ReadError: When there is none, or several without a world.
        """
        world = only_child(root, "world", "<sdf>")
        holder = root if world is None else world
        models = holder.findall("model")
        many = [*models, *holder.findall("include")]
        if world is not None and (
            len(many) > 1 or (many and any(world.find(tag) is not None for tag in PARTS))
        ):
            # seen from the frames of its models, a world is a model that stands
            name = world.get("name") or "world"
            scene = Element("model", {"name": name, "canonical_link": WORLD})
            scene.extend(part for part in world if part.tag in (*PARTS, "model", "include"))
            return self.flat(scene)
        if len(many) != 1:
            names = ", ".join(shown(model.get("name", "")) for model in models[:8])
            raise ReadError(
                f"it holds {len(many)} models{f' ({names})' if names else ''}; expected one. Put "
                "the machine into a file of its own."
            )
        found = self._flat_part(many[0], "<world>")
        base = relative_to(found.element, "the model")
        if base not in ("", WORLD):
            raise ReadError(f"its model has a pose relative to {shown(base)}, which is not there.")
        return found

    def flat(self, model: Element) -> FlatModel:
        """A model with what its nested and included ones hold."""
        who = f"model '{name_of(model, 'a model')}'"
        found = FlatModel(Element("model", dict(model.attrib)))
        self._depth += 1
        if self._depth > DEEPEST:
            raise ReadError(f"{who} is a model in more than {DEEPEST} others.")
        nested: list[str] = []
        for part in model:
            if part.tag in ("model", "include"):
                inner = self._flat_part(part, who)
                frame = _take_in(found, inner, part.get("merge", "false").lower(), who)
                nested.append(frame)
                continue
            if part.tag == DRAKE_JOINT:
                raise ReadError(
                    f"{who} has a <drake:joint>, which is not read. Write a joint of SDF's instead."
                )
            self._count(part)
            part = deepcopy(part)
            found.element.append(part)
            if part.tag in PARTS:
                # version 1.7 wrote the frames of nested models by this name
                _rename(part, "name", _short)
                for element, key in _references(part):
                    _rename(element, key, _short)
            if part.tag == "link":
                found.finders[name_of(part, f"a link of {who}")] = self._files
        self._depth -= 1
        for key in ("canonical_link", "placement_frame"):
            _rename(found.element, key, _short)
        if nested and model.find("link") is None and not model.get("canonical_link"):
            # the canonical link of a model without links is that of the first one in it
            found.element.set("canonical_link", nested[0])
        if flag_at(model, "static", who, default=False):
            found.static.update(found.finders)
        return found

    def _flat_part(self, part: Element, who: str) -> FlatModel:
        if part.tag == "model":
            return self.flat(part)
        uri = text_at(part, "uri", f"an <include> of {who}")
        changed = next((foreign_name(x.tag) for x in part if x.tag.endswith("params")), None)
        if changed is not None:
            raise ReadError(
                f"{who} includes {shown(uri)} with <{changed}>, which is not read. Expand the "
                "file: gz sdf --print."
            )
        self._includes += 1
        if self._includes > MOST_INCLUDES:
            raise ReadError(f"{who} includes more than {MOST_INCLUDES} models.")
        file = self._included_file(uri, who)
        if file in self._open:
            raise ReadError(f"{who} includes {shown(uri)}, in which it is included itself.")
        with naming_file(file):
            root = parse_xml(file)
            upgrade(root)
            self.included.append(root)
            models = root.findall("model")
            if len(models) != 1:
                raise ReadError(f"it is included and holds {len(models)} models; expected one.")
        model = _as_included(models[0], part, f"{who}, <include>,")
        outer, self._files = self._files, self._files.of_included(file)
        self._open.append(file)
        try:
            with naming_file(file):
                return self.flat(model)
        finally:
            self._files = outer
            self._open.pop()

    def _included_file(self, uri: str, who: str) -> Path:
        """The file that an include means, or whose folder it means."""
        try:
            file = self._files.find_model(uri)
        except ReadError as error:
            raise ReadError(f"{who} includes {shown(uri)}: {error}") from error
        if file is None:
            raise ReadError(
                f"{who} includes {shown(uri)}, which is not in the model's folder. If it is "
                "elsewhere, name the folder that holds it in package_paths."
            )
        return file

    def _count(self, part: Element) -> None:
        self._elements += sum(1 for _ in part.iter())
        if self._elements > MOST_ELEMENTS:
            raise ReadError(
                f"more than the {MOST_ELEMENTS:,} elements read, with what it includes."
            )


def _as_included(model: Element, include: Element, who: str) -> Element:
    """A model of a file with what an include says otherwise: its name, place and whether it moves.

    Raises:
        ReadError: When a placement frame has no pose.
    """
    for tag in ("pose", "static"):
        other = only_child(include, tag, who)
        if other is not None:
            for own in model.findall(tag):
                model.remove(own)
            model.append(other)
    if only_child(include, "name", who) is not None:
        model.set("name", text_at(include, "name", who))
    if only_child(include, "placement_frame", who) is not None:
        if include.find("pose") is None:
            raise ReadError(f"{who} has a <placement_frame> and no <pose>.")
        model.set("placement_frame", text_at(include, "placement_frame", who))
    return model


def _take_in(outer: FlatModel, inner: FlatModel, merge: str, who: str) -> str:
    """Put the parts of a model into another; the name of its frame there."""
    if merge not in (*TRUE, *FALSE):
        raise ReadError(f"{who}, <include merge=…>, should be true or false, got {shown(merge)}.")
    name = name_of(inner.element, f"a model of {who}")
    frames = SdfFrames(inner.element)
    # what a model is merged into takes its parts under their own names
    prefix = "" if merge in TRUE else f"{name}{SCOPE}"
    frame = f"_merged__{name}__model__" if merge in TRUE else name

    def renamed(reference: str) -> str:
        if reference in ("", WORLD):
            return reference
        return frame if reference == MODEL else prefix + reference

    place = SubElement(outer.element, "frame", {"name": frame})
    if frames.canonical != WORLD:
        place.set("attached_to", renamed(frames.canonical))
    place.append(_placed(inner.element, frames))
    for part in inner.element:
        if part.tag not in PARTS:
            continue
        if part.tag == "link":
            _pose_in(part).attrib.setdefault("relative_to", MODEL)
        elif part.tag == "frame":
            part.attrib["attached_to"] = part.get("attached_to") or MODEL
        part.set("name", renamed(part.get("name", "")))
        for element, key in _references(part):
            _rename(element, key, renamed)
        outer.element.append(part)
    outer.finders |= {renamed(link): finder for link, finder in inner.finders.items()}
    outer.static |= {renamed(link) for link in inner.static}
    return frame


def _placed(model: Element, frames: SdfFrames) -> Element:
    """The pose of a model's frame: the one written is that of its placement frame."""
    written = _pose_in(model)
    pose = deepcopy(written)
    pose.attrib["relative_to"] = written.get("relative_to") or MODEL
    at = model.get("placement_frame") or MODEL
    if at != MODEL:
        X = frames.model_pose
        numbers = (*X.translation, *quaternions_of(X.rotation))
        pose.text = " ".join(repr(float(x)) for x in numbers)
        pose.attrib |= {"rotation_format": "quat_xyzw", "degrees": "false"}
    return pose


def _pose_in(part: Element) -> Element:
    pose = only_child(part, "pose", f"{part.tag} '{part.get('name', '')}'")
    return SubElement(part, "pose") if pose is None else pose


def _references(part: Element) -> Iterator[tuple[Element, str]]:
    """Where a part names others: elements with an attribute, or with their text."""
    yield part, "attached_to"
    for element in part.iter():
        if element.tag == "pose":
            yield element, "relative_to"
        elif element.tag == "xyz":
            yield element, "expressed_in"
        elif element.tag.endswith("mimic"):
            yield element, "joint"
    if part.tag == "joint":
        for child in part:
            if child.tag in ("parent", "child", "gearbox_reference_body"):
                yield child, ""


def _short(reference: str) -> str:
    """A reference to a nested model's frame, which is called as the model is."""
    return reference.removesuffix(f"{SCOPE}{MODEL}")


def _rename(element: Element, key: str, renamed: Callable[[str], str]) -> None:
    if not key:
        element.text = renamed((element.text or "").strip())
    elif element.get(key):
        element.set(key, renamed(element.get(key, "")))
