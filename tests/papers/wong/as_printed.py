"""Methods of Wong's review (1991, chapter 2 and §3.3) in NumPy, with their misprints at will.

For a chain of hinges with everything in root axes. ``printed`` names the equations that are taken
as they are printed; all others are corrected. Nothing of the library's equations is used.
"""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from phalanx.mechanism.library.hinges import HingedLink

GRAVITY = np.array([0.0, 0.0, -9.81])


@dataclass(frozen=True)
class Chain:
    """Bodies of a chain at a posture: an entry or a row each, in root axes."""

    R: np.ndarray
    m: np.ndarray
    J: np.ndarray
    k: np.ndarray
    l: np.ndarray  # to the next hinge; zero of the last
    z: np.ndarray
    x: np.ndarray  # centres of mass

    @property
    def d(self) -> np.ndarray:
        """From the next hinge to a body's own."""
        return self.k - self.l

    @property
    def n(self) -> int:
        return len(self.m)


def chain(links: Collection[HingedLink], q: np.ndarray) -> Chain:
    """A table of the source at angles q."""
    links = list(links)
    R, frames = np.eye(3), []
    for link, angle in zip(links, q, strict=True):
        a, c, s = np.radians(link.alpha), np.cos(angle), np.sin(angle)
        A = np.array(
            [
                [c, np.cos(a) * s, np.sin(a) * s],
                [-s, np.cos(a) * c, np.sin(a) * c],
                [0, -np.sin(a), np.cos(a)],
            ]
        )
        R = R @ A.T
        frames.append(R)
    own_l = [*(np.array(link.hinge, dtype=float) for link in links[1:]), np.zeros(3)]
    k = np.array([F @ link.k for F, link in zip(frames, links, strict=True)])
    l = np.array([F @ x for F, x in zip(frames, own_l, strict=True)])
    hinges = np.cumsum([np.zeros(3), *(l - k)[:-1]], axis=0)
    return Chain(
        np.array(frames),
        np.array([link.mass for link in links]),
        np.array([F @ np.diag(link.moments) @ F.T for F, link in zip(frames, links, strict=True)]),
        k,
        l,
        np.array(frames)[:, :, 2],
        hinges - k,
    )


def composite_bodies(c: Chain, printed: Collection[str] = ()) -> np.ndarray:
    """The inertia matrix by composite bodies, eqs. 2.3 to 2.12."""
    n = c.n
    across = 1.0 if "2.8" in printed else -1.0
    handed = 1.0 if "2.11" in printed else -1.0
    mass, centre, inertia = np.zeros(n), np.zeros((n, 3)), np.zeros((n, 3, 3))
    mass[-1], centre[-1], inertia[-1] = c.m[-1], -c.k[-1], c.J[-1]
    for j in reversed(range(n - 1)):
        mass[j] = mass[j + 1] + c.m[j]
        centre[j] = (mass[j + 1] * (centre[j + 1] - c.d[j]) - c.m[j] * c.k[j]) / mass[j]
        r = centre[j + 1] + across * c.d[j] - centre[j]
        own = -centre[j] - c.k[j]
        inertia[j] = inertia[j + 1] + mass[j + 1] * spread(r) + c.J[j] + c.m[j] * spread(own)
    M = np.zeros((n, n))
    for j in range(n):
        F = mass[j] * np.cross(c.z[j], centre[j])
        moment = inertia[j] @ c.z[j] + np.cross(centre[j], F)
        M[j, j] = moment @ c.z[j]
        for i in reversed(range(j)):
            moment = moment + handed * np.cross(c.d[i], F)
            M[i, j] = M[j, i] = moment @ c.z[i]
    return M


def unit_motions(c: Chain) -> np.ndarray:
    """Of each hinge about the root's origin: (h × z, z)."""
    return np.hstack([np.cross(c.x + c.k, c.z), c.z])


def body_inertias(c: Chain) -> np.ndarray:
    """6×6 about the root's origin, linear part first."""
    found = []
    for m, J, x in zip(c.m, c.J, c.x, strict=True):
        X = skew(x)
        found.append(np.block([[m * np.eye(3), -m * X], [m * X, J - m * X @ X]]))
    return np.array(found)


