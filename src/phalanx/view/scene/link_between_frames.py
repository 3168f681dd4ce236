"""Links between frames: ends and orientation of springs and cylinders."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, final

import numpy as np

from phalanx.mechanism import Mechanism, Visual
from phalanx.mechanism.pose import Array
from phalanx.view.scene.nodes import add_shape

if TYPE_CHECKING:
    from viser import SceneApi

Placement = tuple[int, Array]  # a body, and the pose of a frame there, shape (4, 4)
# of the poses of two frames: how all shapes are turned (w, x, y, z), and the middle of each
Arrange = Callable[[Array, Array], tuple[Any, Sequence[Array]]]
TOUCHING = 1e-9  # [m]: frames so near have no direction between them


@final
class LinkBetweenFrames:
    """Shapes on the line between two frames, as nodes of a scene."""

    def __init__(
        self,
        scene: SceneApi,
        path: str,
        ends: tuple[Placement, Placement],
        shapes: Sequence[Visual],
        arrange: Arrange,
    ) -> None:
        """Make the nodes, where the shapes are."""
        self._ends, self._arrange = ends, arrange
        self.nodes = [
            add_shape(scene, f"{path}_{k}", shape, shape.pose)[0] for k, shape in enumerate(shapes)
        ]

    def place(self, X: Array) -> None:
        """Put the shapes between bodies at these poses, shape (bodies, 4, 4)."""
        turn, middles = self._arrange(*(X[i] @ placement for i, placement in self._ends))
        for node, middle in zip(self.nodes, middles, strict=True):
            node.wxyz = turn
            node.position = middle


def placement_of(mechanism: Mechanism, name: str) -> Placement:
    """A frame's body, and its pose there, shape (4, 4).

    Raises:
        UnknownName: When the machine has no frame of that name.
    """
    frame = mechanism.frame(name)
    return mechanism.body_index(frame.body), frame.pose.matrix


def direction_between(a: Array, b: Array) -> Array:
    """From a frame (4, 4) towards another, a unit vector; the other's x where they touch."""
    reach = b[:3, 3] - a[:3, 3]
    length = float(np.linalg.norm(reach))
    return reach / length if length > TOUCHING else b[:3, 0]


def turn_of_z(axis: Array) -> tuple[float, float, float, float]:
    """The shortest rotation of z to an axis, as a quaternion (w, x, y, z)."""
    x, y, z = axis.tolist()
    norm = math.hypot(1 + z, x, y)
    if norm < TOUCHING:
        return 0.0, 1.0, 0.0, 0.0  # half a turn, about any axis across
    return (1 + z) / norm, -y / norm, x / norm, 0.0
