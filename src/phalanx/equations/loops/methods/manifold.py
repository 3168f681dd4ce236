"""Projection onto the constraint manifold (closed loops), at the end of every step."""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
from casadi import SX

from phalanx.equations.loops.assembly.independent import independent_rows
from phalanx.equations.loops.closure.equations import closure, closure_rate, constraint
from phalanx.equations.loops.methods.coupling import coupling
from phalanx.equations.loops.methods.reduced_inertia import reduced_inertia
from phalanx.equations.mass_matrix.composite_body import composite_body
from phalanx.equations.quantities.configuration import integrate
from phalanx.equations.tree.model import Model


@dataclass(frozen=True)
class Closed:
    """A state whose loops were closed, and what that took.

    Attributes:
        q: Positions.
        v: Velocities.
        taken: Of v·Mv by the loops [J].
        inertias: The diagonal of M, shape (nv,).
        nearness: Of a singular posture: 1 far from any, 0 there (see :mod:`.coupling`).
    """

    q: SX
    v: SX
    taken: SX
    inertias: SX
    nearness: SX


def closed(model: Model, q: SX, v: SX) -> Closed:
    """The state nearest to one that a step has left slightly open.

    Positions take two steps of Newton's method with one factorization: an opening e becomes of the
    order of e³. Velocities are projected. Near is measured with the mass matrix, so that the change
    of velocities is the one that an impulse in the loops would make: it can only take energy, and
    as little as possible. Next to a singular posture, equations that fade there are left alone.
    """
    rows = list(independent_rows(model.mechanism))
    if not rows:
        return Closed(q, v, SX(0), ca.diag(composite_body(model, q)), SX(1))
    A = constraint(model, q, v, tuple(rows)).A
    M = reduced_inertia(model, q, A)
    loops = coupling(model, A, M.factors)
    for _ in range(2):
        q = integrate(model, q, -loops.response @ loops.impulse(closure(model, q)[rows]))
    jump = closure_rate(model, q, v)[rows]
    impulse = loops.impulse(jump)
    taken = ca.dot(jump, impulse)
    if M.weight:
        taken -= M.weight * ca.dot(jump, jump)  # what the equations had weighed
    return Closed(q, v - loops.response @ impulse, taken, ca.diag(M.matrix), loops.nearness)
