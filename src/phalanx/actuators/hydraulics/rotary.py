"""Rotary hydraulic actuators of Wong (1991): one a joint, each with its own supply.

Units are the source's, inches and pounds on the oil's side: pressures in psi, flows in in³/s,
displacements in in³/rad, spool openings in cm; joint forces are N·m.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import final

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.actuators.hydraulics.checked import check_not_negative, check_positive
from phalanx.actuators.subsystem import Actuation, Array, Quantity
from phalanx.base.errors import InvalidInput
from phalanx.equations.expression import expression
from phalanx.equations.quantities.bias import gravity
from phalanx.equations.tree.model import Model
from phalanx.mechanism import Mechanism

# psi·in³ to N·m as the source has it; exactly it would be 8.85
INCH_POUNDS = 8.0


@final
@dataclass(frozen=True)
class Rotary:
    """A hydraulic motor with a valve, for one joint.

    Attributes:
        supply: Pressure of its supply P_s [psi].
        gear: Ratio G of its gear.
        damping: beta_m at the joint [N·m·s/rad].
        flow: Coefficient k_f of its valve [in³/(s·cm·√psi)].
        displacement: D_m [in³/rad], before the gear.
        compliance: beta_v, pressure per volume of oil pressed into a line [psi/in³].
        drain: Pressure P_e of its drain [psi].
        limit: Largest opening of the spool [cm].
        leakage: From one line to the other [in³/(s·psi)]; none in the source.
        coulomb: Dry friction at the joint [N·m]; none in the source.
        slip: Rate at which dry friction has 76 % of its value [rad/s]: wide enough for the source's
            step of 10 ms on the light bucket.

    Reference:
        Wong (1991), §5.4.2 and table 5.2.
    """

    supply: float
    gear: float
    damping: float
    flow: float = 26.0
    displacement: float = 0.7
    compliance: float = 1000.0
    drain: float = 0.0
    limit: float = 0.05
    leakage: float = 0.0
    coulomb: float = 0.0
    slip: float = 5e-2

    def __post_init__(self) -> None:
        check_positive(self, "supply", "gear", "flow", "displacement", "compliance", "limit")
        check_positive(self, "slip")
        check_not_negative(self, "damping", "drain", "leakage", "coulomb")
        if self.drain >= self.supply:
            raise InvalidInput(
                f"drain of Rotary is {self.drain} psi; expected less than its supply of "
                f"{self.supply} psi."
            )

    @property
    def swept(self) -> float:
        """Oil that a radian of the joint takes [in³/rad]."""
        return self.displacement * self.gear

    @property
    def stall(self) -> float:
        """Torque at standstill with all of the supply's pressure across it [N·m]."""
        return (self.supply - self.drain) * self.swept / INCH_POUNDS

    def friction(self, speed: SX) -> SX:
        """Torque against the joint's rate [N·m]."""
        viscous = self.damping * speed
        return viscous + self.coulomb * ca.tanh(speed / self.slip) if self.coulomb else viscous

    def flows(self, x: SX, p_in: SX, p_out: SX) -> tuple[SX, SX]:
        """Flow into the one line and out of the other [in³/s], both negative when reversed."""
        forward = x > 0
        into = ca.if_else(forward, self.supply - p_in, p_in - self.drain)
        out = ca.if_else(forward, p_out - self.drain, self.supply - p_out)
        return self.flow * x * ca.sqrt(into), self.flow * x * ca.sqrt(out)

    def settled(self, pressure: SX) -> SX:
        """A pressure between drain and supply [psi]."""
        return ca.fmin(ca.fmax(pressure, self.drain), self.supply)

    def act(self, opening: SX, speed: SX, p_in: SX, p_out: SX) -> tuple[SX, SX, SX]:
        """Torque at the joint [N·m], and rates of both pressures [psi/s].

        Args:
            opening: Of the spool, as commanded [cm].
            speed: Of the joint [rad/s].
            p_in: Pressure of the one line, settled [psi].
            p_out: Pressure of the other, settled [psi].
        """
        x = ca.fmin(ca.fmax(opening, -self.limit), self.limit)
        q_in, q_out = self.flows(x, p_in, p_out)
        swept = speed * self.swept
        torque = (p_in - p_out) * (self.swept / INCH_POUNDS) - self.friction(speed)
        leak = self.leakage * (p_in - p_out)
        return (
            torque,
            (q_in - leak - swept) * self.compliance,
            (swept + leak - q_out) * self.compliance,
        )


