"""Block LDLᵀ elimination of A f = b, from the tips to the root: linear time, no iteration.

A joint meets, of those that come after it in this order, its parent and siblings, which meet each
other anyway. So no block comes in where there was none. Where no joint has siblings, in a chain
above all, two passes of machine code do it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, final

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.base.casadi_operators import quick_operators
from phalanx.dynamics.evaluators.constraint_forces.joint_passes import JointPasses
from phalanx.dynamics.evaluators.constraint_forces.solution import DirectSolver
from phalanx.dynamics.evaluators.constraint_forces.structure import Structure
from phalanx.dynamics.evaluators.constraint_forces.system import ConstraintSystem
from phalanx.equations.mass_matrix.factorization import factorize
from phalanx.kernel.traversal.compile_traversal import PassSteps
from phalanx.mechanism.pose import Array


@final
@dataclass(frozen=True)
class BlockElimination(DirectSolver):
    """LDLᵀ of A by blocks, for chains and trees. Needs no start and no stopping."""

    name: ClassVar[str] = "BlockElimination"

    def forces(self, system: ConstraintSystem) -> Array:
        has_siblings = len(system.structure.siblings) > 0
        return eliminate(system) if has_siblings else eliminate_in_passes(system)

    def depth(self, structure: Structure) -> int:
        """Inward and outward."""
        return 2 * (int(structure.depths.max()) + 1)


def eliminate_in_passes(system: ConstraintSystem) -> Array:
    """The f of A f = b where no joint has siblings, shape (samples, joints, width)."""
    at = system.structure
    arrays = {"D": system.D, "L": system.L, "b": system.b}
    flat = {name: x.reshape(system.samples, -1) for name, x in arrays.items()}
    sweep = _elimination(at, system.threads)
    f = sweep(system.samples, flat, {"f": len(at) * at.width})["f"]
    return f.reshape(system.b.shape)


@lru_cache(maxsize=16)
def _elimination(at: Structure, threads: int) -> JointPasses:
    w = at.width
    steps = [
        PassSteps(True, w * (w + 1) // 2 + w, (_inward_step(w),)),
        PassSteps(False, w, (_outward_step(w),)),
    ]
    arrays: dict[str, str | int] = {"D": w * w, "L": w * w, "b": w, "f": w}
    return JointPasses("elimination", steps, arrays, at, threads)


@quick_operators()
def _inward_step(width: int) -> ca.Function:
    """A joint's force as f = y + K f_parent, and what that adds to the parent's row."""
    w = width
    upper = [(i, j) for i in range(w) for j in range(i, w)]
    carried, numbers = SX.sym("carried", len(upper) + w), SX.sym("numbers", 0)
    D, L, b = SX.sym("D", w * w), SX.sym("L", w * w), SX.sym("b", w)
    S, M = ca.reshape(D, w, w), ca.reshape(L, w, w).T
    taken = SX.zeros(w, w)
    for k, (i, j) in enumerate(upper):
        taken[i, j] = taken[j, i] = carried[k]
    factors = factorize(S - taken)
    K, y = factors.solve(M), factors.solve(b + carried[len(upper) :])
    left = M.T @ K
    on = ca.vertcat(*(left[i, j] for i, j in upper), M.T @ y)
    inputs = {"carried": carried, "numbers": numbers, "D": D, "L": L, "b": b}
    outputs = {"on": on, "K": ca.vec(K), "y": y}
    dense = ca.cse([ca.densify(x) for x in outputs.values()])
    return ca.Function("inward", list(inputs.values()), dense, list(inputs), list(outputs))


@quick_operators()
def _outward_step(width: int) -> ca.Function:
    names = {"carried": width, "numbers": 0, "K": width * width, "y": width}
    inputs = {name: SX.sym(name, size) for name, size in names.items()}
    f = inputs["y"] + ca.reshape(inputs["K"], width, width) @ inputs["carried"]
    return ca.Function("outward", list(inputs.values()), [f, f], list(inputs), ["on", "f"])


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
