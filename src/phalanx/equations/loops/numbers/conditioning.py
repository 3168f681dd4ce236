"""Conditioning of the loops: pivots of their equations against usual ones (near singularities)."""

from __future__ import annotations

from functools import lru_cache

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.equations.loops.assembly.closed_loops import closed_loops
from phalanx.equations.loops.assembly.independent import independent_rows
from phalanx.equations.loops.closure.equations import constraint, rows_of_loops
from phalanx.equations.loops.methods.reduced_inertia import reduced_inertia
from phalanx.equations.mass_matrix.factorization import factorize
from phalanx.equations.model_of import model_of
from phalanx.mechanism import Mechanism
from phalanx.mechanism.pose import Array


@lru_cache(maxsize=64)
def usual_pivots(mechanism: Mechanism) -> tuple[float, ...]:
    """The largest pivot of each independent equation over postures that close."""
    if not independent_rows(mechanism):
        return ()
    pivots = _pivots(mechanism)
    found = [np.asarray(pivots(q)).ravel() for q in closed_loops(mechanism).usual_postures()]
    return tuple(float(p) for p in np.max(found, axis=0))


def loop_conditioning(mechanism: Mechanism, q: Array) -> dict[str, float]:
    """How strongly loops hold a machine at a posture: the weakest equation of each, by name."""
    rows = independent_rows(mechanism)
    if not rows:
        return {}
    names = rows_of_loops(model_of(mechanism))
    relative = np.asarray(_pivots(mechanism)(q)).ravel() / usual_pivots(mechanism)
    found: dict[str, float] = {}
    for row, strength in zip(rows, relative, strict=True):
        found[names[row]] = min(found.get(names[row], np.inf), abs(float(strength)))
    return found


@lru_cache(maxsize=64)
def _pivots(mechanism: Mechanism) -> ca.Function:
    """``q -> D`` of A M⁻¹ Aᵀ."""
    model = model_of(mechanism)
    q, v = SX.sym("q", mechanism.nq), SX.sym("v", mechanism.nv)
    A = constraint(model, q, v, independent_rows(mechanism)).A
    S = A @ reduced_inertia(model, q, A).factors.solve(A.T)
    exactly_zero = [1e-100] * S.shape[0]
    return ca.Function("pivots", [q], [ca.vertcat(*factorize(S, exactly_zero).pivots)])
