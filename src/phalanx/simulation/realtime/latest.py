"""Snapshots of a live run, and a single-slot mailbox that keeps the latest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar, final

import numpy as np
from numpy.typing import NDArray

from phalanx.mechanism import Mechanism

Array = NDArray[np.float64]
T = TypeVar("T")


@final
class Latest(Generic[T]):
    """Hands values from a fast producer to slow readers; neither ever waits for the other.

    A new value replaces the old one, seen or not. Storing and reading one attribute is atomic, so
    no lock is needed and none is taken. Values must not be changed after they were put.
    """

    __slots__ = ("_item", "_source")

    def __init__(self) -> None:
        self._item: tuple[int, T | None] = (0, None)
        self._source: Callable[[], tuple[int, T | None]] | None = None

    def __repr__(self) -> str:
        return f"<Latest of {self.count:,} values>"

    def put(self, value: T) -> None:
        """Replace the value; for one producer."""
        self._item = (self._item[0] + 1, value)

    def follow(self, source: Callable[[], tuple[int, T | None]]) -> None:
        """Read count and value on request: a producer in native code puts nothing."""
        self._source = source

    @property
    def count(self) -> int:
        """How many values were put: whether there is a newer one than at the last look."""
        return self.look()[0]

    @property
    def value(self) -> T | None:
        """The latest value; None before the first."""
        return self.look()[1]

    def look(self) -> tuple[int, T | None]:
        """Count and value that belong together."""
        return self._item if self._source is None else self._source()


@final
@dataclass(frozen=True, eq=False)
class Snapshot:
    """The machine at one time: positions and velocities, not to be written to."""

    time: float
    q: Array
    v: Array

    @staticmethod
    def of(mechanism: Mechanism, time: float, x: Array) -> Snapshot:
        """Of a packed state."""
        nq, nv = mechanism.nq, mechanism.nv
        return Snapshot(time, x[:nq], x[nq : nq + nv])


@final
@dataclass(frozen=True, eq=False)
class Instant:
    """The machine at one time, whole: its packed state, and its inputs."""

    time: float
    state: Array
    inputs: Sequence[Array]
