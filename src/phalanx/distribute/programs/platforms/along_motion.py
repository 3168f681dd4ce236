"""Postures, velocities, accelerations and torques along a motion of the motors, leg by leg.

Every leg knows how its own motor is to move, and nothing of the others' motors. Moment after moment
legs and centre find a posture (`displacement`), then how everything moves (`kinematics`), then
the torques (`inverse`), as far as the task asks. What the centre records of a moment comes with the
first message of the next.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.distribute.processes.messages import Array, Program, Share
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
from phalanx.distribute.programs.platforms.machine import Feedback, Machine
from phalanx.distribute.programs.platforms.plan import Plan, Task
from phalanx.distribute.programs.platforms.reference import checked_motion, follow
from phalanx.distribute.programs.platforms.work import Record, Work
from phalanx.equations.loops.assembly.checks import check_closed
from phalanx.equations.loops.closure.equations import closure
from phalanx.kernel import compile as compile_kernel
from phalanx.simulation.record.channels import run_channels
from phalanx.simulation.record.signal import Channel

_NOTHING = np.empty(0)


class AlongMotion(Work):
    """A task other than forward dynamics, cut between legs and a centre."""

    def __init__(self, plan: Plan) -> None:
        """Sample the motion of the motors at every step."""
        m = plan.mechanism
        check_closed(m, m.neutral(), np.zeros(m.nv))
        self.plan, self.task = plan, plan.task
        # motors do what the motion needs: a leg lacks all of it, and no feedback adds to it
        self.legs = Legs(Machine(m, Feedback(0.0, 0.0)))
        self.opening = _opening(plan.machine)
        self.times: Array = np.arange(plan.steps + 1, dtype=np.float64) * plan.step
        self.motion = checked_motion(plan.machine, plan.followed, self.times)
        self.channels = _channels(plan)

    def program(self, node: int, record: Record | None = None) -> Program:
        """See :class:`Work`."""
        legs, leg, moves = self.legs, node - 1, self.task is not Task.DISPLACEMENT
        if node == 0:
            work = centre_work(legs) if moves else None
            return self._centre(work, centre_closing(legs), record)
        return self._leg(leg, leg_work(legs, leg) if moves else None, leg_closing(legs, leg))

    def alone(self, record: Record) -> Callable[[], None]:
        """See :class:`Work`; from the equations of the whole machine."""
        follow(self.plan.machine, self.plan.followed, self.times[:1])  # compiled

        def start() -> None:
            found = follow(self.plan.machine, self.plan.followed, self.times)
            for k in range(len(self.times)):
                record(k, self._row(found.q[k], found.v[k], found.a[k], found.tau[k]))

        return start

    def _leg(self, leg: int, work: LegWork | None, closing: LegClosing) -> Program:
        legs, task, q = self.legs, self.task, self.plan.mechanism.neutral()
        part = legs.part(leg)
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
                if task is Task.INVERSE:
                    torque = yield from leg_torque(legs, work, leg, y, alpha, platform)
                    found.append(np.array([torque]))
            report = np.concatenate(found)
        yield Share(report, (0, *self._told))

    def _centre(self, work: CentreWork | None, closing: Call, record: Record | None) -> Program:
        legs, task = self.legs, self.task
        for k, t in enumerate(self.times):
            told = self._told if k else (0,) * len(legs.names)
            reports = yield from centre_posture(legs, closing, float(t), told)
            if k:
                self._look(k - 1, reports, record)
            if work is not None:
                yield from centre_kinematics(legs, work)
                if task is Task.INVERSE:
                    yield from centre_torque(legs)
        last = yield Share(_NOTHING, (0, *self._told))
        self._look(len(self.times) - 1, last[1:], record)

    @property
    def _told(self) -> tuple[int, ...]:
        """How many numbers each leg tells of a moment: of its own joints and the platform."""
        sizes = []
        for leg in range(len(self.legs.names)):
            q, v = (
                len(own) + len(shared)
                for own, shared in (
                    (self.legs.part(leg).q, self.legs.platform.q),
                    (self.legs.part(leg).v, self.legs.platform.v),
                )
            )
            moving = 0 if self.task is Task.DISPLACEMENT else 2 * v
            sizes.append(q + moving + (self.task is Task.INVERSE))
        return tuple(sizes)

    def _look(self, k: int, reports: Sequence[Array], record: Record | None) -> None:
        """Put the machine together from what legs report; all say the same of the platform."""
        if record is None:
            return
        m, legs = self.plan.mechanism, self.legs
        q, v, a = np.empty(m.nq), np.zeros(m.nv), np.zeros(m.nv)
        tau = np.zeros(len(legs.machine.motors))
        for leg, report in enumerate(reports):
            part = legs.part(leg)
            positions = [*part.q, *legs.platform.q]
            q[positions], report = np.split(report, [len(positions)])
            if self.task is not Task.DISPLACEMENT:
                numbers = [*part.v, *legs.platform.v]
                v[numbers], a[numbers], report = np.split(report, [len(numbers), 2 * len(numbers)])
            if self.task is Task.INVERSE:
                tau[legs.machine.motors_of(part)] = report
        record(k, self._row(q, v, a, tau))

    def _row(self, q: Array, v: Array, a: Array, tau: Array) -> Array:
        found = [q]
        if self.task is not Task.DISPLACEMENT:
            found += [v, a]
        if self.task is Task.INVERSE:
            found.append(tau)
        return np.concatenate([*found, self.opening(q)])


def _opening(machine: Machine) -> Call:
    """Positions -> largest opening of a loop."""
    q = SX.sym("q", machine.mechanism.nq)
    largest = ca.norm_inf(closure(machine.model, q))
    return compile_kernel(ca.Function("opening", [q], [largest], ["q"], ["opening"])).call


def _channels(plan: Plan) -> list[Channel]:
    q, v, tau = run_channels(plan.mechanism)[:3]
    channels = [q]
    if plan.task is not Task.DISPLACEMENT:
        rates = tuple(unit.replace("/s", "/s²") for unit in v.units)
        channels += [v, Channel("a", v.unit.replace("/s", "/s²"), v.labels, rates)]
    if plan.task is Task.INVERSE:
        channels.append(tau.columns_at(plan.machine.motors))
    return [*channels, Channel("opening", "m or rad", ())]
