"""Interface of row sinks: what a run hands its samples to."""

from __future__ import annotations

from typing import Protocol

from phalanx.simulation.record.recording import Recording
from phalanx.simulation.record.signal import Array


class TakesRows(Protocol):
    """Takes samples as rows: time, then the numbers of all channels."""

    @property
    def runs(self) -> bool:
        """Whether rows are wanted; they need not be made otherwise."""

    def append_row(self, row: Array) -> None:
        """Take one sample."""

    def append_rows(self, table: Array) -> None:
        """Take many at once."""

    def recording(self) -> Recording:
        """Everything so far."""
