"""Stroke limits of drawn cylinders: between a strut's own length and twice as much.

Shorter, its rod would come out of the barrel's bottom; longer, the rod would hang in the air.
"""

from __future__ import annotations

from typing import final

import numpy as np

from phalanx.base.cached import cached_property
from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import Array
from phalanx.view.scene.postures import Poses, poses_of

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
