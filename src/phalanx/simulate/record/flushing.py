"""The thread that carries recorded rows to a file.

Policy: the list of rows only grows, so the thread may take its new end at any moment without a
lock. It does so once per flush interval; most of its work is outside the interpreter's lock.
"""

from __future__ import annotations

import threading

import numpy as np

from phalanx.simulate.record.mcap_write import McapFile
from phalanx.simulate.record.settings import JSON
from phalanx.simulate.record.signal import Array

ROWS_AT_A_TIME = 4096


class Flushing:
    """Takes rows to a file, from its making until it is closed.

    Once writing has failed it writes no more and keeps the error for ``close``: the run goes on and
    its rows stay in memory.
    """

    def __init__(self, file: McapFile, rows: list[bytes], width: int, interval: float) -> None:
        """Start the thread, on a list of rows that somebody else appends to."""
        self._file, self._rows, self._width, self._interval = file, rows, width, interval
        self._written = 0
        self._notes: list[dict[str, JSON]] = []
        self._failure: Exception | None = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="phalanx recorder", daemon=True)
        self._thread.start()

    def note(self, settings: dict[str, JSON]) -> None:
        """Settings for the next flush."""
        self._notes.append(settings)

    def close(self) -> None:
        """Write what is left; raise what went wrong."""
        self._stop.set()
        self._thread.join()
        if self._failure is not None:
            raise self._failure

    def _run(self) -> None:
        try:
            while not self._stop.wait(self._interval):
                self._flush()
            self._flush()
            self._file.close()
        except Exception as error:
            self._failure = error
            self._file.abandon()

    def _flush(self) -> None:
        while self._notes:
            self._file.write_settings(self._notes.pop(0))
        # in pieces, so that the interpreter is never held for long
        while self._written < len(self._rows):
            piece = self._rows[self._written : self._written + ROWS_AT_A_TIME]
            self._file.write_rows(joined(piece, self._width))
            self._written += len(piece)


def joined(rows: list[bytes], width: int) -> Array:
    """Rows as a table, shape (samples, width)."""
    return np.frombuffer(b"".join(rows), "<f8").reshape(-1, width)
