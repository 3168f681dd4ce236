"""Extended-precision reference dynamics, in any number of decimal digits.

Written apart from the equations that are compiled, with plain 6×6 matrices of decimal numbers and
no regard for speed: a millisecond a body. Inverse dynamics is here to check forward dynamics: of
the accelerations found, it must give back the joint forces to thirty digits, or it is an error.

Spatial vectors have the angular part first here. The state is taken as it is, digit by digit; only
quaternions are made unit ones.

Reference:
    Featherstone, Rigid Body Dynamics Algorithms (2008), ch. 5 and 7.
"""

from __future__ import annotations

import decimal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

from phalanx.base.errors import PhalanxError
from phalanx.dynamics.evaluators.bodies import FREEDOMS, Bodies
from phalanx.equations.tree.node import Freedom
from phalanx.mechanism.pose import Array

Decimals = NDArray[Any]  # of decimal numbers

MISSING = Decimal("1e-30")  # of joint forces, as a share of the largest number
DIGITS = 50  # double precision has 16, and a chain of 1000 bodies takes up to 12 of them

_exact = np.vectorize(Decimal, otypes=[object])


class TooFewDigits(PhalanxError):
    """A reference that does not satisfy the equations of motion."""


def forward_dynamics(
    bodies: Bodies,
    q: Array,
    v: Array,
    tau: Array,
    root: Array,
    external: Array | None = None,
    digits: int = DIGITS,
) -> Decimals:
    """Accelerations of the joints by articulated bodies (ABA), shape (nv,), decimal numbers.

    Arguments are those of ``Solver.accelerations``, of one sample.

    Raises:
        TooFewDigits: Accelerations do not give back the joint forces.
    """
    with _digits(digits):
        nodes = _nodes(bodies, exact(q), exact(v), exact(root))
        start, forces, armature = exact(root)[3:], exact(tau), exact(bodies.armature)
        inertia = [node.I.copy() for node in nodes]
        bias = _biases(nodes, external)
        U, D, u = [], [], []
        for i in reversed(range(len(nodes))):
            node, own = nodes[i], _own(bodies, i)
            IS = inertia[i] @ node.S
            inverse = _inverse(node.S.T @ IS + _diagonal(armature[own]))
            rest = forces[own] - node.S.T @ bias[i]
            U.append(IS)
            D.append(inverse)
            u.append(rest)
            parent = bodies.parent[i]
            if parent >= 0:
                left = inertia[i] - IS @ inverse @ IS.T
                # what is not symmetric of it would double from body to body
                left = (left + left.T) / 2
                inertia[parent] = inertia[parent] + node.X.T @ left @ node.X
                push = bias[i] + left @ node.c + IS @ (inverse @ rest)
                bias[parent] = bias[parent] + node.X.T @ push
        a = _zeros(len(forces))
        moved: list[Decimals] = []
        for i, node in enumerate(nodes):
            parent, k = bodies.parent[i], len(nodes) - 1 - i
            carried = node.X @ (moved[parent] if parent >= 0 else start) + node.c
            a[_own(bodies, i)] = D[k] @ (u[k] - U[k].T @ carried)
            moved.append(carried + node.S @ a[_own(bodies, i)])
        _check(a, inverse_dynamics(bodies, q, v, a, root, external, digits), forces)
        return a


def inverse_dynamics(
    bodies: Bodies,
    q: Array,
    v: Array,
    a: Array | Decimals,
    root: Array,
    external: Array | None = None,
    digits: int = DIGITS,
) -> Decimals:
    """Joint forces that produce accelerations (recursive Newton-Euler), shape (nv,)."""
    with _digits(digits):
        nodes = _nodes(bodies, exact(q), exact(v), exact(root))
        start, wanted, armature = exact(root)[3:], exact(a), exact(bodies.armature)
        moved: list[Decimals] = []
        for i, node in enumerate(nodes):
            parent = bodies.parent[i]
            before = moved[parent] if parent >= 0 else start
            moved.append(node.X @ before + node.c + node.S @ wanted[_own(bodies, i)])
        biases = _biases(nodes, external)
        carried = [node.I @ A + bias for node, A, bias in zip(nodes, moved, biases, strict=True)]
        tau = armature * wanted
        for i in reversed(range(len(nodes))):
            tau[_own(bodies, i)] += nodes[i].S.T @ carried[i]
            parent = bodies.parent[i]
            if parent >= 0:
                carried[parent] = carried[parent] + nodes[i].X.T @ carried[i]
        return tau


