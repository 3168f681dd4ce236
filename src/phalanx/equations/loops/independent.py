"""Equations of loops that say something new.

A planar four-bar closed by a hinge has five equations, of which three hold by themselves; a table
on four legs has one leg too many. Which ones are redundant is found from the rank of their
derivative at postures that close, not from a count of joints.
"""

from __future__ import annotations

from functools import lru_cache

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.equations.build import model_of
from phalanx.equations.loops.closure import constraint
from phalanx.equations.loops.pivoting import RANK, spanning_columns
from phalanx.equations.loops.posture import closed_postures
from phalanx.equations.model import Model
from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import Array


@lru_cache(maxsize=64)
def independent_rows(mechanism: Mechanism) -> tuple[int, ...]:
    """Numbers of the equations that determine all others, in order.

    The rank is the largest over several postures that close, so that a singular one does not
    hide an equation; the choice is made where the equations are best conditioned.
    """
    model = model_of(mechanism)
    derivative = derivative_function(model)
    best: tuple[float, Array] | None = None
    rank = 0
    for q in closed_postures(mechanism):
        A = np.asarray(derivative(q))
        values = np.linalg.svd(A, compute_uv=False)
        here = int((values > RANK * max(values.max(initial=0.0), 1e-300)).sum())
        spread = float(values[here - 1] / values[0]) if here else 0.0
        if best is None or here > rank or (here == rank and spread > best[0]):
            rank, best = here, (spread, A)
    if best is None or not rank:
        return ()
    return tuple(sorted(spanning_columns(best[1].T)[:rank]))


def derivative_function(model: Model) -> ca.Function:
    """``q -> A``: the derivative of all closure equations along the velocities."""
    q, v = SX.sym("q", model.mechanism.nq), SX.sym("v", model.nv)
    return ca.Function("derivative", [q], [ca.densify(constraint(model, q, v).A)])
