"""What the sticks do, in words.

Without resolution each stick axis moves one joint, in the pattern of ISO 10968 that most
excavators have: left hand swing and stick, right hand boom and bucket. Resolved, the same axes move
the stick's tip along, about and above the machine, and turn the bucket against the ground.
"""

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
AXES: dict[str, tuple[Axis, Axis, Axis, Axis]] = {
    "JOINT": (
        Axis("swing", "left", "right"),
        Axis("stick", "in", "out"),
        Axis("bucket", "curl", "dump"),
        Axis("boom", "raise", "lower"),
    ),
    "RESOLVED": (
        Axis("swing arc", "left", "right"),
        Axis("radius", "in", "out"),
        Axis("bucket angle", "curl", "dump"),
        Axis("height", "up", "down"),
    ),
}
PLAIN = (
    Axis("left x", "left", "right"),
    Axis("left y", "back", "forward"),
    Axis("right x", "left", "right"),
    Axis("right y", "back", "forward"),
)


def axes_of(mode: str) -> tuple[Axis, Axis, Axis, Axis]:
    """The words for a mode; those of the sticks themselves when it is none of ours."""
    return AXES.get(mode, PLAIN)
