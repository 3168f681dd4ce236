"""Probability distributions of varied numbers: inverse cumulative functions of the unit interval.

Random and quasi-random cases differ in their shares alone. A bound that is a list makes a vector,
with a share of its own for every entry.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phalanx.base.arguments import came, finite_numbers
from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.base.short_repr import short_repr

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Distribution(ABC):
    """A way to spread values."""

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """Shape of one value: () or (n,)."""

    @abstractmethod
    def spread(self, shares: Array) -> Array:
        """Values, one for each share within (0, 1), of the same shape."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The words among which it chooses; none where it gives numbers."""
        return ()

    def to_data(self) -> dict[str, Any]:
        """As plain data: its kind and its numbers."""
        numbers = {field.name: _plain(getattr(self, field.name)) for field in fields(self)}
        return {"kind": type(self).__name__.lower(), **numbers}


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    return list(value) if isinstance(value, tuple) else value  # as JSON has them


def _bounds(instance: Distribution, *names: str) -> None:
    """Keep numbers as finite arrays of one shape."""
    values = [finite_numbers(name, getattr(instance, name)) for name in names]
    try:
        values = [np.array(value) for value in np.broadcast_arrays(*values)]
    except ValueError:
        shapes = ", ".join(f"{n}{np.shape(v)}" for n, v in zip(names, values, strict=True))
        raise InvalidInput(f"{type(instance).__name__}: shapes differ: {shapes}.") from None
    if values[0].ndim > 1:
        raise InvalidInput(
            f"{type(instance).__name__}: {came(names[0], getattr(instance, names[0]))}; expected a "
            "number or a list of numbers."
        )
    for name, value in zip(names, values, strict=True):
        value.flags.writeable = False
        object.__setattr__(instance, name, value)


@short_repr
@final
@dataclass(frozen=True, eq=False)
class Uniform(Distribution):
    """Evenly between two bounds."""

    low: ArrayLike
    high: ArrayLike

    def __post_init__(self) -> None:
        """Check the bounds."""
        _bounds(self, "low", "high")
        if (np.asarray(self.low) > np.asarray(self.high)).any():
            raise InvalidInput(f"Uniform: low={self.low!r} lies above high={self.high!r}.")

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the bounds."""
        return np.shape(self.low)

    def spread(self, shares: Array) -> Array:
        """From low to high."""
        low, high = np.asarray(self.low), np.asarray(self.high)
        return low + (high - low) * shares


@short_repr
@final
@dataclass(frozen=True, eq=False)
class LogUniform(Distribution):
    """Evenly in the logarithm: as often between 1 and 10 as between 10 and 100."""

    low: ArrayLike
    high: ArrayLike

    def __post_init__(self) -> None:
        """Check the bounds."""
        _bounds(self, "low", "high")
        low, high = np.asarray(self.low), np.asarray(self.high)
        if (low <= 0).any() or (low > high).any():
            raise InvalidInput(f"LogUniform: low={low}, high={high}; expected 0 < low <= high.")

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the bounds."""
        return np.shape(self.low)

    def spread(self, shares: Array) -> Array:
        """From low to high."""
        low, high = np.log(np.asarray(self.low)), np.log(np.asarray(self.high))
        return np.asarray(np.exp(low + (high - low) * shares))


@short_repr
@final
@dataclass(frozen=True, eq=False)
class Normal(Distribution):
    """A normal distribution, cut off ``most`` deviations from its mean where that is given."""

    mean: ArrayLike
    deviation: ArrayLike
    most: float | None = None

    def __post_init__(self) -> None:
        """Check the numbers."""
        _bounds(self, "mean", "deviation")
        if (np.asarray(self.deviation) < 0).any():
            raise InvalidInput(f"Normal: deviation={self.deviation!r} is negative.")
        if self.most is not None and not 0 < self.most < np.inf:
            raise InvalidInput(f"Normal: {came('most', self.most)}; expected a number above 0.")

    @property
    def shape(self) -> tuple[int, ...]:
        """Of mean and deviation."""
        return np.shape(self.mean)

    def spread(self, shares: Array) -> Array:
        """By the inverse of the distribution."""
        from scipy.special import ndtr, ndtri

        if self.most is not None:
            below = ndtr(-self.most)
            shares = below + (1 - 2 * below) * shares
        return np.asarray(self.mean + np.asarray(self.deviation) * ndtri(shares))


@short_repr
@final
@dataclass(frozen=True, eq=False)
class Choice(Distribution):
    """One of some numbers, or of some words, each as often."""

    values: tuple[Any, ...]

    def __post_init__(self) -> None:
        """Check that there are some, of one kind."""
        values = tuple(self.values)
        if not values:
            raise InvalidInput("Choice: there is nothing to choose from.")
        if not all(isinstance(value, str) for value in values):
            finite_numbers("values of Choice", np.array(values))
        object.__setattr__(self, "values", values)

    @property
    def shape(self) -> tuple[int, ...]:
        """Of one of them."""
        return ()

    @property
    def labels(self) -> tuple[str, ...]:
        """The words, if they are words."""
        return self.values if isinstance(self.values[0], str) else ()

    def spread(self, shares: Array) -> Array:
        """The first values for the smallest shares."""
        count = len(self.values)
        return np.array(self.values)[np.minimum((shares * count).astype(np.int64), count - 1)]


KINDS = {kind.__name__.lower(): kind for kind in (Uniform, LogUniform, Normal, Choice)}


def distribution_from(data: dict[str, Any]) -> Distribution:
    """What ``to_data`` wrote, or a person in a file.

    Raises:
        UnknownName: When there is no such kind.
        InvalidInput: When its numbers are not those of its kind.
    """
    rest = dict(data)
    kind = str(rest.pop("kind", "uniform")).replace("-", "").replace("_", "")
    if kind not in KINDS:
        raise UnknownName("a sweep", "distribution", kind, KINDS)
    try:
        made: Distribution = KINDS[kind](**rest)
    except TypeError:
        wanted = ", ".join(field.name for field in fields(KINDS[kind]))
        raise InvalidInput(
            f"a distribution of kind '{kind}' takes {wanted}; got {', '.join(rest)}."
        ) from None
    return made
