"""What a node does, step after step, in each of the ways to share a run.

- Replicated: every node advances the whole machine and keeps its part. One exchange a step, and
  the numbers of a single processor to the last bit.
- Frozen: a node advances its part while the others stand as they were when the step began. One
  exchange a step and a fraction of the work, but the coupling is of first order only.
- Stages: a node evaluates its part and hears from the others at every stage of a step. The numbers
  of a single processor up to rounding, four exchanges a step.
- Blocks: a node evaluates the whole machine at a moment of its own (`moments`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from enum import StrEnum

import numpy as np

from phalanx.base.errors import PhalanxError
from phalanx.distribute.processes.messages import Array, Program, Share
from phalanx.distribute.programs.platforms.state import Rates, State, control_of_stages, runge_kutta
from phalanx.simulation.integrators.tableaux import CLASSIC

# what happens with the state of the machine at the beginning of a step: (step number, state)
Observer = Callable[[int, Array], None]


class Mode(StrEnum):
    """How nodes share a run."""

    REPLICATED = "replicated"
    FROZEN = "frozen"
    STAGES = "stages"
    BLOCKS = "blocks"


class Diverged(PhalanxError):
    """A run whose numbers are no longer finite."""

    def __init__(self, t: float, step: float) -> None:
        """Say when."""
        super().__init__(
            f"the state left finite numbers before t = {t:.6g} s. Shorten the step ({step:g} s), "
            "make springs or gains softer, or take another method."
        )


def node_program(
    state: State,
    mode: Mode,
    node: int,
    start: Array,
    samples: Array,
    step: float,
    observe: Observer | None = None,
) -> Program:
    """The program of a node; its machine code is made now, not when the program runs.

    Args:
        state: How the state is cut.
        mode: How nodes share the run.
        node: Which part is this node's.
        start: The state of the machine at first.
        samples: Control at every half step, shape (2 steps + 1, ...).
        step: [s].
        observe: Called with the state at the beginning of every step, and at the end.
    """
    match mode:
        case Mode.REPLICATED:
            return _replicated(state, state.rates(), node, start, samples, step, observe)
        case Mode.FROZEN:
            return _frozen(state, state.rates(node), node, start, samples, step, observe)
        case Mode.STAGES:
            return _stages(state, state.rates(node), node, start, samples, step, observe)
        case Mode.BLOCKS:
            raise AssertionError("blocks are of moments, see moment_program")


def serial(
    state: State,
    rates: Rates,
    start: Array,
    samples: Array,
    step: float,
    observe: Observer | None = None,
) -> Array:
    """The run of a single processor, with rates of the whole state; the state at its end."""
    x = start
    for k in range(len(samples) // 2):
        look_at(observe, k, x, step)
        x = state.landed(runge_kutta(rates, x, control_of_stages(samples, k), step))
    look_at(observe, len(samples) // 2, x, step)
    return x


def _replicated(
    state: State,
    rates: Rates,
    node: int,
    start: Array,
    samples: Array,
    step: float,
    observe: Observer | None,
) -> Program:
    own = state.slices[node]
    x = start
    steps = len(samples) // 2
    for k in range(steps):
        look_at(observe, k, x, step)
        x = state.landed(runge_kutta(rates, x, control_of_stages(samples, k), step))
        x = np.concatenate((yield Share(x[own], state.sizes)))
    look_at(observe, steps, x, step)


def _frozen(
    state: State,
    of_machine: Rates,
    node: int,
    start: Array,
    samples: Array,
    step: float,
    observe: Observer | None,
) -> Program:
    own = state.slices[node]
    x = start.copy()

    def rates(part: Array, u: Array) -> Array:
        x[own] = part
        return of_machine(x, u)

    steps = len(samples) // 2
    for k in range(steps):
        look_at(observe, k, x, step)
        part = runge_kutta(rates, x[own].copy(), control_of_stages(samples, k), step)
        x = np.concatenate((yield Share(state.landed(part, node), state.sizes)))
    look_at(observe, steps, x, step)


def _stages(
    state: State,
    rates: Rates,
    node: int,
    start: Array,
    samples: Array,
    step: float,
    observe: Observer | None,
) -> Program:
    own = state.slices[node]
    x = start
    steps = len(samples) // 2
    for k in range(steps):
        look_at(observe, k, x, step)
        part = x[own]
        slopes: list[Array] = []
        for (_, ahead), u in zip(CLASSIC.stages, control_of_stages(samples, k), strict=True):
            if slopes:  # at the first stage all know where all are
                x = np.concatenate((yield Share(ahead(part, step, *slopes), state.sizes)))
            slopes.append(rates(x, u))
        part = state.landed(CLASSIC.end(part, step, *slopes), node)
        x = np.concatenate((yield Share(part, state.sizes)))
    look_at(observe, steps, x, step)


def look_at(observe: Observer | None, k: int, x: Array, step: float) -> None:
    """Show an observer the state after k steps.

    Raises:
        Diverged: It is no longer finite.
    """
    if not math.isfinite(x.dot(x)):
        raise Diverged(k * step, step)
    if observe is not None:
        observe(k, x)
