"""Recordings of jobs on ranks, and what is left of one that could not finish."""

from __future__ import annotations

import warnings
from pathlib import Path

from phalanx.distribute.processes.launch import RanksFailed
from phalanx.simulation.record.recording import Recording

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
            kept = "Nothing had been recorded."
        else:
            kept = f"The recording goes to t = {recording.time[-1]:g} s"
            kept += f" and is in {path}." if path else "."
        super().__init__(reason, kept)


def kept(path: Path) -> Recording | None:
    """What was recorded; a recording that was cut off warns, which is known here."""
    if not path.is_file():
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Recording.read(path)
