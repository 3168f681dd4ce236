"""Dynamics of platforms on legs by recursions within each leg.

The decoupled natural orthogonal complement (DeNOC) of a parallel machine: each leg is an open chain
with its share of the platform at the end, and what couples the legs is small. A leg's projector and
the motion it proposes go out, the platform's motion comes back; then forces go out, their sum comes
back; then each leg's part of the inertia that the motors feel. Equations are as many as motors.
"""

from __future__ import annotations

from collections.abc import Sequence

import casadi as ca
from casadi import SX

from phalanx.equations.loops.legs.complement import Complement, LegScrews, complement
from phalanx.equations.loops.legs.legs import Platform, platform_of
from phalanx.equations.loops.legs.motion import (
    LegMotion,
    chain_inertia,
    joint_forces,
    leg_accelerations,
    leg_motions,
    platform_acceleration,
)
from phalanx.equations.mass_matrix.factorization import factorize
from phalanx.equations.quantity import quantity
from phalanx.equations.spatial import Twist, cross
from phalanx.equations.tree.build import model_of
from phalanx.equations.tree.model import Model
from phalanx.mechanism import Mechanism


@quantity("tau", "tau_legs")
def recursive_inverse(
    mechanism: Mechanism | Model,
    q: SX,
    v: SX,
    a: SX,
    *,
    actuated: Sequence[str] | None = None,
    shares: Sequence[float] | None = None,
) -> tuple[SX, SX]:
    """Forces of the motors of a parallel machine, and those of a machine with motors everywhere.

    Velocities and accelerations of passive joints are found from those of the motors and not read.

    Args:
        mechanism: A platform on legs.
        q: Positions that close the loops [m or rad], shape (nq,).
        v: Velocities [m/s or rad/s], shape (nv,).
        a: Accelerations [m/s² or rad/s²], shape (nv,).
        actuated: Joints with motors, one a leg; those with an effort limit when not given.
        shares: How much of the platform each leg carries, sum 1; even when not given. Changes
            what motors in every joint would do, and not what one motor a leg must do.

    Returns:
        Forces on the coordinates of the tree [N or N·m], zero where there is no motor, shape (nv,);
        and forces of all joints of all legs, those that close loops included, leg by leg from the
        base: one way to move a machine with a motor in every joint.

    Raises:
        InvalidModel: The machine is not a platform on legs.

    Reference:
        Khan (2002), sec. 3.2, eqs. 3.29-3.40.
    """
    model = model_of(mechanism)
    platform = platform_of(model, q, actuated, shares)
    motors = _motor_numbers(platform)
    found = complement(platform)
    twist = found.platform(v[motors])
    motions = leg_motions(platform, found, twist, v[motors])
    forces = _forces(platform, found, motions, twist, a[motors], SX.zeros(len(platform.rows), 1))
    tau = SX(model.nv, 1)
    tau[motors] = found.collect(forces)
    return tau, ca.vertcat(*(force for leg in forces for force in leg))


@quantity("a")
def recursive(
    mechanism: Mechanism | Model,
    q: SX,
    v: SX,
    tau: SX,
    *,
    actuated: Sequence[str] | None = None,
    shares: Sequence[float] | None = None,
) -> SX:
    """Accelerations of a parallel machine, leg by leg (DeNOC).

    Solves (Jᵀ I J) α = tau - [inverse dynamics with α = 0] for the accelerations α of the motors.
    The matrix is the sum of one contribution a leg, eliminated from the last motor to the first.

    Args:
        mechanism: A platform on legs.
        q: Positions that close the loops [m or rad], shape (nq,).
        v: Velocities [m/s or rad/s], shape (nv,); only those of the motors are read.
        tau: Forces on all coordinates [N or N·m], shape (nv,): motors, friction of passive joints,
            and what acts on the platform.
        actuated: As for :func:`recursive_inverse`.
        shares: As for :func:`recursive_inverse`; does not change the result.

    Returns:
        Accelerations of all coordinates [m/s² or rad/s²], shape (nv,).

    Raises:
        InvalidModel: The machine is not a platform on legs.

    Reference:
        Khan (2002), sec. 3.3, eqs. 3.41-3.48.
    """
    model = model_of(mechanism)
    platform = platform_of(model, q, actuated, shares)
    motors = _motor_numbers(platform)
    found = complement(platform)
    twist = found.platform(v[motors])
    motions = leg_motions(platform, found, twist, v[motors])

    still = SX.zeros(len(motors), 1)
    load = _load_at_P(model, platform, tau)
    needed = _forces(platform, found, motions, twist, still, load)
    missing = [
        [
            (0 if joint.v is None else tau[joint.v]) - force
            for joint, force in zip(leg.joints, own, strict=True)
        ]
        for leg, own in zip(platform.legs, needed, strict=True)
    ]
    inertia = generalized_inertia(platform, found)
    alpha = factorize(inertia).solve(found.collect(missing))

    return _accelerations(model, platform, found, motions, twist, alpha)


@quantity("v_all")
def consistent_velocity(
    mechanism: Mechanism | Model, q: SX, v: SX, *, actuated: Sequence[str] | None = None
) -> SX:
    """Velocities of all coordinates that go with those of the motors, shape (nv,).

    Args:
        mechanism: A platform on legs.
        q: Positions that close the loops [m or rad], shape (nq,).
        v: Velocities [m/s or rad/s], shape (nv,); only those of the motors are read.
        actuated: As for :func:`recursive_inverse`.

    Reference:
        Khan (2002), eqs. 3.1-3.15.
    """
    model = model_of(mechanism)
    platform = platform_of(model, q, actuated)
    motors = _motor_numbers(platform)
    found = complement(platform)
    twist = found.platform(v[motors])
    full = SX(model.nv, 1)
    for leg, rates in zip(platform.legs, found.joints(twist, v[motors]), strict=True):
        for joint, rate in zip(leg.joints, rates, strict=True):
            if joint.v is not None:
                full[joint.v] = rate
    node = model.nodes[platform.node]
    full[node.v : node.v + node.freedom.nv] = node.rates_of(
        platform.lift(twist).into_child(platform.pose)
    )
    return full


