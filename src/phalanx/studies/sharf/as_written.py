"""The equations of the paper written out with NumPy, in its own frames and as dense matrices.

Open chains on a fixed base; joints turn about one or two axes, or are locked. Velocities of a body
are (linear, angular) at its joint, in body axes. Nothing of the engine is in here, so that it can
judge the engine. Misprints are put right: forces act on the outboard body, dots lost in (9).

Reference:
    Sharf and D'Eleuterio (1993), sec. 3 and 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from scipy.linalg import block_diag

from phalanx.base.cached import cached_property
from phalanx.base.errors import InvalidModel
from phalanx.mechanism import Continuous, Fixed, Mechanism, Revolute, Universal
from phalanx.mechanism.pose import Array


def skew(a: Array) -> Array:
    """The matrix of a cross product."""
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def turn(axis: Array, angle: float) -> Array:
    """C: components after a turn of the axes about one of them, from those before."""
    a = skew(axis)
    return np.asarray(np.eye(3) - np.sin(angle) * a + (1 - np.cos(angle)) * a @ a)


@final
@dataclass(frozen=True, eq=False)
class LinkAtMoment:
    """A body and the joint that carries it.

    Attributes:
        axes: Axes of its turns one after the other, each in the axes after those before.
        seat: Rotation of the joint in the inboard body, and r: its place there [m].
        M: Mass matrix of the body at its joint, (6, 6).
    """

    axes: tuple[Array, ...]
    seat: Array
    r: Array
    M: Array


def links_of(mechanism: Mechanism) -> tuple[LinkAtMoment, ...]:
    """The bodies of a chain as the paper has them.

    Raises:
        InvalidModel: It is no chain, or has other joints than turns about one or two axes.
    """
    links = []
    for k, joint in enumerate(mechanism.joints):
        if mechanism.parents[k + 1] != k:
            raise InvalidModel(f"'{mechanism.name}' branches at joint '{joint.name}'.")
        match joint.motion:
            case Revolute(axis=axis) | Continuous(axis=axis):
                axes: tuple[Array, ...] = (axis,)
            case Universal(first=first, second=second):
                axes = (first, second)
            case Fixed():
                axes = ()
            case motion:
                raise InvalidModel(f"joint '{joint.name}' is {motion.kind}; expected turns.")
        body = mechanism.bodies[k + 1]
        c = skew(body.mass * body.com)
        J = body.inertia - body.mass * skew(body.com) @ skew(body.com)
        M = np.block([[body.mass * np.eye(3), -c], [c, J]])
        links.append(LinkAtMoment(axes, joint.pose.rotation, joint.pose.translation, M))
    return tuple(links)


@final
@dataclass(frozen=True, eq=False)
class ChainAtMoment:
    """A chain at a moment: everything that (1) to (14) say of it.

    Attributes:
        mechanism: The machine.
        q: Angles of the joints [rad].
        v_sigma: Velocities of the bodies, (n, 6); they need not fit the joints.
        tau: Forces of the joints [N·m].
        decay: Rate at which velocities that do not fit the joints are to fade [1/s].
    """

    mechanism: Mechanism
    q: Array
    v_sigma: Array
    tau: Array
    decay: float = 0.0

    @cached_property
    def links(self) -> tuple[LinkAtMoment, ...]:
        """Its bodies."""
        return links_of(self.mechanism)

    @cached_property
    def own(self) -> list[slice]:
        """Where the freedoms of each joint are."""
        ends = np.cumsum([len(link.axes) for link in self.links])
        return [
            slice(end - len(link.axes), end) for end, link in zip(ends, self.links, strict=True)
        ]

    @cached_property
    def C(self) -> list[Array]:
        """Components in a body from those in the one before."""
        found = []
        for link, own in zip(self.links, self.own, strict=True):
            C = link.seat.T
            for axis, angle in zip(link.axes, self.q[own], strict=True):
                C = turn(axis, angle) @ C
            found.append(C)
        return found

    @cached_property
    def T(self) -> list[Array]:
        """Velocities of a body from those of the one before, if the joint rests."""
        none = np.zeros((3, 3))
        return [
            np.block([[C, -C @ skew(link.r)], [none, C]])
            for C, link in zip(self.C, self.links, strict=True)
        ]

    @cached_property
    def P(self) -> list[Array]:
        """Motion of a body for unit rates of its joint, (6, d)."""
        found = []
        for link, own in zip(self.links, self.own, strict=True):
            P = np.zeros((6, len(link.axes)))
            later = np.eye(3)
            for k in reversed(range(len(link.axes))):
                P[3:, k] = later @ link.axes[k]
                later = later @ turn(link.axes[k], self.q[own][k])
            found.append(P)
        return found

    @cached_property
    def Q(self) -> list[Array]:
        """What a joint does not allow, orthonormal columns (6, 6 - d)."""
        found = []
        for P in self.P:
            turns = P[3:].T
            match len(turns):
                case 0:
                    across = np.eye(3)
                case 1:
                    # axes of the body where the joint turns about one of them
                    (axis,) = turns
                    k = int(np.argmax(np.abs(axis)))
                    rest = [np.eye(3)[(k + 1) % 3], np.eye(3)[(k + 2) % 3]]
                    first = rest[0] - axis * (axis @ rest[0])
                    first /= np.linalg.norm(first)
                    second = np.cross(axis, first) * np.sign(axis[k])
                    order = sorted([first, second], key=lambda a: int(np.argmax(np.abs(a))))
                    across = np.array(order).T
                case _:
                    normal = np.cross(*turns)
                    across = (normal / np.linalg.norm(normal))[:, None]
            found.append(block_diag(np.eye(3), across))
        return found

    @cached_property
    def rates(self) -> Array:
        """Rates of the joints that fit the velocities of the bodies best."""
        parts = [np.linalg.pinv(P) @ gap for P, gap in zip(self.P, self._gaps, strict=True)]
        return np.concatenate(parts)

    @cached_property
    def drift(self) -> Array:
        """Velocities that joints do not allow, Qᵀ (v_n - T v_{n-1}), one after the other."""
        return np.concatenate([Q.T @ gap for Q, gap in zip(self.Q, self._gaps, strict=True)])

    @cached_property
    def _gaps(self) -> list[Array]:
        before = [np.zeros(6), *self.v_sigma[:-1]]
        return [v - T @ b for v, T, b in zip(self.v_sigma, self.T, before, strict=True)]

    @cached_property
    def biases(self) -> list[Array]:
        """dT/dt v_{n-1} + dP/dt v_γ: what bodies accelerate by at constant rates of the joints."""
        before = [np.zeros(6), *self.v_sigma[:-1]]
        found = []
        for P, T, b, own in zip(self.P, self.T, before, self.own, strict=True):
            rates = self.rates[own]
            w = skew(P[3:] @ rates)
            bias = -block_diag(w, w) @ T @ b
            for k in range(P.shape[1]):
                after = P[3:, k + 1 :] @ rates[k + 1 :]
                bias[3:] -= np.cross(after, P[3:, k]) * rates[k]
            found.append(bias)
        return found

    @cached_property
    def T_inverse(self) -> Array:
        """T_Σ⁻¹, block lower bidiagonal."""
        whole = np.eye(6 * len(self.links))
        for n in range(1, len(self.links)):
            whole[6 * n : 6 * n + 6, 6 * n - 6 : 6 * n] = -self.T[n]
        return whole

    @cached_property
    def M_inverse(self) -> Array:
        """M_Σ⁻¹."""
        return np.asarray(block_diag(*(np.linalg.inv(link.M) for link in self.links)))

    @cached_property
    def known_forces(self) -> Array:
        """T_Σ⁻ᵀ P f_c + f_ext + f_I."""
        driven = [P @ self.tau[own] for P, own in zip(self.P, self.own, strict=True)]
        own_forces, down = [], self.mechanism.gravity
        for link, C, v in zip(self.links, self.C, self.v_sigma, strict=True):
            down = C @ down
            v_x, w_x = skew(v[:3]), skew(v[3:])
            whirl = np.block([[w_x, np.zeros((3, 3))], [v_x, w_x]])
            own_forces.append(link.M @ np.concatenate([down, np.zeros(3)]) - whirl @ link.M @ v)
        return np.asarray(self.T_inverse.T @ np.concatenate(driven) + np.concatenate(own_forces))

    @cached_property
    def system(self) -> tuple[Array, Array]:
        """A and b of (10) to (12)."""
        Q = block_diag(*self.Q)
        across = Q.T @ self.T_inverse @ self.M_inverse
        A = across @ self.T_inverse.T @ Q
        b = -across @ self.known_forces + Q.T @ np.concatenate(self.biases)
        return A, b - self.decay * self.drift

    @cached_property
    def constraint_forces(self) -> Array:
        """f_σ by a direct solution."""
        return np.asarray(np.linalg.solve(*self.system))

    @cached_property
    def body_accelerations(self) -> Array:
        """Rates of the velocities of the bodies, (7), shape (n, 6)."""
        held = self.T_inverse.T @ block_diag(*self.Q) @ self.constraint_forces
        return np.reshape(self.M_inverse @ (self.known_forces + held), (-1, 6))

    @cached_property
    def joint_accelerations(self) -> Array:
        """Of the joints, from those of the bodies."""
        a = self.body_accelerations
        before = [np.zeros(6), *a[:-1]]
        parts = [
            np.linalg.pinv(P) @ (a_n - T @ b - bias)
            for P, T, a_n, b, bias in zip(self.P, self.T, a, before, self.biases, strict=True)
        ]
        return np.concatenate(parts)


def moving(mechanism: Mechanism, q: Array, v: Array, tau: Array) -> ChainAtMoment:
    """A chain whose bodies move as its joints say, (4)."""
    still = ChainAtMoment(mechanism, q, np.zeros((len(mechanism.joints), 6)), tau)
    velocities, before = [], np.zeros(6)
    for T, P, own in zip(still.T, still.P, still.own, strict=True):
        before = T @ before + P @ v[own]
        velocities.append(before)
    return ChainAtMoment(mechanism, q, np.array(velocities), tau)
