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
