"""Bias forces: Coriolis, centrifugal and gravity forces at zero acceleration."""

from __future__ import annotations

from casadi import SX

from phalanx.equations.equation import equation
from phalanx.equations.inverse_dynamics.recursive import recursive
from phalanx.equations.model_of import model_of
from phalanx.equations.tree.model import Model
from phalanx.mechanism import Mechanism


@equation("c")
def bias(mechanism: Mechanism | Model, q: SX, v: SX) -> SX:
    """Joint forces that hold the velocity: Coriolis, centrifugal and gravity, shape (nv,).

    ``inverse_dynamics(q, v, a) = mass_matrix(q) @ a + bias(q, v)``. Of the spanning tree where
    there are loops; see :func:`loops.reduced_bias`.
    """
    model = model_of(mechanism)
    return recursive(model, q, v, SX(model.nv, 1))


@equation("g")
def gravity(mechanism: Mechanism | Model, q: SX) -> SX:
    """Joint forces that hold the machine still against gravity, shape (nv,).

    Of the spanning tree where there are loops; see :func:`loops.reduced_gravity`.
    """
    model = model_of(mechanism)
    return recursive(model, q, SX(model.nv, 1), SX(model.nv, 1))
