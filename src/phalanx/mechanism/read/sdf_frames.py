"""Frame semantics of SDF: relative poses, resolved to the model's frame."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from phalanx.base.errors import ReadError, UnknownName
from phalanx.mechanism.body import Frame
from phalanx.mechanism.pose import Pose
from phalanx.mechanism.read.sdf_words import name_of, parts_of, pose_of, relative_to, text_at

MODEL, WORLD = "__model__", "world"


class SdfFrames:
    """Links, joints and frames of a model by name, with every joint at zero."""

    def __init__(self, model: Element) -> None:
        """Collect what has a name."""
        self._owner = f"model '{name_of(model, 'a model')}'"
        self._parts: dict[str, Element] = {}
        self._joints: dict[str, str] = {}
        # links and frames first: a joint may have had the name of one
        for part in (*parts_of(model, ("link", "frame")), *parts_of(model, ("joint",))):
            name = name_of(part, f"a {part.tag} of {self._owner}")
            key = name
            if part.tag == "joint":
                taken = name in (*self._parts, MODEL, WORLD) and name not in self._joints
                if taken:
                    key = f"{name}/joint"
                self._joints[name] = key
            if key in (MODEL, WORLD):
                raise ReadError(f"{self._owner} has a {part.tag} named '{key}', a word of SDF's.")
            if key in self._parts:
                raise ReadError(f"{self._owner} has two parts named '{name}'; names are unique.")
            self._parts[key] = part
        first = next((name for name, part in self._parts.items() if part.tag == "link"), None)
        canonical = model.get("canonical_link") or first
        if canonical is None:
            raise ReadError(f"{self._owner} has no links.")
        self.canonical = self.body(canonical)
        self._poses: dict[str, Pose] = {}
        self._place: Pose | None = None
        # the pose of a model is that of its placement frame
        placed = self.pose(model.get("placement_frame") or MODEL)
        self._place = pose_of(model, self._owner) @ placed.inverse()

    def of_joint(self, joint: str) -> str:
        """The name of a joint's frame: its own, unless a link has it."""
        return self._joints[joint]

    @property
    def model_pose(self) -> Pose:
        """Of the model's frame in the world, or in the frame that its pose is relative to."""
        assert self._place is not None
        return self._place

    def pose(self, name: str) -> Pose:
        """Of a link, a joint or a frame, in the model's frame.

        Raises:
            ReadError: When poses are relative to each other in a circle.
            UnknownName: When there is no part of that name.
        """
        chain: list[str] = []
        while name not in self._poses and name not in (MODEL, WORLD):
            if name in chain:
                circle = " → ".join([*chain[chain.index(name) :], name])
                raise ReadError(f"{self._owner}: poses are relative in a circle: {circle}.")
            chain.append(name)
            name = self._base(name)
        X = self._known(name)
        for link in reversed(chain):
            X = X @ pose_of(self._part(link), f"'{link}'")
            self._poses[link] = X
        return X

    def body(self, name: str) -> str:
        """The link that carries a part; ``world`` is itself."""
        seen: list[str] = []
        while name != WORLD:
            if name == MODEL:
                return self.canonical
            if name in seen:
                raise ReadError(f"{self._owner}: frames are attached in a circle at '{name}'.")
            seen.append(name)
            part = self._part(name)
            if part.tag == "link":
                return name
            if part.tag == "joint":
                name = text_at(part, "child", f"joint '{name}'")
            else:
                name = part.get("attached_to") or MODEL
        return name

    def on_body(self, name: str) -> Frame:
        """A part as a place on the link that carries it, under its own name."""
        body = self.body(name)
        return Frame(name, body, self.between(body, name))

    def between(self, base: str, name: str) -> Pose:
        """The pose of a part as seen from another."""
        if name not in (MODEL, WORLD) and self._base(name) == base:
            return pose_of(self._part(name), f"'{name}'")  # as written, without rounding
        return self.pose(base).inverse() @ self.pose(name)

    def _base(self, name: str) -> str:
        """What a part's pose is relative to."""
        part = self._part(name)
        written = relative_to(part, f"{part.tag} '{name}'")
        if written:
            return written
        if part.tag == "joint":
            return text_at(part, "child", f"joint '{name}'")
        return part.get("attached_to") or MODEL

    def _known(self, name: str) -> Pose:
        if name == MODEL:
            return Pose()
        if name == WORLD and self._place is None:
            raise ReadError(
                f"{self._owner} is placed by a frame whose pose is relative to '{WORLD}'."
            )
        return self.model_pose.inverse() if name == WORLD else self._poses[name]

    def _part(self, name: str) -> Element:
        if name not in self._parts:
            raise UnknownName(self._owner, "link, joint or frame", name, self._parts)
        return self._parts[name]
