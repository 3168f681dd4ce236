"""Snapshot of a live run, for whoever looks at it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from phalanx.mechanism import Mechanism

Array = NDArray[np.float64]


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
    """The machine at one time, whole: its packed state, and what it was told."""

    time: float
    state: Array
    outside: Sequence[Array]
