"""What the sticks do, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True)
class Axis:
    """One axis of a stick.

    Attributes:
        name: What it moves.
        negative: What pulling it left or back does.
        positive: What pushing it right or forward does.
    """

    name: str
    negative: str
    positive: str


# left x, left y, right x, right y
Axes = tuple[Axis, Axis, Axis, Axis]
# the words for a mode of which a machine says nothing
PLAIN: Axes = (
    Axis("left x", "left", "right"),
    Axis("left y", "back", "forward"),
    Axis("right x", "left", "right"),
    Axis("right y", "back", "forward"),
)
