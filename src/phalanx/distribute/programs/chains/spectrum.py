"""Spectral radius for Chebyshev's acceleration, by power iteration on all processes."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np

from phalanx.base.errors import InvalidInput
from phalanx.distribute.processes.messages import Message
from phalanx.distribute.programs.chains.iteration import summed
from phalanx.distribute.programs.chains.rows import SegmentRows
from phalanx.dynamics.evaluators.constraint_forces import blocks
from phalanx.dynamics.evaluators.constraint_forces.chebyshev import ChebyshevJacobi
from phalanx.dynamics.evaluators.constraint_forces.three_term import ThreeTerm

TOLERANCE = 1e-8  # a step of power iteration that changes less ends it
MOST = 20_000


def prepared(rows: SegmentRows, iteration: ThreeTerm) -> Generator[Message, Any, float]:
    """Return the spectral radius for Chebyshev's acceleration; zero for other iterations.

    Raises:
        InvalidInput: Chebyshev's acceleration is chosen where Jacobi's iteration diverges.
    """
    if not isinstance(iteration, ChebyshevJacobi):
        return 0.0
    if iteration.mu is not None:
        return iteration.mu
    mu = yield from power_iteration(rows)
    if not mu < 1:
        raise InvalidInput(
            f"Jacobi's iteration has the spectral radius {mu:.6g} on this machine; "
            "ChebyshevJacobi needs one below 1. Choose ConjugateGradientJacobi."
        )
    return mu


def power_iteration(rows: SegmentRows) -> Generator[Message, Any, float]:
    """Return the factor by which B = 1 - D⁻¹A stretches a vector that it was applied to many times.

    Lengths are those of the norm of D, in which B is symmetric. Each step takes an exchange
    with neighbours and a sum.
    """
    apply = blocks.apply_kernel(rows.width, 1).call
    start = np.random.default_rng(rows.segment.rank).standard_normal(rows.b.shape)
    x, Dx = apply(rows.inverse_D, start).z, start
    (square,) = yield from summed(x * Dx)
    mu = 0.0
    for _ in range(MOST):
        length = np.sqrt(square[0]) or 1.0
        x, Dx = x / length, Dx / length
        Dx = Dx - rows.product(x, (yield from rows.exchanged(x)))
        x, stretched = apply(rows.inverse_D, Dx)
        (square,) = yield from summed(stretched)
        before, mu = mu, float(np.sqrt(max(square[0], 0.0)))
        if abs(mu - before) <= TOLERANCE * mu:
            break
    return mu