@quantity("a_all")
def consistent_acceleration(
    mechanism: Mechanism | Model, q: SX, v: SX, a: SX, *, actuated: Sequence[str] | None = None
) -> SX:
    """Accelerations of all coordinates that go with those of the motors, shape (nv,).

    Args:
        mechanism: A platform on legs.
        q: Positions that close the loops [m or rad], shape (nq,).
        v: Velocities [m/s or rad/s], shape (nv,); only those of the motors are read.
        a: Accelerations [m/s² or rad/s²], shape (nv,); only those of the motors are read.
        actuated: As for :func:`recursive_inverse`.

    Reference:
        Khan (2002), eqs. 3.16-3.28.
    """
    model = model_of(mechanism)
    platform = platform_of(model, q, actuated)
    motors = _motor_numbers(platform)
    found = complement(platform)
    twist = found.platform(v[motors])
    motions = leg_motions(platform, found, twist, v[motors])
    return _accelerations(model, platform, found, motions, twist, a[motors])


def motor_velocities(model: Model, actuated: Sequence[str] | None = None) -> list[int]:
    """Numbers of the velocities of the motors, leg by leg."""
    return _motor_numbers(platform_of(model, SX.sym("q", model.mechanism.nq), actuated))


def generalized_inertia(platform: Platform, found: Complement) -> SX:
    """Jᵀ I J: the inertia that the motors feel, as a sum over legs.

    Leg j contributes to every pair (k, l) of motors bᵏᵀ L b^l, where L is, with X = S^j - 1,
    I₁₁ a₁a₁ᵀ + a₁â₁ᵀX + Xᵀâ₁a₁ᵀ + XᵀĀX for its own motor, and the same without the terms of its
    own motor, and S for X, for motors of other legs.

    Reference:
        Khan (2002), eqs. 3.42-3.46.
    """
    n = len(found.legs)
    total = SX.zeros(n, n)
    for j, leg in enumerate(found.legs):
        I = chain_inertia(platform, leg)
        driven, passive = leg.leg.driven, leg.leg.passive
        hat = {
            k: sum((I[r][k] * leg.rates[r] for r in passive), start=SX.zeros(*leg.motor.shape))
            for k in range(len(leg.screws))
        }
        bar = sum((leg.rates[r] @ hat[r].T for r in passive), start=SX.zeros(*leg.Phi.shape))
        # what the motors make of the platform, as leg j sees it: S b, and (S - 1) b for its own
        seen = list(found.pushed)
        seen[j] = seen[j] - leg.motor
        for k in range(n):
            for l in range(k + 1):
                entry = ca.dot(seen[k], bar @ seen[l])
                if k == j:
                    entry += ca.dot(hat[driven], seen[l])
                if l == j:
                    entry += ca.dot(hat[driven], seen[k])
                if k == l == j:
                    entry += I[driven][driven]
                total[k, l] += entry
                if k != l:
                    total[l, k] += entry
    return total


def _forces(
    platform: Platform,
    found: Complement,
    motions: list[LegMotion],
    twist: SX,
    alpha: SX,
    load: SX,
) -> list[list[SX]]:
    """Forces of all joints for accelerations of the motors."""
    change = platform_acceleration(found, motions, alpha)

    def of(leg: LegScrews, motion: LegMotion, motor: SX) -> list[SX]:
        accelerations = leg_accelerations(leg, motion, change, motor)
        return joint_forces(platform, leg, motion, accelerations, twist, load)

    return [
        of(leg, motion, alpha[j])
        for j, (leg, motion) in enumerate(zip(found.legs, motions, strict=True))
    ]


def _accelerations(
    model: Model,
    platform: Platform,
    found: Complement,
    motions: list[LegMotion],
    twist: SX,
    alpha: SX,
) -> SX:
    """Accelerations of all coordinates for those of the motors."""
    change = platform_acceleration(found, motions, alpha)
    a = SX(model.nv, 1)
    for j, (leg, motion) in enumerate(zip(found.legs, motions, strict=True)):
        own = leg_accelerations(leg, motion, change, alpha[j])
        for joint, acceleration in zip(leg.leg.joints, own, strict=True):
            if joint.v is not None:
                a[joint.v] = acceleration
    node = model.nodes[platform.node]
    a[node.v : node.v + node.freedom.nv] = platform_coordinates(model, platform, twist, change)
    return a


def _motor_numbers(platform: Platform) -> list[int]:
    numbers = [leg.joints[leg.driven].v for leg in platform.legs]
    return [number for number in numbers if number is not None]


def _load_at_P(model: Model, platform: Platform, tau: SX) -> SX:
    """Forces on the platform's own coordinates as a wrench about P, in base axes."""
    node = model.nodes[platform.node]
    own = tau[node.v : node.v + node.freedom.nv]
    return platform.pack(node.load(own).into_parent(platform.pose))


def platform_coordinates(model: Model, platform: Platform, twist: SX, change: SX) -> SX:
    """Accelerations of the platform's coordinates, which are velocities in its own axes."""
    node = model.nodes[platform.node]
    V, A = platform.lift(twist), platform.lift(change)
    w, r = V.angular, platform.pose.translation
    acceleration = A.at(r).linear + cross(w, cross(w, r)) - cross(w, V.at(r).linear)
    return node.rates_of(Twist(A.angular, acceleration).in_child_axes(platform.pose.rotation))