def _check(a: Decimals, needed: Decimals, forces: Decimals) -> None:
    """Raise TooFewDigits unless the motion needs the joint forces that it comes from."""
    scale = max(abs(x) for x in [*forces, *a, Decimal(1)])
    missing = max((abs(x) for x in needed - forces), default=Decimal(0)) / scale
    if not missing < MISSING:
        raise TooFewDigits(
            f"accelerations need joint forces that are off by {float(missing):.1g} of the largest "
            f"number; expected less than {float(MISSING):g}. Take more digits."
        )


def relative_error(found: Array, reference: Decimals) -> float:
    """The largest difference, relative to the largest number of the reference."""
    with _digits(DIGITS):
        largest = max(abs(x) for x in reference)
        return float(max(abs(d) for d in exact(found) - reference) / largest)


def exact(x: Array | Decimals) -> Decimals:
    """Numbers as decimal ones, all digits of each."""
    x = np.asarray(x)
    return x if x.dtype == object else _exact(x) if x.size else x.astype(object)


@dataclass(frozen=True, eq=False)
class _ExtendedNode:
    """A node in a state: from parent to node, axes, inertia, velocity, and what velocities add."""

    X: Decimals
    S: Decimals
    I: Decimals
    V: Decimals
    c: Decimals


@contextmanager
def _digits(digits: int) -> Iterator[None]:
    with decimal.localcontext() as context:
        context.prec = digits
        yield


def _own(bodies: Bodies, i: int) -> slice:
    return slice(bodies.v[i], bodies.v[i] + FREEDOMS[bodies.freedom[i]].nv)


def _nodes(bodies: Bodies, q: Decimals, v: Decimals, root: Decimals) -> list[_ExtendedNode]:
    start = np.concatenate([root[:3], _zeros(3)])
    found: list[_ExtendedNode] = []
    for i, parent in enumerate(bodies.parent):
        freedom = FREEDOMS[bodies.freedom[i]]
        E, p = _pose(bodies, i, q[bodies.q[i] : bodies.q[i] + freedom.nq])
        X = np.block([[E, _zeros(3, 3)], [-E @ _cross(p), E]])
        S = _axes(freedom, exact(bodies.slide[i]))
        joint = S @ v[_own(bodies, i)]
        V = X @ (found[parent].V if parent >= 0 else start) + joint
        found.append(_ExtendedNode(X, S, _inertia(bodies, i), V, _crossed(V, joint)))
    return found


def _biases(nodes: list[_ExtendedNode], external: Array | None) -> list[Decimals]:
    """The wrench that each node needs to keep its velocity, less what acts on it from outside."""
    found = []
    for i, node in enumerate(nodes):
        momentum = node.I @ node.V
        w, l, n, f = node.V[:3], node.V[3:], momentum[:3], momentum[3:]
        bias = np.concatenate([_cross(w) @ n + _cross(l) @ f, _cross(w) @ f])
        if external is not None:
            wrench = exact(external[i])
            bias = bias - np.concatenate([wrench[3:], wrench[:3]])
        found.append(bias)
    return found


def _pose(bodies: Bodies, i: int, x: Decimals) -> tuple[Decimals, Decimals]:
    """Rotation of parent axes into node axes, and where the node is in its parent."""
    R, p = exact(bodies.rotation[i]), exact(bodies.translation[i])
    match FREEDOMS[bodies.freedom[i]]:
        case Freedom.TURN:
            return (R @ _about_z(x[0])).T, p
        case Freedom.SLIDE:
            return R.T, p + R @ (exact(bodies.slide[i]) * x[0])
        case Freedom.SCREW:
            return (R @ _about_z(x[0])).T, p + R @ (exact(bodies.slide[i]) * x[0])
        case Freedom.BALL:
            return (R @ _of_quaternion(x)).T, p
        case Freedom.PLANE:
            shift = np.array([x[0], x[1], Decimal(0)], object)
            return (R @ _about_z(x[2])).T, p + R @ shift
        case Freedom.FREE:
            return (R @ _of_quaternion(x[3:])).T, p + R @ x[:3]
        case other:
            assert_never(other)


