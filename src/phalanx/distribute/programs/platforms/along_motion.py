"""Kinematics and inverse dynamics along a motion of the motors, leg by leg.

Every leg knows how its own motor is to move, and nothing of the others' motors. Time after time
legs and centre find a posture (`displacement`), then how everything moves (`kinematics`), then
the torques (`inverse`), as far as the task goes. What the centre records of one time comes with the
first message of the next.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.distribute.processes.messages import AllGather, Array, ProcessProgram
from phalanx.distribute.programs.platforms.legs.centre_work import CentreWork, centre_work
from phalanx.distribute.programs.platforms.legs.compiled import Call
from phalanx.distribute.programs.platforms.legs.displacement import (
    LegClosing,
    centre_closing,
    centre_posture,
    leg_closing,
    leg_posture,
)
from phalanx.distribute.programs.platforms.legs.inverse import centre_torque, leg_torque
from phalanx.distribute.programs.platforms.legs.kinematics import centre_kinematics, leg_kinematics
from phalanx.distribute.programs.platforms.legs.leg_work import LegWork, leg_work
from phalanx.distribute.programs.platforms.legs.legs import Legs
from phalanx.distribute.programs.platforms.machine import DividedMachine, Feedback
from phalanx.distribute.programs.platforms.modes import MotionTask
from phalanx.distribute.programs.platforms.reference import checked_motion, inverse_along
from phalanx.distribute.programs.platforms.work import PlatformWork, Record
from phalanx.equations.loops.assembly.checks import check_closed
from phalanx.equations.loops.closure.equations import closure
from phalanx.kernel import compile as compile_kernel
from phalanx.simulation.record.channels import run_channels
from phalanx.simulation.record.signal import Channel

if TYPE_CHECKING:
    from phalanx.distribute.programs.platforms.job import PlatformJob

_NOTHING = np.empty(0)


class AlongMotion(PlatformWork):
    """A task other than forward dynamics, divided between legs and a centre."""

    def __init__(self, job: PlatformJob) -> None:
        """Sample the motion of the motors at every step."""
        m = job.mechanism
        check_closed(m, m.neutral(), np.zeros(m.nv))
        self.job, self.task = job, job.chosen_task
        # motors do what the motion needs: a leg lacks all of it, and no feedback adds to it
        self.legs = Legs(DividedMachine(m, Feedback(0.0, 0.0)))
        self.opening = _opening(job.machine)
        self.times: Array = np.arange(job.steps + 1, dtype=np.float64) * job.step
        self.motion = checked_motion(job.machine, job.followed, self.times)
        self.channels = _channels(job)

    def program(self, rank: int, record: Record | None = None) -> ProcessProgram:
        """Return the program of the centre (rank 0) or of a leg, compiled."""
        legs, leg, moves = self.legs, rank - 1, self.task is not MotionTask.DISPLACEMENT
        if rank == 0:
            work = centre_work(legs) if moves else None
            return self._centre(work, centre_closing(legs), record)
        return self._leg(leg, leg_work(legs, leg) if moves else None, leg_closing(legs, leg))

    def alone(self, record: Record) -> Callable[[], None]:
        """Return the same from the equations of the whole machine, compiled."""
        inverse_along(self.job.machine, self.job.followed, self.times[:1])  # compiled

        def start() -> None:
            found = inverse_along(self.job.machine, self.job.followed, self.times)
            for k in range(len(self.times)):
                record(k, self._row(found.q[k], found.v[k], found.a[k], found.tau[k]))

        return start

    def _leg(self, leg: int, work: LegWork | None, closing: LegClosing) -> ProcessProgram:
        legs, task, q = self.legs, self.task, self.job.mechanism.neutral()
        part = legs.branch(leg)
        (motor,) = legs.machine.motors_of(part)
        driven = part.q.index(legs.machine.motor_positions[motor])
        theta, rates, accelerations = (of_motors[:, motor] for of_motors in self.motion)
        y = np.concatenate([q[list(part.q)], [0.0], q[list(legs.platform.q)]])
        report = _NOTHING
        for k in range(len(self.times)):
            y = y.copy()
            y[driven], y[len(part.q)] = theta[k], rates[k]
            alpha = accelerations[k : k + 1]
            y = yield from leg_posture(legs, closing, y, report)
            found = [np.delete(y, len(part.q))]
            if work is not None:
                platform = yield from leg_kinematics(legs, work, y, alpha)
                found += work.joints(y, platform.twist, platform.change, alpha)
                if task is MotionTask.INVERSE:
                    torque = yield from leg_torque(legs, work, leg, y, alpha, platform)
                    found.append(np.array([torque]))
            report = np.concatenate(found)
        yield AllGather(report, (0, *self._sizes))

    def _centre(
        self, work: CentreWork | None, closing: Call, record: Record | None
    ) -> ProcessProgram:
        legs, task = self.legs, self.task
        for k, t in enumerate(self.times):
            sizes = self._sizes if k else (0,) * len(legs.names)
            reports = yield from centre_posture(legs, closing, float(t), sizes)
            if k:
                self._record(k - 1, reports, record)
            if work is not None:
                yield from centre_kinematics(legs, work)
                if task is MotionTask.INVERSE:
                    yield from centre_torque(legs)
        last = yield AllGather(_NOTHING, (0, *self._sizes))
        self._record(len(self.times) - 1, last[1:], record)

    @property
    def _sizes(self) -> tuple[int, ...]:
        """How many numbers each leg reports of one time: of its own joints and the platform."""
        sizes = []
        for leg in range(len(self.legs.names)):
            q, v = (
                len(own) + len(shared)
                for own, shared in (
                    (self.legs.branch(leg).q, self.legs.platform.q),
                    (self.legs.branch(leg).v, self.legs.platform.v),
                )
            )
            moving = 0 if self.task is MotionTask.DISPLACEMENT else 2 * v
            sizes.append(q + moving + (self.task is MotionTask.INVERSE))
        return tuple(sizes)

    def _record(self, k: int, reports: Sequence[Array], record: Record | None) -> None:
        """Put the machine together from what legs report; all report the same of the platform."""
        if record is None:
            return
        m, legs = self.job.mechanism, self.legs
        q, v, a = np.empty(m.nq), np.zeros(m.nv), np.zeros(m.nv)
        tau = np.zeros(len(legs.machine.motors))
        for leg, report in enumerate(reports):
            part = legs.branch(leg)
            positions = [*part.q, *legs.platform.q]
            q[positions], report = np.split(report, [len(positions)])
            if self.task is not MotionTask.DISPLACEMENT:
                numbers = [*part.v, *legs.platform.v]
                v[numbers], a[numbers], report = np.split(report, [len(numbers), 2 * len(numbers)])
            if self.task is MotionTask.INVERSE:
                tau[legs.machine.motors_of(part)] = report
        record(k, self._row(q, v, a, tau))

    def _row(self, q: Array, v: Array, a: Array, tau: Array) -> Array:
        found = [q]
        if self.task is not MotionTask.DISPLACEMENT:
            found += [v, a]
        if self.task is MotionTask.INVERSE:
            found.append(tau)
        return np.concatenate([*found, self.opening(q)])


def _opening(machine: DividedMachine) -> Call:
    """Return machine code of positions -> largest opening of a loop."""
    q = SX.sym("q", machine.mechanism.nq)
    largest = ca.norm_inf(closure(machine.model, q))
    return compile_kernel(ca.Function("opening", [q], [largest], ["q"], ["opening"])).call


def _channels(job: PlatformJob) -> list[Channel]:
    q, v, tau = run_channels(job.mechanism)[:3]
    channels = [q]
    if job.chosen_task is not MotionTask.DISPLACEMENT:
        rates = tuple(unit.replace("/s", "/s²") for unit in v.units)
        channels += [v, Channel("a", v.unit.replace("/s", "/s²"), v.labels, rates)]
    if job.chosen_task is MotionTask.INVERSE:
        channels.append(tau.columns_at(job.machine.motors))
    return [*channels, Channel("opening", "m or rad", ())]
