"""Accelerations from rest by articulated bodies: M⁻¹ f, and the pivots that it divides by."""

from __future__ import annotations

import casadi as ca
from casadi import SX

from phalanx.chains.joint_poses import keep_pose, kept_pose
from phalanx.chains.walks import Handed, Program, Walk
from phalanx.equations.forward_dynamics.articulated_body import ArticulatedInertia
from phalanx.equations.mass_matrix.factorization import factorize
from phalanx.equations.spatial import Twist, Wrench, symmetric
from phalanx.equations.tree.node import Node

INERTIA = 21  # numbers of an articulated inertia
_UPPER = [(i, j) for i in range(3) for j in range(i, 3)]


def inertia_numbers(I: ArticulatedInertia) -> SX:
    """An articulated inertia as a column."""
    rotation, translation = ([A[i, j] for i, j in _UPPER] for A in (I.rotation, I.translation))
    return ca.vertcat(*rotation, ca.vec(I.coupling), *translation)


def inertia_of(numbers: SX) -> ArticulatedInertia:
    """An articulated inertia out of a column."""
    rotation, translation = (symmetric(*ca.vertsplit(part)) for part in (numbers[:6], numbers[15:]))
    return ArticulatedInertia(rotation, ca.reshape(numbers[6:15], 3, 3), translation)


def _yield(node: Node, beyond: SX, q: SX, tau: SX) -> Handed:
    """A joint passes on what it cannot yield to."""
    X, S = node.transform(q), node.axes
    I = ArticulatedInertia.of(node.mass) + inertia_of(beyond[:INERTIA])
    bias = Wrench.of(beyond[INERTIA:])
    U = I @ S
    D = factorize(S.dot(U) + ca.diag(node.armature))
    scaled = U.each(lambda part: D.solve(part.T).T)
    drive = tau - S.dot(bias)
    on = ca.vertcat(
        inertia_numbers(I.without(U, scaled).into_parent(X)),
        (bias + scaled @ drive).into_parent(X).numbers,
    )
    kept = {
        "joint": keep_pose(node, X),
        "scaled": ca.vec(scaled.numbers),
        "free": D.solve(drive),
    }
    return Handed(on, kept)


def _accelerate(node: Node, parent: SX, joint: SX, scaled: SX, free: SX) -> Handed:
    """A joint accelerates by what its parent's motion leaves of its drive."""
    A = Twist.of(parent).into_child(kept_pose(node, joint))
    own = free - Wrench.of(ca.reshape(scaled, 6, node.freedom.nv)).dot(A)
    return Handed((A + node.axes @ own).numbers, results={"a": own})


# (q, tau) -> a = M⁻¹ tau; the root hands on nothing
MASS_SOLVE = Program(
    "mass_solve", (Walk("inward", INERTIA + 6, _yield), Walk("outward", 6, _accelerate))
)


def _pivot(node: Node, beyond: SX, q: SX, least: SX) -> Handed:
    """The inertia of a joint with all beyond it free to move; `least` counts as none."""
    S = node.axes
    I = ArticulatedInertia.of(node.mass) + inertia_of(beyond)
    U = I @ S
    D = factorize(S.dot(U) + ca.diag(node.armature), ca.vertsplit(least))
    scaled = U.each(lambda part: D.solve(part.T).T)
    on = inertia_numbers(I.without(U, scaled).into_parent(node.transform(q)))
    return Handed(on, results={"pivot": ca.vertcat(*D.pivots)})


# (q, least) -> pivot
PIVOTS = Program("pivots", (Walk("inward", INERTIA, _pivot),))
