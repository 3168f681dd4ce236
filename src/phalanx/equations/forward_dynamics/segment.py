"""A segment of a chain as an articulated body with two ends (divide and conquer).

A segment is a row of nodes, each on the one before, with the joint that carries the first. What
it hangs on accelerates by A, and it passes a wrench f on at its tip. Then it asks for the wrench
F of what it hangs on, and its tip accelerates by A_tip:

    F = I A + p + K f        A_tip = Kᵀ A - G f + g

I is the articulated inertia, K how far wrenches reach through, G how much the tip gives way while
the base is held; p and g come from motion, joint forces and loads. Two segments in a row are a
segment again: what passes between them solves one system, (1 + I₂ G₁) f = I₂ (K₁ᵀ A + g₁) + p₂ +
K₂ f₂, whose matrix has no eigenvalue below 1 and is eliminated without pivots. Joining is
associative, so segments may be joined in any order, many at the same time.

Policy: inertias are joined by sums of what is not negative, and nothing is inverted but this
matrix: an inertia, of point masses in line for one, may have no inverse. The form in which
accelerations of both ends follow from wrenches on both would need the inverse of every inertia.
Columns of six numbers, and matrices, have the turning part first.

Reference:
    Featherstone, A divide-and-conquer articulated-body algorithm, parts 1 and 2 (1999).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import casadi as ca
from casadi import SX

from phalanx.equations.forward_dynamics.articulated_inertia import (
    ArticulatedBody,
    ArticulatedInertia,
    JointElimination,
)
from phalanx.equations.spatial import Rotation, Transform, Twist, Wrench
from phalanx.equations.tree.node import Node


def column(pair: Twist | Wrench) -> SX:
    """Six numbers, or rows of columns, turning part first."""
    return ca.vertcat(pair.turning, pair.straight)


def wrench(x: SX) -> Wrench:
    """A wrench from six numbers with the turning part first, or several from columns."""
    return Wrench(x[:3, :], x[3:, :])


def twist(x: SX) -> Twist:
    """A twist from six numbers, turning part first."""
    return Twist(x[:3, :], x[3:, :])


@final
@dataclass(frozen=True, eq=False)
class Turning:
    """How the tip of a segment turns, from how its base does.

    Attributes:
        rotation: Of the tip in what the segment hangs on.
        w: Angular velocity that the joints make, in axes of the tip.
    """

    rotation: Rotation
    w: SX

    @staticmethod
    def none() -> Turning:
        """The tip is the base."""
        return Turning(Rotation(SX.eye(3)), SX(3, 1))

    @staticmethod
    def of(node: Node, X: Transform, v: SX) -> Turning:
        """A single node."""
        return Turning(X.rotation, (node.axes @ v).angular)

    @staticmethod
    def from_numbers(x: SX) -> Turning:
        """From its 12 :attr:`numbers`."""
        return Turning(Rotation(ca.reshape(x[:9], 3, 3)), x[9:])

    @property
    def numbers(self) -> SX:
        """The rotation column by column, then the angular velocity."""
        return ca.vertcat(ca.vec(ca.densify(self.rotation.full())), self.w)

    def then(self, other: Turning) -> Turning:
        """Of two segments in a row, or a segment and a node."""
        if other.rotation.turn is None:
            R = self.rotation.into_parent(other.rotation.matrix)
        else:  # a turn costs least by itself
            R = other.rotation.into_child(self.rotation.full().T).T
        return Turning(Rotation(R), other.at_tip(self.w))

    def at_tip(self, w: SX) -> SX:
        """Angular velocity of the tip, in its axes, from that of the base."""
        return self.rotation.into_child(w) + self.w


@final
@dataclass(frozen=True, eq=False)
class Segment:
    """A segment while nothing moves.

    Attributes:
        inertia: I.
        reach: K, shape (6, 6).
        give: G, symmetric, shape (6, 6).
    """

    inertia: ArticulatedInertia
    reach: SX
    give: SX

    @staticmethod
    def none() -> Segment:
        """Of no node: what hangs on its tip hangs on its base."""
        nothing = SX(3, 3)
        return Segment(
            ArticulatedInertia(nothing, nothing, nothing), ca.densify(SX.eye(6)), SX(6, 6)
        )

    @staticmethod
    def from_columns(inertia: SX, reach: SX, give: SX) -> Segment:
        """From its :attr:`columns`."""
        return Segment(
            ArticulatedInertia.from_numbers(inertia),
            ca.reshape(reach, 6, 6),
            ArticulatedInertia.from_numbers(give).matrix,
        )

    @property
    def columns(self) -> tuple[SX, SX, SX]:
        """Its parts as they lie in arrays: 21, 36 and 21 numbers."""
        give = ArticulatedInertia.from_matrix(self.give).numbers
        return self.inertia.numbers, ca.vec(self.reach), give

    def with_body(self, node: Node, bias: Wrench) -> ArticulatedBody:
        """The body of the node before with the segment on it; ``bias`` is that of both."""
        return ArticulatedBody(ArticulatedInertia.of(node.mass) + self.inertia, bias)

    def pulled(self, node: Node) -> SX:
        """Forces in the joint of the node before by unit wrenches at the tip, shape (nv, 6)."""
        return node.along(wrench(self.reach))

    def past(self, node: Node, joint: JointElimination) -> Wrench:
        """What of unit wrenches at the tip reaches past the joint of the node before."""
        return joint.without_joint(node, wrench(self.reach))

    def with_node(self, node: Node, X: Transform, joint: JointElimination) -> Segment:
        """The segment that begins a node earlier, whose joint is eliminated."""
        pulled = self.pulled(node)
        return Segment(
            joint.rest.inertia.into_parent(X),
            column(self.past(node, joint).into_parent(X)),
            self.give + pulled.T @ joint.solve(pulled),
        )


@final
@dataclass(frozen=True, eq=False)
class Junction:
    """The tip of a segment and what hangs on it.

    Attributes:
        give: G of the segment.
        inertia: I of what hangs on it, shape (6, 6).
        between: (1 + I G)⁻¹.
    """

    give: SX
    inertia: SX
    between: SX

    @staticmethod
    def of(give: SX, inertia: SX) -> Junction:
        """With the system solved."""
        return Junction(give, inertia, _inverse(SX.eye(6) + inertia @ give))

    @property
    def yielding_inertia(self) -> SX:
        """What is felt of I through the tip that gives way, (1 + I G)⁻¹ I: symmetric."""
        return _mirrored(self.between @ self.inertia)

    @property
    def loaded_give(self) -> SX:
        """How the tip gives way with I on it, G (1 + I G)⁻¹: symmetric."""
        return _mirrored(self.give @ self.between)

    def wrench(self, A: SX, p: SX) -> SX:
        """What passes when the tip alone would accelerate by A, and what hangs on it needs p."""
        return self.between @ (self.inertia @ A + p)


def joined(first: Segment, second: Segment) -> tuple[Segment, Junction]:
    """Two segments in a row as one."""
    junction = Junction.of(first.give, second.inertia.matrix)
    K_1, K_2 = first.reach, second.reach
    I = first.inertia.matrix + K_1 @ junction.yielding_inertia @ K_1.T
    both = Segment(
        ArticulatedInertia.from_matrix(I),
        K_1 @ junction.between @ K_2,
        second.give + K_2.T @ junction.loaded_give @ K_2,
    )
    return both, junction


def _mirrored(A: SX) -> SX:
    """The symmetric matrix with the upper triangle of A."""
    return ca.triu2symm(ca.triu(A))


def _inverse(A: SX) -> SX:
    """A⁻¹ by elimination without pivots."""
    n = A.shape[0]
    rows = [ca.horzcat(A[k, :], SX.eye(n)[k, :]) for k in range(n)]
    for k in range(n):
        reciprocal = 1 / rows[k][k]
        for i in range(k + 1, n):
            rows[i] = rows[i] - rows[i][k] * reciprocal * rows[k]
    solved = [SX()] * n
    for k in reversed(range(n)):
        left = rows[k][:, n:]
        for j in range(k + 1, n):
            left = left - rows[k][j] * solved[j]
        solved[k] = left / rows[k][k]
    return ca.vertcat(*solved)
