"""A named quantity of a run: what its numbers mean, and the numbers over time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phalanx.errors import InvalidInput, UnknownName

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Channel:
    """What is recorded under a name.

    Attributes:
        name: Such as ``q``.
        unit: Such as ``rad``; empty for a pure number.
        labels: One a column, such as joint names; none for a scalar.
    """

    name: str
    unit: str = ""
    labels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check the names."""
        object.__setattr__(self, "labels", tuple(self.labels))
        if not self.name:
            raise InvalidInput("a signal needs a name; got an empty one.")
        if "" in self.labels or len(set(self.labels)) < len(self.labels):
            raise InvalidInput(
                f"signal '{self.name}' has labels {', '.join(map(repr, self.labels))}; "
                "expected names that differ."
            )

    @property
    def width(self) -> int:
        """Numbers in one sample."""
        return len(self.labels) or 1

    @property
    def columns(self) -> tuple[str, ...]:
        """A name for each number: ``q.elbow``, or the signal's own for a scalar."""
        return tuple(f"{self.name}.{label}" for label in self.labels) or (self.name,)


@dataclass(frozen=True, eq=False)
class Signal:
    """One named quantity over time.

    Attributes:
        name: Such as ``q``.
        unit: Such as ``rad``; empty for a pure number.
        labels: One a column, such as joint names; none for a scalar.
        values: Read-only, shape (T, len(labels)), or (T,) for a scalar.
    """

    name: str
    unit: str
    labels: tuple[str, ...]
    values: Array = field(repr=False)

    def __post_init__(self) -> None:
        """Check the shape and close the values."""
        channel = Channel(self.name, self.unit, self.labels)
        object.__setattr__(self, "labels", channel.labels)
        values = np.asarray(self.values, dtype=np.float64).view()
        expected: tuple[Any, ...] = ("T", len(self.labels)) if self.labels else ("T",)
        if values.ndim != len(expected) or values.shape[1:] != expected[1:]:
            shape = str(expected).replace("'", "")
            raise InvalidInput(
                f"signal '{self.name}' has values of shape {values.shape}; expected {shape}."
            )
        values.flags.writeable = False
        object.__setattr__(self, "values", values)

    def __eq__(self, other: object) -> bool:
        """Whether both are the same quantity with the same numbers; NaN is NaN."""
        if self is other or not isinstance(other, Signal):
            return self is other
        same = np.array_equal(self.values, other.values, equal_nan=True)
        return self.channel == other.channel and same

    def __hash__(self) -> int:
        """Of what it is, and how many numbers there are."""
        return hash((self.channel, len(self.values)))

    def __reduce__(self) -> tuple[Any, ...]:
        """What it is made of."""
        return Signal, (self.name, self.unit, self.labels, self.values)

    @property
    def channel(self) -> Channel:
        """What it is, without its numbers."""
        return Channel(self.name, self.unit, self.labels)

    @property
    def table(self) -> Array:
        """The values as columns, also for a scalar: shape (T, width)."""
        return self.values.reshape(len(self.values), self.channel.width)

    def column(self, label: str) -> Array:
        """The values under one label, shape (T,).

        Raises:
            UnknownName: When there is no such label.
        """
        if label not in self.labels:
            raise UnknownName(f"signal '{self.name}'", "label", label, self.labels)
        return self.values[:, self.labels.index(label)]


def check_channels(channels: Sequence[Channel]) -> tuple[Channel, ...]:
    """The channels, when their names differ and those of their columns.

    Raises:
        InvalidInput: When a name comes twice.
    """
    columns = (column for channel in channels for column in channel.columns)
    for kind, names in (("signal", [c.name for c in channels]), ("column", list(columns))):
        twice = [name for name, count in Counter(names).items() if count > 1]
        if twice:
            raise InvalidInput(f"{kind} '{twice[0]}' comes twice; expected names that differ.")
    return tuple(channels)


def split(channels: Sequence[Channel], table: Array) -> list[Signal]:
    """Signals from a table whose columns are those of the channels, side by side."""
    signals, start = [], 0
    for channel in channels:
        part = table[:, start : start + channel.width]
        values = part if channel.labels else part[:, 0]
        signals.append(Signal(channel.name, channel.unit, channel.labels, values))
        start += channel.width
    return signals
