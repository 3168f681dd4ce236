"""A run of a machine on several nodes: in this process, or on the ranks of an MPI job."""

from __future__ import annotations

import time
from dataclasses import dataclass
from os import PathLike

import numpy as np
from numpy.typing import ArrayLike

from phalanx.distribute.along_motion import AlongMotion
from phalanx.distribute.forward import forward_work
from phalanx.distribute.inprocess import run_together
from phalanx.distribute.machine import Feedback, Machine
from phalanx.distribute.messages import Array, Traffic
from phalanx.distribute.methods import Method, Penalty, Recursive
from phalanx.distribute.plan import Plan, Task, mode_by_name, task_by_name
from phalanx.distribute.programs import Mode
from phalanx.distribute.ranks import Ranks
from phalanx.distribute.reference import moving
from phalanx.distribute.work import Record, Work
from phalanx.mechanism import Mechanism
from phalanx.simulation.record.recorder import Recorder
from phalanx.simulation.record.recording import Recording
from phalanx.simulation.trajectories import Trajectory

FLUSH_INTERVAL = 0.1  # [s]: a job whose ranks are killed loses no more than this


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
    method: Method | None = None,
    mode: Mode | str | None = None,
    duration: float = 3.0,
    step: float = 1e-3,
    motion: Trajectory | None = None,
    feedback: Feedback | None = None,
    task: Task | str = Task.FORWARD,
    points: int = 4,
    ranks: Ranks | None = None,
    path: str | PathLike[str] | None = None,
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
    asked = task_by_name(task)
    usual = (Penalty(), Mode.REPLICATED) if asked is Task.FORWARD else (Recursive(), Mode.STAGES)
    plan = Plan(
        mechanism,
        method or usual[0],
        usual[1] if mode is None else mode_by_name(mode),
        duration,
        step,
        motion,
        feedback or Feedback(),
        asked,
        points,
    )
    if ranks is None:
        return run(plan, path)
    with ranks.ending_the_job():
        return run(plan, path, ranks)


def single_processor(plan: Plan) -> tuple[Recording, float]:
    """The same run on one processor, and how long its steps took [s]."""
    work = work_of(plan)
    with Recorder(work.channels) as recorder:
        start = work.alone(_recording(plan, recorder))  # compiled before the clock starts
        begin = time.perf_counter()
        start()
        seconds = time.perf_counter() - begin
    return recorder.recording(), seconds


def work_of(plan: Plan) -> Work:
    """What the nodes of a plan do."""
    return forward_work(plan) if plan.task is Task.FORWARD else AlongMotion(plan)


def run(
    plan: Plan, path: str | PathLike[str] | None = None, ranks: Ranks | None = None
) -> Outcome | None:
    """Run a plan; on ranks, a failure of this one leaves the others waiting (see `cosimulate`)."""
    if ranks is not None:
        plan.check_ranks(ranks.size)
    mine = range(len(plan.nodes)) if ranks is None else [ranks.rank]
    work = work_of(plan)
    recorder: Recorder | None = None
    record: Record | None = None
    if 0 in mine:
        facts = plan.facts(on_ranks=ranks is not None)
        recorder = Recorder(work.channels, facts, path, FLUSH_INTERVAL)
        record = _recording(plan, recorder)
    try:
        programs = [work.program(node, record if node == 0 else None) for node in mine]
        if ranks is not None:
            ranks.meet()
        begin = time.perf_counter()
        if ranks is None:
            traffic = run_together(programs)
        else:
            own = ranks.run(programs[0])
            traffic = [Traffic(**one) for one in ranks.collect(own.as_json())]
        seconds = time.perf_counter() - begin
    finally:
        if recorder is not None:
            recorder.close()
    if recorder is None:
        return None
    return Outcome(recorder.recording(), plan.nodes, tuple(traffic), plan.steps, seconds)


def _recording(plan: Plan, recorder: Recorder) -> Record:
    def record(k: int, row: Array) -> None:
        recorder.append_row(np.concatenate([[k * plan.step], row]))

    return record


def moved(mechanism: Mechanism, period: float, way: ArrayLike) -> Trajectory:
    """A motion of the motors from the neutral posture, rest to rest on a cycloid.

    Args:
        mechanism: The machine.
        period: How long it takes [s].
        way: How far each motor goes [rad or m].
    """
    return moving(Machine(mechanism), period, np.asarray(way, dtype=np.float64))
