"""Progress bar on the terminal, for runs that take more than two seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

PATIENCE = 2.0  # [s] before the bar appears
REFRESH = 0.1  # [s] between two looks at the clock worth a redraw


class ProgressBar:
    """Shows how far simulated time has come, on a terminal, after two seconds."""

    def __init__(self, name: str, duration: float, wanted: bool | None = None) -> None:
        """Decide whether to show anything: on a terminal by default."""
        self.name, self.duration = name, duration
        self.wanted = sys.stderr.isatty() if wanted is None else wanted
        self.next_look = time.perf_counter() + PATIENCE
        self._bar: Any = None
        self._task: Any = None

    def reach(self, t: float) -> None:
        """Simulated time has come to ``t`` [s]."""
        if not self.wanted or time.perf_counter() < self.next_look:
            return
        self.next_look = time.perf_counter() + REFRESH
        if self._bar is None:
            from rich.console import Console
            from rich.progress import Progress

            self._bar = Progress(console=Console(stderr=True), transient=True)
            self._bar.start()
            self._task = self._bar.add_task(self.name, total=self.duration)
        self._bar.update(self._task, completed=t)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()


Told = bool | Callable[[float], None] | None
"""Whether a bar is shown (None: on a terminal), or the callback for progress, from 0 to 1."""


@contextmanager
def reporting(name: str, wanted: Told) -> Iterator[Callable[[float], None] | None]:
    """Return the callback for the progress of a call, from 0 to 1; None without one."""
    if callable(wanted):
        yield wanted
        return
    with ProgressBar(name, 1.0, wanted) as bar:
        yield bar.reach if bar.wanted else None
