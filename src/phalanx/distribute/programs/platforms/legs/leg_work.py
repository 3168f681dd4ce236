"""Machine code of a leg in the recursive method (DeNOC).

Its inputs are only its own state and what it receives. See `forward` for the order of messages.

Reference:
    Khan (2002), ch. 3, with the platform cut between the legs.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
from casadi import SX

from phalanx.distribute.programs.platforms.legs.compiled import (
    Call,
    compiled_for_leg,
    lower_triangle,
)
from phalanx.distribute.programs.platforms.legs.legs import Legs
from phalanx.equations.loops.legs.complement import LegScrews, joint_rates, leg_screws, passive_load
from phalanx.equations.loops.legs.coordinates import (
    load_at_P,
    platform_accelerations,
    platform_velocities,
)
from phalanx.equations.loops.legs.inertia import chain_inertia
from phalanx.equations.loops.legs.motion import (
    LegMotion,
    joint_forces,
    leg_accelerations,
    leg_motion,
)
from phalanx.equations.loops.legs.platform import Platform, platform_of
from phalanx.equations.quantities.configuration import position_rate


@dataclass(frozen=True)
class LegWork:
    """What the process of a leg computes, compiled; ``y`` is what it integrates.

    Attributes:
        propose: y -> Φ (lower triangle), Φ b.
        move: (y, platform's twist, motor's acceleration α) -> Φ (b α + drift), rates of all
            positions that it integrates.
        lack: (y, twist, platform's acceleration, α, control) -> what its passive joints lack as a
            wrench on the platform, torque that its motor has left without the other legs.
        weigh: (y, what motors make of the platform) -> its part of the inertia at the motors.
        joints: (y, twist, platform's acceleration, α) -> velocities and accelerations of its
            coordinates and of the platform's.
    """

    propose: Call
    move: Call
    lack: Call
    weigh: Call
    joints: Call


def leg_work(legs: Legs, leg: int) -> LegWork:
    """Trace and compile the work of a leg."""
    machine, part, d = legs.machine, legs.branch(leg), legs.dimension
    model = machine.model
    q, rate, alpha = SX.sym("q", machine.mechanism.nq), SX.sym("rate"), SX.sym("alpha")
    twist, change = SX.sym("twist", d), SX.sym("change", d)
    u, proposed = SX.sym("u", machine.samples), SX.sym("proposed", d, len(legs.names))
    whole = platform_of(model, q)
    own = leg_screws(whole, whole.legs[leg])

    motion = leg_motion(whole, own, twist, rate)
    v = _velocities(legs, whole, own, motion, twist)
    moves = position_rate(model, q, v)

    accelerations = leg_accelerations(own, motion, change, alpha)
    tau = machine.torque(q, v, u) + machine.own_forces(q, v)
    load_on_platform = load_at_P(model, whole, tau)
    needed = joint_forces(whole, own, motion, accelerations, twist, load_on_platform)
    a = SX(model.nv, 1)
    for joint, acceleration in zip(own.leg.joints, accelerations, strict=True):
        if joint.v is not None:
            a[joint.v] = acceleration
    a[list(legs.platform.v)] = platform_accelerations(model, whole, twist, change)
    numbers = [*part.v, *legs.platform.v]
    missing = [
        (0 if joint.v is None else tau[joint.v]) - force
        for joint, force in zip(own.leg.joints, needed, strict=True)
    ]
    load = passive_load(own, missing)
    left = missing[own.leg.driven] - ca.dot(own.motor, load)

    def compiled(name: str, inputs: dict[str, SX], **outputs: SX) -> Call:
        return compiled_for_leg(legs, leg, name, {"q": q, "rate": rate}, inputs, outputs)

    return LegWork(
        compiled(
            "propose", {}, sent=ca.vertcat(lower_triangle(own.Phi), own.Phi @ own.motor, rate)
        ),
        compiled(
            "move",
            {"twist": twist, "alpha": alpha},
            sent=own.Phi @ (own.motor * alpha + motion.drift),
            moves=ca.vertcat(moves[list(part.q)], moves[list(legs.platform.q)]),
        ),
        compiled(
            "lack", {"twist": twist, "change": change, "alpha": alpha, "u": u}, sent=load, left=left
        ),
        compiled("weigh", {"proposed": proposed}, sent=_weight(whole, own, leg, proposed)),
        compiled(
            "joints",
            {"twist": twist, "change": change, "alpha": alpha},
            v=v[numbers],
            a=a[numbers],
        ),
    )


def _velocities(legs: Legs, whole: Platform, own: LegScrews, motion: LegMotion, twist: SX) -> SX:
    """Velocities of the machine's coordinates, as far as a leg knows them."""
    model = legs.machine.model
    v = SX(model.nv, 1)
    for joint, speed in zip(own.leg.joints, motion.rates, strict=True):
        if joint.v is not None:
            v[joint.v] = speed
    v[list(legs.platform.v)] = platform_velocities(model, whole, twist)
    return v


def _weight(whole: Platform, own: LegScrews, leg: int, proposed: SX) -> SX:
    """Jᵀ I J of a leg (lower triangle), J the rates of its joints for unit rates of all motors."""
    n = proposed.shape[1]
    columns = []
    for k in range(n):
        mine = SX(int(k == leg))
        rates = joint_rates(own, proposed[:, k] - own.motor * mine, mine)
        columns.append(ca.vertcat(*rates))
    J = ca.horzcat(*columns)
    I = ca.vertcat(*(ca.horzcat(*row) for row in chain_inertia(whole, own)))
    return lower_triangle(J.T @ I @ J)
