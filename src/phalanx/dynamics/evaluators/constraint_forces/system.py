"""Linear system A f = b of constraint forces, in blocks.

A is symmetric and positive definite. Its row for joint n is D f_n - L f_parent - Σ L_childᵀ f_child
+ Σ S f_sibling = b. In a chain there are no siblings, and A is block tridiagonal.

Reference:
    Sharf and D'Eleuterio (1993), eqs. 10-14.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from phalanx.base.cached import cached_property
from phalanx.dynamics.evaluators.constraint_forces import blocks
from phalanx.dynamics.evaluators.constraint_forces.structure import Structure
from phalanx.mechanism.pose import Array


@final
@dataclass(frozen=True, eq=False)
class ConstraintSystem:
    """A f = b for several states of one machine.

    Attributes:
        structure: Which joints meet.
        D: Blocks on the diagonal, shape (samples, joints, width, width).
        L: Less the block of each joint with its parent, zero where there is none; same shape.
        siblings: Blocks of the structure's pairs of siblings, shape (samples, pairs, width, width).
        b: Right-hand side, shape (samples, joints, width).
        threads: How many threads may work on it.
    """

    structure: Structure
    D: Array
    L: Array
    siblings: Array
    b: Array
    threads: int = 1

    @property
    def samples(self) -> int:
        """Number of states."""
        return len(self.b)

    @cached_property
    def inverse_D(self) -> Array:
        """D⁻¹, shape (samples, joints, width, width)."""
        result: Array = blocks.invert_kernel(self.structure.width, self.threads)(self.D)
        return result

    def product(self, x: Array) -> Array:
        """A x for forces of shape (samples, joints, width)."""
        at, width = self.structure, self.structure.width
        row = blocks.product_kernel(width, self.threads)
        own, up = blocks.over_joints(row, self.D, self.L, x, at.of_parent(x))
        at.add_to_parents(own, up)
        if len(at.siblings):
            first, second = at.siblings.T
            pair = blocks.pair_kernel(width, self.threads)
            of_first, of_second = pair(self.siblings, x[:, first], x[:, second])
            at.add(own, first, of_first)
            at.add(own, second, of_second)
        return own

    def residual(self, f: Array) -> Array:
        """How far f is from a solution, relative: |b - A f| / |b| in the norm of D⁻¹; (samples,).

        Where b is zero, it is |A f| itself.
        """
        apply = blocks.apply_kernel(self.structure.width, self.threads)
        left = np.sqrt(total(apply(self.inverse_D, self.b - self.product(f)).zr))
        scale = np.sqrt(total(apply(self.inverse_D, self.b).zr))
        return np.asarray(left / np.where(scale > 0, scale, 1.0))

    def take(self, samples: NDArray[np.intp]) -> ConstraintSystem:
        """The same for some of the states."""
        taken = ConstraintSystem(
            self.structure,
            self.D[samples],
            self.L[samples],
            self.siblings[samples],
            self.b[samples],
            self.threads,
        )
        if "inverse_D" in self.__dict__:
            taken.__dict__["inverse_D"] = self.inverse_D[samples]
        return taken

    def dense(self) -> tuple[Array, Array]:
        """A and b as full arrays without rows that joints have not; for small machines.

        Shapes (samples, dimension, dimension) and (samples, dimension).
        """
        at = self.structure
        n, w = len(at), at.width
        A = np.zeros((self.samples, n, w, n, w))
        joints = np.arange(n)
        A[:, joints, :, joints, :] = self.D.transpose(1, 0, 2, 3)
        inner = np.flatnonzero(at.parent >= 0)
        L = self.L[:, inner].transpose(1, 0, 2, 3)
        A[:, inner, :, at.parent[inner], :] = -L
        A[:, at.parent[inner], :, inner, :] = -L.transpose(0, 1, 3, 2)
        first, second = at.siblings.T
        S = self.siblings.transpose(1, 0, 2, 3)
        A[:, first, :, second, :] = S
        A[:, second, :, first, :] = S.transpose(0, 1, 3, 2)
        there = at.present.reshape(-1)
        flat = A.reshape(self.samples, n * w, n * w)
        return flat[:, there][:, :, there], self.b.reshape(self.samples, -1)[:, there]


def total(numbers: Array) -> Array:
    """Sum over joints, shape (samples,): in an order that does not depend on the samples."""
    return np.asarray(np.add.reduce(np.ascontiguousarray(numbers), axis=-1))
