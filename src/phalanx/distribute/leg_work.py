"""What a leg and the centre compute in the recursive method, traced and compiled.

A leg and the centre each see only what they hold and what they are told. See `legs_and_centre` for
who tells whom and when.

Reference:
    Khan (2002), ch. 3, with the platform cut between the legs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import casadi as ca
from casadi import SX

from phalanx.distribute.machine import Machine
from phalanx.distribute.subsystems import Subsystem
from phalanx.equations.configuration import position_rate
from phalanx.equations.loops.legs.complement import LegScrews, joint_rates, leg_screws, passive_load
from phalanx.equations.loops.legs.legs import Platform, platform_of
from phalanx.equations.loops.legs.motion import (
    LegMotion,
    chain_inertia,
    joint_forces,
    leg_accelerations,
    leg_motion,
)
from phalanx.equations.loops.legs.recursive import platform_coordinates
from phalanx.equations.mass_matrix.factorization import factorize
from phalanx.equations.spatial import cross
from phalanx.kernel import compile as compile_kernel

Call = Callable[..., Any]


@dataclass(frozen=True)
class Legs:
    """A platform on legs, with what each node of it computes.

    Attributes:
        machine: The machine.
    """

    machine: Machine

    def __post_init__(self) -> None:
        """Check that the machine is a platform on legs."""
        assert len(self.names) == len(self.machine.motors)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Of the legs, by the loops that they close."""
        q = SX.sym("q", self.machine.mechanism.nq)
        return tuple(leg.name for leg in platform_of(self.machine.model, q).legs)

    @cached_property
    def platform(self) -> Subsystem:
        """The part that is the platform: the one that every loop holds."""
        most = max(self.machine.parts, key=lambda part: len(part.loops))
        assert len(most.loops) == len(self.names)
        return most

    def part(self, leg: int) -> Subsystem:
        """The part that is a leg."""
        loop = self.names[leg]
        return next(p for p in self.machine.parts if loop in p.loops and p is not self.platform)

    @property
    def dimension(self) -> int:
        """Numbers of a twist of the platform: 3 in a plane, 6 in space."""
        return len(self.platform.v)

    def held(self, leg: int) -> int:
        """How many numbers a leg holds: its positions, its motor's rate, the platform's pose."""
        return len(self.part(leg).q) + 1 + len(self.platform.q)

    def told(self, leg: int) -> int:
        """How many of them the centre hears for the record: the first leg tells the platform's."""
        return self.held(leg) - (0 if leg == 0 else len(self.platform.q))


