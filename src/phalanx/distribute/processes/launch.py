"""Launch a job on MPI ranks with ``mpiexec``, wait for them, and report how they ended.

Policy: nothing is started before the job has been checked. The launcher watches the processes and
knows at once when one has gone; a rank that is there and silent is noticed by the others. Either
way the first rank is asked to close what it writes, and what is left is killed. A launcher that is
killed itself lets go of a lock that all ranks wait for, and they end.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from types import FrameType
from typing import NoReturn

from phalanx.base.errors import MissingExtra, PhalanxError
from phalanx.distribute.processes import parent_death
from phalanx.distribute.processes.job import Job, MakeProgram, ProgramResult, Result
from phalanx.distribute.processes.job_file import RESULT, JobFile
from phalanx.distribute.processes.messages import Traffic
from phalanx.distribute.processes.program_registry import folder_of, name_of
from phalanx.distribute.processes.ranks import START_UP, checked_timeout

RANK = "phalanx.distribute.processes.rank"
GRACE = 5.0  # [s] for a job to end once one of its ranks has given up
_CLOSING = 2.0  # [s] for the first rank to close what it writes
_POLL = 0.02  # [s] between looks at the job


class RanksFailed(PhalanxError):
    """A job whose ranks could not finish.

    Attributes:
        reason: Why.
    """

    def __init__(self, reason: str, left: str = "") -> None:
        """Say why, and what is left."""
        self.reason = reason
        super().__init__(f"the run on ranks ended early: {reason} {left}".rstrip())


def launch(job: Job[Result], ranks: int | None = None, *, timeout: float = 10.0) -> Result:
    """Run a job on MPI ranks of this machine that are started for it.

    Args:
        job: What to run.
        ranks: How many ranks to start; left out for a job that decides that itself.
        timeout: How long ranks wait for each other [s].

    Returns:
        The result, as `run` gives it.

    Raises:
        MissingExtra: There is no mpi4py or no ``mpiexec``.
        InvalidInput: The job or a number is wrong, or the job is not plain data.
        RanksFailed: A rank was lost, did not reply, or failed; `JobFailed`, with the recording as
            far as it goes, of a job that records.
    """
    checked_timeout(timeout)
    started = job.on(ranks, on_ranks=True)
    with started.launched():
        make, arguments = started.for_ranks()
        file = JobFile(name_of(make), dict(arguments), timeout)
        return started.result(_run_ranks(file, make, started.processes))


def _run_ranks(job: JobFile, make: MakeProgram, ranks: int) -> ProgramResult:
    mpiexec = find_mpiexec()
    with tempfile.TemporaryDirectory(prefix="phalanx_job_") as place:
        folder = Path(place)
        job.write(folder)
        with (
            (folder / "output").open("wb") as output,
            _raising_when_terminated(),
            parent_death.holding_lock(folder),
        ):
            child = subprocess.Popen(
                [*mpiexec, "-n", str(ranks), sys.executable, "-m", RANK, place, job.program],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
                env=_environment(make),
            )
            try:
                lost = _watch(child, folder, ranks)
            finally:
                _end(child, folder)
        if not (folder / RESULT).is_file():
            raise RanksFailed(_reason(folder, lost, child.returncode))
        done = json.loads((folder / RESULT).read_text())
        return ProgramResult(
            tuple(Traffic(**sent) for sent in done["traffic"]),
            done["seconds"],
            tuple(done["results"]),
        )


def _environment(make: MakeProgram) -> dict[str, str]:
    """Return that of this process; ranks look for modules where the program's was found, too."""
    folder, known = folder_of(make), os.environ.get("PYTHONPATH")
    places = [place for place in (known, folder and str(folder)) if place]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(places)} if places else {**os.environ}


def find_mpiexec() -> list[str]:
    """Return the command ``mpiexec`` beside this Python, or on the path.

    Raises:
        MissingExtra: There is none, or no mpi4py.
    """
    beside = Path(sys.executable).with_name("mpiexec")
    found = str(beside) if beside.is_file() else shutil.which("mpiexec")
    if found is None or find_spec("mpi4py") is None:
        raise MissingExtra("a run on MPI ranks (mpi4py and mpiexec)", "mpi")
    about = subprocess.run([found, "--version"], capture_output=True, text=True, timeout=30)
    # MPICH would kill the first rank together with one that is lost, before it is known which was
    return [found, "-disable-auto-cleanup"] if "HYDRA" in about.stdout else [found]


@contextlib.contextmanager
def _raising_when_terminated() -> Iterator[None]:
    """Let a request to end unwind the stack, so that no rank is left behind."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, frame: FrameType | None) -> NoReturn:
        raise SystemExit(128 + number)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _watch(child: subprocess.Popen[bytes], folder: Path, ranks: int) -> list[int]:
    """Wait until the job ends or cannot; return ranks whose process ended without a report."""
    begin = time.monotonic()
    while child.poll() is None:
        time.sleep(_POLL)
        pids = rank_processes(folder)
        if len(pids) < ranks and time.monotonic() - begin > START_UP:
            return [rank for rank in range(ranks) if rank not in pids]
        gone = [rank for rank, pid in pids.items() if not _is_rank(pid)]
        lost = [rank for rank in gone if not _has_reported(folder, rank)]
        if lost:
            return lost
        if any(folder.glob("rank_*.error")):
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(GRACE)
            return []
    return []


def rank_processes(folder: Path) -> dict[int, int]:
    """Return the process number of each rank that has started."""
    notes = folder.glob("rank_*.pid")
    return {int(note.stem.removeprefix("rank_")): int(note.read_text()) for note in notes}


def _has_reported(folder: Path, rank: int) -> bool:
    """Return whether a rank has reported that it is done, or why it could not go on."""
    return any((folder / f"rank_{rank}.{end}").is_file() for end in ("done", "error"))


def _end(child: subprocess.Popen[bytes], folder: Path) -> None:
    """End what is left of the job; the first rank may close its files."""
    pids = rank_processes(folder)
    if child.poll() is None and 0 in pids and _is_rank(pids[0]):
        os.kill(pids[0], signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(_CLOSING)
    for pid in pids.values():
        if _is_rank(pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
    if child.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()


_PROC = Path("/proc")


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


def _is_rank(pid: int) -> bool:
    """Return whether a process lives and is a rank, not another that has its number since."""
    try:
        return RANK.encode() in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return not _PROC.exists() and _lives(pid)  # elsewhere than on Linux: at least alive


def _reason(folder: Path, lost: list[int], code: int) -> str:
    """Return why the job ended, from the files of its ranks and the output of mpiexec."""
    notes = sorted(folder.glob("rank_*.error"), key=lambda note: note.stat().st_mtime_ns)
    if notes:
        # who gives up first has waited for the one that is missing; others waited for each other
        first = notes[0].read_text()
        ranks = sorted(int(n.stem.removeprefix("rank_")) for n in notes if n.read_text() == first)
        return f"rank {', '.join(map(str, ranks))} reports: {first}"
    if len(lost) == 1:
        return f"rank {lost[0]} was lost: its process ended without a report."
    if lost:
        return (
            f"ranks {', '.join(map(str, lost))} were lost: their processes ended without a report, "
            "one of them first; MPI may end the others along with it."
        )
    output = (folder / "output").read_text(errors="replace")
    last = [line for line in output.splitlines() if line.strip() and "====" not in line]
    return f"mpiexec ended with code {code}: {' '.join(last[-3:])[:400] or 'no message'}."
