"""A run of a machine on several nodes: in this process, or on the ranks of an MPI job."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from phalanx.base.short_repr import short_repr
from phalanx.distribute.job_recordings import FLUSH_INTERVAL
from phalanx.distribute.processes.messages import Array, Program, Traffic
from phalanx.distribute.processes.program_registry import program
from phalanx.distribute.processes.ranks import Ranks
from phalanx.distribute.processes.run import run as run_nodes
from phalanx.distribute.programs.platforms.along_motion import AlongMotion
from phalanx.distribute.programs.platforms.forward import forward_work
from phalanx.distribute.programs.platforms.job import Job
from phalanx.distribute.programs.platforms.machine import Feedback, Machine
from phalanx.distribute.programs.platforms.methods import Method
from phalanx.distribute.programs.platforms.plan import Plan, Task, planned
from phalanx.distribute.programs.platforms.programs import Mode
from phalanx.distribute.programs.platforms.reference import moving
from phalanx.distribute.programs.platforms.work import Work
from phalanx.mechanism import Mechanism
from phalanx.planning.motions import Trajectory
from phalanx.simulation.record.recorder import Recorder
from phalanx.simulation.record.recording import Recording


@short_repr
@dataclass(frozen=True)
class Outcome:
    """What a run on several nodes leaves behind.

    Attributes:
        recording: What the task computes: of positions, velocities, accelerations of all joints,
            torques of the motors; and the largest opening of a loop.
        nodes: What each node is.
        traffic: What each node sent.
        steps: How many steps were taken.
        seconds: How long the steps took [s].
    """

    recording: Recording
    nodes: tuple[str, ...]
    traffic: tuple[Traffic, ...]
    steps: int
    seconds: float


def cosimulate(
    mechanism: Mechanism,
    *,
    ranks: Ranks | None = None,
    path: str | PathLike[str] | None = None,
    method: Method | None = None,
    mode: Mode | str | None = None,
    duration: float = 3.0,
    step: float = 1e-3,
    motion: Trajectory | None = None,
    feedback: Feedback | None = None,
    task: Task | str = Task.FORWARD,
    points: int = 4,
) -> Outcome | None:
    """Run a machine with loops on as many nodes as it has parts.

    Motors follow a motion: torques of its inverse dynamics, and feedback. Without ``ranks`` all
    nodes run in this process. With them every rank of the job calls this with the same arguments;
    if one fails or does not answer, all of them end.

    Args:
        mechanism: A machine with loops, closed in its neutral posture, with as many motors as
            freedoms.
        method: How the equations are cut: `Penalty()` when not given, `Recursive()` for tasks
            other than forward dynamics.
        mode: How nodes share a step: ``replicated``, ``frozen``, ``stages`` or ``blocks``;
            tasks other than forward dynamics are done in ``stages``.
        duration: [s].
        step: [s].
        motion: Of the motors, in the order of the machine's actuated joints; they hold the
            neutral posture when it is not given.
        feedback: Gains; `Feedback()` when not given.
        task: What is computed: ``forward`` dynamics, or along the motion itself ``displacement``,
            ``kinematics``, ``inverse`` dynamics, by legs that ask a centre.
        points: Moments that are computed at a time in mode ``blocks``, 1 to 4, a node each.
        ranks: The ranks of an MPI job.
        path: An ``.mcap`` file, written by the first node while it runs.

    Returns:
        The outcome; None on all ranks but the first.

    Raises:
        InvalidModel: The machine has no loops, or cannot be cut.
        InvalidInput: Arguments do not fit, or there are not as many ranks as nodes.
        Diverged: The numbers left the finite ones.
        StalledRank: A rank did not answer; the job ends.
    """
    plan = planned(
        mechanism,
        method=method,
        mode=mode,
        duration=duration,
        step=step,
        motion=motion,
        feedback=feedback,
        task=task,
        points=points,
    )
    if ranks is None:
        return run(plan, path)
    with ranks.ending_the_job():
        return run(plan, path, ranks)


def single_processor(plan: Plan) -> tuple[Recording, float]:
    """The same run on one processor, and how long its steps took [s]."""
    work = work_of(plan)
    with Recorder(work.channels) as recorder:

        def record(k: int, row: Array) -> None:
            recorder.append_row(_timed(plan, k, row))

        start = work.alone(record)  # compiled before the clock starts
        begin = time.perf_counter()
        start()
        wall_time = time.perf_counter() - begin
    return recorder.recording(), wall_time


def work_of(plan: Plan) -> Work:
    """What the nodes of a plan do."""
    return forward_work(plan) if plan.task is Task.FORWARD else AlongMotion(plan)


def run(
    plan: Plan, path: str | PathLike[str] | None = None, ranks: Ranks | None = None
) -> Outcome | None:
    """Run a plan; on ranks, a failure of this one leaves the others waiting (see `cosimulate`)."""
    if ranks is not None:
        plan.check_ranks(ranks.size)
    recorded = _Recorded(plan, path, on_ranks=ranks is not None)
    finished = run_nodes(recorded.program, len(plan.nodes), ranks=ranks)
    if finished is None:
        return None
    recording = recorded.recorder.recording()
    return Outcome(recording, plan.nodes, finished.traffic, plan.steps, finished.results[0])


@program
def cosimulation(node: int, nodes: int, job: Mapping[str, Any]) -> Program:
    """A node of a job, as ranks run it; the first one returns how long the steps took [s]."""
    wanted = Job.from_json(job)
    plan = wanted.plan()
    plan.check_ranks(nodes)
    return _Recorded(plan, wanted.record, on_ranks=True).program(node, nodes)


class _Recorded:
    """The nodes of a plan, of which the first records the run."""

    def __init__(self, plan: Plan, path: str | PathLike[str] | None, *, on_ranks: bool) -> None:
        self.plan, self.path, self.on_ranks = plan, path, on_ranks
        self.work = work_of(plan)
        self.recorder: Recorder

    def program(self, node: int, nodes: int) -> Program:
        """The program of a node, with its machine code made."""
        if node:
            return self.work.program(node)
        return self._recording(self.work.program(node, self._record))

    def _recording(self, own: Program) -> Program:
        facts = self.plan.facts(on_ranks=self.on_ranks)
        with Recorder(self.work.channels, facts, self.path, FLUSH_INTERVAL) as self.recorder:
            begin = time.perf_counter()
            yield from own
            return time.perf_counter() - begin

    def _record(self, k: int, row: Array) -> None:
        self.recorder.append_row(_timed(self.plan, k, row))


def _timed(plan: Plan, k: int, row: Array) -> Array:
    """What is recorded of step k, after its time."""
    return np.concatenate([[k * plan.step], row])


def moved(mechanism: Mechanism, period: float, way: ArrayLike) -> Trajectory:
    """A motion of the motors from the neutral posture, rest to rest on a cycloid.

    Args:
        mechanism: The machine.
        period: How long it takes [s].
        way: How far each motor goes [rad or m].
    """
    return moving(Machine(mechanism), period, np.asarray(way, dtype=np.float64))
