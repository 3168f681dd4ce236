"""The equations of the thesis written out with NumPy, in its own coordinates.

q = (θ1, θ2 of each leg, absolute; φ, x, y of the platform). Nothing of the engine is in them, so
that they can judge it. Misprints are put right: gravity with a positive g, the distal inertia with
the distal mass, the wrench of the platform in the order of its twist, gravity on the platform.

Reference:
    Khan (2002), ch. 2.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phalanx.mechanism.library.planar_3rrr import DRIVES, PLATFORM_AT_START

Array = NDArray[np.float64]

L1, M1, I1, C1 = 0.4, 3.0, 0.04, 0.2
L2, M2, I2, C2 = 0.6, 4.0, 0.12, 0.3
MP, IP = 8.0, 0.0817
G = 9.81
E = np.array([[0.0, -1.0], [1.0, 0.0]])
BASE = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(3) / 2]])
VERTICES = 0.4 * np.array([[-0.5, -np.sqrt(3) / 6], [0.5, -np.sqrt(3) / 6], [0.0, np.sqrt(3) / 3]])
ACTUATED = [0, 2, 4]
# sec. 4.0.2, refined until the loops close: relative angles of the distal links at the start
ELBOWS = np.array([-0.865071873, -2.102096564, -0.975872293])
PRINTED_ELBOWS = np.array([-0.865, -2.102, -0.976])
PRINTED_PLATFORM = np.array([0.728, 0.233, 3.916])


def u(angle: float) -> Array:
    """The unit vector at an angle from x."""
    return np.array([np.cos(angle), np.sin(angle)])


def R(angle: float) -> Array:
    """The turn of the plane by an angle."""
    return np.array([u(angle), E @ u(angle)]).T


def coordinates(q: Array) -> Array:
    """Positions of the library's machine in the thesis's coordinates."""
    first = q[[0, 2, 4]] + np.array(DRIVES)
    second = first + q[[1, 3, 5]] + _elbows()
    x, y, phi = q[6:] + np.array(PLATFORM_AT_START)
    return np.array([*np.stack([first, second], axis=1).ravel(), phi, x, y])


def positions(x: Array) -> Array:
    """The other way: the library's positions at the thesis's coordinates."""
    first, second = x[0:6:2], x[1:6:2]
    bends = second - first - _elbows()
    legs = np.stack([first - np.array(DRIVES), bends], axis=1).ravel()
    return np.array([*legs, *(x[[7, 8, 6]] - np.array(PLATFORM_AT_START))])


def rates(q: Array, v: Array) -> Array:
    """Velocities of the library's machine, platform in its own axes, in the thesis's."""
    first, second = v[[0, 2, 4]], v[[0, 2, 4]] + v[[1, 3, 5]]
    return np.array([*np.stack([first, second], axis=1).ravel(), v[8], *(R(q[8]) @ v[6:8])])


def velocities(x: Array, w: Array) -> Array:
    """The other way: the library's velocities for the thesis's."""
    first, second = w[0:6:2], w[1:6:2]
    legs = np.stack([first, second - first], axis=1).ravel()
    turned = R(x[6] - PLATFORM_AT_START[2]).T @ w[7:]
    return np.array([*legs, *turned, w[6]])


def accelerations(q: Array, v: Array, a: Array) -> Array:
    """Accelerations of the library's machine in the thesis's coordinates."""
    first, second = a[[0, 2, 4]], a[[0, 2, 4]] + a[[1, 3, 5]]
    point = R(q[8]) @ (a[6:8] + v[8] * E @ v[6:8])
    return np.array([*np.stack([first, second], axis=1).ravel(), a[8], *point])


def _elbows() -> Array:
    """Exact relative angles of the distal links at the library's zero."""
    x, y, phi = PLATFORM_AT_START
    reach = np.array([x, y]) + VERTICES @ R(phi).T - BASE - L1 * np.array([u(a) for a in DRIVES])
    bend = np.arctan2(reach[:, 1], reach[:, 0]) - np.array(DRIVES)
    return np.asarray((bend + np.pi) % (2 * np.pi) - np.pi)


def closure(q: Array) -> Array:
    """c, eq. 2.3: tip less vertex of each leg."""
    rows = []
    for i in range(3):
        first, second = q[2 * i], q[2 * i + 1]
        rows.append(BASE[i] + L1 * u(first) + L2 * u(second) - R(q[6]) @ VERTICES[i] - q[7:])
    return np.concatenate(rows)


