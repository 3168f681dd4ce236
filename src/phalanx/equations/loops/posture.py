"""Postures in which loops close, by Newton's method with a line search."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.equations.build import model_of
from phalanx.equations.configuration import integrate
from phalanx.equations.loops.closure import constraint
from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import Array

CLOSED = 1e-12  # [m or rad]
_STEPS = 100
_LONGEST_STEP = 0.5  # [m or rad] in any coordinate, so that Newton does not jump to another branch
_SMALL_SINGULAR_VALUE = 1e-9
_SAMPLES = 5


@dataclass(frozen=True)
class Attempt:
    """Where the search for a closed posture ended."""

    q: Array
    residual: float
    steps: int

    @property
    def closes(self) -> bool:
        """Whether all loops are closed."""
        return self.residual <= CLOSED


@dataclass(frozen=True)
class _Functions:
    open: ca.Function
    derivative: ca.Function
    move: ca.Function


@lru_cache(maxsize=64)
def _functions(mechanism: Mechanism) -> _Functions:
    model = model_of(mechanism)
    q, v = SX.sym("q", mechanism.nq), SX.sym("v", mechanism.nv)
    equations = constraint(model, q, v)
    return _Functions(
        ca.Function("open", [q], [ca.densify(equations.c)]),
        ca.Function("derivative", [q], [ca.densify(equations.A)]),
        ca.Function("move", [q, v], [integrate(model, q, v)]),
    )


def openings(mechanism: Mechanism, q: Array) -> Array:
    """How far each closure equation is from zero [m or rad], shape (m,)."""
    return np.asarray(_functions(mechanism).open(q)).ravel()


def close_loops(mechanism: Mechanism, guess: Array, held: Array | None = None) -> Attempt:
    """The closed posture that Newton's method reaches from a guess.

    Every step is the shortest that closes the linearised loops, so redundant equations do no harm;
    it is halved until the loops are less open than before.

    Args:
        mechanism: A machine with loops.
        guess: Positions to start from, shape (nq,).
        held: Which velocities are not to be used, shape (nv,), true for held.
    """
    f = _functions(mechanism)
    q = np.array(guess, dtype=np.float64)
    c = np.asarray(f.open(q)).ravel()
    free = np.ones(mechanism.nv, dtype=bool) if held is None else ~np.asarray(held, dtype=bool)
    steps = 0
    while np.abs(c).max(initial=0.0) > CLOSED / 10 and steps < _STEPS:
        A = np.asarray(f.derivative(q))[:, free]
        step = np.zeros(mechanism.nv)
        step[free] = -np.linalg.lstsq(A, c, rcond=_SMALL_SINGULAR_VALUE)[0]
        step *= min(1.0, _LONGEST_STEP / max(np.abs(step).max(initial=0.0), 1e-300))
        for _ in range(40):
            trial = np.asarray(f.move(q, step)).ravel()
            opened = np.asarray(f.open(trial)).ravel()
            if np.linalg.norm(opened) < np.linalg.norm(c):
                break
            step = step / 2
        else:
            break  # nothing nearer: a minimum, or rounding
        q, c, steps = trial, opened, steps + 1
    return Attempt(q, float(np.abs(c).max(initial=0.0)), steps)


def closed_postures(mechanism: Mechanism) -> Iterator[Array]:
    """Some postures in general position in which all loops close, if they can be found."""
    rng = np.random.default_rng(0)
    found = 0
    neutral = mechanism.neutral()
    start: Array | None = None
    f = _functions(mechanism)
    for attempt in range(40):
        wide = start is None
        centre = neutral if start is None else start
        spread = 0.0 if attempt == 0 else (1.0 if wide else 0.2)
        guess = np.asarray(f.move(centre, spread * rng.standard_normal(mechanism.nv))).ravel()
        reached = close_loops(mechanism, guess)
        if reached.closes:
            start = reached.q if start is None else start
            found += 1
            yield reached.q
            if found == _SAMPLES:
                return
