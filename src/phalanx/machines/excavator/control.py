"""Spool control of an excavator from joysticks: sampled PD control, joint or resolved mode.

Two modes. JOINT: the operator's four numbers are joint rates. RESOLVED: they are speeds of the
stick's end (radius, arc, height) and the bucket's rate against the ground, from which joint rates
follow. Desired angles are the sum of desired rates, and a PD law on each joint moves its spool.

The law of the source never lets go: it corrects for as long as it runs. Oil is a spring with hardly
any damping, and correcting through it feeds a swing that is larger than the deadband, for ever.
With ``closing``, a joint that is not commanded is left to its oil, as on a machine whose sticks
spring back: its spool goes to the middle and stays there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, final

import casadi as ca
import numpy as np
from casadi import DM, SX
from numpy.typing import ArrayLike

from phalanx.actuators.hydraulics.checked import check_kind, check_not_negative, check_positive
from phalanx.actuators.subsystem import Array, Quantity, SampledControl
from phalanx.base.errors import InvalidInput
from phalanx.equations.quantities.bias import gravity
from phalanx.equations.tree.model import Model
from phalanx.machines.excavator.arm import ExcavatorArm, Limits
from phalanx.mechanism import Mechanism
from phalanx.mechanism.library.cat215b_cylinders import OPERATED

JOINTS = OPERATED
MODES: dict[str, float] = {"JOINT": 0.0, "RESOLVED": 1.0}
Four = tuple[float, float, float, float]


class SpoolCurve(StrEnum):
    """Curve from drive voltage to spool opening beyond the deadband; within it both are zero."""

    SHIFT = "shift"
    """Dead zone: the opening grows from zero, by what the voltage is beyond the deadband."""
    GATE = "gate"
    """Threshold: the opening is proportional to the voltage, and steps by the deadband."""


@final
@dataclass(frozen=True)
class Spool:
    """From a drive voltage to the opening of a spool: a deadband in the middle, limits at the ends.

    The source draws this curve and its drawing is lost. The voltage per opening is a parameter, and
    so is what the deadband does to the curve.

    Attributes:
        slope: Opening a volt, outside the deadband [unit/V].
        deadband: Opening to either side of the middle that no voltage gives [unit].
        limit: Largest opening [unit].
        unit: Of openings: cm in the source, none where 1 is wide open.
        curve: Whether the deadband shifts the curve or is a gate in it.
    """

    slope: float = 0.05
    deadband: float = 0.005
    limit: float = 0.05
    unit: str = "cm"
    curve: SpoolCurve = SpoolCurve.GATE

    def __post_init__(self) -> None:
        check_positive(self, "slope", "limit")
        check_not_negative(self, "deadband")
        check_kind(self, "curve", SpoolCurve)
        if self.curve is SpoolCurve.GATE and self.deadband >= self.limit:
            raise InvalidInput(
                f"deadband of Spool is {self.deadband:g} and its limit {self.limit:g}; a gate "
                "opens between the two: expected a smaller deadband, or SpoolCurve.SHIFT."
            )

    def opening(self, voltage: SX) -> SX:
        """Opening at a voltage."""
        wanted = self.slope * ca.fabs(voltage)
        if self.curve is SpoolCurve.SHIFT:
            wanted = ca.fmax(wanted - self.deadband, 0)
        return ca.sign(voltage) * self._gated(ca.fmin(wanted, self.limit))

    def closed_by(self, way: float, opening: SX) -> SX:
        """Opening after the spool has gone some way to the middle."""
        return ca.sign(opening) * self._gated(ca.fmax(ca.fabs(opening) - way, 0))

    def _gated(self, size: SX) -> SX:
        """Size of an opening, zero where the gate is shut."""
        if self.curve is SpoolCurve.SHIFT:
            return size
        return ca.if_else(size > self.deadband, size, 0)


@final
@dataclass(frozen=True)
class SpoolControl(SampledControl):
    """PD control of four spools, with an operator's commands.

    Its inputs are ``operator``, four numbers whose meaning depends on ``mode`` (0 JOINT: rates of
    swing, boom, stick and bucket [rad/s]; 1 RESOLVED: radius, arc, height [m/s], bucket against the
    ground [rad/s]). It remembers the ``desired`` angles and what it last saw and did.

    Attributes:
        proportional: k_p of each joint [V/rad].
        derivative: k_v of each joint [V·s/rad], on rates by differences of angles.
        integral: k_i of each joint [V/(rad·s)]; none in the source, whose errors stay.
        weight: Voltage per joint force that carries the machine [V/(N·m)], against sagging.
        feedforward: Voltage per desired rate [V·s/rad], beyond the derivative's.
        direction: Of each joint when its spool opens: 1, or -1 where it turns back.
        spool: From voltages to openings.
        period: Between two samples [s].
        mode: What joysticks mean when a run does not say it.
        lead: How far desired angles may run ahead of the machine [rad]; without limit in the
            source.
        keep_limits: Whether desired angles stay within the joints' limits.
        closing: Time in which a spool goes from wide open to the middle once its joint is not
            called for [s]. Then the joint is held by the oil in it, and its desired angle is what
            was asked for last; the next command begins where the joint is. When None, the loop
            goes on correcting, as in the source.
        arm: Lengths for RESOLVED mode; those of the machine when not given.

    Reference:
        Wong (1991), §5.4.3.
    """

    proportional: Four = (2.0, 3.0, 2.0, 2.0)
    derivative: Four = (1.0, 2.0, 1.0, 1.0)
    integral: Four = (0.0, 0.0, 0.0, 0.0)
    weight: Four = (0.0, 0.0, 0.0, 0.0)
    feedforward: Four = (0.0, 0.0, 0.0, 0.0)
    direction: Four = (1.0, 1.0, 1.0, 1.0)
    spool: Spool = field(default_factory=Spool)
    period: float = 0.01
    mode: Literal["JOINT", "RESOLVED"] = "JOINT"
    lead: float = np.inf
    keep_limits: bool = False
    closing: float | None = None
    arm: ExcavatorArm | None = None

    def __post_init__(self) -> None:
        check_positive(self, "period")
        if not self.lead > 0:
            raise InvalidInput(f"lead={self.lead}; expected a positive angle [rad].")
        if self.closing is not None:
            check_positive(self, "closing")
        if self.mode not in MODES:
            raise InvalidInput(f"mode={self.mode!r}; expected one of {', '.join(MODES)}.")
        for name in ("proportional", "derivative", "integral", "weight", "feedforward"):
            gains = np.asarray(getattr(self, name), dtype=float)
            if gains.shape != (4,) or not (np.isfinite(gains).all() and (gains >= 0).all()):
                raise InvalidInput(
                    f"{name} is {getattr(self, name)!r}; expected four gains that are finite and "
                    "not negative."
                )
        if any(abs(sign) != 1 for sign in self.direction) or len(self.direction) != 4:
            raise InvalidInput(f"direction is {self.direction!r}; expected four of 1 and -1.")

    @property
    def inputs(self) -> Mapping[str, int]:
        return {"operator": 4, "mode": 1}

    @property
    def defaults(self) -> Mapping[str, ArrayLike]:
        """Sticks in the middle, and the mode chosen."""
        return {"operator": np.zeros(4), "mode": np.array([MODES[self.mode]])}

    def quantities(self, mechanism: Mechanism) -> tuple[Quantity, ...]:
        for name in JOINTS:
            mechanism.joint(name)
        units = {
            "desired": "rad",
            "seen": "rad",
            "error_sum": "rad·s",
            "voltage": "V",
            "spool": self.spool.unit,
        }
        names = tuple(name.removesuffix("_hinge") for name in JOINTS)
        four = tuple(Quantity(name, unit, names) for name, unit in units.items())
        return (*four, Quantity("next_sample", "s", ("time",)))

    def initial(self, mechanism: Mechanism, q: Array) -> Array:
        """The desired angles are those the machine has; spools are in the middle."""
        angles = q[..., [mechanism.q_slices[name].start for name in JOINTS]]
        zeros = np.zeros_like(angles)
        return np.concatenate([angles, angles, zeros, zeros, zeros, zeros[..., :1]], axis=-1)

    def sampled(self, model: Model, t: SX, q: SX, v: SX, s: SX, inputs: Mapping[str, SX]) -> SX:
        mechanism = model.mechanism
        desired, seen, error_sum, voltage, spool = (s[4 * k : 4 * k + 4] for k in range(5))
        angles = ca.vertcat(*(q[mechanism.q_slices[name]] for name in JOINTS))
        operator, h = inputs["operator"], self.period
        arm = self.arm or ExcavatorArm.of(mechanism)
        limits = _limits(mechanism) if self.keep_limits else None
        resolves = inputs["mode"] > 0.5
        # a voltage of exactly zero is the memory of a spool that was let go
        aim = desired if self.closing is None else ca.if_else(voltage == 0, angles, desired)
        wanted = ca.if_else(resolves, arm.rates(aim, operator, limits), operator)
        error, rate = aim - angles, (angles - seen) / h
        voltage = (
            DM(self.derivative) * (wanted - rate)
            + DM(self.proportional) * error
            + DM(self.integral) * error_sum
            + DM(self.feedforward) * wanted
        )
        if any(self.weight):
            voltage += DM(self.weight) * self._weights(model, q)
        voltage = DM(self.direction) * voltage
        next_desired = self._kept(limits, angles, aim + wanted * h)
        next_sum, opening = error_sum + error * h, self.spool.opening(voltage)
        if self.closing is not None:
            let_go = ca.if_else(resolves, _called_for(operator), operator) == 0
            next_desired = ca.if_else(let_go, desired, next_desired)
            next_sum = ca.if_else(let_go, 0, next_sum)
            voltage = ca.if_else(let_go, 0, voltage)
            way = self.spool.limit * h / self.closing
            opening = ca.if_else(let_go, self.spool.closed_by(way, spool), opening)
        after = ca.vertcat(next_desired, angles, next_sum, voltage, opening, s[20] + h)
        # a sample is not missed because the time is a rounding error short of it
        return ca.if_else(t >= s[20] - 1e-6 * h, after, s)

    def command(self, s: SX) -> SX:
        """Spool openings."""
        return s[16:20]

    def _kept(self, limits: Limits | None, angles: SX, desired: SX) -> SX:
        """Desired angles, not too far ahead of the machine and within its limits."""
        if np.isfinite(self.lead):
            desired = ca.fmin(ca.fmax(desired, angles - self.lead), angles + self.lead)
        if limits is not None:
            low, high = limits
            desired = ca.fmin(ca.fmax(desired, DM(low)), DM(high))
        return desired

    def _weights(self, model: Model, q: SX) -> SX:
        """Joint forces that carry the machine that control knows: the empty one by default."""
        mechanism = model.mechanism
        if mechanism.loops:
            raise InvalidInput("the weight's compensation is for machines without loops.")
        torques = gravity(model, q)
        return ca.vertcat(*(torques[mechanism.v_slices[name]] for name in JOINTS))


def _called_for(speeds: SX) -> SX:
    """Zero for joints that no speed of the tip moves; boom and stick move it together."""
    along, arc, up, turn = ca.vertsplit(ca.fabs(speeds))
    return ca.vertcat(arc, along + up, along + up, along + up + turn)


def _limits(mechanism: Mechanism) -> Limits:
    """Lowest and highest angles of the operated joints [rad]."""
    joints = [mechanism.joint(name) for name in JOINTS]
    low = [float(np.ravel(joint.lower)[0]) for joint in joints]
    high = [float(np.ravel(joint.upper)[0]) for joint in joints]
    return low, high
