"""A segment as one body with two ends: what its parent feels, and how its tip moves.

Under an acceleration a of the parent's origin and with a wrench f handed on by what hangs on its
tip, a stretch hands on ``I a + p + K f`` to its parent, and its tip accelerates by
``Kᵀ a - H f + g``. I and H are symmetric and not negative. Stretches in a row are a chain of such
bodies, much shorter than the chain itself.

Reference:
    Featherstone (1999), A divide-and-conquer articulated-body algorithm, part 1: the same idea,
    with inverse inertias at both ends.
"""

from __future__ import annotations

import casadi as ca
from casadi import SX

from phalanx.dynamics.evaluators.articulated import (
    INERTIA,
    MOTION,
    by_velocity,
    column,
    held,
    kept_turn,
    packed,
    parent_turning,
    placed,
    swung,
    unpacked,
    wrench,
)
from phalanx.dynamics.evaluators.recursion import StepResult
from phalanx.dynamics.evaluators.small_matrices import inverse, mirrored
from phalanx.equations.forward_dynamics.articulated_inertia import (
    ArticulatedInertia,
    JointElimination,
)
from phalanx.equations.spatial import Acceleration
from phalanx.equations.tree.node import Node

SPIN = 12  # rotation of the tip in the parent, row by row; its angular velocity if the parent rests
BODY = INERTIA + 6 + 36 + INERTIA + 6  # I, p, K, H, g
TIP = BODY + 3  # the same, and the angular velocity of the node that the walk has come to
DRIVEN = MOTION + 6  # motion of the parent, wrench handed on to the tip

_UPPER = [(i, j) for i in range(6) for j in range(i, 6)]


def spin_at_parent() -> list[float]:
    """Of no stretch at all."""
    return [1.0, 0, 0, 0, 1.0, 0, 0, 0, 1.0, 0, 0, 0]


def body_at_tip() -> list[float]:
    """Of no stretch at all: its tip is its parent."""
    numbers = [0.0] * BODY
    for k in range(6):
        numbers[INERTIA + 6 + 7 * k] = 1.0
    return numbers


# -- within a stretch, node after node -----------------------------------------------------------


def spinning(node: Node, spin: SX, q: SX, v: SX) -> StepResult:
    """Outward: the tip's rotation and angular velocity, the parent being at rest."""
    X = node.transform(q)
    rows = X.rotation.into_child(ca.reshape(spin[:9], 3, 3))  # columns are rows of the rotation
    w = X.rotation.into_child(spin[9:]) + (node.axes @ v).angular
    return StepResult(ca.vertcat(ca.vec(rows), w), {"turn": kept_turn(X)})


def gathering(node: Node, body: SX, q: SX, v: SX, tau: SX, external: SX, turn: SX) -> StepResult:
    """Inward: one node more at the parent's end; angular velocities are taken back on the way."""
    body, w = body[:BODY], body[BODY:]
    X = placed(node, q, turn)
    I = unpacked(body[:INERTIA]) + ArticulatedInertia.of(node.mass)
    p = wrench(body[INERTIA : INERTIA + 6]) + held(node, w, external)
    K = wrench(ca.reshape(body[INERTIA + 6 : INERTIA + 42], 6, 6))
    H, g = body[INERTIA + 42 : 2 * INERTIA + 42], body[2 * INERTIA + 42 :]
    step = JointElimination(node, I, tau - node.along(p))
    w_parent = parent_turning(node, X, w, v)
    c = by_velocity(node, X, w_parent, v)
    p = p + step.rest @ c + step.pushed
    pulled = node.along(K)  # joint forces that a unit of the tip's wrench takes, (nv, 6)
    answer = step.solve(pulled)
    K = step.without_joint(node, K)
    H = H + ca.vertcat(*(ca.dot(pulled[:, i], answer[:, j]) for i, j in _UPPER))
    g = g + pulled.T @ step.drive + K.dot(c)
    return StepResult(
        ca.vertcat(
            packed(step.rest.into_parent(X)),
            column(p.into_parent(X)),
            ca.vec(column(K.into_parent(X))),
            H,
            g,
            w_parent,
        ),
        {"ratio": ca.vec(column(step.ratio)), "drive": step.drive, "answer": ca.vec(answer)},
    )


