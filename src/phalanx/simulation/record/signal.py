"""Signals and channels: a named quantity of a run, its units and labels, its values over time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phalanx.base.errors import InvalidInput, UnknownName

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Channel:
    """Channel: name, unit and labels of a recorded quantity.

    Attributes:
        name: Such as ``q``.
        unit: Such as ``rad``; empty for a pure number.
        labels: One a column, such as joint names; none for a scalar.
        units: One a column where they differ, as those of a floating base do; empty where all
            columns have ``unit``.
    """

    name: str
    unit: str = ""
    labels: tuple[str, ...] = ()
    units: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "labels", tuple(self.labels))
        object.__setattr__(self, "units", tuple(self.units))
        if not self.name:
            raise InvalidInput("a signal needs a name; got an empty one.")
        if "" in self.labels or len(set(self.labels)) < len(self.labels):
            raise InvalidInput(
                f"signal '{self.name}' has labels {', '.join(map(repr, self.labels))}; "
                "expected names that differ."
            )
        if self.units and len(self.units) != len(self.labels):
            raise InvalidInput(
                f"signal '{self.name}' has {len(self.units)} units and {len(self.labels)} labels; "
                "expected a unit a label, or none."
            )

    @property
    def column_units(self) -> tuple[str, ...]:
        """The unit of each number."""
        return self.units or (self.unit,) * self.width

    def columns_at(self, places: Sequence[int]) -> Channel:
        """The same quantity with some of its columns; a scalar stays as it is."""
        labels = tuple(self.labels[k] for k in places) if self.labels else ()
        units = tuple(self.units[k] for k in places) if self.units else ()
        if units and len(set(units)) == 1:
            return Channel(self.name, units[0], labels)
        return Channel(self.name, self.unit, labels, units)

    def signal(self, values: ArrayLike) -> Signal:
        """This quantity with its numbers over time.

        Raises:
            InvalidInput: When their shape does not fit.
        """
        return Signal(self.name, self.unit, self.labels, np.asarray(values), self.units)

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
        units: One a column where they differ; empty where all have ``unit``.
    """

    name: str
    unit: str
    labels: tuple[str, ...]
    values: Array = field(repr=False)
    units: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        channel = Channel(self.name, self.unit, self.labels, self.units)
        object.__setattr__(self, "labels", channel.labels)
        object.__setattr__(self, "units", channel.units)
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
        return hash((self.channel, len(self.values)))

    def __reduce__(self) -> tuple[Any, ...]:
        """What it is made of."""
        return Signal, (self.name, self.unit, self.labels, self.values, self.units)

    @property
    def channel(self) -> Channel:
        """What it is, without its numbers."""
        return Channel(self.name, self.unit, self.labels, self.units)

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
        signals.append(channel.signal(values))
        start += channel.width
    return signals
