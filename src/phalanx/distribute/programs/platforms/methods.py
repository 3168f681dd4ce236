"""Ways to cut forward dynamics between nodes: who holds which numbers, and how they change.

A node's part of the state is its positions and a share of what moves them: its velocities where
springs or multipliers hold the loops, its own contribution to the velocities of the free directions
where the motion is projected. The state of the machine is all parts, one after the other.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.base.errors import InvalidInput
from phalanx.distribute.processes.messages import Array
from phalanx.distribute.programs.platforms.machine import Machine
from phalanx.distribute.programs.platforms.parts import Part
from phalanx.equations.inverse_dynamics.recursive import recursive as newton_euler
from phalanx.equations.loops.closure.equations import constraint
from phalanx.equations.loops.legs.recursive import recursive
from phalanx.equations.loops.methods.penalty import penalty, spring_and_damper
from phalanx.equations.mass_matrix.composite_body import composite_body
from phalanx.equations.mass_matrix.factorization import factorize


class Method(ABC):
    """How nodes share the equations of motion."""

    name: str

    @abstractmethod
    def speeds(self, machine: Machine, part: Part) -> int:
        """How many numbers besides its positions a part holds."""

    @abstractmethod
    def start(self, machine: Machine, part: Part, v: Array) -> Array:
        """Those numbers for velocities of the machine."""

    @abstractmethod
    def velocities(self, machine: Machine, q: SX, speeds: list[SX]) -> SX:
        """Velocities of the machine from what all parts hold, shape (nv,)."""

    @abstractmethod
    def changes(self, machine: Machine, q: SX, speeds: list[SX], v: SX, tau: SX) -> list[SX]:
        """Rates of what each part holds besides its positions.

        Node j's rates depend on its own forces and inertia, and on positions and velocities of
        the others.
        """


@final
@dataclass(frozen=True)
class Penalty(Method):
    """Loops held by springs: every part has its own equations of motion (method A).

    Attributes:
        stiffness: k of every closure equation [N/m or N·m/rad].
        damping: d of every closure equation; 2 √k when not given.

    Reference:
        Khan (2002), eqs. 2.9 and 2.10.
    """

    stiffness: float = 1e5
    damping: float | None = None
    name = "penalty"

    def __post_init__(self) -> None:
        """Check the springs."""
        spring_and_damper(self.stiffness, self.damping)

    def speeds(self, machine: Machine, part: Part) -> int:
        """See :class:`Method`: its velocities."""
        return len(part.v)

    def start(self, machine: Machine, part: Part, v: Array) -> Array:
        """See :class:`Method`."""
        return v[list(part.v)]

    def velocities(self, machine: Machine, q: SX, speeds: list[SX]) -> SX:
        """See :class:`Method`."""
        v = SX(machine.model.nv, 1)
        for part, own in zip(machine.parts, speeds, strict=True):
            v[list(part.v)] = own
        return v

    def changes(self, machine: Machine, q: SX, speeds: list[SX], v: SX, tau: SX) -> list[SX]:
        """See :class:`Method`: blocks of the mass matrix are separate, so a part asks its own."""
        a = penalty(machine.model, q, v, tau, stiffness=self.stiffness, damping=self.damping)
        return [a[list(part.v)] for part in machine.parts]


@final
@dataclass(frozen=True)
class Projection(Method):
    """Free directions found by elimination, velocities along them summed over nodes (method B).

    Every node holds a vector υʲ of as many numbers as the machine has freedoms, and
    υ = Σ υʲ are the velocities of the motors:

        dqʲ/dt = Tʲ υ + ηʲ,    dυʲ/dt = (Tᵀ M T)⁻¹ Tʲᵀ (tauʲ - Mʲ γʲ - bʲ).

    Attributes:
        decay: σ: loops that are open close like exp(-σ t) [1/s].

    Reference:
        Khan (2002), eqs. 2.24-2.27; υʲ has n - m numbers and Tʲ as many columns, which the thesis
        prints as nʲ.
    """

    decay: float = 10.0
    name = "projection"

    def __post_init__(self) -> None:
        """Check the decay."""
        if not 0 <= self.decay < float("inf"):
            raise InvalidInput(f"decay={self.decay}; expected a rate that is not negative [1/s].")

    def speeds(self, machine: Machine, part: Part) -> int:
        """See :class:`Method`: its contribution to the velocities of all motors."""
        return len(machine.motors)

    def start(self, machine: Machine, part: Part, v: Array) -> Array:
        """See :class:`Method`: a motor's velocity is with the part that has the motor."""
        own = np.zeros(len(machine.motors))
        mine = machine.motors_of(part)
        own[mine] = v[[machine.motors[k] for k in mine]]
        return own

    def velocities(self, machine: Machine, q: SX, speeds: list[SX]) -> SX:
        """See :class:`Method`: T υ + η."""
        still = constraint(machine.model, q, SX(machine.model.nv, 1), machine.rows)
        opening = machine.across(still.A, still.c)
        return machine.directions(still.A) @ _sum(speeds) - self.decay * opening

    def changes(self, machine: Machine, q: SX, speeds: list[SX], v: SX, tau: SX) -> list[SX]:
        """See :class:`Method`."""
        model = machine.model
        here = constraint(model, q, v, machine.rows)
        T = machine.directions(here.A)
        across = -machine.across(here.A, here.b + self.decay * (here.A @ v))
        missing = tau - newton_euler(model, q, v, across)
        inertia = factorize(ca.densify(T.T @ composite_body(model, q) @ T))
        parts = [list(part.v) for part in machine.parts]
        return [inertia.solve(T[own, :].T @ missing[own]) for own in parts]


@final
@dataclass(frozen=True)
class Recursive(Method):
    """Legs that carry a share of the platform each (DeNOC, method C).

    Between nodes it is cut inside each evaluation, between legs and a centre (`legs.forward`);
    here it is whole, as every node of a replicated run and a single processor evaluate it.

    Attributes:
        displacement: Whether legs and centre close the loops before each evaluation, so that the
            state is that of the motors alone: one more round trip, and no drift.

    Reference:
        Khan (2002), ch. 3; variants (i) and (ii) of sec. 3.3 with and without displacement
        analysis.
    """

    displacement: bool = False
    name = "recursive"

    def speeds(self, machine: Machine, part: Part) -> int:
        """See :class:`Method`: velocities of its motors."""
        return len(machine.motors_of(part))

    def start(self, machine: Machine, part: Part, v: Array) -> Array:
        """See :class:`Method`."""
        return v[[machine.motors[k] for k in machine.motors_of(part)]]

    def velocities(self, machine: Machine, q: SX, speeds: list[SX]) -> SX:
        """See :class:`Method`: those of the motors, and what loops make of them."""
        motors = SX(len(machine.motors), 1)
        for part, own in zip(machine.parts, speeds, strict=True):
            if own.numel():
                motors[machine.motors_of(part)] = own
        A = constraint(machine.model, q, SX(machine.model.nv, 1), machine.rows).A
        return machine.directions(A) @ motors

    def changes(self, machine: Machine, q: SX, speeds: list[SX], v: SX, tau: SX) -> list[SX]:
        """See :class:`Method`."""
        a = recursive(machine.model, q, v, tau)
        return [a[[machine.motors[k] for k in machine.motors_of(part)]] for part in machine.parts]


def _sum(parts: list[SX]) -> SX:
    return sum(parts[1:], start=parts[0])
