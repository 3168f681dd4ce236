"""Co-simulation of a machine with loops: its branches, or its time samples, on a process each."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from enum import StrEnum
from os import PathLike
from typing import Any, TypeVar, final

import numpy as np

from phalanx.base.cached import cached_property
from phalanx.base.errors import InvalidInput
from phalanx.base.short_repr import short_repr
from phalanx.distribute.job_data import machine_of, plain_data
from phalanx.distribute.processes.job import Job, ProgramResult
from phalanx.distribute.processes.messages import Array, ProcessProgram
from phalanx.distribute.programs.platforms.along_motion import AlongMotion
from phalanx.distribute.programs.platforms.forward import Blocks, Forward
from phalanx.distribute.programs.platforms.legs.legs import Legs
from phalanx.distribute.programs.platforms.machine import DividedMachine, Feedback
from phalanx.distribute.programs.platforms.methods import LoopMethod, Penalty, Recursive
from phalanx.distribute.programs.platforms.modes import Mode, MotionTask
from phalanx.distribute.programs.platforms.reference import from_rest_to_rest
from phalanx.distribute.programs.platforms.state import state_of
from phalanx.distribute.programs.platforms.work import PlatformWork
from phalanx.distribute.recorded_job import RecordedResult, RecordedRun
from phalanx.mechanism import Mechanism
from phalanx.planning.motions import Trajectory
from phalanx.simulation.extensions import MotorMotion, usual_motor_motion
from phalanx.simulation.formulations import SlidingBlock
from phalanx.simulation.record.recorder import Recorder
from phalanx.simulation.record.recording import Recording
from phalanx.simulation.run.steps import whole_steps

plain_data(MotorMotion)


@final
@short_repr
@dataclass(frozen=True)
class PlatformResult(RecordedResult):
    """Result of a machine with loops on several processes.

    The recording has what the task computes: of positions, velocities, accelerations of all joints,
    torques of the motors; and the largest opening of a loop.

    Attributes:
        processes: What each process computes: the name of a branch, the centre, a time sample.
    """

    processes: tuple[str, ...]


@final
@plain_data
@short_repr
@dataclass(frozen=True)
class PlatformJob(Job[PlatformResult]):
    """A run of a machine with loops on as many processes as it has branches.

    Motors follow a motion: torques of its inverse dynamics, and feedback.

    Attributes:
        model: A machine with loops, closed in its neutral posture, with as many motors as
            freedoms; its name in the library or its file, which ranks need that are started.
        method: How the equations are divided: `Penalty()` when not given, `Recursive()` for tasks
            other than forward dynamics.
        mode: How processes share a step: ``replicated``, ``frozen``, ``stages`` or ``blocks``;
            replicated when not given, stages for tasks other than forward dynamics.
        duration: [s].
        step: [s]; one length, so that no process waits for another's error control.
        motion: Of the motors, in the order of the machine's actuated joints, from the neutral
            posture. When not given, the usual motion of the machine, where an extension knows one;
            otherwise they hold the neutral posture.
        feedback: What the motors do when they are elsewhere.
        task: What is computed: ``forward`` dynamics, or along the motion itself ``displacement``,
            ``kinematics``, ``inverse`` dynamics, by legs that send requests to a centre.
        points: Time samples that are computed at a time in mode ``blocks``, 1 to 4, a process each.
        record: An ``.mcap`` file that the first process writes while it runs, or none.
    """

    model: Mechanism | str
    method: LoopMethod | None = None
    mode: Mode | str | None = None
    duration: float = 3.0
    step: float = 1e-3
    motion: Trajectory | MotorMotion | None = None
    feedback: Feedback = field(default_factory=Feedback)
    task: MotionTask | str = MotionTask.FORWARD
    points: int = 4
    record: str | PathLike[str] | None = None

    @cached_property
    def mechanism(self) -> Mechanism:
        """The machine, read if it is a name or a path."""
        return machine_of(self.model)

    @cached_property
    def chosen_task(self) -> MotionTask:
        """The task.

        Raises:
            InvalidInput: There is no such task.
        """
        return _one_of(MotionTask, "task", self.task)

    @cached_property
    def chosen_method(self) -> LoopMethod:
        """The method, the usual one for the task when not given."""
        forward = self.chosen_task is MotionTask.FORWARD
        return self.method or (Penalty() if forward else Recursive())

    @cached_property
    def chosen_mode(self) -> Mode:
        """The mode, the usual one for the task when not given.

        Raises:
            InvalidInput: There is no such mode.
        """
        forward = self.chosen_task is MotionTask.FORWARD
        usual = Mode.REPLICATED if forward else Mode.STAGES
        return usual if self.mode is None else _one_of(Mode, "mode", self.mode)

    @property
    def is_central(self) -> bool:
        """Whether legs send requests to a centre inside every evaluation."""
        return isinstance(self.chosen_method, Recursive) and self.chosen_mode is Mode.STAGES

    @property
    def steps(self) -> int:
        """How many steps there are."""
        return whole_steps(self.duration, self.step)

    @property
    def block(self) -> SlidingBlock:
        """Time samples that are computed at a time."""
        return SlidingBlock(self.step, self.points)

    @cached_property
    def followed(self) -> Trajectory:
        """What the motors are to follow.

        Raises:
            InvalidInput: The motion is of another number of motors.
        """
        motion = self.motion or usual_motor_motion(self.mechanism.name)
        if motion is None:
            return from_rest_to_rest(self.machine, self.duration)
        if isinstance(motion, MotorMotion):
            return from_rest_to_rest(self.machine, motion.period, np.array(motion.way))
        return motion

    @cached_property
    def machine(self) -> DividedMachine:
        """The machine with its branches; all checks that need no compiler.

        Raises:
            InvalidModel: The machine cannot be divided.
            InvalidInput: Method, mode, task and times do not fit together.
        """
        method, mode, task = self.chosen_method, self.chosen_mode, self.chosen_task
        if not isinstance(self.step, int | float):
            raise InvalidInput(
                f"step={self.step!r}; processes take steps of one length, a number [s]: with error "
                "control they would wait without a bound for each other's rejected steps. "
                "Adaptive steps are for one processor (simulate.formulations.run)."
            )
        whole_steps(self.duration, self.step)
        if isinstance(method, Recursive) and mode is Mode.FROZEN:
            raise InvalidInput(
                "the recursive method needs the other legs inside every evaluation and cannot hold "
                "them still for a step: take mode 'stages', or 'replicated'."
            )
        if method == Recursive(displacement=True) and mode is not Mode.STAGES:
            raise InvalidInput(
                f"displacement analysis is between legs and a centre, and mode '{mode}' has "
                "none: take mode 'stages'."
            )
        if task is not MotionTask.FORWARD and not self.is_central:
            raise InvalidInput(
                f"the task '{task}' is done by legs that send requests to a centre: take method "
                f"'recursive' and mode 'stages', not '{method.name}' and '{mode}'."
            )
        if mode is Mode.BLOCKS:
            _ = self.block
        return state_of(self.mechanism, self.feedback, method).machine

    @cached_property
    def process_names(self) -> tuple[str, ...]:
        """What each process computes."""
        if self.is_central:
            legs = Legs(self.machine)
            return ("centre", *(legs.branch(leg).name for leg in range(len(legs.names))))
        branches = tuple(branch.name for branch in self.machine.branches)
        if self.chosen_mode is Mode.BLOCKS:
            return tuple(f"time sample {k + 1}" for k in range(self.points))
        return branches

    @property
    def work(self) -> PlatformWork:
        """What the processes compute; what all have in common is compiled now."""
        if self.chosen_task is not MotionTask.FORWARD:
            return AlongMotion(self)
        return Blocks(self) if self.chosen_mode is Mode.BLOCKS else Forward(self)

    def on(self, processes: int | None = None, *, on_ranks: bool = False) -> _PlatformRun:
        """Check the job; it decides itself how many processes there are.

        Raises:
            InvalidModel: The machine has no loops, or cannot be divided.
            InvalidInput: Fields do not fit together, or there are not as many processes.
        """
        names = self.process_names
        if processes not in (None, len(names)):
            raise InvalidInput(
                f"'{self.mechanism.name}' takes {len(names)} processes ({', '.join(names)}), each "
                f"of which needs a rank of its own; got {processes}. Start {len(names)} ranks."
            )
        _ = self.followed
        return _PlatformRun(self, on_ranks)

    def settings(self) -> dict[str, Any]:
        """Return what a recording says of the run."""
        return {
            "model": self.mechanism.name,
            "task": str(self.chosen_task),
            "method": repr(self.chosen_method),
            "mode": str(self.chosen_mode),
            "step": self.step,
            "duration": self.duration,
            "processes": list(self.process_names),
        }


@final
class _PlatformRun(RecordedRun[PlatformResult]):
    """A run of a machine with loops on a number of processes."""

    job: PlatformJob

    def __init__(self, job: PlatformJob, on_ranks: bool) -> None:
        super().__init__(job, len(job.process_names), on_ranks=on_ranks)

    @cached_property
    def work(self) -> PlatformWork:
        return self.job.work

    def program(self, rank: int) -> ProcessProgram:
        if rank:
            return self.work.program(rank)
        program = self.work.program(0, lambda k, row: self.record(k * self.job.step, row))
        return self.recorded(self.work.channels, self.job.settings(), program)

    def result(self, done: ProgramResult) -> PlatformResult:
        job = self.job
        return PlatformResult(
            done.traffic, done.seconds, self.recording, job.steps, job.process_names
        )


def single_processor(job: PlatformJob) -> tuple[Recording, float]:
    """Return the recording of the same run on one processor, and how long its steps took [s]."""
    work = job.work
    with Recorder(work.channels) as recorder:

        def record(k: int, row: Array) -> None:
            recorder.append_row(np.concatenate([[k * job.step], row]))

        start = work.alone(record)  # compiled before the clock starts
        begin = time.perf_counter()
        start()
        wall_time = time.perf_counter() - begin
    return recorder.recording(), wall_time


_Choice = TypeVar("_Choice", bound=StrEnum)


def _one_of(choices: type[_Choice], name: str, given: str) -> _Choice:
    """Return a choice by its name, or raise InvalidInput with those there are."""
    try:
        return choices(given)
    except ValueError:
        raise InvalidInput(f"{name} is '{given}'; expected one of {', '.join(choices)}.") from None
