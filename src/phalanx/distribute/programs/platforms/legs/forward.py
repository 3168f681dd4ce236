"""Recursive method (DeNOC) on several processes: legs, and a centre without a link of its own.

The platform is cut, and every leg carries its share of it as a last link. One evaluation of the
equations of motion takes four round trips:

1. legs send their projector Φ, what their motor proposes, Φ b, and the motor's rate; the centre
   replies with the platform's twist and what each motor makes of it, K⁻¹ Φ b;
2. legs send Φ times the acceleration they would give the platform with motors at constant speed;
   the centre replies with the platform's acceleration;
3. legs send the forces that their passive joints lack, as a wrench on the platform; the centre
   replies with the sum;
4. legs send the torque that their motor has left and their part of the inertia that the motors
   feel; the centre solves for the accelerations of the motors and sends them.

With displacement analysis a further round trip closes the loops before each
evaluation (`displacement`).

A leg integrates its positions, the rate of its motor, and the platform's pose, the same
in all legs. What the centre records comes with the first message of a step.

Reference:
    Khan (2002), ch. 3, with the platform cut between the legs.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from typing import Any

import numpy as np

from phalanx.distribute.processes.messages import (
    AllGather,
    Array,
    Collect,
    Message,
    ProcessProgram,
    Reply,
    Request,
)
from phalanx.distribute.programs.platforms.legs.centre_work import CentreWork
from phalanx.distribute.programs.platforms.legs.compiled import Call
from phalanx.distribute.programs.platforms.legs.displacement import LegClosing, offered
from phalanx.distribute.programs.platforms.legs.leg_work import LegWork
from phalanx.distribute.programs.platforms.legs.legs import Legs
from phalanx.distribute.programs.platforms.modes import Diverged, Observer
from phalanx.distribute.programs.platforms.state import DividedState, control_of_stages
from phalanx.simulation.integrators.tableaux import CLASSIC

_NOTHING = np.empty(0)
_STILL = np.zeros(1)  # the motor's acceleration while what it lacks is found


def leg_program(
    state: DividedState,
    legs: Legs,
    work: LegWork,
    leg: int,
    start: Array,
    samples: Array,
    step: float,
    closing: LegClosing | None = None,
) -> ProcessProgram:
    """Return the program of a leg; arguments as for `rank_program`."""
    branch, platform = (legs.machine.branches.index(p) for p in (legs.branch(leg), legs.platform))
    own = len(start[state.slices[branch]])
    y = np.concatenate([start[state.slices[branch]], start[state.slices[platform]]])

    def closed(y: Array) -> Generator[Message, Any, Array]:
        if closing is None:
            return y
        delta = yield Request(closing.offer(y), legs.dimension)
        return closing.shift(y, delta)

    steps = len(samples) // 2
    for k in range(steps):
        y = yield from closed(y)
        slopes: list[Array] = []
        for (_, ahead), u in zip(CLASSIC.stages, control_of_stages(samples, k), strict=True):
            if slopes:
                here, report = (yield from closed(ahead(y, step, *slopes))), _NOTHING
            else:
                here, report = y, y[: legs.reported(leg)]
            slopes.append((yield from _evaluation(work, legs, leg, here, u, report)))
        y = CLASSIC.end(y, step, *slopes)
        y[:own] = state.landed(y[:own], branch)
        y[own:] = state.landed(y[own:], platform)
    y = yield from closed(y)
    yield AllGather(y[: legs.reported(leg)], _report_sizes(legs))


def centre_program(
    state: DividedState,
    legs: Legs,
    work: CentreWork,
    samples: Array,
    step: float,
    observe: Observer | None = None,
    closing: Call | None = None,
) -> ProcessProgram:
    """Return the program of the centre, which all legs send requests to."""
    d, n = legs.dimension, len(legs.names)
    sizes = (d * (d + 1) // 2 + d + 1, d, d, 1 + n * (n + 1) // 2)

    def closed() -> ProcessProgram:
        if closing is not None:
            offers = yield Collect((offered(legs),) * n)
            yield Reply(closing(_columns(offers)))

    steps = len(samples) // 2
    for k in range(steps):
        for stage in range(len(CLASSIC.c)):
            yield from closed()
            reports = _report_sizes(legs)[1:] if stage == 0 else (0,) * n
            sent = yield Collect(tuple(sizes[0] + size for size in reports))
            if stage == 0:
                _record_state(state, legs, k, [x[sizes[0] :] for x in sent], step, observe)
            proposals = _columns([x[: sizes[0]] for x in sent])
            twist, proposed = work.twist(proposals)
            yield Reply(np.concatenate([twist, proposed.ravel()]))
            drift = yield Collect((sizes[1],) * n)
            yield Reply(work.change(proposals, _columns(drift)))
            loads = yield Collect((sizes[2],) * n)
            yield Reply(np.sum(loads, axis=0))
            left = yield Collect((sizes[3],) * n)
            yield Reply(work.accelerate(_columns(left)))
    yield from closed()
    last = yield AllGather(_NOTHING, _report_sizes(legs))
    _record_state(state, legs, steps, last[1:], step, observe)


def _evaluation(
    work: LegWork, legs: Legs, leg: int, y: Array, u: Array, report: Array
) -> Generator[Message, Any, Array]:
    """Return the rates of what a leg integrates, in four round trips."""
    d, n = legs.dimension, len(legs.names)
    answer = yield Request(np.concatenate([work.propose(y), report]), d + d * n)
    twist, proposed = answer[:d], answer[d:].reshape(d, n)
    drift, moves = work.move(y, twist, _STILL)
    change = yield Request(drift, d)
    load, left = work.lack(y, twist, change, _STILL, u)
    whole = yield Request(load, d)
    remaining = left + proposed[:, leg] @ whole
    alpha = yield Request(np.concatenate([remaining, work.weigh(y, proposed)]), n)
    positions = len(legs.branch(leg).q)
    return np.concatenate([moves[:positions], alpha[leg : leg + 1], moves[positions:]])


def _record_state(
    state: DividedState,
    legs: Legs,
    k: int,
    reports: Sequence[Array],
    step: float,
    observe: Observer | None,
) -> None:
    """Put the state of the machine together from what legs report, and record it."""
    x = np.empty(sum(state.sizes))
    for leg, report in enumerate(reports):
        place = state.slices[legs.machine.branches.index(legs.branch(leg))]
        size = place.stop - place.start
        x[place] = report[:size]
        if leg == 0:
            x[state.slices[legs.machine.branches.index(legs.platform)]] = report[size:]
    if not math.isfinite(x.dot(x)):
        raise Diverged(k * step, step)
    if observe is not None:
        observe(k, x)


def _report_sizes(legs: Legs) -> tuple[int, ...]:
    """Return how many numbers each process reports to the record; the centre, first, none."""
    return (0, *(legs.reported(leg) for leg in range(len(legs.names))))


def _columns(sent: Sequence[Array]) -> Array:
    return np.column_stack(sent)
