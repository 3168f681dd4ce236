"""A run of a machine on several nodes: in this process, or on the ranks of an MPI job."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from phalanx.distribute.displacement import centre_closing, leg_closing
from phalanx.distribute.inprocess import run_together
from phalanx.distribute.leg_work import Legs, centre_work, leg_work
from phalanx.distribute.legs_and_centre import centre_program, leg_program
from phalanx.distribute.machine import Feedback, Machine
from phalanx.distribute.messages import Array, Program, Traffic
from phalanx.distribute.methods import Method, Penalty, Recursive
from phalanx.distribute.programs import Mode, Observer, node_program, serial
from phalanx.distribute.ranks import Ranks
from phalanx.distribute.reference import moving, reference
from phalanx.distribute.state import State, state_of
from phalanx.errors import InvalidInput
from phalanx.mechanism import Mechanism
from phalanx.simulate.channels import run_channels
from phalanx.simulate.record.recorder import Recorder
from phalanx.simulate.record.recording import Recording
from phalanx.simulate.record.signal import Channel
from phalanx.simulate.run import whole_steps
from phalanx.simulate.trajectories import Trajectory
from phalanx.version import __version__

FLUSH_INTERVAL = 0.1  # [s]: a job whose ranks are killed loses no more than this


@dataclass(frozen=True)
class Outcome:
    """What a run on several nodes leaves behind.

    Attributes:
        recording: Positions, velocities, torques of the motors, largest opening of a loop.
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


@dataclass(frozen=True)
class Plan:
    """A run, before it starts: what is to be done, the same for every node.

    Attributes:
        mechanism: A machine with loops.
        method: How the equations are cut: `Penalty`, `Projection`, `Recursive`.
        mode: How nodes share a step.
        duration: [s].
        step: [s]; one length, so that no node waits for another's error control.
        motion: What the motors are to follow, from the neutral posture; that posture when not
            given.
        feedback: What the motors do when they are elsewhere.
    """

    mechanism: Mechanism
    method: Method
    mode: Mode
    duration: float = 3.0
    step: float = 1e-3
    motion: Trajectory | None = None
    feedback: Feedback = field(default_factory=Feedback)

    @property
    def is_central(self) -> bool:
        """Whether legs ask a centre inside every evaluation."""
        return isinstance(self.method, Recursive) and self.mode is Mode.STAGES

    @cached_property
    def machine(self) -> Machine:
        """The machine with its parts; all checks that need no compiler.

        Raises:
            InvalidModel: The machine cannot be cut.
            InvalidInput: Method, mode and times do not fit together.
        """
        whole_steps(self.duration, self.step)
        if isinstance(self.method, Recursive) and self.mode is Mode.FROZEN:
            raise InvalidInput(
                "the recursive method asks the other legs inside every evaluation and cannot hold "
                "them still for a step: take mode 'stages', or 'replicated'."
            )
        return state_of(self.mechanism, self.feedback, self.method).machine

    @cached_property
    def nodes(self) -> tuple[str, ...]:
        """What each node of the run is."""
        if self.is_central:
            legs = Legs(self.machine)
            return ("centre", *(legs.part(leg).name for leg in range(len(legs.names))))
        return tuple(part.name for part in self.machine.parts)

    def check_ranks(self, size: int) -> None:
        """InvalidInput unless every node has a rank."""
        if size != len(self.nodes):
            raise InvalidInput(
                f"'{self.mechanism.name}' has {len(self.nodes)} nodes ({', '.join(self.nodes)}), "
                f"each of which needs a rank of its own; got {size}. Start {len(self.nodes)} ranks."
            )


