"""Forward dynamics in steps: branches of the machine on processes, or time samples."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from phalanx.distribute.processes.messages import Array, ProcessProgram
from phalanx.distribute.programs.platforms.legs.centre_work import centre_work
from phalanx.distribute.programs.platforms.legs.displacement import centre_closing, leg_closing
from phalanx.distribute.programs.platforms.legs.forward import centre_program, leg_program
from phalanx.distribute.programs.platforms.legs.leg_work import leg_work
from phalanx.distribute.programs.platforms.legs.legs import Legs
from phalanx.distribute.programs.platforms.machine import DividedMachine
from phalanx.distribute.programs.platforms.methods import Recursive
from phalanx.distribute.programs.platforms.modes import Observer, rank_program, serial
from phalanx.distribute.programs.platforms.reference import half_steps, reference
from phalanx.distribute.programs.platforms.state import DividedState, state_of
from phalanx.distribute.programs.platforms.time_samples import (
    block_times,
    time_sample_program,
    time_samples_alone,
)
from phalanx.distribute.programs.platforms.work import PlatformWork, Record
from phalanx.simulation.record.channels import run_channels
from phalanx.simulation.record.signal import Channel

if TYPE_CHECKING:
    from phalanx.distribute.programs.platforms.job import PlatformJob


class Forward(PlatformWork):
    """Legs and platform, or legs and a centre, on a process each."""

    def __init__(self, job: PlatformJob) -> None:
        """Find what motors have to do, and the state at first."""
        self.job = job
        self.state = state_of(job.mechanism, job.feedback, job.chosen_method)
        wanted = reference(job.machine, job.followed, half_steps(job.steps, job.step))
        self.start = self.state.start(wanted.q, wanted.v)
        self.samples = wanted.samples
        self.channels = forward_channels(job.machine)

    def program(self, rank: int, record: Record | None = None) -> ProcessProgram:
        """Return the program of a branch, a leg or the centre, compiled."""
        job, state, samples, step = self.job, self.state, self.samples, self.job.step
        observe = None if record is None else observer(state, samples[::2], record)
        if not job.is_central:
            return rank_program(state, job.chosen_mode, rank, self.start, samples, step, observe)
        legs = Legs(state.machine)
        closes, leg = job.chosen_method == Recursive(displacement=True), rank - 1
        if rank == 0:
            closing = centre_closing(legs) if closes else None
            return centre_program(state, legs, centre_work(legs), samples, step, observe, closing)
        own = leg_closing(legs, leg) if closes else None
        return leg_program(state, legs, leg_work(legs, leg), leg, self.start, samples, step, own)

    def alone(self, record: Record) -> Callable[[], None]:
        """Return Runge-Kutta of the whole machine, compiled."""
        rates = self.state.rates()
        observe = observer(self.state, self.samples[::2], record)

        def start() -> None:
            serial(self.state, rates, self.start, self.samples, self.job.step, observe)

        return start


class Blocks(PlatformWork):
    """Parallel in time: a process for each time sample evaluates the whole machine there."""

    def __init__(self, job: PlatformJob) -> None:
        """Find what motors have to do at all time samples, and the state at first."""
        self.job = job
        self.state = state_of(job.mechanism, job.feedback, job.chosen_method)
        times = block_times(job.block, job.duration)
        wanted = reference(job.machine, job.followed, times)
        self.start = self.state.start(wanted.q, wanted.v)
        self.samples = dict(zip(times.tolist(), wanted.samples, strict=True))
        self.channels = forward_channels(job.machine)

    def program(self, rank: int, record: Record | None = None) -> ProcessProgram:
        """Return the program that has every ``points``-th time sample, compiled."""
        return time_sample_program(
            self.state,
            self.job.block,
            rank,
            self.start,
            self.samples,
            self.job.duration,
            self._observer(record),
        )

    def alone(self, record: Record) -> Callable[[], None]:
        """Return the same blocks with their time samples in lanes of one vector, compiled."""
        return time_samples_alone(
            self.state,
            self.job.block,
            self.start,
            self.samples,
            self.job.duration,
            self._observer(record),
        )

    def _observer(self, record: Record | None) -> Observer | None:
        if record is None:
            return None
        look, step = self.state.observe(), self.job.step

        def observe(k: int, x: Array) -> None:
            record(k, look(x, self.samples[k * step]))

        return observe


def observer(state: DividedState, samples: Array, record: Record) -> Observer:
    """Return what records a state with the torques there; ``samples`` of control, one a step."""
    look = state.observe()

    def observe(k: int, x: Array) -> None:
        record(k, look(x, samples[k]))

    return observe


def forward_channels(machine: DividedMachine) -> list[Channel]:
    """Return the channels: positions, velocities, torques of motors, largest opening of a loop."""
    q, v, tau = run_channels(machine.mechanism)[:3]
    return [q, v, tau.columns_at(machine.motors), Channel("opening", "m or rad", ())]