def jacobian(q: Array) -> Array:
    """A, eqs. 2.4-2.6."""
    A = np.zeros((6, 9))
    for i in range(3):
        rows = slice(2 * i, 2 * i + 2)
        A[rows, 2 * i] = L1 * E @ u(q[2 * i])
        A[rows, 2 * i + 1] = L2 * E @ u(q[2 * i + 1])
        A[rows, 6] = -E @ R(q[6]) @ VERTICES[i]
        A[rows, 7:] = -np.eye(2)
    return A


def drift(q: Array, v: Array) -> Array:
    """dA/dt v."""
    rows = []
    for i in range(3):
        leg = -L1 * u(q[2 * i]) * v[2 * i] ** 2 - L2 * u(q[2 * i + 1]) * v[2 * i + 1] ** 2
        rows.append(leg + R(q[6]) @ VERTICES[i] * v[6] ** 2)
    return np.concatenate(rows)


def inertia_and_bias(q: Array, v: Array) -> tuple[Array, Array]:
    """I and b of eq. 2.1 and 2.2."""
    I, b = np.zeros((9, 9)), np.zeros(9)
    k = M2 * L1 * C2
    for i in range(3):
        one, two = 2 * i, 2 * i + 1
        bend = q[two] - q[one]
        I[one, one] = I1 + M1 * C1**2 + M2 * L1**2
        I[one, two] = I[two, one] = k * np.cos(bend)
        I[two, two] = I2 + M2 * C2**2
        b[one] = -k * np.sin(bend) * v[two] ** 2 + (M1 * C1 + M2 * L1) * G * np.cos(q[one])
        b[two] = k * np.sin(bend) * v[one] ** 2 + M2 * C2 * G * np.cos(q[two])
    I[6:, 6:] = np.diag([IP, MP, MP])
    b[8] = MP * G
    return I, b


def motors(tau: ArrayLike) -> Array:
    """Forces on the coordinates from the three motors."""
    forces = np.zeros(9)
    forces[ACTUATED] = tau
    return forces


def multipliers(q: Array, v: Array, tau: ArrayLike) -> tuple[Array, Array]:
    """Accelerations and lambda, eq. 1.3."""
    I, b = inertia_and_bias(q, v)
    A = jacobian(q)
    whole = np.block([[I, A.T], [A, np.zeros((6, 6))]])
    solved = np.linalg.solve(whole, np.concatenate([motors(tau) - b, -drift(q, v)]))
    return solved[:9], solved[9:]


def partition(A: Array, picked: Sequence[int] = ACTUATED) -> Array:
    """T with unit rows at the picked coordinates: v = T v_picked."""
    rest = [k for k in range(9) if k not in picked]
    T = np.zeros((9, len(picked)))
    T[list(picked)] = np.eye(len(picked))
    T[rest] = -np.linalg.solve(A[:, rest], A[:, list(picked)])
    return T


def accelerations_of_all(q: Array, v: Array, of_motors: ArrayLike) -> Array:
    """Accelerations of all coordinates for those of the motors, from A a = -dA/dt v."""
    A = jacobian(q)
    rest = [k for k in range(9) if k not in ACTUATED]
    a = np.zeros(9)
    a[ACTUATED] = of_motors
    a[rest] = np.linalg.solve(A[:, rest], -drift(q, v) - A[:, ACTUATED] @ a[ACTUATED])
    return a


# where the coordinates of the nodes I, II, III and P are
NODES = ((0, 1), (2, 3), (4, 5), (6, 7, 8))


def partial_accelerations(q: Array, v: Array, tau: ArrayLike, decay: float) -> list[Array]:
    """Contribution of each node to the accelerations of the motors, eqs. 2.24-2.27.

    -(Tᵀ I T)⁻¹ Tʲᵀ (Iʲ γʲ + bʲ - uʲ) of legs I, II, III and the platform, with the acceleration
    γ that fits a partition by the motors.
    """
    I, b = inertia_and_bias(q, v)
    A = jacobian(q)
    T = partition(A)
    rest = [k for k in range(9) if k not in ACTUATED]
    gamma = np.zeros(9)
    gamma[rest] = np.linalg.solve(A[:, rest], -decay * A @ v - drift(q, v))
    missing = motors(tau) - b - I @ gamma
    inertia = T.T @ I @ T
    forces = [T[list(own)].T @ missing[list(own)] for own in NODES]
    return [np.asarray(np.linalg.solve(inertia, force), np.float64) for force in forces]
