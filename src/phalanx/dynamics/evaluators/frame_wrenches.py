"""Wrenches on frames as wrenches on the nodes that carry them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import casadi as ca
import numpy as np

from phalanx.dynamics.evaluators.bodies import Bodies
from phalanx.equations.spatial import Rotation, Transform, Wrench, constant
from phalanx.mechanism.pose import Array


@final
class FrameWrenches:
    """Frames of a machine on which wrenches act."""

    def __init__(self, bodies: Bodies, frames: Sequence[str]) -> None:
        """Find for each frame its node, and the matrix that takes a wrench there.

        Raises:
            UnknownName: There is no such frame or body.
        """
        self._count, self._acting = len(bodies), list[tuple[int, Array]]()
        for frame in frames:
            node, R, p = bodies.place(frame)
            pose = Transform(Rotation(constant(R)), constant(p))
            unit = Wrench.of(ca.SX.eye(6)).into_parent(pose).numbers
            self._acting.append((node, np.array(ca.DM(unit))))

    def on_nodes(self, wrenches: Sequence[Array]) -> Array | None:
        """Wrenches on nodes from those on frames, (samples, nodes, 6); None without frames.

        Args:
            wrenches: Force and moment about each frame's origin, in its axes, (samples, 6) each.
        """
        if not self._acting:
            return None
        external = np.zeros((len(wrenches[0]), self._count, 6))
        for (node, into), wrench in zip(self._acting, wrenches, strict=True):
            if node >= 0:
                external[:, node] += wrench @ into.T
        return external
