"""A run on MPI ranks that are started for it."""

from __future__ import annotations

import tempfile
from dataclasses import asdict, replace
from pathlib import Path

from phalanx.distribute.job_recordings import JobFailed, kept
from phalanx.distribute.processes.launch import RanksFailed
from phalanx.distribute.processes.launch import launch as launch_nodes
from phalanx.distribute.programs.platforms.cosimulate import Outcome, cosimulation
from phalanx.distribute.programs.platforms.job import Job
from phalanx.simulation.record.recording import Recording


def launch(job: Job, ranks: int) -> Outcome:
    """Run a job on MPI ranks of this machine.

    Args:
        job: What to run.
        ranks: How many ranks to start; as many as the job has nodes.

    Raises:
        MissingExtra: There is no mpi4py or no ``mpiexec``.
        InvalidInput: The number of ranks is wrong, or the job is.
        JobFailed: A rank was lost, did not answer, or failed.
    """
    plan = job.plan()
    plan.check_ranks(ranks)
    with tempfile.TemporaryDirectory(prefix="phalanx_run_") as place:
        record = Path(place) / "run.mcap" if job.record is None else Path(job.record).absolute()
        arguments = {"job": asdict(replace(job, record=str(record)))}
        try:
            finished = launch_nodes(cosimulation, ranks, arguments, timeout=job.timeout)
        except RanksFailed as failure:
            raise JobFailed(failure.reason, kept(record), job.record) from None
        return Outcome(
            Recording.read(record),
            plan.nodes,
            finished.traffic,
            plan.steps,
            finished.results[0],
        )
