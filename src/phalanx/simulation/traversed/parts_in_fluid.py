"""Fluid drag on all parts of a long machine, over arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, final

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.dynamics.evaluators.bodies import Bodies
from phalanx.dynamics.evaluators.traversed.columns import Columns, Gathered, SymbolicColumns
from phalanx.equations.quantities.fluid import seen_wind
from phalanx.equations.spatial import Rotation, Twist
from phalanx.kernel import compile as compile_kernel
from phalanx.mechanism.pose import Array
from phalanx.simulation.setup.forces.fluid import FluidForce


@final
class PartsInFluid:
    """The parts of a machine in one fluid, each in the axes of the node that carries it."""

    def __init__(self, force: FluidForce, bodies: Bodies) -> None:
        """Compile what happens to one part."""
        m = bodies.mechanism
        placed = [(part, *bodies.place(part.frame)) for part in force.parts(m)]
        placed = [(part, node, R, p) for part, node, R, p in placed if node >= 0]
        self.nodes = np.array([node for _, node, _, _ in placed], np.intp)
        table = np.array(
            [
                [*(p + R @ part.centre), *(part.directions @ R.T).ravel(), *part.numbers]
                for part, _, R, p in placed
            ]
        )
        columns = SymbolicColumns(table)
        self.numbers = columns.numbers
        self.velocity = Columns(6 * self.nodes, 6)
        self.rotation = Columns(12 * self.nodes, 9)
        self.is_each_alone = len(set(self.nodes.tolist())) == len(self.nodes)
        V, R_rows = SX.sym("V", 6), SX.sym("R", 9)
        attitude = Rotation(ca.reshape(R_rows, 3, 3).T)
        wind = force.stream(m)
        F = force.drag(Twist.of(V), seen_wind(wind, attitude), columns.values).numbers
        given = {"V": V, "R": R_rows, "numbers": columns.arguments}
        self.taken = ["V", *(["R"] if wind.any() else [])]
        self.taken += ["numbers"] if columns.arguments.numel() else []
        power = ca.dot(F, V)
        self.kernel = compile_kernel(
            ca.Function(
                "drag",
                [given[name] for name in self.taken],
                ca.cse([ca.densify(F), power]),
                self.taken,
                ["F", "power"],
            ),
            shapes={"power": ()},
        )

    def bound(self, pose: Array, velocity: Array, external: Array) -> Callable[[], Array]:
        """What adds the wrenches on parts to those on nodes, and gives their power (samples,).

        Args:
            pose: Of nodes in the root, shape (samples, 12·nodes).
            velocity: Of nodes in their axes, shape (samples, 6·nodes).
            external: Wrenches on nodes, shape (samples, 6·nodes).
        """
        samples, count = len(velocity), len(self.nodes)
        read = {"V": Gathered(velocity, self.velocity), "R": Gathered(pose, self.rotation)}
        read = {name: gathered for name, gathered in read.items() if name in self.taken}
        numbers = np.repeat(self.numbers[None], samples, axis=0)
        given = {name: gathered.array for name, gathered in read.items()} | {"numbers": numbers}
        F, power = np.zeros((samples, count, 6)), np.zeros((samples, count))
        evaluate = self.kernel.on_arrays([given[name] for name in self.taken], [F, power])
        columns = self.velocity
        everywhere: Any = (slice(None), columns.index)
        part = columns.part if self.is_each_alone else None
        flat = F.reshape(samples, -1)

        def call() -> Array:
            for gathered in read.values():
                gathered.take()
            evaluate()
            if part is not None:
                external[:, part] += flat
            else:  # several parts may belong to one node
                np.add.at(external, everywhere, F)
            total: Array = power.sum(axis=1)
            return total

        return call
