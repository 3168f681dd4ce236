"""Distributed block-tridiagonal rows of A f = b: those of a segment, and the halo exchange."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from phalanx.base.cached import cached_property
from phalanx.distribute.processes.messages import Array, Message, NeighbourExchange
from phalanx.distribute.programs.chains.segments import ChainSegment
from phalanx.dynamics.evaluators.constraint_forces import blocks
from phalanx.dynamics.evaluators.constraint_forces.system import ConstraintSystem


@final
@dataclass(frozen=True, eq=False)
class NeighbourValues:
    """Numbers of the joints next to a segment, shape (width,); zero where the chain ends."""

    before: Array
    after: Array


@final
@dataclass(frozen=True, eq=False)
class SegmentRows:
    """Rows of a segment's joints.

    Arrays have one axis over joints and none over samples: calls of machine code are then quick.

    Attributes:
        segment: Whose they are.
        D: Blocks on the diagonal, shape (joints, width, width).
        L: Less the block of each joint with the one before it, same shape.
        beyond: Less the block of the first joint after the segment with the segment's last.
        b: Right-hand side, shape (joints, width).
    """

    segment: ChainSegment
    D: Array
    L: Array
    beyond: Array
    b: Array

    @staticmethod
    def of(segment: ChainSegment, system: ConstraintSystem) -> SegmentRows:
        """Take those of a segment out of the system of all joints within its reach."""
        own, width = segment.own, system.structure.width
        beyond = system.L[0, -1] if segment.after else np.zeros((width, width))
        D, L, b = (np.ascontiguousarray(x[0, own]) for x in (system.D, system.L, system.b))
        return SegmentRows(segment, D, L, beyond, b)

    @property
    def width(self) -> int:
        """How many rows a block has."""
        return self.b.shape[-1]

    @cached_property
    def inverse_D(self) -> Array:
        """D⁻¹, shape (joints, width, width)."""
        result: Array = blocks.invert_kernel(self.width, 1).call(self.D)
        return result

    def exchanged(self, x: Array) -> Generator[Message, Any, NeighbourValues]:
        """Exchange the numbers of the outermost joints with the neighbours (halo exchange)."""
        expects = self.segment.before * self.width, self.segment.after * self.width
        before, after = yield NeighbourExchange(x[0], x[-1], expects)
        none = np.zeros(self.width)
        return NeighbourValues(before if before.size else none, after if after.size else none)

    def product(self, x: Array, beside: NeighbourValues) -> Array:
        """Return the segment's rows of A x, shape (joints, width)."""
        x_parent = np.empty_like(x)
        x_parent[0], x_parent[1:] = beside.before, x[:-1]
        own, up = blocks.product_kernel(self.width, 1).call(self.D, self.L, x, x_parent)
        own[:-1] += up[1:]
        own[-1] -= beside.after @ self.beyond
        result: Array = own
        return result
