"""Motion of a platform's legs, and inverse dynamics of each."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

import casadi as ca
from casadi import SX

from phalanx.equations.loops.legs.complement import Complement, LegScrews, complement, joint_rates
from phalanx.equations.loops.legs.legs import LegJoint, LinkInertia
from phalanx.equations.loops.legs.platform import Platform
from phalanx.equations.mass_matrix.factorization import factorize
from phalanx.equations.spatial import Twist, Wrench, cross, zero


@dataclass(frozen=True)
class LegMotion:
    """Velocities of a leg: of its joints, its links at P, and the rates of its screws."""

    rates: list[SX]
    twists: list[SX]
    screw_rates: list[SX]

    @property
    def drift(self) -> SX:
        """Acceleration of the platform while no joint accelerates: Σ ds/dt ω."""
        return sum(
            (ds * rate for ds, rate in zip(self.screw_rates[1:], self.rates[1:], strict=True)),
            start=self.screw_rates[0] * self.rates[0],
        )


def machine_motion(platform: Platform, v: SX) -> tuple[Complement, SX, list[LegMotion]]:
    """How the motors move everything: the complement, the platform's twist, motions of legs."""
    found = complement(platform)
    twist = found.platform(v)
    legs = [leg_motion(platform, leg, twist, v[j]) for j, leg in enumerate(found.legs)]
    return found, twist, legs


def leg_motion(platform: Platform, leg: LegScrews, twist: SX, motor: SX) -> LegMotion:
    """Velocities of one leg; needs nothing from the others but the platform's twist."""
    rates = joint_rates(leg, twist - leg.motor * motor, motor)
    twists = list(accumulate(s * rate for s, rate in zip(leg.screws, rates, strict=True)))
    changes = [
        _screw_rate(platform, joint, twists, k, twist) for k, joint in enumerate(leg.leg.joints)
    ]
    return LegMotion(rates, twists, changes)


def platform_acceleration(complement: Complement, motions: list[LegMotion], motors: SX) -> SX:
    """Rate of the platform's twist for accelerations of the motors: K dt/dt = Σ Φ (b α + drift).

    Reference:
        Khan (2002), eqs. 3.16-3.28; the drift holds what a₁ and a₂ hold there.
    """
    asked = [
        leg.Phi @ (leg.motor * motors[j] + motion.drift)
        for j, (leg, motion) in enumerate(zip(complement.legs, motions, strict=True))
    ]
    return factorize(ca.densify(complement.K)).solve(sum(asked[1:], start=asked[0]))


def leg_accelerations(leg: LegScrews, motion: LegMotion, platform: SX, motor: SX) -> list[SX]:
    """Accelerations of a leg's joints for that of the platform and its motor."""
    return joint_rates(leg, platform - motion.drift - leg.motor * motor, motor)


def joint_forces(
    platform: Platform,
    leg: LegScrews,
    motion: LegMotion,
    accelerations: list[SX],
    twist: SX,
    load: SX,
) -> list[SX]:
    """Forces of all joints of an open leg for its motion, from the platform to the base.

    Args:
        platform: The machine.
        leg: One of its legs.
        motion: The leg's velocities.
        accelerations: Of its joints.
        twist: Of the platform.
        load: Wrench that acts on the platform from outside; the leg bears its share.

    Reference:
        Khan (2002), eqs. 3.29-3.32.
    """
    changes = [
        s * acceleration + ds * rate
        for s, acceleration, ds, rate in zip(
            leg.screws, accelerations, motion.screw_rates, motion.rates, strict=True
        )
    ]
    carried = -leg.leg.share * load
    forces: list[SX] = []
    accumulated = list(accumulate(changes))
    for k in reversed(range(len(leg.screws))):
        link = leg.leg.links[k]
        if link is not None:
            carried = carried + _wrench(platform, link, motion.twists[k], accumulated[k], twist)
        own = leg.leg.joints[k].armature * accelerations[k]
        forces.insert(0, ca.dot(leg.screws[k], carried) + own)
    return forces


def _screw_rate(
    platform: Platform, joint: LegJoint, twists: list[SX], k: int, platform_twist: SX
) -> SX:
    """How a joint's screw at P changes: its axis turns, its point and P move."""
    axis_turns = zero()
    if joint.carrier is not None:
        carrier = platform.lift(twists[joint.carrier]).angular
        axis_turns = cross(carrier, joint.axis)
    if joint.point is None:
        return platform.pack(Twist(zero(), axis_turns))
    of_P = platform.lift(platform_twist).linear
    point_moves = platform.lift(twists[k]).at(joint.point).linear - of_P
    return platform.pack(
        Twist(axis_turns, cross(joint.point, axis_turns) + cross(point_moves, joint.axis))
    )


def _wrench(platform: Platform, link: LinkInertia, twist: SX, change: SX, platform_twist: SX) -> SX:
    """Wrench about P that a link's motion needs, gravity included."""
    V, A = platform.lift(twist), platform.lift(change)
    of_P = platform.lift(platform_twist).linear
    w, dw, r = V.angular, A.angular, link.centre
    swing = cross(dw, r) + cross(w, V.at(r).linear - of_P)
    f = link.mass * (A.linear + swing - platform.gravity)
    n = link.inertia @ dw + cross(w, link.inertia @ w)
    return platform.pack(Wrench(n, f).acting_at(r))
