"""Loop methods for co-simulation: penalty, projection, recursive (DeNOC).

The part of the state that a process integrates is the positions of its branch and numbers for their
velocities: its velocities where springs or multipliers hold the loops, its own contribution to the
velocities of the free directions where the motion is projected. The state of the machine is all
parts, one after the other.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.base.errors import InvalidInput
from phalanx.distribute.job_data import plain_data
from phalanx.distribute.processes.messages import Array
from phalanx.distribute.programs.platforms.branches import Branch
from phalanx.distribute.programs.platforms.machine import DividedMachine
from phalanx.equations.inverse_dynamics.recursive import recursive as newton_euler
from phalanx.equations.loops.closure.equations import constraint
from phalanx.equations.loops.legs.recursive import recursive
from phalanx.equations.loops.methods.penalty import penalty, spring_and_damper
from phalanx.equations.mass_matrix.composite_body import composite_body
from phalanx.equations.mass_matrix.factorization import factorize


class LoopMethod(ABC):
    """How processes divide the equations of motion of a machine with loops."""

    name: str

    @abstractmethod
    def speeds(self, machine: DividedMachine, branch: Branch) -> int:
        """Return how many numbers besides its positions a branch integrates."""

    @abstractmethod
    def start(self, machine: DividedMachine, branch: Branch, v: Array) -> Array:
        """Return those numbers for velocities of the machine."""

    @abstractmethod
    def velocities(self, machine: DividedMachine, q: SX, speeds: list[SX]) -> SX:
        """Return velocities of the machine from those numbers of all branches, shape (nv,)."""

    @abstractmethod
    def changes(self, machine: DividedMachine, q: SX, speeds: list[SX], v: SX, tau: SX) -> list[SX]:
        """Return the rates of those numbers, branch by branch.

        Those of branch j depend on its own forces and inertia, and on positions and velocities of
        the others.
        """


@final
@plain_data
@dataclass(frozen=True)
class Penalty(LoopMethod):
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

    def speeds(self, machine: DividedMachine, branch: Branch) -> int:
        """Return how many velocities the branch has."""
        return len(branch.v)

    def start(self, machine: DividedMachine, branch: Branch, v: Array) -> Array:
        """Return the branch's own velocities."""
        return v[list(branch.v)]

    def velocities(self, machine: DividedMachine, q: SX, speeds: list[SX]) -> SX:
        """Return the velocities of all branches."""
        v = SX(machine.model.nv, 1)
        for branch, own in zip(machine.branches, speeds, strict=True):
            v[list(branch.v)] = own
        return v

    def changes(self, machine: DividedMachine, q: SX, speeds: list[SX], v: SX, tau: SX) -> list[SX]:
        """Return accelerations; each branch has a block of the mass matrix to itself."""
        a = penalty(machine.model, q, v, tau, stiffness=self.stiffness, damping=self.damping)
        return [a[list(branch.v)] for branch in machine.branches]


@final
@plain_data
@dataclass(frozen=True)
class Projection(LoopMethod):
    """Free directions found by elimination, velocities along them summed over processes (method B).

    Every process holds a vector υʲ of as many numbers as the machine has freedoms, and
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

    def speeds(self, machine: DividedMachine, branch: Branch) -> int:
        """Return how many motors there are: a branch contributes to the velocities of all."""
        return len(machine.motors)

    def start(self, machine: DividedMachine, branch: Branch, v: Array) -> Array:
        """Return velocities of the branch's own motors, zero for the others."""
        own = np.zeros(len(machine.motors))
        mine = machine.motors_of(branch)
        own[mine] = v[[machine.motors[k] for k in mine]]
        return own

    def velocities(self, machine: DividedMachine, q: SX, speeds: list[SX]) -> SX:
        """Return T υ + η."""
        still = constraint(machine.model, q, SX(machine.model.nv, 1), machine.rows)
        opening = machine.across(still.A, still.c)
        return machine.directions(still.A) @ _sum(speeds) - self.decay * opening

    def changes(self, machine: DividedMachine, q: SX, speeds: list[SX], v: SX, tau: SX) -> list[SX]:
        """Return each branch's contribution to the accelerations of all motors."""
        model = machine.model
        here = constraint(model, q, v, machine.rows)
        T = machine.directions(here.A)
        across = -machine.across(here.A, here.b + self.decay * (here.A @ v))
        missing = tau - newton_euler(model, q, v, across)
        inertia = factorize(ca.densify(T.T @ composite_body(model, q) @ T))
        parts = [list(branch.v) for branch in machine.branches]
        return [inertia.solve(T[own, :].T @ missing[own]) for own in parts]


@final
@plain_data
@dataclass(frozen=True)
class Recursive(LoopMethod):
    """Legs that carry a share of the platform each (DeNOC, method C).

    Between processes it is divided inside each evaluation, between legs and a centre
    (`legs.forward`); here it is whole, as a replicated run and a single processor evaluate it.

    Attributes:
        displacement: Whether legs and centre close the loops before each evaluation, so that the
            state is that of the motors alone: one more round trip, and no drift.

    Reference:
        Khan (2002), ch. 3; variants (i) and (ii) of sec. 3.3 with and without displacement
        analysis.
    """

    displacement: bool = False
    name = "recursive"

    def speeds(self, machine: DividedMachine, branch: Branch) -> int:
        """Return how many motors the branch has."""
        return len(machine.motors_of(branch))

    def start(self, machine: DividedMachine, branch: Branch, v: Array) -> Array:
        """Return velocities of the branch's own motors."""
        return v[[machine.motors[k] for k in machine.motors_of(branch)]]

    def velocities(self, machine: DividedMachine, q: SX, speeds: list[SX]) -> SX:
        """Return velocities that keep loops closed, for those of the motors."""
        motors = SX(len(machine.motors), 1)
        for branch, own in zip(machine.branches, speeds, strict=True):
            if own.numel():
                motors[machine.motors_of(branch)] = own
        A = constraint(machine.model, q, SX(machine.model.nv, 1), machine.rows).A
        return machine.directions(A) @ motors

    def changes(self, machine: DividedMachine, q: SX, speeds: list[SX], v: SX, tau: SX) -> list[SX]:
        """Return accelerations of each branch's own motors."""
        a = recursive(machine.model, q, v, tau)
        return [
            a[[machine.motors[k] for k in machine.motors_of(branch)]] for branch in machine.branches
        ]


def _sum(parts: list[SX]) -> SX:
    return sum(parts[1:], start=parts[0])
