"""The recursion of chapter 3 as the thesis writes it, leg by leg with transfers B between links.

Twists are (angular, linear) at mass centres, the platform's share sits at P (d3 = a3, r3 = 0).
Misprints are put right: Φ3 in p̃2, the sign of gravity's wrench, dots lost in accelerations.

Reference:
    Khan (2002), ch. 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from phalanx.studies.khan.as_written import (
    C1,
    C2,
    I1,
    I2,
    IP,
    L1,
    L2,
    M1,
    M2,
    MP,
    VERTICES,
    Array,
    E,
    G,
    R,
    u,
)


def transfer(x: Array) -> Array:
    """B: the twist at a point from that at another, x further on."""
    B = np.eye(3)
    B[1:, 0] = E @ x
    return B


def rate_of_transfer(dx: Array) -> Array:
    """dB/dt for the rate of that vector."""
    B = np.zeros((3, 3))
    B[1:, 0] = E @ dx
    return B


def screw(d: Array) -> Array:
    """p: the twist of a mass centre, d beyond a hinge, for unit rate of the hinge."""
    return np.array([1.0, *(E @ d)])


def rate_of_screw(dd: Array) -> Array:
    """dp/dt for the rate of that vector."""
    return np.array([0.0, *(E @ dd)])


@dataclass
class LegComputer:
    """One leg's computer.

    Attributes:
        q: The posture, in the thesis's coordinates.
        leg: Which leg.
        share: How much of the platform it carries.
    """

    q: Array
    leg: int
    share: float = 1 / 3
    rates: list[float] = field(default_factory=list, init=False)
    t: list[Array] = field(default_factory=list, init=False)
    dt: list[Array] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        """What the posture says: screws, transfers, projectors."""
        one, two, phi = self.q[2 * self.leg], self.q[2 * self.leg + 1], self.q[6]
        self.d = [C1 * u(one), C2 * u(two), -R(phi) @ VERTICES[self.leg]]
        self.r = [(L1 - C1) * u(one), (L2 - C2) * u(two), np.zeros(2)]
        self.p = [screw(d) for d in self.d]
        self.B21, self.B32 = transfer(self.r[0] + self.d[1]), transfer(self.r[1] + self.d[2])
        self.BP3 = transfer(self.r[2])
        self.BP2 = self.BP3 @ self.B32
        self.BP1 = self.BP2 @ self.B21
        p3 = self.BP3 @ self.p[2]
        self.Phi3 = np.eye(3) - np.outer(p3, p3) / (p3 @ p3)
        p2 = self.Phi3 @ self.BP2 @ self.p[1]
        self.Phi2 = self.Phi3 - np.outer(p2, p2) / (p2 @ p2)
        self.Phi2_bar = np.eye(3) - np.outer(p2, p2) / (p2 @ p2)
        self.reduced = [self.BP1 @ self.p[0], p2, p3]
        self.Psi2 = (np.eye(3) - np.outer(self.BP2 @ self.p[1], p2) / (p2 @ p2)).T

    def velocities(self, platform: Array, motor: float) -> None:
        """Joint rates and twists for the platform's twist."""
        _, p2, p3 = self.reduced
        t1 = self.p[0] * motor
        second = float(p2 @ (platform - self.BP1 @ t1) / (p2 @ p2))
        t2 = self.B21 @ t1 + self.p[1] * second
        third = float(p3 @ (platform - self.BP2 @ t2) / (p3 @ p3))
        self.rates = [motor, second, third]
        self.t = [t1, t2, self.B32 @ t2 + self.p[2] * third]
        w = [t[0] for t in self.t]
        dd = [w_k * E @ d for w_k, d in zip(w, self.d, strict=True)]
        dr = [w_k * E @ r for w_k, r in zip(w, self.r, strict=True)]
        self.dp = [rate_of_screw(x) for x in dd]
        self.dB21, self.dB32 = rate_of_transfer(dr[0] + dd[1]), rate_of_transfer(dr[1] + dd[2])
        self.dBP3 = rate_of_transfer(dr[2])
        self.dBP2 = self.dBP3 @ self.B32 + self.BP3 @ self.dB32

    def proposal(self, platform: Array, motor: float) -> Array:
        """a1 and a2 of eqs. 3.20-3.24, with half the rate of Φ3, for an acceleration of the motor.

        The half that is left out acts on BP2 t2 - t_P, which is parallel to p̃3, and is zero there.
        """
        p3 = self.reduced[2]
        self.dt1 = self.p[0] * motor + self.dp[0] * self.rates[0]
        link2 = self.dB21 @ self.t[0] + self.B21 @ self.dt1 + self.dp[1] * self.rates[1]
        self.a1 = self.BP2 @ link2 + self.dBP2 @ self.t[1]
        half = np.outer(self.Phi3 @ (self.dBP3 @ self.p[2] + self.BP3 @ self.dp[2]), p3)
        self.a2 = -half / (p3 @ p3) @ (self.BP2 @ self.t[1] - platform)
        return self.Phi2 @ self.a1 + self.Phi2_bar @ self.a2

    def accelerations(self, change: Array) -> list[float]:
        """Those of the passive joints for the platform's."""
        _, p2, p3 = self.reduced
        second = float(p2 @ (self.Phi3 @ (change - self.a1) - self.a2) / (p2 @ p2))
        link2 = self.dB21 @ self.t[0] + self.B21 @ self.dt1 + self.dp[1] * self.rates[1]
        dt2 = link2 + self.p[1] * second
        inner = self.dB32 @ self.t[1] + self.B32 @ dt2 + self.dp[2] * self.rates[2]
        third = float(p3 @ (change - self.dBP3 @ self.t[2] - self.BP3 @ inner) / (p3 @ p3))
        self.dt = [self.dt1, dt2, inner + self.p[2] * third]
        return [second, third]

    def torques(self) -> list[float]:
        """τ̃ of the open leg, eq. 3.29-3.32."""
        masses = [(I1, M1), (I2, M2), (self.share * IP, self.share * MP)]
        beyond = (self.B21, self.B32, np.zeros((3, 3)))  # from each link to the next
        wrench = np.zeros(3)
        torques: list[float] = []
        for k in (2, 1, 0):
            moment, mass = masses[k]
            own = np.array([moment, mass, mass]) * self.dt[k] + np.array([0, 0, mass * G])
            wrench = own + beyond[k].T @ wrench
            torques.insert(0, float(self.p[k] @ wrench))
        return torques

    def load(self, torques: Sequence[float]) -> Array:
        """p̄: what passive joints bear, as a wrench on the platform."""
        _, p2, p3 = self.reduced
        return torques[1] * p2 / (p2 @ p2) + torques[2] * self.Psi2 @ p3 / (p3 @ p3)


