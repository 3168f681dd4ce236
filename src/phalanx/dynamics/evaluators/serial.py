"""Serial articulated-body forward dynamics (ABA): the reference of the parallel methods."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from phalanx.base.cached import cached_property
from phalanx.dynamics.evaluators.articulated import FORWARD_DYNAMICS, FORWARD_DYNAMICS_ACTED_ON
from phalanx.dynamics.evaluators.bodies import Bodies
from phalanx.dynamics.evaluators.method import Method, Solver
from phalanx.dynamics.evaluators.traversal import BoundCall, Traversal
from phalanx.mechanism.pose import Array


@final
@dataclass(frozen=True)
class Serial(Method):
    """Articulated bodies in three passes (ABA), for every tree; samples share lanes and threads."""

    name: ClassVar[str] = "serial"

    def solver(self, bodies: Bodies, threads: int) -> SerialSolver:
        return SerialSolver(bodies, threads)


@final
class SerialSolver(Solver):
    """Forward dynamics of a machine body after body."""

    def __init__(self, bodies: Bodies, threads: int) -> None:
        self.bodies = bodies
        self._free = Traversal(FORWARD_DYNAMICS, bodies, threads)
        self._acted_on = Traversal(FORWARD_DYNAMICS_ACTED_ON, bodies, threads)

    @cached_property
    def depth(self) -> int:
        """Three passes along the longest way from the root to a tip."""
        depth = np.zeros(len(self.bodies) + 1, np.int64)
        if self.bodies.is_chain:
            return 3 * len(self.bodies)
        for i, parent in enumerate(self.bodies.parent.tolist()):
            depth[i] = 1 + depth[parent]  # the root, -1, is the last entry and stays 0
        return 3 * int(depth.max())

    def accelerations(
        self,
        q: Array,
        v: Array,
        tau: Array,
        root: Array,
        external: Array | None = None,
        out: Array | None = None,
    ) -> Array:
        call = self._bound(q, v, tau, root, external, out)
        call.run()
        return call.swept.results["a"]

    def bound(
        self, q: Array, v: Array, tau: Array, root: Array, external: Array | None, out: Array
    ) -> Callable[[], None]:
        return self._bound(q, v, tau, root, external, out).run

    def _bound(
        self,
        q: Array,
        v: Array,
        tau: Array,
        root: Array,
        external: Array | None,
        out: Array | None,
    ) -> BoundCall:
        arrays, sweep = {"q": q, "v": v, "tau": tau}, self._free
        if external is not None:
            arrays["external"], sweep = external.reshape(len(external), -1), self._acted_on
        return sweep.bound(
            len(q),
            arrays,
            [np.ascontiguousarray(root[:, :3]), None, root],
            None if out is None else {"a": out},
            ends=False,
        )