def accumulated_inertia(c: Chain, of_the_inner: bool = False) -> np.ndarray:
    """The inertia matrix BᵀKB, eqs. 2.21 to 2.23; K is that of the outer or the inner joint."""
    s = unit_motions(c)
    K = np.cumsum(body_inertias(c)[::-1], axis=0)[::-1]
    M = np.zeros((c.n, c.n))
    for i in range(c.n):
        for j in range(i + 1):
            carried = K[j] if of_the_inner else K[i]
            M[i, j] = M[j, i] = s[i] @ carried @ s[j]
    return M


def articulated_bodies(c: Chain, Q: np.ndarray, printed: Collection[str] = ()) -> np.ndarray:
    """Accelerations under Q = tau - F_v, eqs. 2.14 to 2.19."""
    n, s = c.n, unit_motions(c)
    I, P = body_inertias(c), np.zeros((n, 6))
    for i in reversed(range(n - 1)):
        u = I[i + 1] @ s[i + 1]
        D = s[i + 1] @ u
        I[i] = I[i] + I[i + 1] - np.outer(u, u) / D
        P[i] = P[i + 1] + u * (Q[i + 1] - s[i + 1] @ P[i + 1]) / D
    a, found = np.zeros(6), np.zeros(n)
    for i in range(n):
        # printed, the divisor is the inertia that the next joint feels
        at = min(i + 1, n - 1) if "2.18" in printed else i
        found[i] = (Q[i] - s[i] @ I[i] @ a - s[i] @ P[i]) / (s[at] @ I[at] @ s[at])
        a = a + s[i] * found[i]
    return found


def loads(c: Chain, v: np.ndarray, a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """dL/dt and m p'' of each body, in root axes, eqs. 3.25 and 3.26."""
    w, dw, p = np.zeros(3), np.zeros(3), -GRAVITY
    moments, forces = [], []
    for i in range(c.n):
        if i:
            p = p + np.cross(dw, c.l[i - 1]) + np.cross(w, np.cross(w, c.l[i - 1]))
        dw = dw + c.z[i] * a[i] + np.cross(w, c.z[i] * v[i])
        w = w + c.z[i] * v[i]
        p = p - np.cross(dw, c.k[i]) - np.cross(w, np.cross(w, c.k[i]))
        moments.append(c.J[i] @ dw + np.cross(w, c.J[i] @ w))
        forces.append(c.m[i] * p)
    return np.array(moments), np.array(forces)


def natural_forces(
    c: Chain, v: np.ndarray, a: np.ndarray, printed: Collection[str] = ()
) -> np.ndarray:
    """Joint torques by eq. 3.33, whose printed moment has the wrong sign."""
    sign = -1.0 if "3.33" in printed else 1.0
    moments, forces = loads(c, v, a)
    tau = np.zeros(c.n)
    for i in range(c.n):
        for j in range(i, c.n):
            rho = c.x[i] + c.k[i] - c.x[j]
            tau[i] += c.z[i] @ (moments[j] + sign * np.cross(forces[j], rho))
    return tau


def newton_euler(
    c: Chain, v: np.ndarray, a: np.ndarray, f_tip: np.ndarray, n_tip: np.ndarray, tip: np.ndarray
) -> np.ndarray:
    """Joint torques with a load (f, n) that the tip exerts on the surroundings, eqs. 2.1, 2.2.

    ``tip`` is from the last centre of mass to the tip, in root axes, as the load is.
    """
    moments, forces = loads(c, v, a)
    f, n = np.array(f_tip), np.array(n_tip)
    tau = np.zeros(c.n)
    for i in reversed(range(c.n)):
        outer = c.l[i] if i < c.n - 1 else tip
        n = n + moments[i] - np.cross(c.k[i], forces[i]) - np.cross(c.k[i] - outer, f)
        f = f + forces[i]
        tau[i] = n @ c.z[i]
    return tau


def skew(a: np.ndarray) -> np.ndarray:
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def spread(r: np.ndarray) -> np.ndarray:
    return r @ r * np.eye(3) - np.outer(r, r)
