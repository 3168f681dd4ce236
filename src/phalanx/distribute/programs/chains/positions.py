"""Positions of joints over time, for arrays of joints: also those that are not vectors."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, final

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import NDArray

from phalanx.dynamics.evaluators.bodies import FREEDOMS, Bodies
from phalanx.equations.tree.exponential import move
from phalanx.equations.tree.node import Freedom
from phalanx.equations.tree.positions import own_positions_rate
from phalanx.kernel import Kernel, compile
from phalanx.mechanism.pose import Array

Places = NDArray[np.signedinteger[Any]]

_AS_THEY_ARE = (Freedom.TURN, Freedom.SLIDE, Freedom.SCREW)
_QUATERNION = {Freedom.BALL: 0, Freedom.FREE: 3}  # where it begins in the positions of a node


@final
class Positions:
    """Those of consecutive nodes."""

    def __init__(self, bodies: Bodies) -> None:
        """Find nodes that move alike."""
        self._plain: list[tuple[Places, Places]] = []
        self._others: list[tuple[Freedom, Places, Places]] = []
        for freedom in FREEDOMS:
            nodes = bodies.of(freedom)
            q = bodies.q[nodes][:, None] + np.arange(freedom.nq)
            v = bodies.v[nodes][:, None] + np.arange(freedom.nv)
            if not len(nodes):
                continue
            if freedom in _AS_THEY_ARE:
                self._plain.append((q[:, 0], v[:, 0]))
            else:
                self._others.append((freedom, q, v))

    def rate(self, q: Array, v: Array) -> Array:
        """Time derivative of positions."""
        result = np.empty_like(q)
        for at, own in self._plain:
            result[at] = v[own]
        for freedom, at, own in self._others:
            result[at] = _kernel(freedom, "rate")(q[at], v[own])
        return result

    def after(self, q: Array, d: Array) -> Array:
        """Positions reached by displacements along the velocities."""
        result = np.empty_like(q)
        for at, own in self._plain:
            result[at] = q[at] + d[own]
        for freedom, at, own in self._others:
            result[at] = _kernel(freedom, "after")(q[at], d[own])
        return result

    def landed(self, q: Array) -> Array:
        """Positions with quaternions of length one, in place."""
        for freedom, at, _ in self._others:
            if freedom in _QUATERNION:
                own = at[:, _QUATERNION[freedom] :]
                q[own] /= np.linalg.norm(q[own], axis=1, keepdims=True)
        return q


@lru_cache(maxsize=16)
def _kernel(freedom: Freedom, what: str) -> Kernel:
    q, v = SX.sym("q", freedom.nq), SX.sym("v", freedom.nv)
    made = own_positions_rate(freedom, q, v) if what == "rate" else move(freedom, q, v)
    return compile(ca.Function(f"positions_{what}", [q, v], [ca.densify(made)], ["q", "v"], ["x"]))
