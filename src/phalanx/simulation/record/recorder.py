"""Recorder of a run: in memory and, if wanted, in a file.

Policy: a sample becomes one ``bytes`` object appended to a list, the cheapest copy Python has; so
does a block of samples. What costs time (encoding, compression, writing) is done by a thread.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from struct import error as PackError
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from phalanx.base.errors import InvalidInput, WriteError
from phalanx.simulation.record.channels import FLOAT64, UNFIT, converted, row_maker
from phalanx.simulation.record.flushing import ROWS_AT_A_TIME, Flushing, joined
from phalanx.simulation.record.mcap_write import McapFile
from phalanx.simulation.record.recording import Recording
from phalanx.simulation.record.settings import plain
from phalanx.simulation.record.signal import Array, Channel, check_channels


class Recorder:
    """Takes samples one by one; a context manager that closes its file.

    Example:
        >>> with Recorder([Channel("q", "rad", ("hinge",))], {"model": "pendulum"}) as recorder:
        ...     recorder.append(0.0, np.zeros(1))
        >>> len(recorder.recording())
        1
    """

    def __init__(
        self,
        channels: Sequence[Channel],
        settings: Mapping[str, Any] | None = None,
        path: str | PathLike[str] | None = None,
        flush_interval: float = 0.5,
    ) -> None:
        """Start, and create the file if there is to be one.

        Args:
            channels: What each sample holds, in this order.
            settings: What the run is made with, as JSON.
            path: An ``.mcap`` file, replaced if it is there; none records in memory alone.
            flush_interval: How much may be lost when the process is killed [s].

        Raises:
            InvalidInput: When channels, settings, suffix or interval are wrong.
            WriteError: When the file cannot be created.
        """
        if not 0 < flush_interval < math.inf:
            raise InvalidInput(f"flush_interval is {flush_interval}; expected seconds above zero.")
        self._channels = check_channels(channels)
        self._settings = plain(settings or {})
        self._row = row_maker([len(channel.labels) for channel in self._channels])
        self._row_bytes = 8 * (1 + sum(channel.width for channel in self._channels))
        self._rows: list[bytes] = []
        self._last = -sys.float_info.max
        self.runs = True  # until it is closed
        self._path = None if path is None else Path(path)
        self._file: Flushing | None = None
        if self._path is not None:
            file = McapFile(self._path, self._channels, self._settings)
            self._file = Flushing(file, self._rows, self._row_bytes // 8, flush_interval)

    def append(self, time: float, *values: Any) -> None:
        """Record a sample.

        Args:
            time: Not before the last sample's [s].
            values: One a channel: an array with a number a label, or a number for a scalar.
                They are copied.

        Raises:
            InvalidInput: When time runs backwards, or a value does not fit its channel.
        """
        if not self._last <= time < math.inf:
            raise self._wrong_time(time)
        try:
            row = self._row(time, *values)
        except (AttributeError, TypeError, ValueError, BufferError, PackError):
            row = UNFIT
        # lists, other dtypes, strided arrays and mistakes
        if len(row) != self._row_bytes:
            if len(values) != len(self._channels):
                raise self._wrong_count(len(values))
            row = converted(self._channels, time, values)
        self._rows.append(row)
        self._last = time

    def append_row(self, row: Array) -> None:
        """Record a sample that is one array already: time, then the numbers of all channels.

        Raises:
            InvalidInput: When time runs backwards, or the row has another length or type.
        """
        time = row.item(0)
        if not self._last <= time < math.inf:
            raise self._wrong_time(time)
        taken = row.tobytes()
        if len(taken) != self._row_bytes or row.dtype is not FLOAT64:
            raise InvalidInput(
                f"a row of {row.size} numbers, {row.dtype}; expected {self._row_bytes // 8}, "
                f"{FLOAT64}."
            )
        self._rows.append(taken)
        self._last = time

    def extend(self, time: ArrayLike, *values: ArrayLike) -> None:
        """Record many samples at once, as a compiled loop gives them.

        Args:
            time: Of each sample [s], shape (T,).
            values: One a channel: shape (T, labels), or (T,) for a scalar.

        Raises:
            InvalidInput: When time runs backwards, or a value does not fit its channel.
        """
        if len(values) != len(self._channels):
            raise self._wrong_count(len(values))
        signals = [
            channel.signal(value) for channel, value in zip(self._channels, values, strict=True)
        ]
        self.append_rows(Recording(time, signals).table)

    def append_rows(self, table: Array) -> None:
        """Record many samples that are one array already; see :meth:`append_row`.

        Raises:
            InvalidInput: When time runs backwards, or rows have another length or type.
        """
        if not len(table):
            return
        times = table[:, 0]
        back = np.flatnonzero(~(np.diff(times, prepend=self._last) >= 0))
        if back.size or not times[-1] < math.inf:
            raise self._wrong_time(float(times[back[0] if back.size else -1]))
        if 8 * table.shape[1] != self._row_bytes or table.dtype != FLOAT64:
            raise InvalidInput(
                f"rows of {table.shape[1]} numbers, {table.dtype}; expected "
                f"{self._row_bytes // 8}, {FLOAT64}."
            )
        for start in range(0, len(table), ROWS_AT_A_TIME):
            self._rows.append(table[start : start + ROWS_AT_A_TIME].tobytes())
        self._last = float(times[-1])

    def note(self, **settings: Any) -> None:
        """Add settings that are known only now, such as how long the run took."""
        added = plain(settings)
        self._settings |= added
        if self._file is not None:
            self._file.note(added)

    def recording(self) -> Recording:
        """Everything so far; also after an error, also while the run goes on."""
        return Recording.from_table(
            self._channels, joined(self._rows[:], self._row_bytes // 8), self._settings
        )

    def close(self) -> None:
        """Write what is left, finish the file and take no more samples; once is enough.

        Raises:
            WriteError: When not all could be written. It says how much was and carries the
                recording; closing again, when there is room, writes the rest.
        """
        self._last, self.runs = math.inf, False
        if self._file is None:
            return
        try:
            self._file.close()
        except OSError as error:
            raise self._not_written(error) from None

    def _not_written(self, error: OSError) -> WriteError:
        recording, written = self.recording(), self.written
        until = f", up to t = {recording.time[written - 1]:.9g} s" if written else ""
        return WriteError(
            f"{self._path} holds {written} of {len(recording)} samples{until}: "
            f"{error.strerror or error}. All are in memory and in this error's 'recording', which "
            "can be written elsewhere or when there is room.",
            recording,
        )

    @property
    def written(self) -> int:
        """How many samples are in the file."""
        return self._file.written if self._file is not None else 0

    def __len__(self) -> int:
        return sum(map(len, self._rows[:])) // self._row_bytes

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            self.close()
        except Exception as failure:
            if error is None:
                raise
            error.add_note(f"the recording could not be finished: {failure}")

    def _wrong_time(self, time: float) -> InvalidInput:
        if not self.runs:
            return InvalidInput("the recorder is closed and takes no more samples.")
        since = (
            f"at or after the last sample's {self._last:g} s" if self._rows else "a finite number"
        )
        return InvalidInput(f"a sample at time {time} s; expected {since}.")

    def _wrong_count(self, count: int) -> InvalidInput:
        names = ", ".join(channel.name for channel in self._channels)
        return InvalidInput(f"a sample of {count} values; expected one each for {names}.")
