"""Springs between frames as rows of rings, which spread with the distance of their ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import numpy as np

from phalanx.mechanism import Cylinder, Mechanism, Pose, Spring, Visual
from phalanx.mechanism.motion import frame_on_axis
from phalanx.mechanism.pose import Array, rotation_about
from phalanx.view.scene.link_between_frames import (
    LinkBetweenFrames,
    direction_between,
    placement_of,
)
from phalanx.view.scene.nodes import placed

if TYPE_CHECKING:
    from viser import SceneApi

COLOUR = (0.80, 0.42, 0.16, 1.0)
RINGS = 16
RADIUS, THICKNESS = 0.07, 0.012  # of a ring, against the spring's length
LEAN = rotation_about((1, 0, 0), 0.35)  # rings lean as the turns of a coil do
SHORTEST = 0.02  # [m]: of springs that are relaxed at no length, and stand at none


@final
class Springs:
    """The springs between frames of a mechanism in a scene."""

    def __init__(self, scene: SceneApi, mechanism: Mechanism, X: Array) -> None:
        """Make the nodes, for bodies at poses (bodies, 4, 4)."""
        self._all = [
            LinkBetweenFrames(
                scene,
                f"/machine/spring_{spring.name.replace('/', '_')}",
                (placement_of(mechanism, spring.frame_a), placement_of(mechanism, spring.frame_b)),
                spring_shapes(mechanism, spring, X),
                _arranged,
            )
            for spring in mechanism.springs
        ]

    @property
    def nodes(self) -> list[Any]:
        """All of them, to show or hide."""
        return [node for spring in self._all for node in spring.nodes]

    def place(self, X: Array) -> None:
        """Put the springs between bodies at these poses, shape (bodies, 4, 4)."""
        for spring in self._all:
            spring.place(X)


def spring_shapes(mechanism: Mechanism, spring: Spring, X: Array) -> list[Visual]:
    """The rings of a spring between bodies at poses (bodies, 4, 4), at theirs in the world."""
    placements = (placement_of(mechanism, spring.frame_a), placement_of(mechanism, spring.frame_b))
    a, b = (X[i] @ placement for i, placement in placements)
    turn, middles = _line(a, b)
    apart = float(np.linalg.norm(b[:3, 3] - a[:3, 3]))
    length = spring.rest_length or max(apart, SHORTEST)
    ring = Cylinder(RADIUS * length, THICKNESS * length)
    return [Visual(ring, Pose(turn, middle), COLOUR) for middle in middles]


def _arranged(a: Array, b: Array) -> tuple[Any, list[Array]]:
    turn, middles = _line(a, b)
    return placed(Pose(turn))["wxyz"], list(middles)


def _line(a: Array, b: Array) -> tuple[Array, Array]:
    """How the rings of a spring between two frames are turned, and their middles."""
    shares = (np.arange(RINGS) + 0.5) / RINGS
    return frame_on_axis(direction_between(a, b)) @ LEAN, a[:3, 3] + shares[:, None] * (
        b[:3, 3] - a[:3, 3]
    )