def driven(
    node: Node, motion: SX, q: SX, v: SX, turn: SX, ratio: SX, drive: SX, answer: SX
) -> StepResult:
    """Outward: joints accelerate, what moves the parent and pulls the tip being known."""
    X, nv = placed(node, q, turn), node.freedom.nv
    A = swung(node, X, Acceleration(motion[:3], motion[3:6], motion[6:MOTION]), v)
    f = motion[MOTION:]
    a = drive - ca.reshape(answer, nv, 6) @ f
    a = a - ca.reshape(ratio, 6, nv).T @ ca.vertcat(A.dw, A.a)
    own = node.axes @ a
    on = ca.vertcat(A.w, A.dw + own.angular, A.a + own.linear, f)
    return StepResult(on, results={"a": a})


# -- between stretches, one after the other ------------------------------------------------------


def stretch_turning(w: SX, spin: SX) -> tuple[SX, SX]:
    """Angular velocity of the tip, and what the walk within the stretch begins with there."""
    w = ca.reshape(spin[:9], 3, 3) @ w + spin[9:]
    return w, ca.vertcat(SX(ca.DM(body_at_tip())), w)


def stretch_yielding(carried: SX, body: SX) -> tuple[SX, SX, SX]:
    """What is handed on to the parent, and what is kept: T Kᵀ and the tip's wrench at rest.

    What hangs on the tip hands on f = J a + b. Then f = T (Kᵀ a + g) + (1 + J H)⁻¹ b with the
    symmetric T = (1 + J H)⁻¹ J. J needs neither an inverse nor a root: that of point masses in line
    has none but by rounding.
    """
    J, b = _full(carried[:INERTIA]), carried[INERTIA:]
    I, p, K, H, g = _parts(body)
    between = inverse(SX.eye(6) + J @ H)
    TK = mirrored(between @ J) @ K.T
    rest = between @ (J @ g + b)
    return ca.vertcat(_packed_full(I + K @ TK), p + K @ rest), ca.vec(TK), rest


def stretch_accelerating(motion: SX, spin: SX, body: SX, TK: SX, rest: SX) -> tuple[SX, SX]:
    """Motion of the tip; and of the parent, with the wrench handed on to the tip."""
    _, _, K, H, g = _parts(body)
    a = motion[3:]
    f = ca.reshape(TK, 6, 6) @ a + rest
    w, _ = stretch_turning(motion[:3], spin)
    return ca.vertcat(w, K.T @ a - H @ f + g), ca.vertcat(motion, f)


def _parts(body: SX) -> tuple[SX, SX, SX, SX, SX]:
    """I, p, K, H, g as matrices and columns, turning part first."""
    K = ca.reshape(body[INERTIA + 6 : INERTIA + 42], 6, 6)
    H = body[INERTIA + 42 : 2 * INERTIA + 42]
    I = _full(body[:INERTIA])
    return I, body[INERTIA : INERTIA + 6], K, _symmetric(H), body[2 * INERTIA + 42 : BODY]


def _full(inertia: SX) -> SX:
    I = unpacked(inertia)
    return ca.blockcat([[I.rotation, I.coupling], [I.coupling.T, I.translation]])


def _packed_full(A: SX) -> SX:
    return packed(ArticulatedInertia(A[:3, :3], A[:3, 3:], A[3:, 3:]))


def _symmetric(numbers: SX) -> SX:
    A = SX(6, 6)
    for k, (i, j) in enumerate(_UPPER):
        A[i, j] = A[j, i] = numbers[k]
    return A
