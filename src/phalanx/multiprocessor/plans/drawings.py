"""Into which files a plan can be drawn: a table from suffix to who draws it.

Pictures know plans, not the other way round: they enter their suffixes here, and a plan finds them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from phalanx.errors import InvalidInput

if TYPE_CHECKING:
    from phalanx.multiprocessor.plans.schedule import Schedule

# draws a plan into a file; the last is what decides the colours (see ``Schedule.gantt``)
Drawer = Callable[["Schedule", Path, str | None], None]

DRAWERS: dict[str, Drawer] = {}


def draw(plan: Schedule, path: Path, color_by: str | None) -> None:
    """Draw a plan into a file (see ``Schedule.gantt``)."""
    drawer = DRAWERS.get(path.suffix.lower())
    if drawer is None:
        raise InvalidInput(
            f"cannot draw a plan into {path.name}: its suffix must be one of {', '.join(DRAWERS)}."
        )
    try:
        drawer(plan, path, color_by)
    except OSError as error:
        raise InvalidInput(f"cannot write {path}: {error.strerror or error}.") from None
