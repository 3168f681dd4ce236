"""Joint axes in motion and the composites behind them: shared by Coriolis matrix and derivatives.

For every node: unit motions S of its joint, their rate when the parent carries them (S_p) and when
the node itself does (S_n), and the second rate that the parent gives (S_pp), each as angular and
linear 3×nv matrices in node axes; composite mass, flow and the carried wrench.

Reference:
    Singh, Russo and Wensing (2022), Efficient analytical derivatives of rigid-body dynamics using
    spatial vector algebra: their Ψ̇, Ṡ, Ψ̈. The composite Coriolis operator is replaced by the flow
    of :mod:`phalanx.equations.tree.momentum_flow`, which needs 12 numbers in place of 36.
"""

from __future__ import annotations

from casadi import SX

from phalanx.equations.spatial import MassMoments, Transform, columnwise_cross
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.momentum_flow import MomentumFlow
from phalanx.equations.tree.motion import Velocity
from phalanx.equations.tree.sweep import inward

Columns = tuple[SX, SX]  # angular, linear or moment, force


def motion_cross(w: SX, u: SX, S: Columns) -> Columns:
    """(w, u) × S for unit motions S."""
    angular, linear = S
    return (
        columnwise_cross(w, angular),
        columnwise_cross(w, linear) + columnwise_cross(u, angular),
    )


def second_rate(w: SX, u: SX, dw: SX, a: SX, S: Columns) -> Columns:
    """Second rate of unit motions S fixed in a body that moves at (w, u, dw) with origin at a.

    With V = (w, u) this is V' × S + V × (V × S). The linear part of V' is a - w × u, whose product
    with the axes nearly cancels the others: 2 (w (u·s) - s (w·u)) is left.
    """
    angular, linear = S
    swept = 2 * (w @ (u.T @ angular) - (w.T @ u) * angular)
    return (
        columnwise_cross(dw, angular) + columnwise_cross(w, columnwise_cross(w, angular)),
        columnwise_cross(dw, linear)
        + columnwise_cross(w, columnwise_cross(w, linear))
        + columnwise_cross(a, angular)
        + swept,
    )


def force_cross(S: Columns, n: SX, f: SX) -> Columns:
    """S ×* (n, f): how a wrench changes when it is carried along unit motions S."""
    angular, linear = S
    return (
        columnwise_cross(angular, n) + columnwise_cross(linear, f),
        columnwise_cross(angular, f),
    )


def add(*terms: Columns) -> Columns:
    """Sum of motions or of wrenches."""
    first, second = terms[0]
    for a, b in terms[1:]:
        first, second = first + a, second + b
    return first, second


def pair(a: Columns, b: Columns) -> SX:
    """Work of wrenches on motions: one row a column of ``a``, one column a column of ``b``."""
    return a[0].T @ b[0] + a[1].T @ b[1]


def composite_masses(model: Model, X: list[Transform]) -> list[MassMoments]:
    """Each node with all nodes beyond it, as one rigid body."""
    return inward(
        model.parents,
        [node.mass for node in model.nodes],
        lambda i, parent, child: parent + child.into_parent(X[i]),
    )


def composite_flows(
    model: Model, X: list[Transform], velocities: list[Velocity]
) -> list[MomentumFlow]:
    """Momentum flow of each node with all nodes beyond it."""
    own = [
        MomentumFlow.of(node.mass, V.w, V.u)
        for node, V in zip(model.nodes, velocities, strict=True)
    ]
    return inward(model.parents, own, lambda i, parent, child: parent + child.into_parent(X[i]))
