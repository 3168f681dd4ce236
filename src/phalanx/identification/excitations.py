"""Exciting motions: Fourier series with a small condition number.

Errors of torques become errors of parameters by at most the condition number of the base regressor.
Many series are tried at once, and those that do best are varied: an evolution from several
beginnings, each generation one compiled batch. All keep the limits.

Reference:
    Swevers et al., Optimal robot excitation and identification (IEEE T-RA 13, 1997).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phalanx.base.arguments import checked, time, whole
from phalanx.base.errors import InvalidInput
from phalanx.base.short_repr import short_repr
from phalanx.dynamics import Dynamics
from phalanx.identification.base import BaseParameters, base_parameters
from phalanx.identification.fourier import Series, at_rest
from phalanx.identification.incremental_qr import squares
from phalanx.identification.parameters import checked_terms, columns
from phalanx.mechanism import Mechanism
from phalanx.planning.paths.ends import limit_of_joints
from phalanx.planning.paths.machine import dynamics_of
from phalanx.planning.paths.path import Path

Array = NDArray[np.float64]

REACH = 1.5  # [rad or m] to either side where a joint has no end
PER_HARMONIC = 8  # rows of a trial
OFFSPRING = 8  # of each beginning, a generation
FIRST, LAST = 0.5, 0.05  # how far they are from their parents, as a share, at first and at last


@short_repr
@final
@dataclass(frozen=True, eq=False)
class Excitation:
    """A motion that shows all parameters.

    Attributes:
        path: One period, from rest to rest; it may be repeated.
        condition: Condition number of the base regressor along it, columns scaled.
        at_random: The same of the best series before they were varied.
        base: The base parameters it shows.
        series: Its Fourier coefficients.
    """

    path: Path
    condition: float
    at_random: float
    base: BaseParameters
    series: Series


@checked
def excitation(
    machine: Mechanism | Dynamics,
    *,
    period: float = 10.0,
    harmonics: int = 5,
    velocity_limit: ArrayLike | None = None,
    acceleration_limit: ArrayLike,
    terms: Sequence[str] = (),
    restarts: int = 8,
    generations: int = 30,
    seed: int = 0,
) -> Excitation:
    """A motion with a small condition number of the base regressor, within limits.

    Positions keep the joints' ranges, or ±1.5 rad or m where there are none.

    Args:
        machine: A mechanism, or its dynamics.
        period: How long [s].
        harmonics: How many of each joint; at least 3.
        velocity_limit: Either way [rad/s or m/s], one number or (n,); the machine's own when not
            given.
        acceleration_limit: Either way [rad/s² or m/s²], one number or (n,).
        terms: Parameters of joints to be shown too, as of :func:`base_parameters`.
        restarts: From how many beginnings.
        generations: How often they are varied.
        seed: Of the trials.

    Raises:
        InvalidInput: When a limit is no limit, or a number is too small.
        InvalidModel: When the machine has loops, or joints whose positions are no numbers.
    """
    dynamics, chosen = dynamics_of(machine), checked_terms(terms)
    m = dynamics.mechanism
    period, harmonics = time("period", period), whole("harmonics", harmonics, least=3)
    restarts, generations = whole("restarts", restarts), whole("generations", generations, least=0)
    velocity = np.minimum(
        m.per_freedom("velocity_limit"),
        limit_of_joints("velocity_limit", velocity_limit, m.nv),
    )
    acceleration = limit_of_joints("acceleration_limit", acceleration_limit, m.nv)
    if not velocity.all():
        raise InvalidInput(f"a joint of '{m.name}' has a velocity limit of zero: it cannot move.")
    base = base_parameters(dynamics, terms=chosen)
    trials = _Trials(dynamics, base, chosen, period, velocity, acceleration)
    rng = np.random.default_rng(whole("seed", seed, least=0))
    shape = (restarts * OFFSPRING, harmonics, m.nv)
    best = trials.fitted(
        rng.normal(size=shape), rng.normal(size=shape), rng.normal(size=shape[::2])
    )
    kept = np.argsort(trials.conditions(best))[:restarts]
    parents = _chosen(best, kept)
    costs = trials.conditions(parents)
    at_random = float(costs.min())
    for step in np.geomspace(FIRST, LAST, generations):
        children = trials.fitted(*(_varied(rng, part, step) for part in _parts(parents)))
        found = trials.conditions(children).reshape(restarts, OFFSPRING)
        winner = found.argmin(axis=1)
        better = found.min(axis=1) < costs
        rows = np.arange(restarts)[better] * OFFSPRING + winner[better]
        parents = _replaced(parents, better, _chosen(children, rows))
        costs = np.where(better, found.min(axis=1), costs)
    series = _chosen(parents, int(costs.argmin()))
    return Excitation(series.path(), float(costs.min()), at_random, base, series)


class _Trials:
    """Series of one machine, brought within its limits and judged in batches."""

    def __init__(
        self,
        dynamics: Dynamics,
        base: BaseParameters,
        terms: tuple[str, ...],
        period: float,
        velocity: Array,
        acceleration: Array,
    ) -> None:
        self._dynamics, self._base, self._terms, self._period = dynamics, base, terms, period
        self._velocity, self._acceleration = velocity, acceleration
        lower, upper = (dynamics.mechanism.per_freedom(name) for name in ("lower", "upper"))
        # where only one end is known, as far from it as elsewhere from the middle
        self._lower = np.where(np.isfinite(lower), lower, np.minimum(-REACH, upper - 2 * REACH))
        self._upper = np.where(np.isfinite(upper), upper, np.maximum(REACH, lower + 2 * REACH))

    def fitted(self, sine: Array, cosine: Array, place: Array) -> Series:
        """Series within the limits: as large as they allow, and somewhere in their range."""
        sine, cosine = at_rest(sine, cosine)
        still = Series(self._period, np.zeros(place.shape), sine, cosine)
        low, high, speed, change = still.peaks()
        room = self._upper - self._lower
        factors = (
            0.9 * room / (high - low),
            self._velocity / speed,
            self._acceleration / change,
        )
        factor = np.minimum(np.minimum(*factors[:2]), factors[2]) * (1 - 1e-9)
        low, high = low * factor, high * factor
        share = 1 / (1 + np.exp(-place))  # of the room that is left
        begin = self._lower - low + share * (room - (high - low))
        scale = factor[..., None, :]
        return Series(self._period, begin, sine * scale, cosine * scale)

    def conditions(self, series: Series) -> Array:
        """Condition numbers of a batch of series."""
        rows = PER_HARMONIC * series.sine.shape[-2]
        q, v, a = series.motion(np.arange(rows) * self._period / rows)
        W = columns(self._dynamics, q, v, a, self._terms)[..., self._base.independent]
        W = W.reshape(len(W), -1, len(self._base)) / self._base.scale
        size = np.linalg.norm(W, axis=1, keepdims=True)
        W = W / np.maximum(size, 1e-12)
        spread = np.linalg.eigvalsh(squares(W))
        return np.sqrt(spread[:, -1] / np.maximum(spread[:, 0], 1e-18))


def _parts(series: Series) -> tuple[Array, Array, Array]:
    return series.sine, series.cosine, np.zeros(series.begin.shape)


def _varied(rng: np.random.Generator, part: Array, step: float) -> Array:
    """Offspring of each parent, its numbers changed by a share of their size."""
    many = np.repeat(part, OFFSPRING, axis=0)
    size = np.sqrt(np.mean(many**2, axis=tuple(range(1, many.ndim)), keepdims=True))
    return many + step * np.maximum(size, 1e-3) * rng.normal(size=many.shape)


def _chosen(series: Series, which: Any) -> Series:
    return Series(series.period, series.begin[which], series.sine[which], series.cosine[which])


def _replaced(series: Series, which: Array, others: Series) -> Series:
    begin, sine, cosine = series.begin.copy(), series.sine.copy(), series.cosine.copy()
    begin[which], sine[which], cosine[which] = others.begin, others.sine, others.cosine
    return Series(series.period, begin, sine, cosine)
