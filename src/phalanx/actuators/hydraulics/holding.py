"""Holding pressures: those that carry a machine's weight at rest."""

from __future__ import annotations

from collections.abc import Mapping

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.actuators.hydraulics.actuator import HydraulicActuator
from phalanx.actuators.subsystem import Array
from phalanx.base.errors import InvalidInput
from phalanx.equations.loops.closure.equations import constraint
from phalanx.equations.model_of import model_of
from phalanx.equations.quantities.bias import gravity
from phalanx.equations.tree.model import Model
from phalanx.mechanism import Mechanism

# Singular values below this part of the largest count as zero.
RANK = 1e-9


def holding_forces(
    actuators: Mapping[str, HydraulicActuator], mechanism: Mechanism | Model, q: Array
) -> Array:
    """Forces of the actuators that carry the machine's weight at rest.

    Solves Tᵀ (armsᵀ F - g) = 0, where T spans the velocities that the loops leave free. Freedoms
    that no actuator moves are left to others; where actuators are too few for those they move
    together, F comes as near as they can.

    Args:
        actuators: By name.
        mechanism: The machine.
        q: Positions that close its loops, shape (..., nq).

    Returns:
        Shape (..., actuators) [N or N·m].
    """
    q = np.asarray(q, dtype=np.float64)
    model = model_of(mechanism)
    x, v = SX.sym("q", model.mechanism.nq), SX.zeros(model.nv, 1)
    arms = ca.vertcat(*(actuator.travel(model, x).arms for actuator in actuators.values()))
    A = constraint(model, x, v).A if model.mechanism.loops else SX(0, model.nv)
    statics = ca.Function(
        "statics", [x], [ca.densify(arms), ca.densify(A), ca.densify(gravity(model, x))]
    )
    forces = np.empty((*q.shape[:-1], len(actuators)))
    for index in np.ndindex(q.shape[:-1]):
        J, A_here, g = (np.asarray(part) for part in statics(q[index]))
        T = _free_directions(A_here)
        forces[index] = np.linalg.lstsq(T.T @ J.T, T.T @ g[:, 0], rcond=RANK)[0]
    return forces


def holding_pressures(
    actuators: Mapping[str, HydraulicActuator], tank: float, mechanism: Mechanism | Model, q: Array
) -> Array:
    """Pressures at ports a and b of every actuator that carry the machine's weight at rest.

    The side that need not push stands at the tank's pressure.

    Args:
        actuators: By name.
        tank: Pressure of the tank [Pa].
        mechanism: The machine.
        q: Positions that close its loops, shape (..., nq).

    Returns:
        Shape (..., 2 actuators) [Pa].

    Raises:
        InvalidInput: A port relief valve would open.
    """
    model = model_of(mechanism)
    forces = holding_forces(actuators, model, q)
    ports = []
    for k, (name, actuator) in enumerate(actuators.items()):
        A_a, A_b = actuator.displacements
        push = forces[..., k] - (A_a - A_b) * tank
        a = tank + np.maximum(push, 0) / A_a
        b = tank + np.maximum(-push, 0) / A_b
        highest, limit = max(a.max(initial=tank), b.max(initial=tank)), actuator.valve.relief
        if not highest <= limit.pressure:
            raise InvalidInput(
                f"'{name}' would need {highest / 1e6:.3g} MPa to hold '{model.mechanism.name}' "
                f"still, and its relief valves open at {limit.pressure / 1e6:.3g} MPa. Start in "
                "another posture, or give initial_pressures."
            )
        ports += [a, b]
    return np.stack(ports, axis=-1)


def _free_directions(A: Array) -> Array:
    """An orthonormal basis of the velocities that keep loops closed, shape (nv, freedoms)."""
    if not len(A):
        return np.eye(A.shape[1])
    _, values, Vt = np.linalg.svd(A)
    rank = int((values > RANK * values.max(initial=0.0)).sum())
    return Vt[rank:].T
