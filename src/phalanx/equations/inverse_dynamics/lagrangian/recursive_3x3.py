"""Inverse dynamics by Hollerbach's recursive Lagrangian with 3×3 matrices."""

from __future__ import annotations

from dataclasses import dataclass

from casadi import SX

from phalanx.equations.equation import equation
from phalanx.equations.inverse_dynamics.lagrangian.tree import Tree, trace_of_product
from phalanx.equations.spatial import skew, zero
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.node import Freedom
from phalanx.equations.tree.passes import inward, outward
from phalanx.mechanism import Mechanism


@equation("tau")
def recursive_3x3(mechanism: Mechanism | Model, q: SX, v: SX, a: SX) -> SX:
    """Joint forces from Lagrange's equations by two recursions over 3×3 rotations, in linear time.

    Poses are taken apart into rotation W and origin. A program that multiplies matrices saves half
    of the operations so; traced symbolically, the zeros and ones of 4×4 matrices cost nothing
    anyway, and both methods need about the same.

    Args:
        mechanism: The machine; its joints turn or slide.
        q: Positions [m or rad], shape (nq,).
        v: Velocities [m/s or rad/s], shape (nv,).
        a: Accelerations [m/s² or rad/s²], shape (nv,).

    Returns:
        Joint forces [N or N·m], shape (nv,).

    Raises:
        InvalidModel: When a joint neither turns nor slides.

    Reference:
        Hollerbach (1980), sec. IV; Dhanaraj (1990), app. A.3.
    """
    tree = Tree.of(mechanism, q, v, a, "recursive_3x3")
    R = [A[:3, :3] for A in tree.A]
    p = [A[:3, 3] for A in tree.A]

    # outward: W and its derivatives by time, and the acceleration of the origin
    def move(i: int, parent: Attitude) -> Attitude:
        node, rate, acceleration = tree.nodes[i], tree.rates[i], tree.accelerations[i]
        W, W1, W2 = parent.W @ R[i], parent.W1 @ R[i], parent.W2 @ R[i]
        origin = parent.origin + parent.W2 @ p[i]
        if node.freedom is Freedom.SLIDE:
            axis = node.axes.linear
            return Attitude(W, W1, W2, origin + 2 * (W1 @ axis) * rate + (W @ axis) * acceleration)
        Q = skew(node.axes.angular)
        turn = Q @ Q * (rate * rate) + Q * acceleration
        return Attitude(W, W1 + W @ Q * rate, W2 + 2 * (W1 @ Q) * rate + W @ turn, origin)

    still = Attitude(SX.eye(3), SX(3, 3), SX(3, 3), zero())
    attitudes = outward(tree.parents, still, move)

    # inward: moments of what joint i carries about its origin, in its axes
    own = [
        CompositeLink(
            node.mass.J @ x.W2.T + node.mass.h @ x.origin.T,
            node.mass.m * x.origin + x.W2 @ node.mass.h,
            node.mass.h,
            node.mass.m,
        )
        for node, x in zip(tree.nodes, attitudes, strict=True)
    ]

    def carry(i: int, parent: CompositeLink, child: CompositeLink) -> CompositeLink:
        return CompositeLink(
            parent.D + R[i] @ child.D + p[i] @ child.e.T,
            parent.e + child.e,
            parent.c + R[i] @ child.c + child.m * p[i],
            parent.m + child.m,
        )

    g = tree.model.gravity
    parts = []
    for node, x, carried in zip(
        tree.nodes, attitudes, inward(tree.parents, own, carry), strict=True
    ):
        if node.freedom is Freedom.SLIDE:
            parts.append((x.W @ node.axes.linear).T @ (carried.e - carried.m * g))
        else:
            U = x.W @ skew(node.axes.angular)  # dW_i/dq_i
            parts.append(trace_of_product(U, carried.D) - g.T @ U @ carried.c)
    return tree.forces(parts)


@dataclass(frozen=True)
class Attitude:
    """Rotation W of a link into the root, its derivatives by time, its origin's acceleration."""

    W: SX
    W1: SX
    W2: SX
    origin: SX


@dataclass(frozen=True)
class CompositeLink:
    """Sums over the points r = o + W x of all links that a joint carries.

    Attributes:
        D: ∫ x r''ᵀ dm, shape (3, 3).
        e: ∫ r'' dm, shape (3,).
        c: ∫ x dm, shape (3,).
        m: Mass.
    """

    D: SX
    e: SX
    c: SX
    m: SX
