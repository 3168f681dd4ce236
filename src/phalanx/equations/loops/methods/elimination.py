"""Elimination of the loops' linear equations, loop by loop (Householder reflections).

Most joints of a machine with loops stand in one loop only: those of a leg, of a rod. Reflections
within a loop's own equations free all but a few of them of such joints, and only these few, in the
joints that loops share, are solved together. A Stewart platform has 18 equations in 18 passive
velocities; six of them remain.
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
from casadi import SX


def solve_by_loops(A: SX, right: SX, loops: Sequence[str]) -> SX:
    """The X with A X = right.

    Args:
        A: A square matrix that is not singular.
        right: Right-hand sides.
        loops: For each row the loop it belongs to.
    """
    n = A.shape[0]
    whole = ca.horzcat(A, right)
    own: dict[str, list[int]] = {}
    for row, loop in enumerate(loops):
        own.setdefault(loop, []).append(row)
    rest: list[SX] = []
    solved: list[tuple[list[int], SX]] = []
    for rows in own.values():
        inside = [j for j in range(n) if _is_within(A[:, j], rows)]
        if len(inside) > len(rows):
            inside = []
        block = _reflected(whole[rows, :], inside)
        solved.append((inside, block[: len(inside), :]))
        rest.append(block[len(inside) :, :])
    shared = [j for j in range(n) if not any(j in inside for inside, _ in solved)]
    left_over = ca.vertcat(*rest)
    X = SX.zeros(n, right.shape[1])
    if shared:
        X[shared, :] = ca.solve(ca.densify(left_over[:, shared]), left_over[:, n:])
    for inside, block in solved:
        known = block[:, n:] - block[:, shared] @ X[shared, :]
        X[inside, :] = _from_the_last(block[:, inside], known)
    return X


def least_squares(A: SX, right: SX) -> SX:
    """The X with A X as near to the right-hand sides as can be.

    Args:
        A: At least as many rows as columns, which are independent.
        right: Right-hand sides.
    """
    n = A.shape[1]
    block = _reflected(ca.densify(ca.horzcat(A, right)), range(n))
    return _from_the_last(block[:n, :n], block[:n, n:])


def _from_the_last(R: SX, right: SX) -> SX:
    """The X with R X = right, where R is upper triangular after reflections."""
    X = SX.zeros(*right.shape)
    for k in reversed(range(R.shape[0])):
        beyond = SX.zeros(1, right.shape[1])
        for j in range(k + 1, R.shape[0]):
            beyond += R[k, j] * X[j, :]
        X[k, :] = (right[k, :] - beyond) / R[k, k]
    return X


def _is_within(column: SX, rows: Sequence[int]) -> bool:
    """Whether a column has numbers in some of these rows and nowhere else."""
    places = ca.sparsify(column).sparsity().row()
    return bool(places) and set(places) <= set(rows)


def _reflected(block: SX, columns: Sequence[int]) -> SX:
    """Rows mixed by Householder's reflections until the columns are upper triangular."""
    for k, column in enumerate(columns):
        x = ca.densify(block[k:, column])
        if x.numel() == 1:
            break
        # away from x, so that nothing cancels
        length = ca.norm_2(x)
        mirror = ca.vertcat(x[0] + ca.if_else(x[0] >= 0, length, -length), x[1:])
        below = block[k:, :]
        below -= mirror @ ((2 / ca.dot(mirror, mirror)) * (mirror.T @ below))
        block = ca.vertcat(block[:k, :], below)
    return block
