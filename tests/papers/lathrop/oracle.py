"""Independent of Newton and Euler: a recursive Lagrangian with 3×3 matrices, as numbers.

Rotations are differentiated twice as matrices, and forces come from the trace form of the kinetic
energy; there is no angular velocity, no cross product and no inertia tensor in it.

Reference:
    Hollerbach, A recursive Lagrangian formulation of manipulator dynamics (1980).
"""

from __future__ import annotations

import numpy as np

from papers.lathrop.numbers import NumberChain

_K = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]])  # turning about z
_E3 = np.array([0.0, 0.0, 1.0])


def lagrangian_torques(chain: NumberChain) -> np.ndarray:
    """Joint forces of a chain with a base that does not turn and a free tip."""
    links, n = chain.links, len(chain.links)
    W, dW, ddW = np.eye(3), np.zeros((3, 3)), np.zeros((3, 3))
    p = chain.base.motion.a
    before, second, points = [], [], []
    for link in links:
        rate, acceleration = link.rate[2], link.acceleration[2]
        U = _K @ link.A if link.turns else np.zeros((3, 3))
        before.append(W)
        ddW = ddW @ link.A + 2 * dW @ U * rate
        if link.turns:
            ddW = ddW + W @ (_K @ U * rate**2 + U * acceleration)
        dW, W = dW @ link.A + W @ U * rate, W @ link.A
        p = p + ddW @ link.p
        if not link.turns:
            p = p + 2 * dW @ link.axis * rate + W @ link.axis * acceleration
        second.append(ddW)
        points.append(p)
    e, D = np.zeros(3), np.zeros((3, 3))
    tau = np.zeros(n)
    for i in reversed(range(n)):
        link = links[i]
        moment = link.m * link.r
        spread = np.trace(link.J) / 2 * np.eye(3) - link.J + np.outer(moment, link.r)
        e = e + link.m * points[i] + second[i] @ moment
        A_after = links[i + 1].A if i + 1 < n else np.eye(3)
        D = A_after @ D + np.outer(moment, points[i]) + spread @ second[i].T + np.outer(link.p, e)
        if link.turns:
            tau[i] = np.trace(before[i] @ _K @ link.A @ D)
        else:
            tau[i] = before[i] @ _E3 @ e
    return tau
