"""Run a job: all of its processes in this one, or this rank's part under ``mpiexec``."""

from __future__ import annotations

from collections.abc import Callable
from typing import overload

from phalanx.base.errors import InvalidInput
from phalanx.distribute.processes.inprocess import run_together
from phalanx.distribute.processes.job import Job, ProgramResult, Result
from phalanx.distribute.processes.messages import ProcessProgram, Traffic
from phalanx.distribute.processes.ranks import Ranks


@overload
def run(job: Job[Result], processes: int | None = None) -> Result: ...


@overload
def run(
    job: Job[Result], processes: int | None = None, *, ranks: Ranks | None
) -> Result | None: ...


def run(
    job: Job[Result], processes: int | None = None, *, ranks: Ranks | None = None
) -> Result | None:
    """Run a job in this process, or as a rank of an MPI job.

    Without ``ranks`` all processes are simulated in this one and take turns. With them every rank
    of an ``mpiexec`` of your own makes the same call and runs its own part; if one fails or does
    not reply, all of them end.

    Args:
        job: What to run.
        processes: How many there are; left out for a job that decides that itself, and on ranks.
        ranks: The ranks of an MPI job, one a process.

    Returns:
        The result; None on all ranks but the first.

    Raises:
        InvalidInput: The job is wrong, or there are not as many ranks as processes.
        StalledRank: A rank did not reply in time.
        UnmatchedMessages: Messages of the programs do not fit together.
    """
    if ranks is None:
        here = job.on(processes)
        return here.result(run_together([here.program(rank) for rank in range(here.processes)]))
    there = job.on(ranks.size if processes is None else processes, on_ranks=True)
    if ranks.size != there.processes:
        raise InvalidInput(f"{there.processes} processes need as many ranks; got {ranks.size}.")
    with ranks.ending_the_job():
        done = run_rank(there.program, ranks)
        return None if done is None else there.result(done)


def run_rank(program: Callable[[int], ProcessProgram], ranks: Ranks) -> ProgramResult | None:
    """Run this rank's program to its end, together with the other ranks.

    Returns:
        What all programs returned, as plain data; None on all ranks but the first.

    Raises:
        StalledRank: A rank did not reply in time.
        UnmatchedMessages: Messages of the programs do not fit together.
        InvalidInput: A program returned something else than plain data.
    """
    own = program(ranks.rank)
    ranks.meet()
    result, traffic, seconds = ranks.run(own)
    everyone = ranks.collect([result, traffic.as_json(), seconds])
    if not everyone:
        return None
    return ProgramResult(
        tuple(Traffic(**sent) for _, sent, _ in everyone),
        max(took for *_, took in everyone),
        tuple(result for result, *_ in everyone),
    )
