"""Progress of a sweep on the terminal: cases, rate, time left, failures."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, final

from phalanx.base.facts import duration
from phalanx.cli import console

if TYPE_CHECKING:
    from phalanx.distribute.sweeps.sweeping import SweepProgress


@final
class SweepBar:
    """Progress bar of a sweep; lines of text if there is no terminal."""

    LINES = 10  # at most, without a terminal

    def __init__(self, name: str, cases: int, before: int) -> None:
        """Store the number of cases; the bar is shown by ``with``."""
        from rich import progress

        self._cases, self._printed = cases, before
        self._terminal = sys.stderr.isatty()
        columns = (
            progress.TextColumn("{task.description}"),
            progress.BarColumn(),
            progress.TextColumn("{task.percentage:>3.0f} %"),
            progress.TextColumn("{task.fields[words]}"),
        )
        self._bar = progress.Progress(
            *columns, console=console.err(), transient=True, disable=not self._terminal
        )
        self._first: SweepProgress | None = None
        self.new = 0  # cases done in this run
        self._task = self._bar.add_task(
            name, total=cases, completed=before, words="waiting for the first chunk"
        )

    def __call__(self, state: SweepProgress) -> None:
        """Update after a chunk."""
        text = words(state, self._first)
        self._first = self._first or state
        self.new = state.done - state.before
        self._bar.update(self._task, completed=state.done, words=text)
        enough = state.done - self._printed >= self._cases / self.LINES
        if not self._terminal and enough and state.done < state.cases:
            self._printed = state.done
            console.print_note(f"{state.done:,} of {state.cases:,} cases, {text}")

    def __enter__(self) -> Self:
        """Show the bar."""
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Remove the bar."""
        self._bar.stop()


def words(state: SweepProgress, first: SweepProgress | None = None) -> str:
    """Return rate, time left and failures.

    Args:
        state: SweepProgress of the sweep.
        first: SweepProgress at the first chunk; the time before it includes the start of workers.
    """
    done, seconds = state.done - state.before, state.seconds
    if first is not None and seconds > first.seconds:
        done, seconds = state.done - first.done, seconds - first.seconds
    rate = done / seconds if seconds > 0 else 0.0
    texts = [f"{rate:,.3g} cases/s" if rate < 1000 else f"{rate:,.0f} cases/s"]
    if rate > 0:
        texts.append(f"{time_words((state.cases - state.done) / rate)} left")
    if state.failures:
        texts.append(f"{state.failures:,} failed")
    return ", ".join(texts)


def time_words(seconds: float) -> str:
    """Return a time in its two largest units of days, hours, minutes and seconds."""
    if seconds < 60:
        return duration(seconds) if seconds < 10 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours:,} h {minutes} min" if hours < 48 else f"{hours / 24:,.1f} days"


def byte_words(count: Any) -> str:
    """Return a size in GB, MB, kB or bytes."""
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= size:
            return f"{count / size:,.3g} {unit}"
    return f"{count} bytes"
