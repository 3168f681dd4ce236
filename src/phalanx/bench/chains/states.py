"""States and loads in which chains are measured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, final

import numpy as np

from phalanx.dynamics.evaluators.method import still_root
from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import Array

Posture = Literal["random", "hanging"]
POSTURES: tuple[Posture, ...] = ("random", "hanging")


@final
@dataclass(frozen=True, eq=False)
class ChainStates:
    """Arguments of forward dynamics, a row a state, as `Solver.accelerations` takes them."""

    q: Array
    v: Array
    tau: Array
    root: Array

    def __len__(self) -> int:
        return len(self.q)

    @property
    def arguments(self) -> tuple[Array, Array, Array, Array]:
        """In the order of a call."""
        return self.q, self.v, self.tau, self.root


def draw(mechanism: Mechanism, posture: Posture, samples: int = 1, seed: int = 0) -> ChainStates:
    """States by chance, or hanging straight; velocities and joint forces are normal, of width 1."""
    rng = np.random.default_rng(seed)
    q = mechanism.random_positions(samples, rng)
    if posture == "hanging":
        q = np.tile(mechanism.neutral(), (samples, 1))
    v, tau = rng.standard_normal((2, samples, mechanism.nv))
    return ChainStates(np.ascontiguousarray(q), v, tau, still_root(mechanism, samples))
