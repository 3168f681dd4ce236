"""Dynamics in minimal coordinates, for loops with a closed-form solution.

Where q = f(z) is known in closed form, dependent coordinates are gone from the equations: v = G dz
with G the derivative of f, and

    (Gᵀ M G) ddz = Gᵀ (tau - c(q, v) - M dG/dt dz).

Loops are closed by construction, at every z for which f has a value; nothing is left to drift.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import casadi as ca
from casadi import SX

from phalanx.base.errors import InvalidInput
from phalanx.equations.inverse_dynamics.recursive import recursive
from phalanx.equations.mass_matrix.composite_body import composite_body
from phalanx.equations.mass_matrix.factorization import factorize
from phalanx.equations.model_of import model_of
from phalanx.equations.quantities.configuration import position_rate
from phalanx.equations.tree.model import Model
from phalanx.mechanism import Mechanism

# all positions from the independent ones, (k,) -> (nq,)
ClosedForm = Callable[[SX], SX]


@dataclass(frozen=True)
class Eliminated:
    """A machine in independent coordinates alone.

    Attributes:
        q: Positions of all joints, shape (nq,).
        v: Velocities of all joints, shape (nv,).
        acceleration: Of the independent coordinates, shape (k,).
    """

    q: SX
    v: SX
    acceleration: SX


def eliminate(
    mechanism: Mechanism | Model, positions: ClosedForm, z: SX, dz: SX, tau: SX
) -> Eliminated:
    """Equations of motion without the dependent coordinates of loops.

    Args:
        mechanism: A machine without quaternions among its positions.
        positions: q = f(z), which closes the loops for every z.
        z: Independent positions [m or rad], shape (k,).
        dz: Their rates [m/s or rad/s], shape (k,).
        tau: Joint forces of all joints [N or N·m], shape (nv,).

    Raises:
        InvalidInput: The machine has quaternions, or f has another number of positions.

    Reference:
        Khan (2002), sec. 1.1.1.1.
    """
    model = model_of(mechanism)
    nq = model.mechanism.nq
    if nq != model.nv:
        raise InvalidInput(
            f"'{model.mechanism.name}' has {nq} positions and {model.nv} velocities: elimination "
            "in closed form is for machines whose positions are all coordinates, without ball "
            "joints and floating bodies."
        )
    of, rate = SX.sym("z", z.numel()), SX.sym("dz", z.numel())
    q = ca.densify(positions(of))
    if q.numel() != nq:
        raise InvalidInput(
            f"the closed form has {q.numel()} positions; '{model.mechanism.name}' has {nq}."
        )
    unit = SX.sym("unit", model.nv)
    per_velocity = ca.jacobian(position_rate(model, q, unit), unit)
    G = ca.densify(ca.solve(per_velocity, ca.jacobian(q, of)))
    v = G @ rate
    turning = ca.jtimes(v, of, rate)
    force = SX.sym("tau", model.nv)
    missing = force - recursive(model, q, v, turning)
    inertia = factorize(ca.densify(G.T @ composite_body(model, q) @ G))
    found = ca.Function("eliminated", [of, rate, force], [q, v, inertia.solve(G.T @ missing)])
    return Eliminated(*found(z, dz, tau))
