"""Distributed Jacobi, Chebyshev and conjugate-gradient iterations for constraint forces.

Each process has the rows of its segment. In a step it exchanges the z of its outermost joints with
its neighbours, and sums go over all processes: one of (z, A z) where factors
depend on it, and one of three numbers for factors and for stopping. What stops an iteration is thus
the same at all processes, and they stop together. Factors and tests are those of one processor.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from phalanx.distribute.processes.messages import Array, Message, Sum
from phalanx.distribute.programs.chains.rows import SegmentRows
from phalanx.dynamics.evaluators.constraint_forces import blocks
from phalanx.dynamics.evaluators.constraint_forces.solution import DidNotConverge
from phalanx.dynamics.evaluators.constraint_forces.stopping import Stopping
from phalanx.dynamics.evaluators.constraint_forces.three_term import ThreeTerm, ratio


@final
@dataclass(frozen=True, eq=False)
class SegmentForces:
    """Constraint forces of a segment.

    Attributes:
        f: Shape (joints, width).
        beside: Those of the joints next to it, shape (reach, width of the machine).
        iterations: How many steps it took.
        residual: |b - A f| / |b| of the whole machine, in the norm of D⁻¹, formed from f itself.
    """

    f: Array
    beside: Array
    iterations: int
    residual: float


def iterated(
    rows: SegmentRows,
    iteration: ThreeTerm,
    stopping: Stopping,
    most: int,
    prepared: float,
    start: Array | None,
) -> Generator[Message, Any, SegmentForces]:
    """Solve A f = b together with all other processes.

    Args:
        rows: Those of this process.
        iteration: How.
        stopping: When it may stop.
        most: Largest number of steps.
        prepared: What the factors need to know of A.
        start: Where to begin, shape (joints, width), at all processes or at none.

    Raises:
        DidNotConverge: It did not; at all processes.
    """
    apply = blocks.apply_kernel(rows.width, 1).call
    step = blocks.three_term_kernel(rows.width, 1).call
    N = rows.inverse_D
    f = np.zeros_like(rows.b) if start is None else start
    r = rows.b.copy()
    if start is not None:
        r -= rows.product(f, (yield from rows.exchanged(f)))
    z, zr = apply(N, r)
    zDz, size_b = yield from summed(zr, apply(N, rows.b).zr)
    scale, zDz_before, factors = np.sqrt(size_b), zDz, None
    f_before, r_before, known = f, r, np.array([prepared])

    done, count, change = bool(zDz[0] == 0), 0, np.zeros(1)
    if stopping.change is None:
        done |= bool(stopping.met(zDz, zDz, np.sqrt(zDz), scale)[0])
    while not done and count < most and np.isfinite(change[0]):
        Az = rows.product(z, (yield from rows.exchanged(z)))
        zAz = np.zeros(1)
        if iteration.uses_zAz:
            (zAz,) = yield from summed(z * Az)
        factors = iteration.factors(known, factors, zDz, zDz_before, zAz)
        gamma, rho = (np.full(len(f), factor[0]) for factor in (factors.gamma, factors.rho))
        f_next, r_next, z, zr, changes, norms = step(f, f_before, r, r_before, z, Az, N, gamma, rho)
        f_before, f, r_before, r = f, f_next, r, r_next
        zDz_before = zDz
        zDz, changed, size = yield from summed(zr, changes, norms)
        changed, size, left = np.sqrt(changed), np.sqrt(size), np.sqrt(np.maximum(zDz, 0.0))
        change = ratio(changed, size)
        done = bool((stopping.met(changed, size, left, scale) | (zDz == 0))[0])
        count += 1

    beside = yield from rows.exchanged(f)
    (left,) = yield from summed(apply(N, rows.b - rows.product(f, beside)).zr)
    residual = float(ratio(np.sqrt(left), scale)[0])
    if not done or not np.isfinite(residual):
        raise DidNotConverge(iteration.name, 0, count, float(change[0]), residual, f[None])
    return SegmentForces(f, beside, count, residual)


def summed(*of_joints: Array) -> Generator[Message, Any, list[Array]]:
    """Return sums over the joints of all processes, each of shape (1,)."""
    total = yield Sum(np.array([float(numbers.sum()) for numbers in of_joints]))
    return [np.array([number]) for number in total]