@dataclass(frozen=True)
class LegWork:
    """What the node of a leg computes, compiled; ``y`` is what it holds.

    Attributes:
        propose: y -> Φ (lower triangle), Φ b.
        move: (y, platform's twist, motor's acceleration α) -> Φ (b α + drift), rates of all
            positions that it holds.
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
    machine, part, d = legs.machine, legs.part(leg), legs.dimension
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
    needed = joint_forces(whole, own, motion, accelerations, twist, SX.zeros(d, 1))
    a = SX(model.nv, 1)
    for joint, acceleration in zip(own.leg.joints, accelerations, strict=True):
        if joint.v is not None:
            a[joint.v] = acceleration
    a[list(legs.platform.v)] = platform_coordinates(model, whole, twist, change)
    numbers = [*part.v, *legs.platform.v]
    tau = machine.torque(q, v, u)
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
            "propose", {}, tell=ca.vertcat(lower_triangle(own.Phi), own.Phi @ own.motor, rate)
        ),
        compiled(
            "move",
            {"twist": twist, "alpha": alpha},
            tell=own.Phi @ (own.motor * alpha + motion.drift),
            moves=ca.vertcat(moves[list(part.q)], moves[list(legs.platform.q)]),
        ),
        compiled(
            "lack", {"twist": twist, "change": change, "alpha": alpha, "u": u}, tell=load, left=left
        ),
        compiled("weigh", {"proposed": proposed}, tell=_weight(whole, own, leg, proposed)),
        compiled(
            "joints",
            {"twist": twist, "change": change, "alpha": alpha},
            v=v[numbers],
            a=a[numbers],
        ),
    )


def compiled_for_leg(
    legs: Legs,
    leg: int,
    name: str,
    state: Mapping[str, SX],
    inputs: Mapping[str, SX],
    outputs: Mapping[str, SX],
) -> Call:
    """Machine code of expressions in q and rate, which come as what the leg holds."""
    part = legs.part(leg)
    y = SX.sym("y", legs.held(leg))
    q = SX(legs.machine.mechanism.nq, 1)
    q[list(part.q)] = y[: len(part.q)]
    q[list(legs.platform.q)] = y[len(part.q) + 1 :]
    inner = ca.Function("inner", [*state.values(), *inputs.values()], list(outputs.values()))
    results = inner.call([q, y[len(part.q)], *inputs.values()])
    function = ca.Function(
        f"leg_{leg}_{name}",
        [y, *inputs.values()],
        ca.cse([ca.densify(result) for result in results]),
        ["y", *inputs],
        list(outputs),
    )
    return compile_kernel(function).call


@dataclass(frozen=True)
class CentreWork:
    """What the centre computes of what legs tell, one column a leg.

    Attributes:
        twist: Proposals -> the platform's twist, what each motor makes of it.
        change: (proposals, Φ drift) -> the platform's acceleration.
        accelerate: Torques left and parts of the inertia -> accelerations of the motors.
    """

    twist: Call
    change: Call
    accelerate: Call


def centre_work(legs: Legs) -> CentreWork:
    """Trace and compile the work of the centre."""
    d, n = legs.dimension, len(legs.names)
    packed = d * (d + 1) // 2
    told = SX.sym("told", packed + d + 1, n)
    drift = SX.sym("drift", d, n)
    left = SX.sym("left", 1 + n * (n + 1) // 2, n)

    K = factorize(symmetric(ca.sum2(told[:packed, :]), d))
    proposed = K.solve(told[packed:-1, :])
    twist = proposed @ told[-1, :].T
    change = K.solve(ca.sum2(drift))
    inertia = symmetric(ca.sum2(left[1:, :]), n)
    alpha = factorize(inertia).solve(left[0, :].T)

    def compiled(name: str, inputs: dict[str, SX], **outputs: SX) -> Call:
        results = ca.cse([ca.densify(value) for value in outputs.values()])
        function = ca.Function(
            f"centre_{name}", list(inputs.values()), results, list(inputs), list(outputs)
        )
        return compile_kernel(function).call

    return CentreWork(
        compiled("twist", {"told": told}, twist=twist, proposed=proposed),
        compiled("change", {"told": told, "drift": drift}, change=change),
        compiled("accelerate", {"left": left}, alpha=alpha),
    )


def _velocities(legs: Legs, whole: Platform, own: LegScrews, motion: LegMotion, twist: SX) -> SX:
    """Velocities of the machine's coordinates, as far as a leg knows them."""
    model = legs.machine.model
    v = SX(model.nv, 1)
    for joint, speed in zip(own.leg.joints, motion.rates, strict=True):
        if joint.v is not None:
            v[joint.v] = speed
    w, velocity = whole.lift(twist)
    R, r = whole.pose.rotation, whole.pose.translation
    v[list(legs.platform.v)] = model.nodes[whole.node].along(
        R.into_child(w), R.into_child(velocity + cross(w, r))
    )
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


def lower_triangle(A: SX) -> SX:
    """Entries of a symmetric matrix on and below the diagonal, row by row."""
    return ca.vertcat(*(A[i, j] for i in range(A.shape[0]) for j in range(i + 1)))


def symmetric(entries: SX, n: int) -> SX:
    """The symmetric matrix of such entries."""
    A = SX(n, n)
    for i in range(n):
        for j in range(i + 1):
            A[i, j] = A[j, i] = entries[i * (i + 1) // 2 + j]
    return A
