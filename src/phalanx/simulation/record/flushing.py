"""Writer thread that flushes recorded rows to a file.

Policy: the list of rows only grows, so the thread may take its new end at any moment without a
lock. It does so once per flush interval; most of its work is outside the interpreter's lock.
"""

from __future__ import annotations

import threading
from contextlib import suppress

import numpy as np

from phalanx.simulation.record.mcap_write import McapFile
from phalanx.simulation.record.settings import JSON
from phalanx.simulation.record.signal import Array

ROWS_AT_A_TIME = 4096


class Flushing:
    """Takes rows to a file, from its making until it is closed.

    What cannot be written (the disk is full) is tried again at every flush and at the end: the run
    goes on, its rows stay in memory, and once there is room again nothing is missing.
    """

    def __init__(self, file: McapFile, rows: list[bytes], width: int, interval: float) -> None:
        """Start the thread, on a list of rows that the run appends to."""
        self._file, self._rows, self._width, self._interval = file, rows, width, interval
        self._taken = 0
        self._pending = joined([], width)  # taken and not yet written
        self._notes: list[dict[str, JSON]] = []
        self._failure: Exception | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="phalanx recorder", daemon=True)
        self._thread.start()

    @property
    def written(self) -> int:
        """How many samples the file holds."""
        return self._file.rows

    def note(self, settings: dict[str, JSON]) -> None:
        """Settings for the next flush."""
        self._notes.append(settings)

    def close(self) -> None:
        """Write what is left.

        Raises:
            OSError: When there is no room for it. What is written can be read, and closing again
                writes the rest.
        """
        self._stop.set()
        self._thread.join()
        if self._failure is not None:
            raise self._failure
        try:
            self._flush()
            self._file.close()
        except OSError:
            self._file.release()
            raise

    def _run(self) -> None:
        try:
            while not self._stop.wait(self._interval):
                with suppress(OSError):
                    self._flush()
        except Exception as error:  # ours: nothing that a later flush would mend
            self._failure = error
            self._file.release()

    def _flush(self) -> None:
        while self._notes:
            self._file.write_settings(self._notes[0])
            del self._notes[0]
        # in pieces, so that the interpreter is never held for long
        while len(self._pending) or self._taken < len(self._rows):
            if not len(self._pending):
                piece = self._rows[self._taken : self._taken + ROWS_AT_A_TIME]
                self._pending = joined(piece, self._width)
                self._taken += len(piece)
            before = self._file.rows
            try:
                self._file.write_rows(self._pending)
            finally:
                self._pending = self._pending[self._file.rows - before :]


def joined(rows: list[bytes], width: int) -> Array:
    """Rows as a table, shape (samples, width)."""
    return np.frombuffer(b"".join(rows), "<f8").reshape(-1, width)
