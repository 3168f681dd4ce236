"""Sparsity structure of A f = b: forces of joints on the same body are coupled.

Every joint has a block row. It meets the joint that carries the body it stands on (``parent``), the
joints that stand on the body it carries, and its siblings, the other joints on the body that it
stands on itself. In a chain that is a block tridiagonal A. The root does not move by forces, so
joints on it do not meet there. Blocks have one width, the largest; rows that a joint has not are
rows of the unit matrix, and its forces there are zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from phalanx.base.cached import cached_property
from phalanx.dynamics.evaluators.bodies import Integers
from phalanx.mechanism.pose import Array


@final
@dataclass(frozen=True, eq=False)
class Turn:
    """Joints that can be treated at the same time, for none of them meets another.

    Attributes:
        joints: Their indices.
        parent: Their inboard joints, all different; None for joints on the root.
        before: Siblings of theirs that had their turn before, an array for each that all have.
        pairs: Which of the blocks of siblings ties each of these to the joint.
    """

    joints: NDArray[np.intp]
    parent: NDArray[np.intp] | None
    before: tuple[NDArray[np.intp], ...]
    pairs: tuple[NDArray[np.intp], ...]


@final
@dataclass(frozen=True, eq=False)
class Structure:
    """The graph of A, with arrays over joints on the second axis: (samples, joints, ...).

    Attributes:
        parent: Joint inboard of each, smaller than its own index; -1 on the root, shape (n,).
        sizes: How many constraint forces each joint has, shape (n,).
        width: How many rows a block has: at least the largest size, and one.
    """

    parent: Integers
    sizes: Integers
    width: int

    def __len__(self) -> int:
        return len(self.parent)

    @cached_property
    def is_chain(self) -> bool:
        """Whether every joint follows the one before it."""
        return bool(np.array_equal(self.parent, np.arange(-1, len(self) - 1)))

    @cached_property
    def dimension(self) -> int:
        """How many constraint forces there are."""
        return int(self.sizes.sum())

    @cached_property
    def present(self) -> NDArray[np.bool_]:
        """Rows that joints have, shape (n, width)."""
        return np.arange(self.width) < self.sizes[:, None]

    @cached_property
    def _families(self) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
        """Joints sorted by parent, where each family begins in them, and whose it is."""
        order = np.argsort(self.parent, kind="stable")
        order = order[self.parent[order] >= 0]
        heads, begins = np.unique(self.parent[order], return_index=True)
        return order, begins, heads.astype(np.intp)

    @cached_property
    def siblings(self) -> NDArray[np.intp]:
        """Pairs of joints on one body that is not the root, smaller index first, shape (s, 2)."""
        order, begins, _ = self._families
        pairs = [np.empty((0, 2), np.intp)]
        for family in np.split(order, begins[1:]):
            first, second = np.triu_indices(len(family), 1)
            pairs.append(np.column_stack([family[first], family[second]]))
        return np.concatenate(pairs)

    @cached_property
    def depths(self) -> NDArray[np.intp]:
        """How many joints each has before it, shape (n,)."""
        if self.is_chain:
            return np.arange(len(self))
        depth = np.zeros(len(self) + 1, np.intp)
        depth[-1] = -1  # the root
        for i, parent in enumerate(self.parent.tolist()):
            depth[i] = depth[parent] + 1
        return depth[:-1]

    @cached_property
    def turns(self) -> tuple[Turn, ...]:
        """Joints in an order from the root outward, those together that do not meet."""
        if self.is_chain:
            return tuple(
                Turn(np.array([i]), np.array([i - 1]) if i else None, (), ())
                for i in range(len(self))
            )
        depth, rank = self.depths, np.zeros(len(self), int)
        order, begins, _ = self._families
        families = np.split(order, begins[1:]) if len(order) else []
        for family in families:
            rank[family] = np.arange(len(family))
        family_of = {int(self.parent[family[0]]): family for family in families}
        sorted_joints = np.lexsort((rank, depth))
        keys = np.column_stack([depth, rank])[sorted_joints]
        cuts = np.flatnonzero((np.diff(keys, axis=0) != 0).any(axis=1)) + 1
        turns = []
        for joints in np.split(sorted_joints, cuts):
            on = self.parent[joints].astype(np.intp)
            if on[0] < 0:
                turns.append(Turn(joints, None, (), ()))
                continue
            before = tuple(
                np.array([family_of[p][k] for p in on.tolist()]) for k in range(rank[joints[0]])
            )
            pairs = tuple(self.pair(other, joints) for other in before)
            turns.append(Turn(joints, on, before, pairs))
        return tuple(turns)

    @cached_property
    def _pair_codes(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        codes = self.siblings[:, 0] * len(self) + self.siblings[:, 1]
        order = np.argsort(codes)
        return codes[order], order

    def pair(self, first: NDArray[np.intp], second: NDArray[np.intp]) -> NDArray[np.intp]:
        """Where pairs of siblings, smaller index first, are among the blocks of siblings."""
        codes, order = self._pair_codes
        return order[np.searchsorted(codes, first * len(self) + second)]

    def of_parent(self, x: Array, root: Array | float = 0.0) -> Array:
        """What the inboard joint of each has, and ``root`` where there is none."""
        result: Array = np.empty_like(x)
        if self.is_chain:
            result[:, 1:] = x[:, :-1]
            result[:, :1] = root
            return result
        result[:] = x[:, self.parent]
        result[:, self.parent < 0] = root
        return result

    @staticmethod
    def add(total: Array, joints: NDArray[np.intp], x: Array) -> None:
        """Add rows of ``x`` to those of joints, which may repeat, in place."""
        np.add.at(total.swapaxes(0, 1), joints, x.swapaxes(0, 1))

    def add_to_parents(self, total: Array, x: Array) -> None:
        """Add what every joint has to what its inboard joint has, in place."""
        if self.is_chain:
            total[:, :-1] += x[:, 1:]
            return
        order, begins, heads = self._families
        if len(heads):
            total[:, heads] += np.add.reduceat(x[:, order], begins, axis=1)
