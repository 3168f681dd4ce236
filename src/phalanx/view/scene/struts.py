"""Cylinders that extend: a barrel and a rod each, put between their frames."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, final

import numpy as np

from phalanx.base.cached import cached_property
from phalanx.mechanism import Cylinder, Mechanism, Pose, Strut, Visual
from phalanx.mechanism.motion import frame_on_axis
from phalanx.mechanism.pose import Array
from phalanx.view.scene.link_between_frames import (
    LinkBetweenFrames,
    direction_between,
    placement_of,
    turn_of_z,
)
from phalanx.view.scene.postures import Poses, poses_of

if TYPE_CHECKING:
    from viser import SceneApi


BEYOND = 1e-9  # [m] that rounding may cost


@final
class Strokes:
    """The strokes of all struts of a machine."""

    def __init__(self, mechanism: Mechanism) -> None:
        """Of ``mechanism.struts``."""
        self._mechanism = mechanism
        ends = [[mechanism.frame(name) for name in (s.base, s.rod)] for s in mechanism.struts]
        self._bodies = np.array(
            [[mechanism.body_index(frame.body) for frame in pair] for pair in ends], dtype=np.intp
        ).reshape(-1, 2)
        self._points = np.array(
            [[frame.pose.translation for frame in pair] for pair in ends]
        ).reshape(-1, 2, 3)
        self._length = np.array([strut.length for strut in mechanism.struts])

    def overrun(self, q: Array) -> Array:
        """How far each strut is beyond an end of its stroke at ``q`` [m], shape (struts,)."""
        if not self._mechanism.struts:
            return np.zeros(0)
        X = self._poses(q)[self._bodies]
        ends = np.einsum("skij,skj->ski", X[..., :3, :3], self._points) + X[..., :3, 3]
        apart = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)
        over = np.maximum(self._length - apart, apart - 2 * self._length)
        return np.maximum(over, 0.0)

    def obstacle(self, before: Array | None, after: Array) -> str:
        """Why ``after`` is no posture to go to from ``before``; empty if it is one.

        A strut that is beyond its stroke already may come back, but not go farther.
        """
        over = self.overrun(after)
        allowed = np.zeros(len(over)) if before is None else self.overrun(before)
        for strut, more in zip(self._mechanism.struts, over - allowed, strict=True):
            if more > BEYOND:
                return f"cylinder '{strut.name}' is at the end of its stroke"
        return ""

    @cached_property
    def _poses(self) -> Poses:
        return poses_of(self._mechanism)


BARREL_COLOUR = (0.20, 0.21, 0.23, 1.0)
ROD_COLOUR = (0.86, 0.88, 0.90, 1.0)


@final
class Struts:
    """The cylinders of a mechanism in a scene."""

    def __init__(self, scene: SceneApi, mechanism: Mechanism, struts: Sequence[Strut]) -> None:
        """Make the nodes; :meth:`move` or :meth:`place` puts them where they belong.

        Args:
            scene: Where.
            mechanism: The machine that has their frames.
            struts: Which; ``mechanism.struts`` are those it brings along.

        Raises:
            UnknownName: When the machine has no frame of a name.
        """
        self._mechanism = mechanism
        still = np.broadcast_to(np.eye(4), (len(mechanism.bodies), 4, 4))
        self._all = [
            LinkBetweenFrames(
                scene,
                f"/machine/strut_{strut.name.replace('/', '_')}",
                (placement_of(mechanism, strut.base), placement_of(mechanism, strut.rod)),
                strut_shapes(mechanism, strut, still),
                partial(_arranged, strut),
            )
            for strut in struts
        ]

    @property
    def nodes(self) -> list[Any]:
        """All of them, to show or hide."""
        return [node for strut in self._all for node in strut.nodes]

    def move(self, q: Array) -> None:
        """Put the cylinders where they are at positions ``q``, shape (nq,)."""
        self.place(self._poses(q))

    def place(self, X: Array) -> None:
        """Put the cylinders between bodies at these poses, shape (bodies, 4, 4)."""
        for strut in self._all:
            strut.place(X)

    @cached_property
    def _poses(self) -> Poses:
        return poses_of(self._mechanism)


def strut_shapes(mechanism: Mechanism, strut: Strut, X: Array) -> list[Visual]:
    """Barrel and rod, of each cylinder that stands beside others, at their poses in the world.

    Args:
        mechanism: The machine that has its frames.
        strut: Which one.
        X: Pose of every body, shape (bodies, 4, 4).

    Raises:
        UnknownName: When the machine has no frame of a name.
    """
    placements = (placement_of(mechanism, strut.base), placement_of(mechanism, strut.rod))
    along, middles = _line(strut, *(X[i] @ placement for i, placement in placements))
    turn = frame_on_axis(along)
    looks = ((strut.radius, BARREL_COLOUR), (strut.rod_radius, ROD_COLOUR))
    return [
        Visual(Cylinder(radius, strut.length), Pose(turn, middle), colour)
        for (radius, colour), middle in zip(looks * len(strut.aside), middles, strict=True)
    ]


def _arranged(strut: Strut, base: Array, rod: Array) -> tuple[Any, list[Array]]:
    along, middles = _line(strut, base, rod)
    return turn_of_z(along), middles


def _line(strut: Strut, base: Array, rod: Array) -> tuple[Array, list[Array]]:
    """Direction of a strut between its frames, and middles of barrel and rod, side by side."""
    along = direction_between(base, rod)
    half = strut.length / 2 * along
    middles = (base[:3, 3] + half, rod[:3, 3] - half)
    return along, [middle + shift * rod[:3, 2] for shift in strut.aside for middle in middles]