@final
@dataclass(frozen=True)
class RotaryHydraulics(Actuation):
    """A rotary actuator at each of some joints, none of which knows of the others.

    Commands are spool openings [cm], its state the pressures of two lines an actuator [psi], which
    are kept between drain and supply.

    Attributes:
        actuators: Joint name to its actuator.
        charged: Whether lines begin at pressures that carry the machine's weight; without, at the
            drain's pressure, as the source begins.
    """

    actuators: Mapping[str, Rotary]
    charged: bool = False

    def __post_init__(self) -> None:
        """Copy the mapping, so that the caller's changes do not reach it."""
        object.__setattr__(self, "actuators", dict(self.actuators))
        if not self.actuators:
            raise InvalidInput("rotary hydraulics need at least one actuator: {joint: Rotary(...)}")

    def quantities(self, mechanism: Mechanism) -> tuple[Quantity, ...]:
        names = self.commands(mechanism)
        return tuple(Quantity(name, "psi", names) for name in ("pressure_in", "pressure_out"))

    @property
    def pressure_titles(self) -> dict[str, str]:
        """Display names of the pressures, by joint and line: ``Boom actuator, line in``."""
        names = [joint.removesuffix("_hinge") for joint in self.actuators]
        return {
            f"{name}.{line}": f"{name.capitalize()} actuator, line {line}"
            for name in names
            for line in ("in", "out")
        }

    def commands(self, mechanism: Mechanism) -> tuple[str, ...]:
        """The joints' names."""
        for name in self.actuators:
            joint = mechanism.joint(name)
            if joint.motion.kind not in ("revolute", "continuous"):
                raise InvalidInput(
                    f"joint '{name}' is {joint.motion.kind}; a rotary actuator turns a hinge."
                )
        return tuple(self.actuators)

    def initial(self, mechanism: Mechanism, q: Array) -> Array:
        """Lines at the drain's pressure, or ``charged`` about the middle of the supply's."""
        drains = np.array([actuator.drain for actuator in self.actuators.values()])
        count = len(self.actuators)
        s = np.broadcast_to(np.tile(drains, 2), (*q.shape[:-1], 2 * count)).copy()
        if self.charged:
            weights = _weights(mechanism, q)
            for k, (name, actuator) in enumerate(self.actuators.items()):
                load = INCH_POUNDS * weights[..., mechanism.v_slices[name].start] / actuator.swept
                middle = (actuator.supply + actuator.drain) / 2
                s[..., k], s[..., count + k] = middle + load / 2, middle - load / 2
            low, high = self._range()
            s = np.clip(s, np.array(low), np.array(high))
        return s

    def act(self, model: Model, q: SX, v: SX, s: SX, command: SX) -> tuple[SX, SX]:
        tau, into, out = SX.zeros(model.nv, 1), [], []
        count = len(self.actuators)
        pressures = self.settled(s)
        for k, (name, actuator) in enumerate(self.actuators.items()):
            where = model.mechanism.v_slices[name]
            tau[where], rate_in, rate_out = actuator.act(
                command[k], v[where], pressures[k], pressures[count + k]
            )
            into.append(rate_in)
            out.append(rate_out)
        return tau, ca.vertcat(*into, *out)

    def settled(self, s: SX) -> SX:
        """Pressures between drain and supply, in the state as well as in the equations."""
        low, high = self._range()
        return ca.fmin(ca.fmax(s, ca.DM(low)), ca.DM(high))

    def _range(self) -> tuple[list[float], list[float]]:
        actuators = list(self.actuators.values())
        return 2 * [a.drain for a in actuators], 2 * [a.supply for a in actuators]


def _weights(mechanism: Mechanism, q: Array) -> Array:
    """Joint forces that carry the machine at rest, shape (..., nv)."""
    rows = q.reshape(-1, mechanism.nq)
    torques = expression(gravity, mechanism).map(max(1, len(rows)))(rows.T)
    return np.array(torques).T.reshape(*q.shape[:-1], mechanism.nv)


# Beyond the source, as parts of what an actuator does at most: gears and seals rub, and the
# swing's motor leaks 2 of the 51 in³/s that it takes at full spool.
RUBBING = 0.03
SWING_LEAKAGE = 5e-4


def cat215b_rotary(*, charged: bool = False, losses: bool = False) -> RotaryHydraulics:
    """The actuators of the source's excavator, for :func:`~phalanx.library.cat215b`.

    Args:
        charged: Whether lines begin at pressures that carry the machine's weight.
        losses: Beyond the source: dry friction of 3 % of the stall torque at each joint, and a
            swing motor that leaks. Without, a bucket on shut valves swings for twenty seconds, and
            an outstretched cab for ten seconds.
    """
    table = {
        "cab_hinge": (4000.0, 307.0, 100000.0),
        "boom_hinge": (7000.0, 545.0, 100000.0),
        "stick_hinge": (4000.0, 220.0, 30000.0),
        "bucket_hinge": (4000.0, 250.0, 100.0),
    }
    actuators = {joint: Rotary(*row) for joint, row in table.items()}
    if losses:
        actuators = {
            joint: replace(
                actuator,
                coulomb=RUBBING * actuator.stall,
                # what leaked at the others would let the arm sink
                leakage=SWING_LEAKAGE if joint == "cab_hinge" else 0.0,
            )
            for joint, actuator in actuators.items()
        }
    return RotaryHydraulics(actuators, charged)
