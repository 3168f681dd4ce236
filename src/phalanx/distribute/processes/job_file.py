"""Job file (JSON): which program the started ranks run, with which arguments."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from phalanx.base.errors import InvalidInput, ReadError, shown
from phalanx.distribute.processes.ranks import as_text

JOB, RESULT = "job.json", "result.json"  # files of a job's folder


@dataclass(frozen=True)
class JobFile:
    """Which program to run.

    Attributes:
        program: Its name, see `program`.
        arguments: What it is called with, plain data.
        timeout: How long ranks wait for each other [s].
    """

    program: str
    arguments: dict[str, Any]
    timeout: float

    def write(self, folder: Path) -> None:
        """Write the file into the folder of a job."""
        (folder / JOB).write_text(as_text(asdict(self)))

    @classmethod
    def read(cls, folder: Path, program: str) -> JobFile:
        """Read what `write` wrote.

        Args:
            folder: Of the job.
            program: The program that the command names; a file alone makes no rank run anything.

        Raises:
            ReadError: It is no job file.
            InvalidInput: It is for another program.
        """
        path = folder / JOB
        try:
            job = cls(**json.loads(path.read_text()))
        except (OSError, ValueError, TypeError, RecursionError) as error:
            raise ReadError(f"{path} is no job file for ranks: {error}.") from None
        if job.program != program:
            raise InvalidInput(
                f"{path} is for {shown(job.program)}, and this rank was started for '{program}'."
            )
        return job
