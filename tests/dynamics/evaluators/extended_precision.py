"""Forward dynamics of a chain of turns in extended precision: what rounding is measured against."""

from __future__ import annotations

import numpy as np

from phalanx.dynamics.evaluators.bodies import Bodies

Array = np.ndarray


def accelerations(bodies: Bodies, q: Array, v: Array, tau: Array, root: Array) -> Array:
    """Of one sample, by the articulated-body recursion with 6x6 matrices, angular part first."""
    assert bodies.is_chain and (bodies.nv == 1).all() and not bodies.slide.any()
    q, v, tau, root = (np.asarray(x, np.longdouble) for x in (q, v, tau, root))
    S = np.array([0, 0, 1, 0, 0, 0], np.longdouble)
    X, c, I, p = [], [], [], []
    w = root[:3]
    for i in range(len(bodies)):
        R, r = _turned(bodies.rotation[i], q[i]), bodies.translation[i].astype(np.longdouble)
        motion = np.zeros((6, 6), np.longdouble)
        motion[:3, :3] = motion[3:, 3:] = R.T
        motion[3:, :3] = -R.T @ _skew(r)
        X.append(motion)
        swing = np.concatenate([np.cross(R.T @ w, S[:3] * v[i]), R.T @ _centripetal(w, r)])
        w = R.T @ w + S[:3] * v[i]
        c.append(swing)
        J = bodies.second[i].astype(np.longdouble)
        inertia, h = np.trace(J) * np.eye(3) - J, bodies.first[i].astype(np.longdouble)
        spatial = np.zeros((6, 6), np.longdouble)
        spatial[:3, :3], spatial[:3, 3:], spatial[3:, :3] = inertia, _skew(h), -_skew(h)
        spatial[3:, 3:] = np.longdouble(bodies.mass[i]) * np.eye(3)
        I.append(spatial)
        p.append(np.concatenate([np.cross(w, inertia @ w), _centripetal(w, h)]))
    armature = bodies.armature.astype(np.longdouble)
    U, D, u = [S] * len(X), [S[2]] * len(X), [S[2]] * len(X)
    for i in reversed(range(len(X))):
        U[i] = I[i] @ S
        D[i], u[i] = U[i][2] + armature[i], tau[i] - p[i][2]
        if i:
            rest = I[i] - np.outer(U[i], U[i]) / D[i]
            I[i - 1] = I[i - 1] + X[i].T @ rest @ X[i]
            p[i - 1] = p[i - 1] + X[i].T @ (p[i] + rest @ c[i] + U[i] * (u[i] / D[i]))
    result, A = np.zeros(len(X), np.longdouble), root[3:]
    for i in range(len(X)):
        start = X[i] @ A + c[i]
        result[i] = (u[i] - U[i] @ start) / D[i]
        A = start + S * result[i]
    return result


def _turned(seat: Array, q: np.longdouble) -> Array:
    c, s = np.cos(q), np.sin(q)
    turn = np.array([[c, -s, 0 * c], [s, c, 0 * c], [0 * c, 0 * c, 1 + 0 * c]], np.longdouble)
    return seat.astype(np.longdouble) @ turn


def _skew(a: Array) -> Array:
    zero = 0 * a[0]
    return np.array([[zero, -a[2], a[1]], [a[2], zero, -a[0]], [-a[1], a[0], zero]], a.dtype)


def _centripetal(w: Array, r: Array) -> Array:
    return np.cross(w, np.cross(w, r))
