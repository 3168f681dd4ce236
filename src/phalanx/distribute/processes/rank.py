"""One rank of a job: ``mpiexec -n 4 python -m phalanx.distribute.processes.rank FOLDER PROGRAM``.

Runs its part of the program that the command names; the job file in the folder must be for that
program, and is data otherwise. Writes there its process number (``rank_2.pid``), that it is done
(``rank_2.done``) or why it ended the run (``rank_2.error``) and, the first rank, the result. Asked
to end, or without its launcher, it lets its program close what it has open.
"""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import asdict
from pathlib import Path
from types import FrameType
from typing import NoReturn

from phalanx.base.errors import PhalanxError
from phalanx.distribute.processes.job_file import RESULT, JobFile
from phalanx.distribute.processes.parent_death import end_with_launcher
from phalanx.distribute.processes.program_registry import program_by_name
from phalanx.distribute.processes.ranks import Ranks, as_text
from phalanx.distribute.processes.run import run_rank


def take_part(folder: Path, program: str) -> None:
    """Run this rank's part of the job in a folder."""
    signal.signal(signal.SIGTERM, _asked_to_end)
    end_with_launcher(folder)
    job = JobFile.read(folder, program)
    ranks = Ranks(job.timeout)
    # MPICH tells a rank by this signal that another was lost; it then asks its daemon, which more
    # often than not ends it along with the other. The launcher knows by itself.
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    _write(folder / f"rank_{ranks.rank}.pid", str(os.getpid()))
    with ranks.ending_the_job():
        try:
            make = program_by_name(job.program)
            done = run_rank(lambda rank: make(rank, ranks.size, **job.arguments), ranks)
        except Exception as error:
            kind = "" if isinstance(error, PhalanxError) else f"{type(error).__name__}: "
            _write(folder / f"rank_{ranks.rank}.error", f"{kind}{error}")
            raise
    if done is not None:
        _write(folder / RESULT, as_text(asdict(done)))
    _write(folder / f"rank_{ranks.rank}.done", "")


def _asked_to_end(number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)


def _write(path: Path, text: str) -> None:
    """Write a file that is there whole or not at all: a rank may be killed at any moment."""
    partial = path.with_name(f"{path.name}.new")
    partial.write_text(text)
    os.replace(partial, path)


if __name__ == "__main__":
    take_part(Path(sys.argv[1]), sys.argv[2])
