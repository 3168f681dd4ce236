"""Solutions of inverse kinematics: postures and their errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phalanx.base.errors import UnknownName
from phalanx.base.facts import Facts, TextTable
from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import Array


@final
@dataclass(frozen=True, eq=False, repr=False)
class Solution:
    """Postures for targets, with how far each is from what was wanted.

    Attributes:
        q: Positions, shape (..., nq): where everything is within tolerance or, where that was not
            found, of the least error. Within all limits, loops closed to what ``opening`` says.
        converged: Whether everything is within tolerance, shape (...).
        errors: How far each part of the tasks misses [m or rad], shape (..., parts).
        parts: Their names, "panda_hand position [m]".
        start: The number of the start that led there, shape (...); 0 is the given posture.
        steps: Steps taken, of all starts tried, shape (...).
        opening: How far loops are open at most [m or rad], shape (...).
        distance: From the given posture, or the preferred one [rad and m], shape (...).
    """

    q: Array
    converged: NDArray[np.bool_]
    errors: Array
    parts: tuple[str, ...]
    start: NDArray[np.int64]
    steps: NDArray[np.int64]
    opening: Array
    distance: Array

    def error(self, frame: str, part: str | None = None) -> Array:
        """How far a frame misses its target [m or rad], shape (...).

        Args:
            frame: Name of a task's frame.
            part: "position", "orientation" or "direction"; the first of the frame when not given.

        Raises:
            UnknownName: When no task wants that.
        """
        wanted = f"{frame} {part}" if part else f"{frame} "
        for k, name in enumerate(self.parts):
            if name.startswith(wanted):
                return np.asarray(self.errors[..., k])
        raise UnknownName("the solution", "part", wanted.strip(), self.parts)

    @property
    def misses(self) -> list[tuple[str, str, float]]:
        """Of each part its name, its unit, and how far the worst of all targets misses."""
        worst = self.errors.reshape(-1, len(self.parts)).max(axis=0).tolist()
        named = [name[:-1].rsplit(" [", 1) for name in self.parts]
        return [(name, unit, by) for (name, unit), by in zip(named, worst, strict=True)]

    def facts(self, mechanism: Mechanism) -> Facts:
        """The posture of one target beside the limits of its joints."""
        rows = []
        for joint in mechanism.moving_joints:
            values = self.q[mechanism.q_slices[joint.name]]
            unit = "m" if joint.motion.kind == "prismatic" else "rad"
            unit = unit if joint.motion.nq == 1 else ""
            ends = (_limits(end, len(values)) for end in (joint.lower, joint.upper))
            for value, *limits in zip(values, *ends, strict=True):
                rows.append((joint.name, unit, f"{value:.6f}", *limits))
        postures = TextTable(
            f"Posture of '{mechanism.name}'",
            ["joint", "unit"],
            ["position", "lower", "upper"],
            rows,
            values={
                "q": self.q.tolist(),
                "joints": {
                    joint.name: self.q[mechanism.q_slices[joint.name]].tolist()
                    for joint in mechanism.moving_joints
                },
            },
        )
        return Facts(
            [postures],
            {
                "mechanism": mechanism.name,
                "errors": dict(zip(self.parts, self.errors.tolist(), strict=True)),
                "start": int(self.start),
                "steps": int(self.steps),
                "opening": float(self.opening),
            },
        )

    def __getitem__(self, at: Any) -> Solution:
        """Some of the targets, by any index of their axes."""
        return self._with({name: getattr(self, name)[at] for name in _PER_TARGET})

    def _with(self, arrays: dict[str, Any]) -> Solution:
        return Solution(parts=self.parts, **{k: np.asarray(v) for k, v in arrays.items()})

    def __repr__(self) -> str:
        count, found = self.converged.size, int(self.converged.sum())
        if not count:
            return "<Solution of no targets>"
        if count == 1:
            what = "converged" if found else "not converged"
        else:
            what = f"{found} of {count} converged"
        missed = ", ".join(f"{name} {by:.2g} {unit}" for name, unit, by in self.misses)
        return f"<Solution: {what}; {'worst ' if count > 1 else ''}errors: {missed}>"


_PER_TARGET = ("q", "converged", "errors", "start", "steps", "opening", "distance")


def _limits(limits: ArrayLike, count: int) -> list[str]:
    """Limits of a joint, none for the numbers of a quaternion."""
    own = np.asarray(limits, dtype=np.float64)
    if len(own) != count:
        return ["none"] * count
    return [f"{value:.4g}" if np.isfinite(value) else "none" for value in own]
