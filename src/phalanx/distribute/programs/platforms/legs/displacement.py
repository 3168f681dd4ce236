"""Displacement analysis (Newton's method) between legs and a centre, a step in one round trip.

With the motors where they are, a leg closes its loop if A_p δp + A_P δP = -c, δp of its passive
joints and δP of the platform. What its passive joints cannot do is the platform's to do: legs send
A_Pᵀ N A_P and A_Pᵀ N c, with N = 1 - A_p A_p⁺, the centre adds up, solves for δP and sends it, and
legs find δp. To find a posture they go on until no loop is open any more.

Reference:
    Khan (2002), sec. 3.1, where it is left to another source; Newton's method here.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.distribute.processes.messages import Array, Collect, Message, Reply, Request
from phalanx.distribute.programs.platforms.legs.compiled import (
    Call,
    compiled_for_centre,
    compiled_for_leg,
    lower_triangle,
    symmetric,
)
from phalanx.distribute.programs.platforms.legs.legs import Legs
from phalanx.distribute.programs.platforms.reference import CLOSED, NEWTON, out_of_reach
from phalanx.equations.loops.closure.equations import constraint, rows_of_loops
from phalanx.equations.mass_matrix.factorization import factorize
from phalanx.equations.quantities.configuration import integrate


@dataclass(frozen=True)
class LegClosing:
    """What a leg computes to close its loop; ``y`` is what it integrates.

    Attributes:
        offer: y -> A_Pᵀ N A_P (lower triangle), A_Pᵀ N c, how far its loop is open.
        shift: (y, δP) -> y with its loop closed to first order.
    """

    offer: Call
    shift: Call


def leg_closing(legs: Legs, leg: int) -> LegClosing:
    """Trace and compile what a leg computes."""
    machine, part = legs.machine, legs.branch(leg)
    model = machine.model
    q, rate, delta = (
        SX.sym("q", machine.mechanism.nq),
        SX.sym("rate"),
        SX.sym("delta", legs.dimension),
    )
    names = rows_of_loops(model)
    own = tuple(row for row in machine.rows if names[row] == legs.names[leg])
    here = constraint(model, q, SX(model.nv, 1), own)
    passive = [k for k in part.v if k not in machine.motors]
    A_p, A_P = here.A[:, passive], here.A[:, list(legs.platform.v)]
    inverse = factorize(ca.densify(A_p.T @ A_p)).solve(ca.densify(A_p.T))
    N = SX.eye(len(own)) - A_p @ inverse

    moves = SX(model.nv, 1)
    moves[passive] = -inverse @ (here.c + A_P @ delta)
    moves[list(legs.platform.v)] = delta
    moved = integrate(model, q, moves)
    after = ca.vertcat(moved[list(part.q)], rate, moved[list(legs.platform.q)])
    offer = ca.vertcat(lower_triangle(A_P.T @ N @ A_P), A_P.T @ N @ here.c, ca.norm_inf(here.c))
    state = {"q": q, "rate": rate}
    return LegClosing(
        compiled_for_leg(legs, leg, "offer", state, {}, {"sent": offer}),
        compiled_for_leg(legs, leg, "shift", state, {"delta": delta}, {"y_next": after}),
    )


def centre_closing(legs: Legs) -> Call:
    """Return machine code of offers of all legs, a column each -> δP."""
    d = legs.dimension
    packed = d * (d + 1) // 2
    sent = SX.sym("sent", offered(legs), len(legs.names))
    summed = ca.sum2(sent)
    delta = -factorize(symmetric(summed[:packed], d)).solve(summed[packed:-1])
    return compiled_for_centre("shift", {"sent": sent}, {"delta": delta})


def offered(legs: Legs) -> int:
    """Return how many numbers a leg offers."""
    d = legs.dimension
    return d * (d + 1) // 2 + d + 1


def leg_posture(
    legs: Legs, closing: LegClosing, y: Array, report: Array
) -> Generator[Message, Any, Array]:
    """Return what a leg integrates, moved until loops are closed (Newton, a round trip a step).

    Args:
        legs: The machine.
        closing: What the leg computes.
        y: What it integrates, the motor where it is to be.
        report: What else it sends to the centre, with its first message.
    """
    while True:
        answer = yield Request(np.concatenate([closing.offer(y), report]), legs.dimension + 1)
        report = report[:0]
        y = closing.shift(y, answer[:-1])
        if answer[-1] <= CLOSED:  # the step just taken squares what was left
            return y


def centre_posture(
    legs: Legs, closing: Call, t: float, reports: Sequence[int]
) -> Generator[Message, Any, list[Array]]:
    """Do the centre's part of it; return the reports of the legs, of so many numbers each.

    Raises:
        InvalidInput: The loops do not close with the motors there.
    """
    size = offered(legs)
    first: list[Array] = []
    for k in range(NEWTON):
        sent = yield Collect(tuple(size + more * (k == 0) for more in reports))
        first = first or [x[size:] for x in sent]
        offers = np.column_stack([x[:size] for x in sent])
        opening = float(offers[-1].max())
        if not opening < np.inf:
            break
        yield Reply(np.append(closing(offers), opening))
        if opening <= CLOSED:
            return first
    raise out_of_reach(legs.machine, t, opening)
