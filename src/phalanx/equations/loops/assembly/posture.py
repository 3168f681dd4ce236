"""Postures of a machine as it is assembled, by its mechanism: searches that are made once."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from phalanx.equations.loops.assembly.closed_loops import closed_loops
from phalanx.equations.loops.assembly.search import CLOSED, Attempt, BoolArray
from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import Array


def openings(mechanism: Mechanism, q: Array) -> Array:
    """What keeps loops from being closed [m or rad].

    All that :func:`mismatch` compares; of machines some of whose equations follow from others but
    for rounding, the equations that count, and what of the rest is more than rounding explains.
    """
    return closed_loops(mechanism).search.openings(q)


def owners_of_openings(mechanism: Mechanism) -> tuple[str, ...]:
    """For each of the openings the name of its loop."""
    return closed_loops(mechanism).search.owners


def open_loops(mechanism: Mechanism, q: Array, tolerance: float = CLOSED) -> dict[str, float]:
    """Loops that are open at a posture, with their largest opening [m or rad]."""
    closed = closed_loops(mechanism)
    which = closed.search.by_loop(q, tolerance)
    # told in full, also where some of it would be allowed
    return {name: by for name, by in closed.plain.by_loop(q, tolerance).items() if name in which}


def moved(mechanism: Mechanism, q: Array, v: Array) -> Array:
    """Positions reached from q by displacements along the velocities, shape (nq,)."""
    return closed_loops(mechanism).plain.moved(q, v)


def with_unit_quaternions(mechanism: Mechanism, q: Array) -> Array:
    """Positions with every quaternion of length one; NaN where it has none."""
    return closed_loops(mechanism).plain.with_unit_quaternions(q)


def close_loops(mechanism: Mechanism, guess: Array, held: BoolArray | None = None) -> Attempt:
    """The closed posture that Newton's method reaches from a guess; see :meth:`Search.close`."""
    return closed_loops(mechanism).search.close(guess, held)


def nearest_posture(
    mechanism: Mechanism, guess: Array, held: BoolArray, *, anywhere: bool = False
) -> Attempt:
    """A closed posture from a guess, from guesses next to it, or from any.

    See :meth:`Search.nearest`.
    """
    return closed_loops(mechanism).search.nearest(guess, held, anywhere=anywhere)


def closed_postures(mechanism: Mechanism) -> Iterator[Array]:
    """Some postures in general position in which all loops close."""
    closed = closed_loops(mechanism)
    yield from (x.q for x in closed.search.samples(closed.first) if x.closes)


def usual_postures(mechanism: Mechanism) -> Iterator[Array]:
    """Closed postures near and far: what a machine looks like on its way.

    Those of :func:`closed_postures` may all be next to a singular one.
    """
    search = closed_loops(mechanism).search
    rng = np.random.default_rng(2)
    for q in closed_postures(mechanism):
        yield q
        kick = rng.standard_normal(mechanism.nv) * search.scales
        other = search.close(search.moved(q, kick))
        if other.closes:
            yield other.q
