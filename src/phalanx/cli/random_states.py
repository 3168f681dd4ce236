"""Random states, also with closed loops."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from phalanx.base.cached import cached_property
from phalanx.cli.states import Array, States
from phalanx.dynamics import Dynamics
from phalanx.equations.expression import POSITIONS
from phalanx.equations.loops.assembly.assemble import assemble
from phalanx.equations.loops.assembly.closed_loops import closed_loops
from phalanx.equations.loops.assembly.pivoting import RANK
from phalanx.equations.loops.closure.equations import derivative_function
from phalanx.equations.model_of import model_of
from phalanx.kernel import Kernel
from phalanx.mechanism import Mechanism

POSTURES = 8
_NEAR = 0.05  # [rad or m]


class RandomStates:
    """Positions within the joint limits; velocities, accelerations, forces standard normal.

    State k depends on the seed and on k alone: each page of states has its own generator.
    """

    PAGE = 1024

    def __init__(self, mechanism: Mechanism, kernel: Kernel, count: int, seed: int) -> None:
        """Store the settings; states are drawn by :meth:`chunks`."""
        self.count = count
        self._mechanism, self._kernel, self._seed = mechanism, kernel, seed

    def chunks(self, size: int) -> Iterator[list[Array]]:
        """Yield states in chunks, so that any number of samples fits into memory."""
        for start in range(0, self.count, size):
            stop = min(start + size, self.count)
            pages = range(start // self.PAGE, -(-stop // self.PAGE))
            drawn = [self._page(page) for page in pages]
            here = slice(start - pages.start * self.PAGE, stop - pages.start * self.PAGE)
            yield [
                np.concatenate(parts)[here].astype(self._kernel.dtype)
                for parts in zip(*drawn, strict=True)
            ]

    def _page(self, page: int) -> list[Array]:
        rng = np.random.default_rng((self._seed, page))
        return [
            self._mechanism.random_positions(self.PAGE, rng)
            if port.name in POSITIONS
            else rng.standard_normal((self.PAGE, *port.shape))
            for port in self._kernel.inputs
        ]


@dataclass(frozen=True)
class ClosedStates:
    """Random states at closed postures in turn, with consistent velocities.

    State k depends on the seed and on k alone.
    """

    mechanism: Mechanism
    kernel: Kernel
    count: int
    seed: int

    def chunks(self, size: int) -> Iterator[list[Array]]:
        """Yield states in chunks, so that any number of samples fits into memory."""
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
        """Closed postures, and the projectors onto velocities that open their loops."""
        derivative = derivative_function(model_of(self.mechanism))
        found = drawn_postures(self.mechanism, self.seed)
        counted = list(closed_loops(self.mechanism).exact_rows)
        derivatives = [np.asarray(derivative(q))[counted] for q in found]
        return found, np.array([np.linalg.pinv(A, rcond=RANK) @ A for A in derivatives])


def drawn_postures(mechanism: Mechanism, seed: int) -> Array:
    """Return random closed postures near zero, (POSTURES, nq)."""
    start, loops = assemble(mechanism).q, closed_loops(mechanism)
    rng = np.random.default_rng(seed)
    found: list[Array] = []
    for _ in range(POSTURES):
        kick = _NEAR * rng.standard_normal(mechanism.nv)
        reached = loops.search.close(loops.plain.moved(start, kick))
        found.append(reached.q if reached.closes else start)
    return np.array(found)


@dataclass(frozen=True)
class _Checked:
    """States that are checked to close the loops."""

    dynamics: Dynamics
    kernel: Kernel
    states: States

    @property
    def count(self) -> int:
        """Number of states."""
        return self.states.count

    def chunks(self, size: int) -> Iterator[list[Array]]:
        """Yield states; raise for states with open loops."""
        names = [port.name for port in self.kernel.inputs]
        for inputs in self.states.chunks(size):
            known = dict(zip(names, inputs, strict=True))
            self.dynamics.check_loops(known["q"], known.get("v"))
            yield inputs


def checked(dynamics: Dynamics, kernel: Kernel, states: States) -> States:
    """Return the states; positions or velocities with open loops raise InconsistentMotion."""
    return _Checked(dynamics, kernel, states)
