"""Functions and processors the tests of this folder share."""

from __future__ import annotations

import casadi as ca
import numpy as np

from phalanx.kernel import Target, host_target


def widths() -> list[Target]:
    """This processor at every vector width it can run, one lane included."""
    host = host_target()
    return [host.narrowed(n) for n in (8, 16, 32, 64) if n <= host.vector_bytes]


def two_link_arm() -> ca.Function:
    """Joint forces of a planar arm: products, sums, sines and cosines, several inputs."""
    q, v, a = (ca.SX.sym(name, 2) for name in "qva")
    c2, s2 = ca.cos(q[1]), ca.sin(q[1])
    m11 = 1.7 + 0.9 * c2
    m12 = 0.4 + 0.45 * c2
    tau1 = m11 * a[0] + m12 * a[1] - 0.45 * s2 * v[1] * (2 * v[0] + v[1])
    tau2 = m12 * a[0] + 0.4 * a[1] + 0.45 * s2 * v[0] ** 2
    gravity = 9.81 * ca.vertcat(1.3 * ca.cos(q[0]), 0.5 * ca.cos(q[0] + q[1]))
    tau = ca.vertcat(tau1, tau2) + gravity
    return ca.Function("arm", [q, v, a], [tau], ["q", "v", "a"], ["tau"])


def chain(links: int) -> ca.Function:
    """A long dependent expression over few inputs, to be cut into pieces."""
    x = ca.SX.sym("x", 4)
    state = [x[i] for i in range(4)]
    for k in range(links):
        s, c = ca.sin(state[k % 4]), ca.cos(state[(k + 1) % 4])
        state[k % 4] = state[(k + 2) % 4] * c - 0.3 * state[(k + 3) % 4] * s + 0.1 * k / links
    return ca.Function("chain", [x], [ca.vertcat(*state)], ["x"], ["y"])


def by_casadi(function: ca.Function, *args: np.ndarray) -> np.ndarray:
    """The single output for rows of samples, by CasADi's interpreter."""
    count = max(len(a) for a in args)
    rows = [a if len(a) == count else np.repeat(a, count, axis=0) for a in args]
    return np.array([np.array(function(*(r[i] for r in rows))).ravel() for i in range(count)])
