"""Assembly warning: loops closed as assembled, a frame moved by what rounding explains."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping

from phalanx.equations.loops.assembly.frame_offset import FrameOffset, describe_offset
from phalanx.equations.loops.assembly.rounding import ROUNDING_OF_FILES
from phalanx.equations.loops.assembly.search import CLOSED
from phalanx.mechanism import Mechanism
from phalanx.mechanism.read import ModelWarning


def warn_of_offsets(
    mechanism: Mechanism, moved: Mapping[str, FrameOffset], tolerance: float
) -> None:
    """Warn of frames that were moved by more than a search leaves open.

    Args:
        mechanism: The machine as it is written.
        moved: Loops whose second frame was moved, and how.
        tolerance: How far rounding explains [m].
    """
    moved_far = {name: by for name, by in moved.items() if max(by.distance, by.angle) > CLOSED}
    if not moved_far:
        return
    parts = [
        f"the second frame of '{name}' was moved by {describe_offset(offset)}"
        for name, offset in moved_far.items()
    ]
    warnings.warn(
        f"no posture of '{mechanism.name}' closes its loops exactly; they are closed as "
        f"assembled: {', '.join(parts)}. Rounding of a model file explains up to "
        f"{tolerance:.2g} m and {ROUNDING_OF_FILES:g} rad here.",
        ModelWarning,
        stacklevel=_level_of_caller(),
    )


def _level_of_caller() -> int:
    """How many frames up the stack the first line outside of Phalanx is."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("phalanx."):
        frame, level = frame.f_back, level + 1
    return level
