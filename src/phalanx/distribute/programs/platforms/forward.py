"""Forward dynamics in steps: parts of the machine on nodes, or moments of its motion."""

from __future__ import annotations

from collections.abc import Callable

from phalanx.distribute.processes.messages import Array, Program
from phalanx.distribute.programs.platforms.legs.centre_work import centre_work
from phalanx.distribute.programs.platforms.legs.displacement import centre_closing, leg_closing
from phalanx.distribute.programs.platforms.legs.forward import centre_program, leg_program
from phalanx.distribute.programs.platforms.legs.leg_work import leg_work
from phalanx.distribute.programs.platforms.legs.legs import Legs
from phalanx.distribute.programs.platforms.machine import Machine
from phalanx.distribute.programs.platforms.methods import Recursive
from phalanx.distribute.programs.platforms.plan import Plan
from phalanx.distribute.programs.platforms.programs import Mode, Observer, node_program, serial
from phalanx.distribute.programs.platforms.reference import half_steps, reference
from phalanx.distribute.programs.platforms.state import State, state_of
from phalanx.distribute.programs.platforms.time_samples import (
    moment_program,
    moments_alone,
    moments_of,
)
from phalanx.distribute.programs.platforms.work import Record, Work
from phalanx.simulation.record.channels import run_channels
from phalanx.simulation.record.signal import Channel


class Forward(Work):
    """Legs and platform, or legs and a centre, as nodes."""

    def __init__(self, plan: Plan) -> None:
        """Find what motors have to do, and the state at first."""
        self.plan = plan
        self.state = state_of(plan.mechanism, plan.feedback, plan.method)
        wanted = reference(plan.machine, plan.followed, half_steps(plan.steps, plan.step))
        self.start = self.state.start(wanted.q, wanted.v)
        self.samples = wanted.samples
        self.channels = forward_channels(plan.machine)

    def program(self, node: int, record: Record | None = None) -> Program:
        """See :class:`Work`."""
        plan, state, samples, step = self.plan, self.state, self.samples, self.plan.step
        observe = None if record is None else observer(state, samples[::2], record)
        if not plan.is_central:
            return node_program(state, plan.mode, node, self.start, samples, step, observe)
        legs = Legs(state.machine)
        closes, leg = plan.method == Recursive(displacement=True), node - 1
        if node == 0:
            closing = centre_closing(legs) if closes else None
            return centre_program(state, legs, centre_work(legs), samples, step, observe, closing)
        own = leg_closing(legs, leg) if closes else None
        return leg_program(state, legs, leg_work(legs, leg), leg, self.start, samples, step, own)

    def alone(self, record: Record) -> Callable[[], None]:
        """See :class:`Work`."""
        rates = self.state.rates()
        observe = observer(self.state, self.samples[::2], record)

        def start() -> None:
            serial(self.state, rates, self.start, self.samples, self.plan.step, observe)

        return start


class Blocks(Work):
    """Moments as nodes: each evaluates the whole machine at its own."""

    def __init__(self, plan: Plan) -> None:
        """Find what motors have to do at all moments, and the state at first."""
        self.plan = plan
        self.state = state_of(plan.mechanism, plan.feedback, plan.method)
        times = moments_of(plan.block, plan.duration)
        wanted = reference(plan.machine, plan.followed, times)
        self.start = self.state.start(wanted.q, wanted.v)
        self.samples = dict(zip(times.tolist(), wanted.samples, strict=True))
        self.channels = forward_channels(plan.machine)

    def program(self, node: int, record: Record | None = None) -> Program:
        """See :class:`Work`."""
        return moment_program(
            self.state,
            self.plan.block,
            node,
            self.start,
            self.samples,
            self.plan.duration,
            self._observer(record),
        )

    def alone(self, record: Record) -> Callable[[], None]:
        """See :class:`Work`."""
        return moments_alone(
            self.state,
            self.plan.block,
            self.start,
            self.samples,
            self.plan.duration,
            self._observer(record),
        )

    def _observer(self, record: Record | None) -> Observer | None:
        if record is None:
            return None
        look, step = self.state.observe(), self.plan.step

        def observe(k: int, x: Array) -> None:
            record(k, look(x, self.samples[k * step]))

        return observe


def forward_work(plan: Plan) -> Work:
    """How forward dynamics is cut in the mode of a plan."""
    return Blocks(plan) if plan.mode is Mode.BLOCKS else Forward(plan)


def observer(state: State, samples: Array, record: Record) -> Observer:
    """Records a state with the torques that act there; ``samples`` of control, one a step."""
    look = state.observe()

    def observe(k: int, x: Array) -> None:
        record(k, look(x, samples[k]))

    return observe


def forward_channels(machine: Machine) -> list[Channel]:
    """Positions, velocities, torques of the motors, largest opening of a loop."""
    q, v, tau = run_channels(machine.mechanism)[:3]
    return [q, v, tau.columns_at(machine.motors), Channel("opening", "m or rad", ())]
