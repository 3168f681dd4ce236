"""One rank of a job of `launch`: ``mpiexec -n 4 python -m phalanx.distribute.rank FOLDER``.

Leaves in the folder who it is (``rank_2.pid``), that it is done (``rank_2.done``) or why it ended
the run (``rank_2.error``) and, from the first rank, the outcome. Asked to end, or without its
launcher, it closes its recording.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from dataclasses import asdict
from pathlib import Path
from types import FrameType
from typing import NoReturn

from phalanx.distribute.cosimulate import run
from phalanx.distribute.job import Job
from phalanx.distribute.life_line import end_with_launcher
from phalanx.distribute.ranks import Ranks
from phalanx.errors import PhalanxError

JOB, OUTCOME = "job.json", "outcome.json"


def take_part(folder: Path) -> None:
    """Run this rank's part of the job in a folder."""
    signal.signal(signal.SIGTERM, _asked_to_end)
    end_with_launcher(folder)
    job = Job.read(folder / JOB)
    ranks = Ranks(job.timeout)
    _write(folder / f"rank_{ranks.rank}.pid", str(os.getpid()))
    with ranks.ending_the_job():
        try:
            outcome = run(job.plan(), job.record, ranks)
        except PhalanxError as error:
            _write(folder / f"rank_{ranks.rank}.error", str(error))
            raise
    if outcome is not None:
        facts = {
            "nodes": outcome.nodes,
            "traffic": [asdict(one) for one in outcome.traffic],
            "steps": outcome.steps,
            "seconds": outcome.seconds,
        }
        _write(folder / OUTCOME, json.dumps(facts))
    _write(folder / f"rank_{ranks.rank}.done", "")


def _asked_to_end(number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)


def _write(path: Path, text: str) -> None:
    """Write a file that is there whole or not at all: a rank may be killed at any moment."""
    partial = path.with_name(f"{path.name}.new")
    partial.write_text(text)
    os.replace(partial, path)


if __name__ == "__main__":
    take_part(Path(sys.argv[1]))
