"""Moments of a motion on nodes of their own: parallel in time, not in parts of the machine.

Every node knows the whole machine and follows the same sliding block. Of the moments that a block
evaluates at a time each node takes its own, and all of them share the rates: two exchanges a block.
The few evaluations before the first block wait for each other, and every node makes all of
them. Rates have the same bits wherever they are evaluated, so has the run.

Reference:
    Khan (2002), sec. 1.1.3.3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from phalanx.distribute.processes.messages import Array, Program, Share
from phalanx.distribute.programs.platforms.programs import Observer, look_at
from phalanx.distribute.programs.platforms.state import State
from phalanx.simulation.formulations.sliding_block import Reached, SlidingBlock


def moments_of(block: SlidingBlock, duration: float) -> Array:
    """All times at which a block evaluates or arrives, in order."""
    found = {0.0}
    asking = block.moments(0.0, np.zeros(1), duration)
    reply: Array | None = None
    while True:
        try:
            said = asking.send(reply)
        except StopIteration:
            return np.array(sorted(found))
        if isinstance(said, Reached):
            found.add(said.t)
            reply = None
        else:
            found.update(said.times.tolist())
            reply = np.zeros_like(said.states)


def moment_program(
    state: State,
    block: SlidingBlock,
    node: int,
    start: Array,
    samples: Mapping[float, Array],
    duration: float,
    observe: Observer | None = None,
) -> Program:
    """The program of the node that has every ``points``-th moment.

    Args:
        state: How the machine changes.
        block: Moments that are evaluated at a time, as many as nodes.
        node: Which of them is this node's.
        start: The state at first.
        samples: Control at all times of :func:`moments_of`.
        duration: [s].
        observe: Called with the state at the beginning of every step, and at the end.
    """
    rates = state.rates()
    return _moments(state, rates, block, node, start, samples, duration, observe)


def _moments(
    state: State,
    rates: Callable[[Array, Array], Array],
    block: SlidingBlock,
    node: int,
    start: Array,
    samples: Mapping[float, Array],
    duration: float,
    observe: Observer | None,
) -> Program:
    look_at(observe, 0, start, block.step)
    taken = 0
    reply: Array | None = None
    asking = block.moments(0.0, start, duration, state.landed)
    while True:
        try:
            said = asking.send(reply)
        except StopIteration:
            return
        if isinstance(said, Reached):
            taken += 1
            look_at(observe, taken, said.x, block.step)
            reply = None
            continue
        u = [samples[t] for t in said.times.tolist()]
        if len(u) == 1:
            reply = rates(said.states[0], u[0])[None]
            continue
        own = rates(said.states[node], u[node]) if node < len(u) else np.empty(0)
        sizes = tuple(len(start) * (k < len(u)) for k in range(block.points))
        told = yield Share(own, sizes)
        reply = np.array(told[: len(u)])


def moments_alone(
    state: State,
    block: SlidingBlock,
    start: Array,
    samples: Mapping[float, Array],
    duration: float,
    observe: Observer | None = None,
) -> Callable[[], None]:
    """The same blocks on one processor, their moments in lanes of one vector; ready to start."""
    rates = state.rates()

    class Controlled:
        """The field under control."""

        def __call__(self, t: float, x: Array) -> Array:
            return rates(x, samples[t])

        def many(self, t: Array, x: Array) -> Array:
            return rates(x, np.array([samples[s] for s in t.tolist()]))

    def run() -> None:
        look_at(observe, 0, start, block.step)
        states = block.states(Controlled(), 0.0, start, duration, state.landed)
        for k, (_, x) in enumerate(states, start=1):
            look_at(observe, k, x, block.step)

    return run
