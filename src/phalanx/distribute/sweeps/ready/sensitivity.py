"""Global sensitivity analysis: Sobol indices of a result.

The variance of a result over all cases is split among what was varied. The first-order index of a
number is the share that it has alone, the total index the share that would vanish if it were known,
with all that it does together with others.

The design is Saltelli's: two independent samples A and B of n points each, and for every number one
that is A with this number from B; n (d + 2) cases. SciPy computes the indices.

Reference:
    Saltelli et al., Variance based sensitivity analysis of model output, Computer Physics
    Communications 181 (2010) 259-270.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phalanx.base import arguments
from phalanx.base.errors import InvalidInput, shown
from phalanx.base.short_repr import short_repr
from phalanx.distribute.sweeps.distributions import Distribution
from phalanx.distribute.sweeps.listed_cases import Table

Array = NDArray[Any]


@short_repr
@final
@dataclass(frozen=True)
class Sensitivity:
    """Shares of the variance of a result.

    Attributes:
        of: The result.
        first: First-order index of every varied number, by name: what it does alone.
        total: Total index: what it does alone and with others.
        base: Points of a sample; there were (numbers + 2) times as many cases.
    """

    of: str
    first: dict[str, float]
    total: dict[str, float]
    base: int

    @property
    def shares(self) -> dict[str, tuple[float, float]]:
        """Both indices by name, the largest total first."""
        order = sorted(self.total, key=lambda name: -self.total[name])
        return {name: (self.first[name], self.total[name]) for name in order}


def saltelli_cases(spreads: Mapping[str, Distribution], base: int, *, seed: int = 0) -> Table:
    """The cases whose results give Sobol indices.

    Args:
        spreads: What is varied: one number each.
        base: Points n of a sample, a power of two; there are n (d + 2) cases.
        seed: Of the quasi-random points.

    Raises:
        InvalidInput: When ``base`` is no power of two, or a distribution is not one of numbers.
    """
    from scipy.stats import qmc

    base = arguments.whole("base", base)
    if base & (base - 1) or base < 2:
        raise InvalidInput(f"base={base}; expected a power of two, such as 1024.")
    for name, spread in spreads.items():
        if not isinstance(spread, Distribution) or spread.shape or spread.labels:
            raise InvalidInput(
                f"'{name}' is {shown(spread)}; expected a distribution of one number, such as "
                "Uniform(0.9, 1.1)."
            )
    if not spreads:
        raise InvalidInput("sensitivity needs something to vary; got no names.")
    names = list(spreads)
    points = qmc.Sobol(2 * len(names), seed=seed).random(base)
    points = np.clip(points, 2.0**-53, 1 - 2.0**-53)
    a, b = points[:, : len(names)], points[:, len(names) :]
    mixed = [_with_column(a, b, k) for k in range(len(names))]
    shares = np.concatenate([a, b, *mixed])
    return Table({name: spreads[name].spread(shares[:, k]) for k, name in enumerate(names)})


def sensitivity(of: str, names: tuple[str, ...], results: ArrayLike) -> Sensitivity:
    """Sobol indices from the results of :func:`saltelli_cases`.

    Args:
        of: What the result is called.
        names: What was varied, in the order of the cases' columns.
        results: One a case, shape (n (d + 2),).

    Raises:
        InvalidInput: When their number does not fit, one is not finite, or all are the same.
    """
    from scipy.stats import sobol_indices

    values = np.asarray(results, dtype=np.float64)
    parts = len(names) + 2
    if values.ndim != 1 or not values.size or values.size % parts:
        raise InvalidInput(
            f"{of} has shape {values.shape}; expected one number for each of n ({len(names)} + 2) "
            "cases of saltelli_cases()."
        )
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        raise InvalidInput(
            f"{bad.size:,} of {values.size:,} cases have no {of}, the first of them {bad[0]}; "
            "Sobol indices need all. Vary within narrower bounds."
        )
    if np.ptp(values) == 0:
        raise InvalidInput(f"{of} is the same in all cases; there is no variance to split.")
    a, b, *mixed = values.reshape(parts, -1)
    found = sobol_indices(
        func={"f_A": a[None], "f_B": b[None], "f_AB": np.array(mixed)[:, None]}, n=len(a)
    )
    first, total = (np.ravel(x).tolist() for x in (found.first_order, found.total_order))
    return Sensitivity(
        of, dict(zip(names, first, strict=True)), dict(zip(names, total, strict=True)), len(a)
    )


def _with_column(a: Array, b: Array, k: int) -> Array:
    mixed = a.copy()
    mixed[:, k] = b[:, k]
    return mixed
