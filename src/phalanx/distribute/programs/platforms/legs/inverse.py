"""Inverse dynamics of a platform on legs, each leg on a process of its own.

Three round trips: the first two are the kinematics of the machine (`kinematics`). Then legs send
what their passive joints lack, as a wrench on the platform, the centre replies with the sum, and
each leg knows the torque of its own motor.

Reference:
    Khan (2002), sec. 3.1 and 3.2, distributed over three nodes and a centre.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike

from phalanx.base.cached import cached_property
from phalanx.base.errors import InvalidInput
from phalanx.base.short_repr import short_repr
from phalanx.distribute.job_data import DataJobRun, machine_of, plain_data
from phalanx.distribute.processes.job import Job, JobResult, JobRun, ProgramResult
from phalanx.distribute.processes.messages import (
    Array,
    Collect,
    Message,
    ProcessProgram,
    Reply,
    Request,
)
from phalanx.distribute.programs.platforms.legs.centre_work import CentreWork, centre_work
from phalanx.distribute.programs.platforms.legs.kinematics import (
    PlatformMotion,
    centre_kinematics,
    leg_kinematics,
)
from phalanx.distribute.programs.platforms.legs.leg_work import LegWork, leg_work
from phalanx.distribute.programs.platforms.legs.legs import Legs
from phalanx.distribute.programs.platforms.machine import DividedMachine, Feedback
from phalanx.mechanism import Mechanism


@final
@dataclass(frozen=True)
class InverseDynamicsResult(JobResult):
    """Result of inverse dynamics by legs.

    Attributes:
        torques: Of the motors [N·m or N], in the order of the machine's actuated joints.
    """

    torques: Array = field(repr=False)


@final
@plain_data
@short_repr
@dataclass(frozen=True, eq=False)
class InverseDynamicsJob(Job[InverseDynamicsResult]):
    """Torques of the motors for a motion at one state, by legs that send requests to a centre.

    Attributes:
        model: A platform on legs, one motor each; a name or a file for ranks that are started.
        q: Positions that close the loops, shape (nq,).
        rates: Velocities of the motors, in the order of the machine's actuated joints.
        accelerations: Of the motors.
    """

    model: Mechanism | str
    q: ArrayLike
    rates: ArrayLike
    accelerations: ArrayLike

    @cached_property
    def legs(self) -> Legs:
        """The machine, a leg with every process but the first."""
        return Legs(DividedMachine(machine_of(self.model), Feedback(0.0, 0.0)))

    def on(
        self, processes: int | None = None, *, on_ranks: bool = False
    ) -> JobRun[InverseDynamicsResult]:
        """Check the job; it takes a process a leg and one for the centre.

        Raises:
            InvalidModel: The machine is not a platform on legs.
            InvalidInput: Shapes do not fit, or there are not as many processes.
        """
        return _InverseDynamicsRun(self, processes)


@final
class _InverseDynamicsRun(DataJobRun[InverseDynamicsResult]):
    def __init__(self, job: InverseDynamicsJob, processes: int | None) -> None:
        self.job, self.legs = job, job.legs
        machine, n = self.legs.machine, len(self.legs.machine.motors)
        names = ("q", "rates", "accelerations")
        self.state = [np.asarray(getattr(job, name), dtype=np.float64) for name in names]
        sizes = (machine.mechanism.nq, n, n)
        for name, x, size in zip(names, self.state, sizes, strict=True):
            if x.shape != (size,) or not np.isfinite(x).all():
                raise InvalidInput(f"{name} has shape {x.shape}; expected {size} finite numbers.")
        self.processes = n + 1
        if processes not in (None, self.processes):
            raise InvalidInput(f"{n} legs and a centre take {n + 1} processes; got {processes}.")

    def program(self, rank: int) -> ProcessProgram:
        legs, leg = self.legs, rank - 1
        if not rank:
            return _centre(legs, centre_work(legs))
        q, rates, accelerations = self.state
        branch, (motor,) = legs.branch(leg), legs.machine.motors_of(legs.branch(leg))
        y = np.concatenate([q[list(branch.q)], rates[[motor]], q[list(legs.platform.q)]])
        return _leg(legs, leg_work(legs, leg), leg, y, accelerations[motor : motor + 1])

    def result(self, done: ProgramResult) -> InverseDynamicsResult:
        torques = np.empty(len(self.legs.machine.motors))
        for leg, torque in enumerate(done.results[1:]):
            torques[self.legs.machine.motors_of(self.legs.branch(leg))] = torque
        return InverseDynamicsResult(done.traffic, done.seconds, torques)


def leg_torque(
    legs: Legs, work: LegWork, leg: int, y: Array, alpha: Array, platform: PlatformMotion
) -> Generator[Message, Any, float]:
    """Return the torque of a leg's motor once it knows how all moves, in one round trip."""
    d = legs.dimension
    nothing = np.zeros(legs.machine.samples)
    load, left = work.lack(y, platform.twist, platform.change, alpha, nothing)
    whole = yield Request(load, d)
    return -float(left.item() + platform.proposed[:, leg] @ whole)


def centre_torque(legs: Legs) -> ProcessProgram:
    """Do the centre's part of it: the sum of what passive joints lack."""
    loads = yield Collect((legs.dimension,) * len(legs.names))
    yield Reply(np.sum(loads, axis=0))


def _leg(
    legs: Legs, work: LegWork, leg: int, y: Array, alpha: Array
) -> Generator[Message, Any, float]:
    platform = yield from leg_kinematics(legs, work, y, alpha)
    return (yield from leg_torque(legs, work, leg, y, alpha, platform))


def _centre(legs: Legs, work: CentreWork) -> ProcessProgram:
    yield from centre_kinematics(legs, work)
    yield from centre_torque(legs)
