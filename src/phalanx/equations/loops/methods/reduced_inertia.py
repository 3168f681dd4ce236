"""Reduced inertia of machines whose loops carry massless links.

A link without mass at the end of a chain has no equation of motion by itself, and M no inverse. If
a loop holds the link, it moves as others do, and the machine has one all the same. Closed loops
obey A a + b = 0, so that Aᵀ W (A a + b) may be added to the equations without changing their
solution or the forces in the loops; and M + Aᵀ W A has an inverse wherever M has one along the
motions that loops leave free.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.equations.loops.assembly.closed_loops import closed_loops
from phalanx.equations.loops.assembly.independent import independent_rows
from phalanx.equations.loops.closure.equations import derivative_function
from phalanx.equations.mass_matrix.composite_body import composite_body
from phalanx.equations.mass_matrix.factorization import Factorization, factorize
from phalanx.equations.model_of import model_of
from phalanx.equations.tree.model import Model
from phalanx.mechanism import Mechanism
from phalanx.mechanism.inertia import joints_without_inertia, mass_matrix

# Of the largest eigenvalue of M along free motions: less is what rounding leaves of zero.
NO_EIGENVALUE_LEFT = 1e-13


@dataclass(frozen=True)
class ReducedInertia:
    """M of a machine with loops, with the weight of equations in it where it needs them.

    Attributes:
        matrix: M + Aᵀ W A, shape (nv, nv).
        weight: W, one number for all equations; zero where M has an inverse by itself.
        factors: Of the matrix.
    """

    matrix: SX
    weight: float
    factors: Factorization


def reduced_inertia(model: Model, q: SX, A: SX) -> ReducedInertia:
    """The inertia of a machine held by equations with derivative A, shape (m, nv)."""
    M, weight = composite_body(model, q), equation_weight(model.mechanism)
    if weight:
        M = ca.densify(M) + weight * (A.T @ A)
    return ReducedInertia(M, weight, factorize(M))


@lru_cache(maxsize=64)
def equation_weight(mechanism: Mechanism) -> float:
    """W: as large as what the machine moves; zero where no link needs a loop to be moved."""
    if not mechanism.loops or not joints_without_inertia(mechanism):
        return 0.0
    largest = float(np.diag(mass_matrix(mechanism, mechanism.neutral())).max(initial=0.0))
    return largest or 1.0


@lru_cache(maxsize=64)
def joints_without_inertia_in_loops(mechanism: Mechanism) -> tuple[str, ...]:
    """Joints that lack inertia in every posture although loops are closed; () where none does.

    Joints that stay without inertia of their own but follow others through the loops are none: the
    measure is M along the motions that loops leave free, where one closed posture will do.
    """
    lacking = joints_without_inertia(mechanism)
    if not lacking or not mechanism.loops:
        return lacking
    rows = list(independent_rows(mechanism))
    derivative = derivative_function(model_of(mechanism))
    for q in closed_loops(mechanism).postures():
        A = np.asarray(derivative(q))[rows]
        free = np.linalg.svd(A)[2][len(rows) :]
        values = np.linalg.eigvalsh(free @ mass_matrix(mechanism, q) @ free.T)
        if values.min(initial=np.inf) > NO_EIGENVALUE_LEFT * values.max(initial=0.0):
            return ()
    return lacking
