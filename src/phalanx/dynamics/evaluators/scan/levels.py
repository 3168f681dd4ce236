"""Levels of the scan: segments joined in pairs on the way up, parted on the way down.

Level 0 has the segments of blocks, in the order of the chain; every level above has half as many,
rounded up. Where there is an odd number of them, a segment of no node is put at the end, which
changes nothing that it is joined to.
"""

from __future__ import annotations

from typing import final

import casadi as ca
import numpy as np

from phalanx.dynamics.evaluators.scan.kernels import BETWEEN, PARTS, PairKernels
from phalanx.dynamics.evaluators.scan.segments import BIAS, ENDS
from phalanx.dynamics.evaluators.scan.tape import Tape
from phalanx.equations.forward_dynamics.segment import Segment, Turning
from phalanx.mechanism.pose import Array

_NONE = {
    part: np.array(ca.DM(numbers)).ravel()
    for part, numbers in zip(PARTS, (*Segment.none().columns, Turning.none().numbers), strict=True)
}


@final
class Levels:
    """Segments of all levels, for so many samples.

    Attributes:
        parts: Parts of the segments of blocks by name, (samples, segments, numbers).
        w: Angular velocity of what each of them hangs on.
        bias: p and g of each.
        ends: Acceleration of what each hangs on, and the wrench at its tip.
        root_w: Angular velocity of the root, (samples, 1, 3).
        root_ends: Acceleration of the root and the wrench at the chain's tip, (samples, 1, 12).
    """

    def __init__(self, kernels: PairKernels, count: int, samples: int) -> None:
        """Room for ``count`` segments at the lowest level."""
        self._kernels = kernels
        sizes = self._sizes = level_sizes(count)

        def room(none: Array) -> list[Array]:
            return [_room(samples, size, none) for size in sizes]

        self._parts = {part: room(none) for part, none in _NONE.items()}
        self._between = [np.empty((samples, size, BETWEEN)) for size in sizes[1:]]
        self._bias, self._ends, self._w = (room(np.zeros(n)) for n in (BIAS, ENDS, 3))
        self.parts = {part: x[0][:, :count] for part, x in self._parts.items()}
        self.w, self.bias, self.ends = (x[0][:, :count] for x in (self._w, self._bias, self._ends))
        self.root_w, self.root_ends = self._w[-1], self._ends[-1]

    def join(self, tape: Tape) -> None:
        """Segments of all levels from those of blocks."""
        for k in range(len(self._between)):
            pairs = [x[k][:, i::2] for i in (0, 1) for x in self._parts.values()]
            joined = [self._filled(x, k + 1) for x in self._parts.values()]
            tape.call(self._kernels.joined, pairs, [*joined, self._between[k]])

    def turn(self, tape: Tape) -> None:
        """Angular velocities from that of the root."""
        for k in reversed(range(len(self._between))):
            here = self._w[k]
            tape.call(
                self._kernels.turned_on,
                [self._parts["turned"][k][:, 0::2], self._filled(self._w, k + 1)],
                [here[:, 0::2], here[:, 1::2]],
            )

    def solve(self, tape: Tape) -> None:
        """Ends of all segments from the biases of blocks and the ends of all in a row."""
        for k in range(len(self._between)):
            tape.call(self._kernels.joined_bias, self._pairs(k), [self._filled(self._bias, k + 1)])
        for k in reversed(range(len(self._between))):
            here = self._ends[k]
            tape.call(
                self._kernels.parted,
                [*self._pairs(k), self._filled(self._ends, k + 1)],
                [here[:, 0::2], here[:, 1::2]],
            )

    def _filled(self, rows: list[Array], k: int) -> Array:
        return rows[k][:, : self._sizes[k]]

    def _pairs(self, k: int) -> list[Array]:
        inertia, reach, give = (self._parts[part][k] for part in ("inertia", "reach", "give"))
        bias = self._bias[k]
        return [
            reach[:, 0::2],
            give[:, 0::2],
            inertia[:, 1::2],
            reach[:, 1::2],
            self._between[k],
            bias[:, 0::2],
            bias[:, 1::2],
        ]


def _room(samples: int, size: int, none: Array) -> Array:
    """Rows for segments, an even number unless there is one alone."""
    rows = np.empty((samples, size + (size > 1 and size % 2), len(none)))
    rows[:, size:] = none
    return rows


def level_sizes(count: int) -> list[int]:
    """How many segments each level has, from ``count`` to one."""
    sizes = [count]
    while sizes[-1] > 1:
        sizes.append((sizes[-1] + 1) // 2)
    return sizes
