"""What a search for postures found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from phalanx.base.errors import UnknownName
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
        distance: From the given posture, or the one that is liked [rad and m], shape (...).
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

    def __getitem__(self, at: Any) -> Solution:
        """Some of the targets, by any index of their axes."""
        return self._with({name: getattr(self, name)[at] for name in _PER_TARGET})

    def _with(self, arrays: dict[str, Any]) -> Solution:
        return Solution(parts=self.parts, **{k: np.asarray(v) for k, v in arrays.items()})

    def __repr__(self) -> str:
        """One line: how many converged, and how far the worst of each part is off."""
        count, found = self.converged.size, int(self.converged.sum())
        if not count:
            return "<Solution of no targets>"
        if count == 1:
            what = "converged" if found else "not converged"
        else:
            what = f"{found} of {count} converged"
        worst = self.errors.reshape(-1, len(self.parts)).max(axis=0)
        missed = ", ".join(
            f"{name.rsplit(' [', 1)[0]} {by:.2g} {name.rsplit('[', 1)[1][:-1]}"
            for name, by in zip(self.parts, worst, strict=True)
        )
        return f"<Solution: {what}; {'worst ' if count > 1 else ''}errors: {missed}>"


_PER_TARGET = ("q", "converged", "errors", "start", "steps", "opening", "distance")
