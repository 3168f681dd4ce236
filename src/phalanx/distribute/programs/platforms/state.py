"""State vector divided among processes, and machine code for its rates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from operator import itemgetter

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.base.cached import cached_property
from phalanx.distribute.processes.messages import Array
from phalanx.distribute.programs.platforms.machine import DividedMachine, Feedback
from phalanx.distribute.programs.platforms.methods import LoopMethod
from phalanx.equations.loops.closure.equations import closure
from phalanx.equations.quantities.configuration import position_rate
from phalanx.kernel import compile as compile_kernel
from phalanx.mechanism import Mechanism
from phalanx.simulation.integrators.tableaux import CLASSIC

# rates of a state (or of a part) for a sample of control
Rates = Callable[[Array, Array], Array]


@dataclass(frozen=True)
class DividedState:
    """State vector of all branches: each has its positions, then what else it integrates."""

    machine: DividedMachine
    method: LoopMethod
    _calls: dict[str, Rates] = field(default_factory=dict, init=False, repr=False, compare=False)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """How many numbers each part has."""
        return tuple(
            len(part.q) + self.method.speeds(self.machine, part) for part in self.machine.branches
        )

    @cached_property
    def slices(self) -> tuple[slice, ...]:
        """Where each part is."""
        ends = np.cumsum(self.sizes)
        return tuple(
            slice(int(end) - size, int(end)) for end, size in zip(ends, self.sizes, strict=True)
        )

    def start(self, q: Array, v: Array) -> Array:
        """Return the state at positions and velocities of the machine."""
        parts = self.machine.branches
        both = ((q[list(p.q)], self.method.start(self.machine, p, v)) for p in parts)
        return np.concatenate([x for pair in both for x in pair])

    def rates(self, part: int | None = None) -> Rates:
        """Compile rates of the whole state, or those of one part for the whole state."""
        parts = self._changes
        dx = ca.vertcat(*parts) if part is None else parts[part]
        return self._compiled("rates" if part is None else f"rates_of_{part}", dx)

    def observe(self) -> Rates:
        """Compile what is recorded: positions, velocities, motor torques, largest opening."""
        q, _, v, tau = self._quantities
        opening = ca.norm_inf(closure(self.machine.model, q))
        row = ca.vertcat(q, v, tau[list(self.machine.motors)], opening)
        return self._compiled("observe", row)

    @cached_property
    def _symbols(self) -> tuple[SX, SX]:
        """State and control."""
        return SX.sym("x", sum(self.sizes)), SX.sym("u", self.machine.samples)

    @cached_property
    def _quantities(self) -> tuple[SX, list[SX], SX, SX]:
        """Positions, other numbers of the parts, velocities, joint forces, over the symbols."""
        x, u = self._symbols
        q = SX(self.machine.mechanism.nq, 1)
        speeds = []
        for part, place in zip(self.machine.branches, self.slices, strict=True):
            middle = place.start + len(part.q)
            q[list(part.q)] = x[place.start : middle]
            speeds.append(x[middle : place.stop])
        v = self.method.velocities(self.machine, q, speeds)
        return q, speeds, v, self.machine.torque(q, v, u)

    @cached_property
    def _changes(self) -> list[SX]:
        """Rates of each part, over the symbols."""
        q, speeds, v, tau = self._quantities
        acting = tau + self.machine.own_forces(q, v)
        changes = self.method.changes(self.machine, q, speeds, v, acting)
        moves = position_rate(self.machine.model, q, v)
        return [
            ca.vertcat(moves[list(part.q)], change)
            for part, change in zip(self.machine.branches, changes, strict=True)
        ]

    @cached_property
    def _quaternions(self) -> list[slice]:
        """Where the state has numbers that must keep length one."""
        m = self.machine.mechanism
        found = []
        for part, place in zip(self.machine.branches, self.slices, strict=True):
            for name in part.joints:
                if m.q_slices[name].stop - m.q_slices[name].start > m.joint(name).motion.nv:
                    end = place.start + part.q.index(m.q_slices[name].stop - 1) + 1
                    found.append(slice(end - 4, end))
        return found

    def landed(self, x: Array, part: int | None = None) -> Array:
        """Return the state, or one part of it, with quaternions of length one."""
        first, last = (0, len(x)) if part is None else _ends(self.slices[part])
        for place in self._quaternions:
            if first <= place.start < last:
                own = slice(place.start - first, place.stop - first)
                x[own] /= np.linalg.norm(x[own])
        return x

    def _compiled(self, name: str, y: SX) -> Rates:
        if name not in self._calls:
            function = ca.Function(
                name, [*self._symbols], ca.cse([ca.densify(y)]), ["x", "u"], ["y"]
            )
            self._calls[name] = compile_kernel(function).call
        return self._calls[name]


@lru_cache(maxsize=16)
def state_of(mechanism: Mechanism, feedback: Feedback, method: LoopMethod) -> DividedState:
    """Return the state of a machine; traced and compiled once for all runs of the same kind."""
    return DividedState(DividedMachine(mechanism, feedback), method)


# of control at the begin, the middle and the end of a step, what its stages need
_of_stages = itemgetter(*(int(2 * c) for c in CLASSIC.c))


def control_of_stages(samples: Array, k: int) -> tuple[Array, ...]:
    """Return control at the stages of step k, of that at every half step."""
    found: tuple[Array, ...] = _of_stages(samples[2 * k : 2 * k + 3])
    return found


def runge_kutta(f: Rates, x: Array, control: tuple[Array, ...], h: float) -> Array:
    """Take a step of the classical method of order 4, with control at its stages."""
    later: Array = CLASSIC.driven_step(f, x, h, *control)
    return later


def _ends(part: slice) -> tuple[int, int]:
    return part.start, part.stop
