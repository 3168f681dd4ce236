"""The recursive method on several nodes: a leg each, and a centre that has no link of its own.

The platform is cut, and every leg carries its share of it as a last link. One evaluation of the
equations of motion takes four round trips:

1. legs tell their projector Φ, what their motor proposes, Φ b, and the motor's rate; the centre
   answers with the platform's twist and what each motor makes of it, K⁻¹ Φ b;
2. legs tell Φ times the acceleration they would give the platform with motors at constant speed;
   the centre answers with the platform's acceleration;
3. legs tell the forces that their passive joints lack, as a wrench on the platform; the centre
   answers with the sum;
4. legs tell the torque that their motor has left and their part of the inertia that the motors
   feel; the centre solves for the accelerations of the motors and tells them.

Where a displacement analysis is asked for, a further round trip closes the loops before each
evaluation (`displacement`).

A leg holds its positions, the rate of its motor, and the platform's pose, which all legs integrate
alike. What the centre records comes with the first message of a step.

Reference:
    Khan (2002), ch. 3, with the platform cut between the legs.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from typing import Any

import numpy as np

from phalanx.distribute.processes.messages import (
    Answer,
    Array,
    Ask,
    Listen,
    Message,
    Program,
    Share,
)
from phalanx.distribute.programs.platforms.legs.centre_work import CentreWork
from phalanx.distribute.programs.platforms.legs.compiled import Call
from phalanx.distribute.programs.platforms.legs.displacement import LegClosing, offered
from phalanx.distribute.programs.platforms.legs.leg_work import LegWork
from phalanx.distribute.programs.platforms.legs.legs import Legs
from phalanx.distribute.programs.platforms.programs import Diverged, Observer
from phalanx.distribute.programs.platforms.state import State, control_of_stages
from phalanx.simulation.integrators.tableaux import CLASSIC

_NOTHING = np.empty(0)
_STILL = np.zeros(1)  # the motor's acceleration while what it lacks is found


def leg_program(
    state: State,
    legs: Legs,
    work: LegWork,
    leg: int,
    start: Array,
    samples: Array,
    step: float,
    closing: LegClosing | None = None,
) -> Program:
    """The program of the node that has a leg; arguments as for `node_program`."""
    part, platform = (legs.machine.parts.index(p) for p in (legs.part(leg), legs.platform))
    own = len(start[state.slices[part]])
    y = np.concatenate([start[state.slices[part]], start[state.slices[platform]]])

    def closed(y: Array) -> Generator[Message, Any, Array]:
        if closing is None:
            return y
        delta = yield Ask(closing.offer(y), legs.dimension)
        return closing.shift(y, delta)

    steps = len(samples) // 2
    for k in range(steps):
        y = yield from closed(y)
        slopes: list[Array] = []
        for (_, ahead), u in zip(CLASSIC.stages, control_of_stages(samples, k), strict=True):
            if slopes:
                here, report = (yield from closed(ahead(y, step, *slopes))), _NOTHING
            else:
                here, report = y, y[: legs.told(leg)]
            slopes.append((yield from _evaluation(work, legs, leg, here, u, report)))
        y = CLASSIC.end(y, step, *slopes)
        y[:own] = state.landed(y[:own], part)
        y[own:] = state.landed(y[own:], platform)
    y = yield from closed(y)
    yield Share(y[: legs.told(leg)], _told(legs))


def centre_program(
    state: State,
    legs: Legs,
    work: CentreWork,
    samples: Array,
    step: float,
    observe: Observer | None = None,
    closing: Call | None = None,
) -> Program:
    """The program of the node that all legs ask."""
    d, n = legs.dimension, len(legs.names)
    sizes = (d * (d + 1) // 2 + d + 1, d, d, 1 + n * (n + 1) // 2)

    def closed() -> Program:
        if closing is not None:
            offers = yield Listen((offered(legs),) * n)
            yield Answer(closing(_columns(offers)))

    steps = len(samples) // 2
    for k in range(steps):
        for stage in range(len(CLASSIC.c)):
            yield from closed()
            reports = _told(legs)[1:] if stage == 0 else (0,) * n
            told = yield Listen(tuple(sizes[0] + size for size in reports))
            if stage == 0:
                _look(state, legs, k, [x[sizes[0] :] for x in told], step, observe)
            proposals = _columns([x[: sizes[0]] for x in told])
            twist, proposed = work.twist(proposals)
            yield Answer(np.concatenate([twist, proposed.ravel()]))
            drift = yield Listen((sizes[1],) * n)
            yield Answer(work.change(proposals, _columns(drift)))
            loads = yield Listen((sizes[2],) * n)
            yield Answer(np.sum(loads, axis=0))
            left = yield Listen((sizes[3],) * n)
            yield Answer(work.accelerate(_columns(left)))
    yield from closed()
    last = yield Share(_NOTHING, _told(legs))
    _look(state, legs, steps, last[1:], step, observe)


def _evaluation(
    work: LegWork, legs: Legs, leg: int, y: Array, u: Array, report: Array
) -> Generator[Message, Any, Array]:
    """The rates of what a leg holds, in four round trips."""
    d, n = legs.dimension, len(legs.names)
    answer = yield Ask(np.concatenate([work.propose(y), report]), d + d * n)
    twist, proposed = answer[:d], answer[d:].reshape(d, n)
    drift, moves = work.move(y, twist, _STILL)
    change = yield Ask(drift, d)
    load, left = work.lack(y, twist, change, _STILL, u)
    whole = yield Ask(load, d)
    remaining = left + proposed[:, leg] @ whole
    alpha = yield Ask(np.concatenate([remaining, work.weigh(y, proposed)]), n)
    positions = len(legs.part(leg).q)
    return np.concatenate([moves[:positions], alpha[leg : leg + 1], moves[positions:]])


def _look(
    state: State,
    legs: Legs,
    k: int,
    reports: Sequence[Array],
    step: float,
    observe: Observer | None,
) -> None:
    """Put the state of the machine together from what legs report."""
    x = np.empty(sum(state.sizes))
    for leg, report in enumerate(reports):
        part = state.slices[legs.machine.parts.index(legs.part(leg))]
        size = part.stop - part.start
        x[part] = report[:size]
        if leg == 0:
            x[state.slices[legs.machine.parts.index(legs.platform)]] = report[size:]
    if not math.isfinite(x.dot(x)):
        raise Diverged(k * step, step)
    if observe is not None:
        observe(k, x)


def _told(legs: Legs) -> tuple[int, ...]:
    """What each node tells for the record; the centre, first, has nothing to tell."""
    return (0, *(legs.told(leg) for leg in range(len(legs.names))))


def _columns(told: Sequence[Array]) -> Array:
    return np.column_stack(told)
