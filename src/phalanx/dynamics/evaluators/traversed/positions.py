"""Position rates and displacements of long machines, batched by joint type."""

from __future__ import annotations

from collections.abc import Callable
from typing import final

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.dynamics.evaluators.bodies import Bodies
from phalanx.dynamics.evaluators.traversed.columns import Columns, Gathered
from phalanx.equations.tree.exponential import move
from phalanx.equations.tree.node import Freedom
from phalanx.equations.tree.positions import own_positions_rate, own_unit_positions
from phalanx.kernel import Kernel
from phalanx.kernel import compile as compile_kernel
from phalanx.mechanism.pose import Array

# joints whose positions are vectors that velocities add to
PLAIN = (Freedom.TURN, Freedom.SLIDE, Freedom.SCREW)


@final
class _ScalarJoints:
    """Joints of one freedom."""

    def __init__(self, freedom: Freedom, bodies: Bodies) -> None:
        nodes = bodies.of(freedom)
        self.q = Columns(bodies.q[nodes], freedom.nq)
        self.v = Columns(bodies.v[nodes], freedom.nv)
        x, u = SX.sym("x", freedom.nq), SX.sym("u", freedom.nv)
        self.rate = _kernel("rate", [x, u], own_positions_rate(freedom, x, u))
        self.after = _kernel("after", [x, u], move(freedom, x, u))
        self.unit = _kernel("unit", [x], own_unit_positions(freedom, x))


@final
class Positions:
    """How positions change, and how they stay what they are."""

    def __init__(self, bodies: Bodies) -> None:
        """Compile what is needed for joints that are no vectors."""
        plain = np.isin(bodies.freedom, [list(Freedom).index(f) for f in PLAIN])
        self.is_plain = bool(plain.all())
        self.plain_q = Columns(bodies.q[plain], 1)
        self.plain_v = Columns(bodies.v[plain], 1)
        self.others = [
            _ScalarJoints(freedom, bodies)
            for freedom in Freedom
            if freedom not in PLAIN and len(bodies.of(freedom))
        ]

    def bound_rate(self, q: Array, v: Array, out: Array) -> Callable[[], None] | None:
        """What writes the time derivative of positions (samples, nq); None where it is v itself."""
        if self.is_plain:
            return None
        parts = []
        for alike in self.others:
            x, u, dx = Gathered(q, alike.q), Gathered(v, alike.v), Gathered(out, alike.q)
            parts.append((x, u, alike.rate.on_arrays([x.array, u.array], [dx.array]), dx))

        def call() -> None:
            self.plain_q.put(out, self.plain_v.of(v))
            for x, u, evaluate, dx in parts:
                x.take()
                u.take()
                evaluate()
                dx.give()

        return call

    def rate(self, q: Array, v: Array) -> Array:
        """Time derivative of positions (samples, nq)."""
        rate = np.empty_like(q)
        self.plain_q.put(rate, self.plain_v.of(v))
        for alike in self.others:
            alike.q.put(rate, alike.rate.call(alike.q.of(q), alike.v.of(v)))
        return rate

    def after(self, q: Array, d: Array) -> Array:
        """Positions (samples, nq) after displacements along the velocities (samples, nv)."""
        moved = np.empty_like(q)
        self.plain_q.put(moved, self.plain_q.of(q) + self.plain_v.of(d))
        for alike in self.others:
            alike.q.put(moved, alike.after.call(alike.q.of(q), alike.v.of(d)))
        return moved

    def make_unit(self, q: Array) -> Array:
        """Scale quaternions among positions (samples, nq) to length one, in place."""
        for alike in self.others:
            alike.q.put(q, alike.unit.call(alike.q.of(q)))
        return q


def _kernel(name: str, arguments: list[SX], value: SX) -> Kernel:
    names = ["x", "u"][: len(arguments)]
    return compile_kernel(ca.Function(name, arguments, [ca.densify(value)], names, [name]))
