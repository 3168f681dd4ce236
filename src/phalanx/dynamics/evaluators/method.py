"""Interface of forward-dynamics methods for one machine of any length.

A method is a value that a user chooses; for a machine it makes a solver, which takes arrays.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from phalanx.dynamics.evaluators.bodies import Bodies
from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import Array


class Solver(ABC):
    """Forward dynamics of one machine by one method.

    Attributes:
        depth: How many body steps have to follow each other, however many processors there are.
    """

    depth: int

    @abstractmethod
    def accelerations(
        self, q: Array, v: Array, tau: Array, root: Array, external: Array | None = None
    ) -> Array:
        """Accelerations of the joints, shape (samples, nv).

        Args:
            q: Positions, shape (samples, nq), as all arrays C-contiguous and of double precision.
            v: Velocities, shape (samples, nv).
            tau: Joint forces, shape (samples, nv).
            root: How the root moves, shape (samples, 9): angular velocity, angular acceleration,
                and acceleration of its origin less that of free fall, in root axes.
            external: Wrenches on nodes, shape (samples, nodes, 6): force, then moment about the
                node's origin, both in node axes.
        """

    def bound(
        self, q: Array, v: Array, tau: Array, root: Array, external: Array | None, out: Array
    ) -> Callable[[], None]:
        """What writes the accelerations for what these very arrays hold when it is called.

        For steps through time, in which the same arrays are used again and again.
        """

        def call() -> None:
            out[...] = self.accelerations(q, v, tau, root, external)

        return call


@dataclass(frozen=True)
class Method(ABC):
    """A way to forward dynamics inside one machine, to choose as ``Dynamics(forward=...)``."""

    name: ClassVar[str]

    @abstractmethod
    def solver(self, bodies: Bodies, threads: int) -> Solver:
        """What solves for a machine's accelerations.

        Raises:
            InvalidModel: When the machine is none that this method can solve.
        """


def still_root(mechanism: Mechanism, samples: int = 1) -> Array:
    """A root that rests in the machine's gravity, shape (samples, 9)."""
    root = np.zeros((samples, 9))
    root[:, 6:] = -mechanism.gravity
    return root
