"""Frames: named poses on bodies."""

from __future__ import annotations

from dataclasses import dataclass, field

from phalanx.base.arguments import check_fields
from phalanx.base.errors import InvalidModel
from phalanx.mechanism.frozen import Frozen
from phalanx.mechanism.pose import Pose


@dataclass(frozen=True, eq=False)
class Frame(Frozen):
    """A named place on a body."""

    name: str
    body: str
    pose: Pose = field(default_factory=Pose)

    def __post_init__(self) -> None:
        check_fields(self, InvalidModel)

    def __repr__(self) -> str:
        return f"<Frame '{self.name}' on '{self.body}': {self.pose!r}>"
