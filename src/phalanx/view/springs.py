"""Springs between frames as rows of rings, which spread with the distance of their ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import numpy as np

from phalanx.mechanism import Cylinder, Mechanism, Pose, Spring, Visual
from phalanx.mechanism.motion import frame_on_axis
from phalanx.mechanism.pose import Array
from phalanx.view.draw_between import direction_between, seat_of, turn_of_z
from phalanx.view.nodes import add_shape

if TYPE_CHECKING:
    from viser import SceneApi

COLOUR = (0.80, 0.42, 0.16, 1.0)
RINGS = 12
RADIUS, THICKNESS = 0.07, 0.03  # of a ring, against the spring's length
SHORTEST = 0.02  # [m]: of springs that are relaxed at no length, and stand at none


@final
class Springs:
    """The springs between frames of a mechanism in a scene."""

    def __init__(self, scene: SceneApi, mechanism: Mechanism, X: Array) -> None:
        """Make the nodes, for bodies at poses (bodies, 4, 4)."""
        self._springs = mechanism.springs
        self._seats = [
            (seat_of(mechanism, s.frame_a), seat_of(mechanism, s.frame_b)) for s in self._springs
        ]
        self._nodes: list[list[Any]] = []
        for spring in self._springs:
            path = f"/machine/spring_{spring.name.replace('/', '_')}"
            shapes = enumerate(spring_shapes(mechanism, spring, X))
            self._nodes.append([add_shape(scene, f"{path}_{k}", s, s.pose)[0] for k, s in shapes])

    @property
    def nodes(self) -> list[Any]:
        """All of them, to show or hide."""
        return [node for nodes in self._nodes for node in nodes]

    def place(self, X: Array) -> None:
        """Put the springs between bodies at these poses, shape (bodies, 4, 4)."""
        for seats, nodes in zip(self._seats, self._nodes, strict=True):
            along, middles = _line(*(X[i] @ seat for i, seat in seats))
            turn = turn_of_z(along)
            for node, middle in zip(nodes, middles, strict=True):
                node.wxyz = turn
                node.position = middle


def spring_shapes(mechanism: Mechanism, spring: Spring, X: Array) -> list[Visual]:
    """The rings of a spring between bodies at poses (bodies, 4, 4), at theirs in the world."""
    seats = (seat_of(mechanism, spring.frame_a), seat_of(mechanism, spring.frame_b))
    a, b = (X[i] @ seat for i, seat in seats)
    along, middles = _line(a, b)
    turn = frame_on_axis(along)
    apart = float(np.linalg.norm(b[:3, 3] - a[:3, 3]))
    length = spring.rest_length or max(apart, SHORTEST)
    ring = Cylinder(RADIUS * length, THICKNESS * length)
    return [Visual(ring, Pose(turn, middle), COLOUR) for middle in middles]


def _line(a: Array, b: Array) -> tuple[Array, Array]:
    """Direction of a spring between two frames, and middles of its rings."""
    shares = (np.arange(RINGS) + 0.5) / RINGS
    return direction_between(a, b), a[:3, 3] + shares[:, None] * (b[:3, 3] - a[:3, 3])
