"""Recording during a live run: begins and ends while the run goes on.

The driver hands over rows; they go into the present recording, or nowhere. One that ends
is written to the end of its file. Where there is no room for that it is kept, and tried again
whenever another begins or ends.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from phalanx.simulation.record.recorder import Recorder
from phalanx.simulation.record.recording import Recording
from phalanx.simulation.record.signal import Channel

Array = NDArray[np.float64]


@final
class LiveRecorder:
    """Sink for rows of a live run.

    Attributes:
        channels: What a row has, after its time.
        path: File of the recording of the moment; None where there is none.
    """

    def __init__(self, channels: Sequence[Channel], facts: Mapping[str, Any]) -> None:
        """Nothing is recorded yet.

        Args:
            channels: What a row has, after its time.
            facts: Kept with every recording.
        """
        self.channels = channels
        self._facts = facts
        self._lock = threading.Lock()  # of which recorder is the one of the moment
        self.path: Path | None = None
        self._now: Recorder | None = None
        self._last: Recorder | None = None
        self._unfinished: list[tuple[Recorder, Path | None]] = []

    def begin(
        self,
        path: str | PathLike[str] | None = None,
        facts: Mapping[str, Any] | None = None,
    ) -> None:
        """Record from now on, in memory and in a file if there is a path.

        Args:
            path: The file.
            facts: Kept with this recording beside those of all.

        Raises:
            WriteError: When the file cannot be created.
        """
        recorder = Recorder(self.channels, {**self._facts, **(facts or {})}, path)
        self._unfinished.append((recorder, None if path is None else Path(path)))
        with self._lock:
            self._now = self._last = recorder
        self.path = self._unfinished[-1][1]

    def end(self) -> None:
        """Finish the recording of the moment, and those that found no room before.

        Raises:
            WriteError: When there is none for one of them; see :meth:`Recorder.close`.
        """
        with self._lock:
            self._now = None
        self.path = None
        for finished in list(self._unfinished):
            finished[0].close()
            self._unfinished.remove(finished)

    @property
    def runs(self) -> bool:
        """Whether rows are being recorded."""
        return self._now is not None

    @property
    def unfinished(self) -> set[Path]:
        """Files that are not whole: of the moment, or without room."""
        return {path for _, path in self._unfinished.copy() if path is not None}

    def append_row(self, row: Array) -> None:
        with self._lock:
            if self._now is not None:
                self._now.append_row(row)

    def append_rows(self, table: Array) -> None:
        with self._lock:
            if self._now is not None:
                self._now.append_rows(table)

    def note(self, **facts: Any) -> None:
        if self._now is not None:
            self._now.note(**facts)

    @property
    def used(self) -> bool:
        """Whether anything was to be recorded, now or before."""
        return self._last is not None

    def recording(self) -> Recording:
        """What was recorded last, so far."""
        return Recording([], []) if self._last is None else self._last.recording()
