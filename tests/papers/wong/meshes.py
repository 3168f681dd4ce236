"""Chains for the mesh, and the serial equations of Wong (1991), §3.4 and §3.5, in NumPy."""

from __future__ import annotations

import math

import numpy as np

import phalanx as px
from phalanx.mechanism.library.hinges import HingedLink, hinged

TWISTS = (0.0, 90.0, -90.0, 30.0)


def chain_links(n: int) -> list[HingedLink]:
    """Bodies that differ in all their numbers."""
    draws = np.random.default_rng(n)

    def vector(scale: float) -> tuple[float, float, float]:
        x, y, z = draws.normal(scale=scale, size=3)
        return float(x), float(y), float(z)

    return [
        HingedLink(
            f"body_{i}",
            float(draws.choice(TWISTS)),
            float(draws.uniform(0.5, 2.0)),
            vector(0.3),
            tuple(map(float, draws.uniform(0.5, 1.0, 3))),
            vector(0.3) if i else (0.0, 0.0, 0.0),
        )
        for i in range(n)
    ]


def chain(n: int) -> px.Mechanism:
    """A chain of n hinges."""
    return hinged(f"chain of {n}", chain_links(n))


def serial(links: list[HingedLink], q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """M and F_v of a chain, from its table: H = [C; rho x C], M = HᵀdiagH, F = Hᵀ[dL; m p]."""
    n = len(links)
    A = [_rotation(math.radians(link.alpha), angle) for link, angle in zip(links, q, strict=True)]
    k = [np.array(link.k) for link in links]
    c = np.zeros((n, n, 3))
    rho = np.zeros((n, n, 3))
    for j in range(n):
        c[j, j], rho[j, j] = (0, 0, 1), k[j]
        for i in range(j + 1, n):
            c[i, j] = A[i] @ c[i - 1, j]
            rho[i, j] = A[i] @ (rho[i - 1, j] - np.array(links[i].hinge)) + k[i]
    moved = np.cross(rho, c)
    J = [np.diag(link.moments) for link in links]
    M, F = np.zeros((n, n)), np.zeros(n)
    w, dw, p = np.zeros(3), np.zeros(3), np.array([0.0, 0.0, 9.81])
    W = np.zeros((3, 3))
    for i, link in enumerate(links):
        p = p + W @ np.array(link.hinge)
        w = A[i] @ w + (0, 0, v[i])
        dw = A[i] @ dw + np.cross(w, (0, 0, v[i]))
        W = _skew(dw) + _skew(w) @ _skew(w)
        p = A[i] @ p - W @ k[i]
        dL = J[i] @ dw + np.cross(w, J[i] @ w)
        M += c[i] @ J[i] @ c[i].T + link.mass * moved[i] @ moved[i].T
        F += c[i] @ dL + link.mass * moved[i] @ p
    return M, F


def _rotation(alpha: float, theta: float) -> np.ndarray:
    s, c = math.sin(theta), math.cos(theta)
    sa, ca = math.sin(alpha), math.cos(alpha)
    return np.array([[c, ca * s, sa * s], [-s, ca * c, sa * c], [0, -sa, ca]])


def _skew(a: np.ndarray) -> np.ndarray:
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])
