"""Parallel in time: time samples of a sliding block on a process each.

Every process knows the whole machine and follows the same sliding block. Of the time samples that a
block evaluates together each process takes its own, and all of them share the rates: two exchanges
a block. The few evaluations before the first block wait for each other, and every process makes all
of them. Rates have the same bits wherever they are evaluated, so has the run.

Reference:
    Khan (2002), sec. 1.1.3.3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from phalanx.distribute.processes.messages import AllGather, Array, ProcessProgram
from phalanx.distribute.programs.platforms.modes import Observer, check_and_observe
from phalanx.distribute.programs.platforms.state import DividedState
from phalanx.simulation.formulations.sliding_block import Reached, SlidingBlock


def block_times(block: SlidingBlock, duration: float) -> Array:
    """Return all times at which a block evaluates or arrives, in order."""
    found = {0.0}
    stepper = block.moments(0.0, np.zeros(1), duration)
    reply: Array | None = None
    while True:
        try:
            request = stepper.send(reply)
        except StopIteration:
            return np.array(sorted(found))
        if isinstance(request, Reached):
            found.add(request.t)
            reply = None
        else:
            found.update(request.times.tolist())
            reply = np.zeros_like(request.states)


def time_sample_program(
    state: DividedState,
    block: SlidingBlock,
    rank: int,
    start: Array,
    samples: Mapping[float, Array],
    duration: float,
    observe: Observer | None = None,
) -> ProcessProgram:
    """Return the program of the process that has every ``points``-th time sample.

    Args:
        state: How the machine changes.
        block: Time samples that are evaluated together, as many as processes.
        rank: Which of them is this process's.
        start: The state at first.
        samples: Control at all times of :func:`block_times`.
        duration: [s].
        observe: Called with the state at the beginning of every step, and at the end.
    """
    rates = state.rates()
    return _time_samples(state, rates, block, rank, start, samples, duration, observe)


def _time_samples(
    state: DividedState,
    rates: Callable[[Array, Array], Array],
    block: SlidingBlock,
    rank: int,
    start: Array,
    samples: Mapping[float, Array],
    duration: float,
    observe: Observer | None,
) -> ProcessProgram:
    check_and_observe(observe, 0, start, block.step)
    taken = 0
    reply: Array | None = None
    stepper = block.moments(0.0, start, duration, state.landed)
    while True:
        try:
            request = stepper.send(reply)
        except StopIteration:
            return
        if isinstance(request, Reached):
            taken += 1
            check_and_observe(observe, taken, request.x, block.step)
            reply = None
            continue
        u = [samples[t] for t in request.times.tolist()]
        if len(u) == 1:
            reply = rates(request.states[0], u[0])[None]
            continue
        own = rates(request.states[rank], u[rank]) if rank < len(u) else np.empty(0)
        sizes = tuple(len(start) * (k < len(u)) for k in range(block.points))
        gathered = yield AllGather(own, sizes)
        reply = np.array(gathered[: len(u)])


def time_samples_alone(
    state: DividedState,
    block: SlidingBlock,
    start: Array,
    samples: Mapping[float, Array],
    duration: float,
    observe: Observer | None = None,
) -> Callable[[], None]:
    """Return the same on one processor, time samples in lanes of one vector; ready to start."""
    rates = state.rates()

    class Controlled:
        """Rates under the control of the motors."""

        def __call__(self, t: float, x: Array) -> Array:
            return rates(x, samples[t])

        def many(self, t: Array, x: Array) -> Array:
            return rates(x, np.array([samples[s] for s in t.tolist()]))

    def run() -> None:
        check_and_observe(observe, 0, start, block.step)
        states = block.states(Controlled(), 0.0, start, duration, state.landed)
        for k, (_, x) in enumerate(states, start=1):
            check_and_observe(observe, k, x, block.step)

    return run
