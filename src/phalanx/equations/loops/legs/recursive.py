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

from phalanx.equations.equation import equation
from phalanx.equations.loops.legs.complement import Complement, LegScrews
from phalanx.equations.loops.legs.coordinates import all_accelerations, load_at_P
from phalanx.equations.loops.legs.inertia import generalized_inertia
from phalanx.equations.loops.legs.motion import (
    LegMotion,
    joint_forces,
    leg_accelerations,
    machine_motion,
    platform_acceleration,
)
from phalanx.equations.loops.legs.platform import Platform, platform_of
from phalanx.equations.mass_matrix.factorization import factorize
from phalanx.equations.model_of import model_of
from phalanx.equations.tree.model import Model
from phalanx.mechanism import Mechanism


@equation("tau", "tau_legs")
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
    motors = platform.motors
    found, twist, motions = machine_motion(platform, v[motors])
    forces = _forces(platform, found, motions, twist, a[motors], SX.zeros(len(platform.rows), 1))
    tau = SX(model.nv, 1)
    tau[motors] = found.collect(forces)
    return tau, ca.vertcat(*(force for leg in forces for force in leg))


@equation("a")
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
    motors = platform.motors
    found, twist, motions = machine_motion(platform, v[motors])

    still = SX.zeros(len(motors), 1)
    load = load_at_P(model, platform, tau)
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

    return all_accelerations(model, platform, found, motions, twist, alpha)


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
