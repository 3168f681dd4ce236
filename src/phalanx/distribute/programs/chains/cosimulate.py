"""A run of a chain on several nodes: in this process, or on the ranks of an MPI job."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, final

import numpy as np

from phalanx.distribute.job_recordings import FLUSH_INTERVAL
from phalanx.distribute.processes.messages import (
    Array,
    Finished,
    Program,
    Sent,
    Traffic,
    message_log,
)
from phalanx.distribute.processes.program_registry import program
from phalanx.distribute.processes.ranks import Ranks
from phalanx.distribute.processes.run import run as run_nodes
from phalanx.distribute.programs.chains.job import ChainJob
from phalanx.distribute.programs.chains.plan import ChainPlan
from phalanx.distribute.programs.chains.segments import Segment
from phalanx.distribute.programs.chains.stepping import Effort, SegmentRun
from phalanx.simulation.record.channels import run_channels
from phalanx.simulation.record.recorder import Recorder
from phalanx.simulation.record.recording import Recording
from phalanx.simulation.record.signal import Channel


@final
@dataclass(frozen=True)
class ChainOutcome:
    """What a run of a chain on several nodes leaves behind.

    Attributes:
        recording: Positions and velocities of all joints; iterations and the largest residual
            since the row before.
        segments: What each node had.
        traffic: What each node sent.
        steps: How many steps were taken.
        seconds: How long they took [s].
        effort: What the iterations took.
    """

    recording: Recording
    segments: tuple[Segment, ...]
    traffic: tuple[Traffic, ...]
    steps: int
    seconds: float
    effort: Effort

    @property
    def log(self) -> tuple[Sent, ...]:
        """Who has sent how much to whom, kind by kind."""
        return message_log(self.traffic)


def cosimulate(
    plan: ChainPlan, path: str | PathLike[str] | None = None, ranks: Ranks | None = None
) -> ChainOutcome | None:
    """Run a chain on as many nodes as a plan says.

    Without ``ranks`` all nodes run in this process. With them every rank of the job calls this with
    the same arguments; if one fails or does not answer, all of them end.

    Args:
        plan: What is to be run.
        path: An ``.mcap`` file, written by the first node while it runs.
        ranks: The ranks of an MPI job, as many as nodes.

    Returns:
        The outcome; None on all ranks but the first.

    Raises:
        InvalidModel: The machine is no chain, or has a body without mass.
        InvalidInput: Arguments do not fit; there are more nodes than bodies.
        DidNotConverge: An iteration did not; on all ranks.
        LostBody: The numbers of a body left the finite ones.
        StalledRank: A rank did not answer; the job ends.
    """
    plan.check()
    if ranks is None:
        return _run(plan, path, None)
    plan.check_ranks(ranks.size)
    with ranks.ending_the_job():
        return _run(plan, path, ranks)


def single_node(plan: ChainPlan) -> ChainOutcome:
    """The same run by one node in this process."""
    outcome = cosimulate(replace(plan, nodes=1))
    assert outcome is not None
    return outcome


def _run(
    plan: ChainPlan, path: str | PathLike[str] | None, ranks: Ranks | None
) -> ChainOutcome | None:
    recorded = RecordedChain(plan, path, on_ranks=ranks is not None)
    finished = run_nodes(recorded.program, plan.nodes, ranks=ranks)
    return None if finished is None else outcome_of(plan, recorded.recorder.recording(), finished)


def outcome_of(plan: ChainPlan, recording: Recording, finished: Finished) -> ChainOutcome:
    """The outcome of programs that have ended."""
    seconds, effort = finished.results[0]
    return ChainOutcome(
        recording, plan.segments, finished.traffic, plan.steps, seconds, Effort(*effort)
    )


@program
def chain_cosimulation(node: int, nodes: int, job: Mapping[str, Any]) -> Program:
    """A node of a job, as ranks run it; returns how long the steps took [s], and the effort."""
    wanted = ChainJob(**job)
    plan = wanted.plan(nodes)
    plan.check()
    return RecordedChain(plan, wanted.record, on_ranks=True).program(node, nodes)


class RecordedChain:
    """The nodes of a plan, of which the first records the run."""

    def __init__(
        self, plan: ChainPlan, path: str | PathLike[str] | None, *, on_ranks: bool
    ) -> None:
        """Nothing is opened before the program runs."""
        self.plan, self.path, self.on_ranks = plan, path, on_ranks
        self.recorder: Recorder

    def program(self, node: int, nodes: int) -> Program:
        """The program of a node, with its machine code made."""
        own = SegmentRun(self.plan, node)
        return _timed(own.program()) if node else self._recording(own)

    def _recording(self, own: SegmentRun) -> Program:
        channels = [
            *run_channels(self.plan.mechanism)[:2],
            Channel("iterations", "", ()),
            Channel("residual", "", ()),
        ]
        facts = self.plan.facts(on_ranks=self.on_ranks)
        with Recorder(channels, facts, self.path, FLUSH_INTERVAL) as self.recorder:
            return (yield from _timed(own.program(self._record)))

    def _record(self, k: int, q: Array, v: Array, iterations: int, residual: float) -> None:
        row = np.concatenate([[k * self.plan.step], q, v, [iterations, residual]])
        self.recorder.append_row(row)


def _timed(own: Program) -> Program:
    begin = time.perf_counter()
    effort = yield from own
    return [time.perf_counter() - begin, effort]