@dataclass(frozen=True)
class Moved:
    """Legs and platform in motion.

    Attributes:
        nodes: The legs, as the recursion leaves them.
        K: Sum of their projectors.
        platform: Its twist (angular, linear).
        change: The rate of that.
        passive: Accelerations of the passive joints, two a leg.
    """

    nodes: list[LegComputer]
    K: Array
    platform: Array
    change: Array
    passive: Array


def accelerations(
    q: Array,
    motor_rates: Sequence[float] | Array,
    motor_accelerations: Sequence[float] | Array,
    shares: Sequence[float] = (1 / 3, 1 / 3, 1 / 3),
) -> Moved:
    """Velocities and accelerations of everything from those of the motors, eqs. 3.1-3.28."""
    nodes = [LegComputer(q, leg, share) for leg, share in enumerate(shares)]
    K = np.sum([node.Phi2 for node in nodes], axis=0)
    moved = [n.Phi2 @ n.reduced[0] * w for n, w in zip(nodes, motor_rates, strict=True)]
    platform = np.linalg.solve(K, np.sum(moved, axis=0))
    for node, rate in zip(nodes, motor_rates, strict=True):
        node.velocities(platform, rate)
    proposals = [n.proposal(platform, a) for n, a in zip(nodes, motor_accelerations, strict=True)]
    change = np.linalg.solve(K, np.sum(proposals, axis=0))
    passive = np.array([node.accelerations(change) for node in nodes])
    return Moved(nodes, K, platform, change, passive)


def inverse_dynamics(
    q: Array,
    motor_rates: Sequence[float] | Array,
    motor_accelerations: Sequence[float] | Array,
    shares: Sequence[float] = (1 / 3, 1 / 3, 1 / 3),
) -> tuple[Array, Array, list[LegComputer]]:
    """Torques of the three motors and of all nine joints; the nodes as they were left."""
    moved = accelerations(q, motor_rates, motor_accelerations, shares)
    nodes = moved.nodes
    torques = [node.torques() for node in nodes]
    loads = [node.load(own) for node, own in zip(nodes, torques, strict=True)]
    whole = np.sum(loads, axis=0)
    S = [np.linalg.solve(moved.K, node.Phi2) for node in nodes]
    motors = [
        own[0] + node.reduced[0] @ (S_j.T @ whole - load)
        for node, own, S_j, load in zip(nodes, torques, S, loads, strict=True)
    ]
    return np.array(motors), np.array(torques).ravel(), nodes
