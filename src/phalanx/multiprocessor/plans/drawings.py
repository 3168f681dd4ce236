"""Registry of drawing functions by file suffix.

Pictures know plans, not the other way round: they enter their suffixes here, and a plan finds them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from phalanx.base.errors import InvalidInput

if TYPE_CHECKING:
    from phalanx.multiprocessor.plans.schedule import Schedule
    from phalanx.multiprocessor.plans.space_time import SpaceTime

# draws a plan into a file; the last is what decides the colours (see ``Schedule.gantt``)
Drawer = Callable[["Schedule", Path, str | None], None]

DRAWERS: dict[str, Drawer] = {}
SPACE_TIME_DRAWERS: dict[str, Callable[[SpaceTime, Path], None]] = {}

_Drawer = TypeVar("_Drawer")


def draw(plan: Schedule, path: Path, color_by: str | None) -> None:
    """Draw a plan into a file (see ``Schedule.gantt``)."""
    drawer = _by_suffix(DRAWERS, "a plan", path)
    with _told_where(path):
        drawer(plan, path, color_by)


def draw_space_time(make: Callable[[], SpaceTime], path: str | PathLike[str]) -> None:
    """Draw an array at work into a file; it is made when it is clear that it can be drawn."""
    file = Path(path)
    drawer = _by_suffix(SPACE_TIME_DRAWERS, "an array at work", file)
    made = make()
    with _told_where(file):
        drawer(made, file)


def _by_suffix(drawers: Mapping[str, _Drawer], what: str, path: Path) -> _Drawer:
    drawer = drawers.get(path.suffix.lower())
    if drawer is None:
        raise InvalidInput(
            f"cannot draw {what} into {path.name}: its suffix must be one of {', '.join(drawers)}."
        )
    return drawer


@contextmanager
def _told_where(path: Path) -> Iterator[None]:
    """Say which file cannot be written."""
    try:
        yield
    except OSError as error:
        raise InvalidInput(f"cannot write {path}: {error.strerror or error}.") from None
