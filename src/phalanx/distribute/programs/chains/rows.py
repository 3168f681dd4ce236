"""Distributed rows of A f = b: those of a segment's joints, and the halo exchange."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from phalanx.base.cached import cached_property
from phalanx.distribute.processes.messages import Array, Message
from phalanx.distribute.programs.chains.segments import Joints, Segment
from phalanx.dynamics.evaluators.constraint_forces.structure import Structure
from phalanx.dynamics.evaluators.constraint_forces.system import ConstraintSystem


@final
@dataclass(frozen=True, eq=False)
class SegmentRows:
    """Rows of a segment's joints.

    Attributes:
        segment: Whose they are.
        own: Where its joints are among those within reach, shape (joints,).
        reach: Structure of the joints within reach.
        inner: A among the segment's own joints, one sample, and b. Blocks are as wide as these ask
            for, which may be less than those of others.
        couplings: Of an own joint with one of others: index of the one, place within reach of the
            other, and the block of A.
    """

    segment: Segment
    own: Joints
    reach: Structure
    inner: ConstraintSystem
    couplings: tuple[tuple[int, int, Array], ...]

    @staticmethod
    def of(segment: Segment, system: ConstraintSystem) -> SegmentRows:
        """Take those of a segment out of the system of all joints within its reach."""
        at, reach = system.structure, segment.reach
        own = np.searchsorted(reach, segment.joints)
        place = np.full(len(at) + 1, -1)
        place[own] = np.arange(len(own))
        parent = place[at.parent[own]].astype(np.int32)
        width = max(1, int(at.sizes[own].max()))
        inner = Structure(parent, at.sizes[own], width)
        D, L = (np.ascontiguousarray(x[:, own, :width, :width]) for x in (system.D, system.L))
        L[:, parent < 0] = 0.0
        pairs = at.pair(own[inner.siblings[:, 0]], own[inner.siblings[:, 1]])
        S = np.ascontiguousarray(system.siblings[:, pairs, :width, :width])
        b = np.ascontiguousarray(system.b[:, own, :width])
        couplings: list[tuple[int, int, Array]] = []
        for joint, on in enumerate(at.parent.tolist()):
            if on >= 0 and (place[joint] < 0) != (place[on] < 0):
                block = -system.L[0, joint]
                if place[joint] >= 0:
                    couplings.append((int(place[joint]), on, block[:width]))
                else:
                    couplings.append((int(place[on]), joint, block.T[:width]))
        for (one, other), block in zip(at.siblings.tolist(), system.siblings[0], strict=True):
            if place[one] >= 0 > place[other]:
                couplings.append((int(place[one]), other, block[:width]))
            elif place[other] >= 0 > place[one]:
                couplings.append((int(place[other]), one, block.T[:width]))
        rows = ConstraintSystem(inner, D, L, S, b)
        return SegmentRows(segment, own, at, rows, tuple(couplings))

    @property
    def width(self) -> int:
        """How many rows a block has."""
        return self.inner.structure.width

    @property
    def b(self) -> Array:
        """Right-hand side, shape (joints, width)."""
        right: Array = self.inner.b[0]
        return right

    @cached_property
    def inverse_D(self) -> Array:
        """D⁻¹, shape (joints, width, width)."""
        result: Array = self.inner.inverse_D[0]
        return result

    def exchanged(self, x: Array) -> Generator[Message, Any, Array]:
        """Exchange the numbers of joints with the neighbours that need them (halo exchange).

        Returns:
            Those of the joints within reach of others, and zeros for own ones, (reach, width).
        """
        sizes, reach, joints = self.reach.sizes, self.segment.reach, self.segment.joints

        def size(joint: int) -> int:
            return int(sizes[np.searchsorted(reach, joint)])

        def ours(joint: int) -> Array:
            part: Array = x[np.searchsorted(joints, joint), : size(joint)]
            return part

        arrived = yield from self.segment.exchanged(ours, size)
        beside = np.zeros((len(reach), self.reach.width))
        for joint, values in arrived.items():
            beside[np.searchsorted(reach, joint), : len(values)] = values
        return beside

    def product(self, x: Array, beside: Array) -> Array:
        """Return the segment's rows of A x, shape (joints, width)."""
        result: Array = self.inner.product(x[None])[0]
        for one, other, block in self.couplings:
            result[one] += block @ beside[other]
        return result

    def within_reach(self, f: Array, beside: Array) -> Array:
        """Forces of all joints within reach, out of own ones and those of others."""
        whole = beside.copy()
        whole[self.own, : self.width] = f
        return whole
