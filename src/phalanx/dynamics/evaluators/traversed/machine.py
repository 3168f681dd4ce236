"""A machine as arrays of bodies, and the recursions compiled for them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import final

import numpy as np
from numpy.typing import NDArray

from phalanx.base.cached import cached_property
from phalanx.dynamics.evaluators.bodies import FREEDOMS, Bodies, bodies_of
from phalanx.dynamics.evaluators.frame_wrenches import FrameWrenches
from phalanx.dynamics.evaluators.method import Method, Solver, still_root
from phalanx.dynamics.evaluators.node_types import node_types_of
from phalanx.dynamics.evaluators.recursion import Recursion
from phalanx.dynamics.evaluators.traversal import Traversal
from phalanx.dynamics.evaluators.traversed.inertia import joints_without_inertia_by_traversal
from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import Array


@final
class TraversedMachine:
    """A machine and the recursions compiled for its bodies.

    Attributes:
        mechanism: The machine.
        method: Of forward dynamics.
        threads: How many may share work.
        wrenches: Frames on which wrenches act.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        method: Method,
        threads: int,
        wrenches: Sequence[str],
        cache: bool,
    ) -> None:
        self.mechanism, self.method, self.threads = mechanism, method, threads
        self.wrenches = tuple(wrenches)
        self._cache = cache
        self._traversals: dict[str, Traversal] = {}

    @cached_property
    def bodies(self) -> Bodies:
        """Its nodes."""
        return bodies_of(self.mechanism)

    @cached_property
    def solver(self) -> Solver:
        """Its forward dynamics."""
        return self.method.solver(self.bodies, self.threads)

    @cached_property
    def still(self) -> Array:
        """A root that rests in the machine's own gravity, shape (1, 9)."""
        return still_root(self.mechanism)

    @cached_property
    def singular_joints(self) -> tuple[str, ...]:
        """Joints that make the mass matrix singular in every posture."""
        return joints_without_inertia_by_traversal(self.bodies)

    def described(self) -> str:
        """The machine in two lines: a line for each of its bodies would be as long as itself."""
        m, bodies = self.mechanism, self.bodies
        joints = Counter(FREEDOMS[k].name.lower() for k in bodies.freedom.tolist())
        kinds = ", ".join(f"{count} {name}" for name, count in joints.items())
        tips = int((bodies.children == 0).sum())
        return (
            f"{m.name}: {len(m.bodies)} bodies, {bodies.mass.sum():.4g} kg, nq = {m.nq}, "
            f"nv = {m.nv}, gravity {m.gravity.tolist()} m/s²\n"
            f"{len(bodies)} elementary joints ({kinds}) in {len(node_types_of(bodies))} "
            "kinds of nodes, "
            f"{'1 tip' if tips == 1 else f'{tips} tips'}"
        )

    def traversal(self, recursion: Recursion) -> Traversal:
        """A recursion over this machine; compiled on first use."""
        made = self._traversals.get(recursion.name)
        if made is None:
            made = Traversal(recursion, self.bodies, self.threads, self._cache)
            self._traversals[recursion.name] = made
        return made

    def place(self, frame: str) -> tuple[int, Array]:
        """The node that carries a frame, and the frame's pose there as twelve numbers."""
        node, R, p = self.bodies.place(frame)
        return node, np.concatenate([R.ravel(), p])

    def moves(self, node: int) -> NDArray[np.bool_]:
        """Which velocities move a node, shape (nv,)."""
        bodies, moves = self.bodies, np.zeros(self.mechanism.nv, bool)
        while node >= 0:
            moves[bodies.v[node] : bodies.v[node] + bodies.nv[node]] = True
            node = int(bodies.parent[node])
        return moves

    @cached_property
    def _acting(self) -> FrameWrenches:
        return FrameWrenches(self.bodies, self.wrenches)

    def external(self, wrenches: Sequence[Array]) -> Array | None:
        """Wrenches on nodes from those on frames, (samples, nodes, 6); None without frames."""
        return self._acting.on_nodes(wrenches)
