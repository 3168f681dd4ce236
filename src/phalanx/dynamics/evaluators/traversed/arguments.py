"""Arguments of a quantity by traversal: arrays by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from phalanx.base.cached import cached_property
from phalanx.dynamics.evaluators.recursion import Recursion
from phalanx.dynamics.evaluators.traversal import TraversalResult
from phalanx.dynamics.evaluators.traversed.machine import TraversedMachine
from phalanx.equations.expression import identifier
from phalanx.equations.quantities.axes import ALIGNED, Axes
from phalanx.mechanism.pose import Array


@final
@dataclass(frozen=True)
class Arguments:
    """Arguments of one call.

    Attributes:
        machine: The machine.
        arrays: Contiguous arrays (samples, size) by the name of the input.
        frame: The frame that is asked for, where it is one's quantity.
        axes: In which its motion is expressed.
    """

    machine: TraversedMachine
    arrays: dict[str, Array]
    frame: str | None = None
    axes: Axes = ALIGNED

    def __getitem__(self, name: str) -> Array:
        """An argument."""
        return self.arrays[name]

    @property
    def samples(self) -> int:
        """How many."""
        return len(next(iter(self.arrays.values())))

    @property
    def gravity(self) -> Array:
        """Acceleration of free fall, shape (samples, 3) or (1, 3)."""
        return self.arrays.get("gravity", self.machine.mechanism.gravity[None])

    def run(
        self,
        recursion: Recursion,
        arrays: Mapping[str, Array],
        begins: Sequence[Array | None] | None = None,
    ) -> TraversalResult:
        """Take all samples through a recursion; ``begins`` is what the root hands outward."""
        return self.machine.traversal(recursion)(self.samples, arrays, begins)

    @cached_property
    def place(self) -> tuple[int, Array]:
        """The node of the frame, and the frame's pose there."""
        assert self.frame is not None
        return self.machine.place(self.frame)

    @cached_property
    def root(self) -> Array:
        """How the root moves, as `evaluators.method.Solver` takes it, (samples or 1, 9)."""
        if not ("base_velocity" in self.arrays or "gravity" in self.arrays):
            return self.machine.still
        root = np.zeros((self.samples, 9))
        root[:, 6:] = -self.gravity
        if "base_velocity" in self.arrays:
            acceleration = self["base_acceleration"]
            root[:, :3] = self["base_velocity"][:, 3:]
            root[:, 3:6] = acceleration[:, 3:]
            root[:, 6:] += acceleration[:, :3]
        return root

    @cached_property
    def external(self) -> Array | None:
        """Wrenches on nodes, or None."""
        if not self.machine.wrenches:
            return None
        names = [identifier(f"wrench_{frame}") for frame in self.machine.wrenches]
        if not all(name in self.arrays for name in names):
            return None
        return self.machine.external([self[name] for name in names])
