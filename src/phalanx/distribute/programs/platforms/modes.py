"""Co-simulation modes: how processes share each integration step.

- Replicated: every process advances the whole machine and keeps its part. One exchange a step, and
  the numbers of a single processor to the last bit.
- Frozen: a process advances its part while the others stand as they were when the step began
  (explicit coupling). One exchange a step and a fraction of the work, but of first order only.
- Stages: a process evaluates its part and exchanges states with the others at every stage of a
  step. The numbers of a single processor up to rounding, four exchanges a step.
- Blocks: a process evaluates the whole machine at a time sample of its own (`time_samples`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import StrEnum

import numpy as np

from phalanx.base.errors import PhalanxError
from phalanx.distribute.processes.messages import AllGather, Array, ProcessProgram
from phalanx.distribute.programs.platforms.state import (
    DividedState,
    Rates,
    control_of_stages,
    runge_kutta,
)
from phalanx.simulation.integrators.tableaux import CLASSIC

# what happens with the state of the machine at the beginning of a step: (step number, state)
Observer = Callable[[int, Array], None]


class Mode(StrEnum):
    """How processes share a run."""

    REPLICATED = "replicated"
    FROZEN = "frozen"
    STAGES = "stages"
    BLOCKS = "blocks"


class MotionTask(StrEnum):
    """What is computed along a motion of the motors; each has all that those before it have."""

    FORWARD = "forward"  # how the machine moves under their torques
    DISPLACEMENT = "displacement"  # postures
    KINEMATICS = "kinematics"  # and velocities and accelerations of all joints
    INVERSE = "inverse"  # and torques of the motors


class Diverged(PhalanxError):
    """A run whose numbers are no longer finite."""

    def __init__(self, t: float, step: float) -> None:
        """Say when."""
        super().__init__(
            f"the state left finite numbers before t = {t:.6g} s. Shorten the step ({step:g} s), "
            "make springs or gains softer, or take another method."
        )


def rank_program(
    state: DividedState,
    mode: Mode,
    rank: int,
    start: Array,
    samples: Array,
    step: float,
    observe: Observer | None = None,
) -> ProcessProgram:
    """Return the program of a rank; its machine code is made now, not when the program runs.

    Args:
        state: How the state is cut.
        mode: How processes share the run.
        rank: Which part is this process's.
        start: The state of the machine at first.
        samples: Control at every half step, shape (2 steps + 1, ...).
        step: [s].
        observe: Called with the state at the beginning of every step, and at the end.
    """
    match mode:
        case Mode.REPLICATED:
            return _replicated(state, state.rates(), rank, start, samples, step, observe)
        case Mode.FROZEN:
            return _frozen(state, state.rates(rank), rank, start, samples, step, observe)
        case Mode.STAGES:
            return _stages(state, state.rates(rank), rank, start, samples, step, observe)
        case Mode.BLOCKS:
            raise AssertionError("blocks are of time samples, see time_sample_program")


def serial(
    state: DividedState,
    rates: Rates,
    start: Array,
    samples: Array,
    step: float,
    observe: Observer | None = None,
) -> Array:
    """Run on a single processor, with rates of the whole state; return the state at its end."""
    x = start
    for k in range(len(samples) // 2):
        check_and_observe(observe, k, x, step)
        x = state.landed(runge_kutta(rates, x, control_of_stages(samples, k), step))
    check_and_observe(observe, len(samples) // 2, x, step)
    return x


def _replicated(
    state: DividedState,
    rates: Rates,
    rank: int,
    start: Array,
    samples: Array,
    step: float,
    observe: Observer | None,
) -> ProcessProgram:
    own = state.slices[rank]
    x = start
    steps = len(samples) // 2
    for k in range(steps):
        check_and_observe(observe, k, x, step)
        x = state.landed(runge_kutta(rates, x, control_of_stages(samples, k), step))
        x = np.concatenate((yield AllGather(x[own], state.sizes)))
    check_and_observe(observe, steps, x, step)


def _frozen(
    state: DividedState,
    of_machine: Rates,
    rank: int,
    start: Array,
    samples: Array,
    step: float,
    observe: Observer | None,
) -> ProcessProgram:
    own = state.slices[rank]
    x = start.copy()

    def rates(part: Array, u: Array) -> Array:
        x[own] = part
        return of_machine(x, u)

    steps = len(samples) // 2
    for k in range(steps):
        check_and_observe(observe, k, x, step)
        part = runge_kutta(rates, x[own].copy(), control_of_stages(samples, k), step)
        x = np.concatenate((yield AllGather(state.landed(part, rank), state.sizes)))
    check_and_observe(observe, steps, x, step)


def _stages(
    state: DividedState,
    rates: Rates,
    rank: int,
    start: Array,
    samples: Array,
    step: float,
    observe: Observer | None,
) -> ProcessProgram:
    own = state.slices[rank]
    x = start
    steps = len(samples) // 2
    for k in range(steps):
        check_and_observe(observe, k, x, step)
        part = x[own]
        slopes: list[Array] = []
        for (_, ahead), u in zip(CLASSIC.stages, control_of_stages(samples, k), strict=True):
            if slopes:  # at the first stage all know where all are
                x = np.concatenate((yield AllGather(ahead(part, step, *slopes), state.sizes)))
            slopes.append(rates(x, u))
        part = state.landed(CLASSIC.end(part, step, *slopes), rank)
        x = np.concatenate((yield AllGather(part, state.sizes)))
    check_and_observe(observe, steps, x, step)


def check_and_observe(observe: Observer | None, k: int, x: Array, step: float) -> None:
    """Show an observer the state after k steps.

    Raises:
        Diverged: It is no longer finite.
    """
    if not math.isfinite(x.dot(x)):
        raise Diverged(k * step, step)
    if observe is not None:
        observe(k, x)