def cosimulate(
    mechanism: Mechanism,
    *,
    method: Method | None = None,
    mode: Mode | str = Mode.REPLICATED,
    duration: float = 3.0,
    step: float = 1e-3,
    motion: Trajectory | None = None,
    feedback: Feedback | None = None,
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
        method: How the equations are cut: `Penalty()` when not given.
        mode: How nodes share a step: ``replicated``, ``frozen`` or ``stages``.
        duration: [s].
        step: [s].
        motion: Of the motors, in the order of the machine's actuated joints; they hold the
            neutral posture when it is not given.
        feedback: Gains; `Feedback()` when not given.
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
    plan = Plan(
        mechanism,
        method or Penalty(),
        mode_by_name(mode),
        duration,
        step,
        motion,
        feedback or Feedback(),
    )
    if ranks is None:
        return run(plan, path)
    with ranks.ending_the_job():
        return run(plan, path, ranks)


def single_processor(plan: Plan) -> tuple[Recording, float]:
    """The same run on one processor, and how long its steps took [s]."""
    state, start, samples = _prepared(plan)
    with Recorder(_channels(plan.machine)) as recorder:
        observe = _recording(state, samples, plan.step, recorder)
        rates = state.rates()  # compiled before the clock starts
        begin = time.perf_counter()
        serial(state, rates, start, samples, plan.step, observe)
        seconds = time.perf_counter() - begin
    return recorder.recording(), seconds


def mode_by_name(mode: Mode | str) -> Mode:
    """A mode, or InvalidInput with those there are."""
    try:
        return Mode(mode)
    except ValueError:
        raise InvalidInput(f"mode is '{mode}'; expected one of {', '.join(Mode)}.") from None


def run(
    plan: Plan, path: str | PathLike[str] | None = None, ranks: Ranks | None = None
) -> Outcome | None:
    """Run a plan; on ranks, a failure of this one leaves the others waiting (see `cosimulate`)."""
    if ranks is not None:
        plan.check_ranks(ranks.size)
    mine = range(len(plan.nodes)) if ranks is None else [ranks.rank]
    state, start, samples = _prepared(plan)
    recorder: Recorder | None = None
    observe: Observer | None = None
    if 0 in mine:
        facts = _facts(plan, on_ranks=ranks is not None)
        recorder = Recorder(_channels(plan.machine), facts, path, FLUSH_INTERVAL)
        observe = _recording(state, samples, plan.step, recorder)
    try:
        programs = [
            _program(plan, state, node, start, samples, observe if node == 0 else None)
            for node in mine
        ]
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
    return Outcome(recorder.recording(), plan.nodes, tuple(traffic), len(samples) // 2, seconds)


def _prepared(plan: Plan) -> tuple[State, Array, Array]:
    """How the state is cut, the state at first, and control at every half step."""
    state = state_of(plan.mechanism, plan.feedback, plan.method)
    motion = plan.motion or moving(plan.machine, plan.duration)
    steps = whole_steps(plan.duration, plan.step)
    wanted = reference(plan.machine, motion, steps, plan.step)
    return state, state.start(wanted.q, wanted.v), wanted.samples


def _program(
    plan: Plan,
    state: State,
    node: int,
    start: Array,
    samples: Array,
    observe: Observer | None,
) -> Program:
    if not plan.is_central:
        return node_program(state, plan.mode, node, start, samples, plan.step, observe)
    legs = Legs(state.machine)
    closes, leg = plan.method == Recursive(displacement=True), node - 1
    if node == 0:
        closing = centre_closing(legs) if closes else None
        return centre_program(state, legs, centre_work(legs), samples, plan.step, observe, closing)
    own = leg_closing(legs, leg) if closes else None
    return leg_program(state, legs, leg_work(legs, leg), leg, start, samples, plan.step, own)


def _recording(state: State, samples: Array, step: float, recorder: Recorder) -> Observer:
    look = state.observe()

    def observe(k: int, x: Array) -> None:
        recorder.append_row(np.concatenate([[k * step], look(x, samples[2 * k])]))

    return observe


def _channels(machine: Machine) -> list[Channel]:
    q, v = run_channels(machine.mechanism)[:2]
    motors = tuple(v.labels[k] for k in machine.motors)
    return [q, v, Channel("tau", "N·m or N", motors), Channel("opening", "m or rad", ())]


def _facts(plan: Plan, *, on_ranks: bool) -> dict[str, Any]:
    return {
        "model": plan.mechanism.name,
        "method": repr(plan.method),
        "mode": str(plan.mode),
        "step": plan.step,
        "duration": plan.duration,
        "nodes": list(plan.nodes),
        "ranks": len(plan.nodes) if on_ranks else 0,
        "phalanx": __version__,
    }


def moved(mechanism: Mechanism, period: float, way: ArrayLike) -> Trajectory:
    """A motion of the motors from the neutral posture, rest to rest on a cycloid.

    Args:
        mechanism: The machine.
        period: How long it takes [s].
        way: How far each motor goes [rad or m].
    """
    return moving(Machine(mechanism), period, np.asarray(way, dtype=np.float64))
