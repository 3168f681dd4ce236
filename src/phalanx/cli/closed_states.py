"""States that close the loops of a machine: drawn, or checked where a person gives them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from phalanx.base.cached import cached_property
from phalanx.cli.random_states import RandomStates
from phalanx.cli.states import Array, States
from phalanx.dynamics import Dynamics
from phalanx.equations.loops.assembly.assemble import assemble
from phalanx.equations.loops.assembly.closed_loops import closed_loops
from phalanx.equations.loops.assembly.pivoting import RANK
from phalanx.equations.loops.assembly.posture import close_loops, moved
from phalanx.equations.loops.closure.equations import derivative_function
from phalanx.equations.model_of import model_of
from phalanx.kernel import Kernel
from phalanx.mechanism import Mechanism

POSTURES = 8
_NEAR = 0.05  # [rad or m]


@dataclass(frozen=True)
class ClosedStates:
    """Random states whose positions are closed postures by turns, with velocities made to fit.

    State k depends on the seed and on k alone.
    """

    mechanism: Mechanism
    kernel: Kernel
    count: int
    seed: int

    def chunks(self, size: int) -> Iterator[list[Array]]:
        """Draw as needed, so that any number of samples fits into memory."""
        Q, across = self._postures
        done = 0
        for drawn in RandomStates(self.mechanism, self.kernel, self.count, self.seed).chunks(size):
            turn = np.arange(done, done + len(drawn[0])) % len(Q)
            done += len(turn)
            for port, numbers in zip(self.kernel.inputs, drawn, strict=True):
                if port.name == "q":
                    numbers[:] = Q[turn]
                elif port.name == "v":
                    numbers -= np.einsum("kij,kj->ki", across[turn], numbers)
            yield drawn

    @cached_property
    def _postures(self) -> tuple[Array, Array]:
        """Closed postures, and of each the projector on velocities that would open its loops."""
        derivative = derivative_function(model_of(self.mechanism))
        found = drawn_postures(self.mechanism, self.seed)
        counted = list(closed_loops(self.mechanism).counted)
        derivatives = [np.asarray(derivative(q))[counted] for q in found]
        return found, np.array([np.linalg.pinv(A, rcond=RANK) @ A for A in derivatives])


def drawn_postures(mechanism: Mechanism, seed: int) -> Array:
    """Closed postures near the one that is nearest to all joints at zero, (POSTURES, nq)."""
    start = assemble(mechanism).q
    rng = np.random.default_rng(seed)
    found: list[Array] = []
    for _ in range(POSTURES):
        kick = _NEAR * rng.standard_normal(mechanism.nv)
        reached = close_loops(mechanism, moved(mechanism, start, kick))
        found.append(reached.q if reached.closes else start)
    return np.array(found)


@dataclass(frozen=True)
class _Checked:
    """States that pass only if they close the loops."""

    dynamics: Dynamics
    kernel: Kernel
    states: States

    @property
    def count(self) -> int:
        """How many."""
        return self.states.count

    def chunks(self, size: int) -> Iterator[list[Array]]:
        """Pass on what closes the loops."""
        names = [port.name for port in self.kernel.inputs]
        for inputs in self.states.chunks(size):
            known = dict(zip(names, inputs, strict=True))
            self.dynamics.check_loops(known["q"], known.get("v"))
            yield inputs


def checked(dynamics: Dynamics, kernel: Kernel, states: States) -> States:
    """The same states, refused with InconsistentMotion where positions or velocities open loops."""
    return _Checked(dynamics, kernel, states)
