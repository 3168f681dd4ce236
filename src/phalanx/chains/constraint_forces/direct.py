"""A f = b by block elimination (LDLᵀ), from the tips to the root: linear time, no iteration.

A joint meets, of those that come after it in this order, its parent and siblings, which meet each
other anyway. So no block comes in where there was none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from phalanx.chains.constraint_forces.solution import LinearSolver, Solution, direct_solution
from phalanx.chains.constraint_forces.stopping import Stopping
from phalanx.chains.constraint_forces.system import ConstraintSystem
from phalanx.mechanism.pose import Array


@final
@dataclass(frozen=True)
class BlockElimination(LinearSolver):
    """LDLᵀ of A by blocks, for chains and trees. Needs no start and no stopping."""

    name: ClassVar[str] = "BlockElimination"

    def solve(
        self,
        system: ConstraintSystem,
        start: Array | None = None,
        *,
        stopping: Stopping | None = None,
        fallback: LinearSolver | None = None,
    ) -> Solution:
        """See `LinearSolver.solve`."""
        return direct_solution(system, eliminate(system))


def eliminate(system: ConstraintSystem) -> Array:
    """The f of A f = b, shape (samples, joints, width)."""
    at = system.structure
    D, L, f = system.D.copy(), system.L.copy(), system.b.copy()
    S = system.siblings.copy()
    kept: list[list[Array]] = []  # of each turn: what its forces take from those of others

    for turn in reversed(at.turns):
        i = turn.joints
        meets = [_transposed(S[:, pair]) for pair in turn.pairs]
        if turn.parent is not None:
            meets.append(-L[:, i])
        others = [*turn.before, *([turn.parent] if turn.parent is not None else [])]
        right = np.concatenate([*meets, f[:, i, :, None]], axis=-1)
        solved = np.linalg.solve(D[:, i], right)
        f[:, i] = solved[..., -1]
        shares = np.split(solved[..., :-1], len(meets), axis=-1) if meets else []
        kept.append(shares)
        for k, (block, j) in enumerate(zip(meets, others, strict=True)):
            across = _transposed(block)
            D[:, j] -= across @ shares[k]
            f[:, j] -= (across @ f[:, i, :, None])[..., 0]
            for sibling in range(k + 1, len(turn.before)):
                S[:, at.pair(j, turn.before[sibling])] -= across @ shares[sibling]
            if turn.parent is not None and k < len(turn.before):
                L[:, j] += across @ shares[-1]

    for turn, shares in zip(at.turns, reversed(kept), strict=True):
        i = turn.joints
        others = [*turn.before, *([turn.parent] if turn.parent is not None else [])]
        for share, j in zip(shares, others, strict=True):
            f[:, i] -= (share @ f[:, j, :, None])[..., 0]
    return f


def _transposed(blocks: Array) -> Array:
    return blocks.swapaxes(-1, -2)
