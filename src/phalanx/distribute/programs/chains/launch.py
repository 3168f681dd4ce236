"""A run of a chain on MPI ranks that are started for it."""

from __future__ import annotations

import tempfile
from dataclasses import asdict, replace
from pathlib import Path

from phalanx.distribute.job_recordings import JobFailed, kept
from phalanx.distribute.processes.launch import RanksFailed
from phalanx.distribute.processes.launch import launch as launch_nodes
from phalanx.distribute.programs.chains.cosimulate import (
    ChainOutcome,
    chain_cosimulation,
    outcome_of,
)
from phalanx.distribute.programs.chains.job import ChainJob
from phalanx.simulation.record.recording import Recording


def launch(job: ChainJob, ranks: int) -> ChainOutcome:
    """Run a job on MPI ranks of this machine.

    Args:
        job: What to run.
        ranks: How many ranks to start, each with a segment of the chain.

    Raises:
        MissingExtra: There is no mpi4py or no ``mpiexec``.
        InvalidInput: There are more ranks than bodies, or the job is wrong.
        JobFailed: A rank was lost, did not answer, or failed.
    """
    plan = job.plan(ranks)
    plan.check()
    with tempfile.TemporaryDirectory(prefix="phalanx_run_") as place:
        record = Path(place) / "run.mcap" if job.record is None else Path(job.record).absolute()
        arguments = {"job": asdict(replace(job, record=str(record)))}
        try:
            finished = launch_nodes(chain_cosimulation, ranks, arguments, timeout=job.timeout)
        except RanksFailed as failure:
            raise JobFailed(failure.reason, kept(record), job.record) from None
        return outcome_of(plan, Recording.read(record), finished)
