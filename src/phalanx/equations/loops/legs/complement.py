"""Loop-closure orthogonal complement of a platform on legs: joint rates from motor rates.

Each leg removes the screws of its passive joints one by one, from the platform to the base; what is
left is a projector Φ that its passive joints cannot touch. The platform is known where all legs
take part, K t = Σ Φ b ω with K = Σ Φ, and a leg finds its passive velocities from it. Only Φ
and Φ b ω travel between legs.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
from casadi import SX

from phalanx.equations.loops.legs.legs import Leg
from phalanx.equations.loops.legs.platform import Platform
from phalanx.equations.mass_matrix.factorization import factorize


@dataclass(frozen=True)
class LegScrews:
    """Screws and projectors of one leg, independent of the others.

    Attributes:
        screws: Twist of the platform for unit velocity of each joint, (d,) each.
        reduced: p̃ of each passive joint, free of those beyond it; the motor's own as it is.
        Phi: What passive joints cannot touch, (d, d).
        rates: a_k = Ψ p̃_k / δ_k: a passive joint moves by a_kᵀ (t - b ω), where t is the twist of
            the platform and b ω that of the motor; b / bᵀb for the motor itself.
    """

    leg: Leg
    screws: tuple[SX, ...]
    reduced: tuple[SX, ...]
    Phi: SX
    rates: tuple[SX, ...]

    @property
    def motor(self) -> SX:
        """b: the screw of the joint with the motor."""
        return self.screws[self.leg.driven]


@dataclass(frozen=True)
class Complement:
    """The loop-closure complement of a machine: all joint rates from those of the motors.

    Attributes:
        legs: One a leg.
        K: Sum of all Φ, (d, d).
        pushed: S b of each leg, with S = K⁻¹ Φ: the platform's twist is Σ S b ω.
    """

    legs: tuple[LegScrews, ...]
    K: SX
    pushed: tuple[SX, ...]

    @property
    def S(self) -> tuple[SX, ...]:
        """K⁻¹ Φ of each leg; the equations need it times b only."""
        inverse = factorize(ca.densify(self.K))
        return tuple(inverse.solve(leg.Phi) for leg in self.legs)

    def platform(self, rates: SX) -> SX:
        """Twist of the platform for rates of the motors."""
        return sum(
            (twist * rates[j] for j, twist in enumerate(self.pushed)),
            start=SX.zeros(self.K.shape[0], 1),
        )

    def joints(self, platform: SX, rates: SX) -> list[list[SX]]:
        """Rates of all joints of every leg."""
        return [
            joint_rates(leg, platform - leg.motor * rates[j], rates[j])
            for j, leg in enumerate(self.legs)
        ]

    def collect(self, torques: list[list[SX]]) -> SX:
        """Jᵀ times forces of all joints: what they are worth at the motors.

        Reference:
            Khan (2002), eq. 3.40.
        """
        passive = [passive_load(leg, own) for leg, own in zip(self.legs, torques, strict=True)]
        whole = sum(passive[1:], start=passive[0])
        return ca.vertcat(
            *(
                own[leg.leg.driven] + ca.dot(pushed, whole) - ca.dot(leg.motor, load)
                for leg, pushed, own, load in zip(
                    self.legs, self.pushed, torques, passive, strict=True
                )
            )
        )

    @property
    def J(self) -> SX:
        """Rates of all joints, leg by leg, for unit rates of the motors."""
        columns = []
        for j in range(len(self.legs)):
            unit = SX.zeros(len(self.legs), 1)
            unit[j] = 1
            columns.append(
                ca.vertcat(*(r for leg in self.joints(self.platform(unit), unit) for r in leg))
            )
        return ca.horzcat(*columns)


def complement(platform: Platform) -> Complement:
    """The complement of a platform on legs at a posture.

    Reference:
        Khan (2002), eqs. 3.1-3.15.
    """
    legs = tuple(leg_screws(platform, leg) for leg in platform.legs)
    K = sum((leg.Phi for leg in legs[1:]), start=legs[0].Phi)
    inverse = factorize(ca.densify(K))
    return Complement(legs, K, tuple(inverse.solve(leg.Phi @ leg.motor) for leg in legs))


def leg_screws(platform: Platform, leg: Leg) -> LegScrews:
    """Projectors of one leg; needs nothing from the others."""
    screws = [platform.screw(joint) for joint in leg.joints]
    d = len(platform.rows)
    Phi = SX.eye(d)
    reduced = list(screws)
    for k in reversed(leg.passive):
        reduced[k] = Phi @ screws[k]
        Phi = Phi - reduced[k] @ reduced[k].T / ca.sumsqr(reduced[k])
    scaled = [p / ca.sumsqr(p) for p in reduced]
    Psi = SX.eye(d)
    for k in leg.passive:
        scaled[k] = Psi @ scaled[k]
        Psi = Psi - scaled[k] @ screws[k].T
    return LegScrews(leg, tuple(screws), tuple(reduced), Phi, tuple(scaled))


def joint_rates(leg: LegScrews, beyond_motor: SX, motor: SX) -> list[SX]:
    """Rates of a leg's joints; ``beyond_motor`` is what its passive joints must add."""
    return [
        motor if k == leg.leg.driven else ca.dot(leg.rates[k], beyond_motor)
        for k in range(len(leg.screws))
    ]


def passive_load(leg: LegScrews, torques: list[SX]) -> SX:
    """Forces of a leg's passive joints as a wrench on the platform."""
    return sum(
        (leg.rates[k] * torques[k] for k in leg.leg.passive),
        start=SX.zeros(leg.Phi.shape[0], 1),
    )
