"""Poses of nodes in their parents, cached from one pass to the next.

Only what changes with the position is kept: cosine and sine of a turn, not the matrix they make
together with the numbers of the node.
"""

from __future__ import annotations

import casadi as ca
from casadi import SX

from phalanx.equations.spatial import Rotation, Transform
from phalanx.equations.tree.node import Freedom, Node

_TURNS = (Freedom.TURN, Freedom.SCREW, Freedom.PLANE)
_TURNS_ANYHOW = (Freedom.BALL, Freedom.FREE)
_SHIFTS = (Freedom.SLIDE, Freedom.SCREW, Freedom.PLANE, Freedom.FREE)


def keep_pose(node: Node, X: Transform) -> SX:
    """Return the position-dependent part of a node's pose in its parent, a column."""
    parts: list[SX] = []
    if node.freedom in _TURNS and X.rotation.turn is not None:
        parts += X.rotation.turn
    if node.freedom in _TURNS_ANYHOW:
        parts.append(ca.vec(X.rotation.matrix))
    if node.freedom in _SHIFTS:
        parts.append(X.translation)
    return ca.densify(ca.vertcat(*parts))


def kept_pose(node: Node, kept: SX) -> Transform:
    """The pose out of what `keep_pose` kept."""
    matrix, turn, shift = node.placement.rotation.matrix, None, node.placement.translation
    if node.freedom in _TURNS:
        turn = (kept[0], kept[1])
    if node.freedom in _TURNS_ANYHOW:
        matrix = ca.reshape(kept[:9], 3, 3)
    if node.freedom in _SHIFTS:
        shift = kept[-3:]
    return Transform(Rotation(matrix, turn), shift)
