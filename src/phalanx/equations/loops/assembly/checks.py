"""Checks that a state closes the loops of a machine."""

from __future__ import annotations

from functools import lru_cache

import casadi as ca
import numpy as np

from phalanx.base.errors import InvalidInput
from phalanx.equations.loops.assembly.closed_loops import closed_loops
from phalanx.equations.loops.assembly.independent import independent_rows
from phalanx.equations.loops.assembly.numeric_jacobian import numeric_jacobian
from phalanx.equations.loops.assembly.pivoting import RANK
from phalanx.equations.loops.closure.equations import closure_rate
from phalanx.equations.model_of import model_of
from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import Array

ROUGHLY_CLOSED = 1e-6  # [m or rad]: a step brings it back to zero


def check_closed(mechanism: Mechanism, q: Array, v: Array) -> None:
    """InvalidInput unless a state is closed, stays closed, and is in no singular posture."""
    opened = closed_loops(mechanism).open_loops(q, ROUGHLY_CLOSED)
    hint = "phalanx.assemble(mechanism, q, v) finds the nearest state that does"
    if opened:
        name, by = max(opened.items(), key=lambda item: item[1])
        raise InvalidInput(
            f"the initial positions of '{mechanism.name}' leave loop '{name}' open by {by:.3g} "
            f"m or rad; {hint}."
        )
    A = numeric_jacobian(mechanism, q)
    values = np.linalg.svd(A, compute_uv=False)
    if (values > RANK * values.max(initial=1e-300)).sum() < len(independent_rows(mechanism)):
        raise InvalidInput(
            f"the initial positions of '{mechanism.name}' are singular: its loops leave it more "
            "freedom there than elsewhere, and forces in them are not determined. Start next to it."
        )
    rate = np.abs(A @ v).max(initial=0.0)
    if rate > ROUGHLY_CLOSED * max(1.0, np.abs(v).max(initial=0.0)):
        raise InvalidInput(
            f"the initial velocities of '{mechanism.name}' open its loops at {rate:.3g} m/s or "
            f"rad/s; {hint}."
        )


def check_all_closed(mechanism: Mechanism, q: Array, v: Array) -> None:
    """InvalidInput unless many states are closed and stay closed; see :func:`check_closed`.

    Args:
        mechanism: A machine with loops.
        q: Positions, shape (..., nq).
        v: Velocities, shape (..., nv); leading axes broadcast.
    """
    leading = np.broadcast_shapes(q.shape[:-1], v.shape[:-1])
    q = np.broadcast_to(q, (*leading, mechanism.nq)).reshape(-1, mechanism.nq)
    v = np.broadcast_to(v, (*leading, mechanism.nv)).reshape(-1, mechanism.nv)
    opening, rate = (np.asarray(x).ravel() for x in _openings_and_rates(mechanism)(q.T, v.T))
    fastest = np.maximum(1.0, np.abs(v).max(axis=1, initial=0.0))
    worst = np.maximum(opening, rate / fastest)
    if worst.size and not worst.max() <= ROUGHLY_CLOSED:
        k = int(worst.argmax())
        check_closed(mechanism, q[k], v[k])


@lru_cache(maxsize=64)
def _openings_and_rates(mechanism: Mechanism) -> ca.Function:
    """``(q, v) ->`` how far loops are open at most, and how fast they open; states as columns."""
    q, v = ca.SX.sym("q", mechanism.nq), ca.SX.sym("v", mechanism.nv)
    closed = closed_loops(mechanism)
    rate = closure_rate(model_of(mechanism), q, v)[list(closed.exact_rows)]
    largest = [ca.norm_inf(closed.search.opening(q)), ca.norm_inf(rate)]
    return ca.Function("openings_and_rates", [q, v], largest)