def _axes(freedom: Freedom, slide: Decimals) -> Decimals:
    """Motion of each unit velocity in node axes, shape (6, nv)."""
    eye = exact(np.eye(6))
    match freedom:
        case Freedom.TURN:
            return eye[:, 2:3]
        case Freedom.SLIDE:
            return np.concatenate([_zeros(3), slide])[:, None]
        case Freedom.SCREW:
            return np.concatenate([eye[:3, 2], slide])[:, None]
        case Freedom.BALL:
            return eye[:, :3]
        case Freedom.PLANE:
            return eye[:, [3, 4, 2]]
        case Freedom.FREE:
            return eye[:, [3, 4, 5, 0, 1, 2]]
        case other:
            assert_never(other)


def _inertia(bodies: Bodies, i: int) -> Decimals:
    first, upper = _cross(exact(bodies.first[i])), np.triu(bodies.second[i])
    second = exact(
        upper + np.triu(upper, 1).T
    )  # symmetric to the last digit, as the methods take it
    one = exact(np.eye(3))
    return np.block(
        [
            [np.trace(second) * one - second, first],
            [-first, Decimal(float(bodies.mass[i])) * one],
        ]
    )


def _crossed(V: Decimals, W: Decimals) -> Decimals:
    """The rate at which a motion W that is fixed to something moving with V changes."""
    w, l = _cross(V[:3]), _cross(V[3:])
    return np.concatenate([w @ W[:3], l @ W[:3] + w @ W[3:]])


def _cross(x: Decimals) -> Decimals:
    zero = Decimal(0)
    return np.array([[zero, -x[2], x[1]], [x[2], zero, -x[0]], [-x[1], x[0], zero]], object)


def _about_z(angle: Decimal) -> Decimals:
    c, s = _cosine_and_sine(angle)
    zero, one = Decimal(0), Decimal(1)
    return np.array([[c, -s, zero], [s, c, zero], [zero, zero, one]], object)


def _of_quaternion(x: Decimals) -> Decimals:
    """Rotation matrix of a quaternion (x, y, z, w) of any length."""
    axis, w = x[:3], x[3]
    K = _cross(axis)
    return exact(np.eye(3)) + (2 / (x @ x)) * (w * K + K @ K)


def _cosine_and_sine(angle: Decimal) -> tuple[Decimal, Decimal]:
    """By their series for a small part of the angle, doubled until it is whole."""
    with decimal.localcontext() as context:
        context.prec += 10 + max(0, angle.adjusted())  # doubling takes digits
        halvings = max(0, int(8 + 3.4 * max(0, angle.adjusted() + 1)))
        x = angle / 2**halvings
        term, cosine_less_one, sine, n = x, Decimal(0), x, 1
        while term and term.adjusted() > x.adjusted() - context.prec - 2:
            n += 1
            term = term * x / n * (-1 if n % 2 == 0 else 1)
            if n % 2 == 0:
                cosine_less_one += term
            else:
                sine += term
        for _ in range(halvings):
            # with cos - 1, which keeps its digits: cos 2x - 1 = 2 (cos x - 1)(cos x + 1)
            sine = 2 * sine * (1 + cosine_less_one)
            cosine_less_one = 2 * cosine_less_one * (2 + cosine_less_one)
        return 1 + cosine_less_one, sine


def _inverse(D: Decimals) -> Decimals:
    """Of a small positive definite matrix, by elimination."""
    n = len(D)
    rows = np.concatenate([D, exact(np.eye(n))], axis=1)
    for k in range(n):
        rows[k] = rows[k] / rows[k, k]
        for other in range(n):
            if other != k:
                rows[other] = rows[other] - rows[other, k] * rows[k]
    return rows[:, n:]


def _diagonal(x: Decimals) -> Decimals:
    made = _zeros(len(x), len(x))
    np.fill_diagonal(made, x)
    return made


def _zeros(*shape: int) -> Decimals:
    return np.full(shape, Decimal(0), object)
