"""Jobs whose first process records, and what is left of one that could not finish."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from os import fspath
from pathlib import Path
from typing import Any

import numpy as np

from phalanx.base.version import __version__
from phalanx.distribute.job_data import DataJobRun, part_of_job, to_data
from phalanx.distribute.processes.job import JobResult, MakeProgram, Result
from phalanx.distribute.processes.launch import RanksFailed
from phalanx.distribute.processes.messages import Array, ProcessProgram
from phalanx.simulation.record.recorder import Recorder
from phalanx.simulation.record.recording import Recording
from phalanx.simulation.record.signal import Channel

FLUSH_INTERVAL = 0.1  # [s]: a job whose ranks are killed loses no more than this


class JobFailed(RanksFailed):
    """A job whose ranks could not finish.

    Attributes:
        recording: What the first rank had written by then; None when that was nothing.
    """

    def __init__(self, reason: str, recording: Recording | None, path: str | None) -> None:
        """Say why, and what is left."""
        self.recording = recording
        if recording is None or not len(recording):
            left = "Nothing had been recorded."
        else:
            left = f"The recording goes to t = {recording.time[-1]:g} s"
            left += f" and is in {path}." if path else "."
        super().__init__(reason, left)


@dataclass(frozen=True)
class RecordedResult(JobResult):
    """Result of a run over time.

    Attributes:
        recording: What the first process recorded.
        steps: How many steps were taken.
    """

    recording: Recording = field(repr=False)
    steps: int


class RecordedRun(DataJobRun[Result]):
    """A run over time, of which the first process writes a recording."""

    def __init__(self, job: Any, processes: int, *, on_ranks: bool) -> None:
        """Open nothing before the first program runs.

        Args:
            job: Has ``record``: an ``.mcap`` file, or None to record in memory.
            processes: How many there are.
            on_ranks: Whether the processes are MPI ranks.
        """
        self.job, self.processes, self.on_ranks = job, processes, on_ranks
        self.path = None if job.record is None else fspath(job.record)
        self._recorder: Recorder | None = None

    def for_ranks(self) -> tuple[MakeProgram, Mapping[str, Any]]:
        """Return the same as for other jobs, with the file that the first rank records to."""
        return part_of_job, {"job": to_data(replace(self.job, record=self.path))}

    def recorded(
        self, channels: Sequence[Channel], settings: Mapping[str, Any], program: ProcessProgram
    ) -> ProcessProgram:
        """Run the program of the first process while the recorder is open."""
        ranks = {"ranks": self.processes if self.on_ranks else 0, "phalanx": __version__}
        with Recorder(channels, {**settings, **ranks}, self.path, FLUSH_INTERVAL) as self._recorder:
            return (yield from program)

    def record(self, t: float, *numbers: Array) -> None:
        """Append a row."""
        assert self._recorder is not None
        self._recorder.append_row(np.concatenate([[t], *numbers]))

    @property
    def recording(self) -> Recording:
        """What has been recorded: here, or by the rank that had the path."""
        if self._recorder is not None:
            return self._recorder.recording()
        assert self.path is not None
        return Recording.read(self.path)

    @contextmanager
    def launched(self) -> Iterator[None]:
        """Have the first rank record to a file, and read that when ranks fail."""
        given = self.path
        with tempfile.TemporaryDirectory(prefix="phalanx_run_") as place:
            path = Path(place) / "run.mcap" if given is None else Path(given).absolute()
            self.path = str(path)
            try:
                yield
            except RanksFailed as failure:
                raise JobFailed(failure.reason, _left_in(path), given) from None


def _left_in(path: Path) -> Recording | None:
    """Return what was recorded; that it was cut off, which warns, is known here."""
    if not path.is_file():
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Recording.read(path)
