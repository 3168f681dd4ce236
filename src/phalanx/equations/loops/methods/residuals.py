"""Constraint residuals of a motion: position, velocity and acceleration of the loops."""

from __future__ import annotations

import casadi as ca
from casadi import SX

from phalanx.equations.equation import equation
from phalanx.equations.loops.assembly.closed_loops import closed_loops
from phalanx.equations.loops.assembly.independent import independent_rows
from phalanx.equations.loops.closure.equations import closure_curvature, closure_rate, rows_of_loops
from phalanx.equations.loops.closure.opening import Opening
from phalanx.equations.model_of import model_of
from phalanx.equations.tree.model import Model
from phalanx.mechanism import Mechanism


@equation("opening", "rate", "acceleration")
def loop_residuals(mechanism: Mechanism | Model, q: SX, v: SX, a: SX) -> tuple[SX, SX, SX]:
    """How far every loop is open, how fast it opens, and at what acceleration.

    Lengths of c, A v and A a + b for each loop: all zero for a motion that keeps it closed.
    Redundant equations of closed loops hold by themselves and do not count.

    Args:
        mechanism: The machine.
        q: Positions [m or rad], shape (nq,).
        v: Velocities [m/s or rad/s], shape (nv,).
        a: Accelerations [m/s² or rad/s²], shape (nv,).

    Returns:
        Openings [m or rad], their rates and accelerations, shape (loops,) each, in the order of
        ``mechanism.loops``.
    """
    model = model_of(mechanism)
    opening, rate, acceleration = _residuals(model, q, v, a)
    rows = independent_rows(model.mechanism)
    names = rows_of_loops(model)
    owners = [names[row] for row in rows]
    return (
        _lengths(model, opening, [name for name, _ in _opening(model).owners]),
        _lengths(model, rate, owners),
        _lengths(model, acceleration, owners),
    )


@equation("inconsistency")
def inconsistency(mechanism: Mechanism | Model, q: SX, v: SX, a: SX) -> SX:
    """Residuals of all loops together, relative to the size of the motion.

    |c|, |A v| / √(1 + |v|²) and |A a + b| / √(1 + |a|² + |v|⁴), shape (3,): zero where loops are
    closed and stay closed, NaN where the motion holds one.

    Args:
        mechanism: The machine.
        q: Positions [m or rad], shape (nq,).
        v: Velocities [m/s or rad/s], shape (nv,).
        a: Accelerations [m/s² or rad/s²], shape (nv,).
    """
    opening, rate, acceleration = _residuals(model_of(mechanism), q, v, a)
    speed = ca.sumsqr(v)
    return ca.vertcat(
        ca.norm_2(opening),
        ca.sqrt(ca.sumsqr(rate) / (1 + speed)),
        ca.sqrt(ca.sumsqr(acceleration) / (1 + ca.sumsqr(a) + speed**2)),
    )


def _residuals(model: Model, q: SX, v: SX, a: SX) -> tuple[SX, SX, SX]:
    """What is open, as the search for postures counts it; A v, A a + b of equations that count."""
    rows = list(independent_rows(model.mechanism))
    acceleration = closure_rate(model, q, a) + closure_curvature(model, q, v)
    return _opening(model)(q), closure_rate(model, q, v)[rows], acceleration[rows]


def _opening(model: Model) -> Opening:
    """What closed postures of a machine are, with the numbers or symbols of this model."""
    return Opening(model, closed_loops(model.mechanism).search.slack)


def _lengths(model: Model, numbers: SX, owners: list[str]) -> SX:
    """For each loop the length of its own numbers."""
    parts = []
    for loop in model.mechanism.loops:
        own = [k for k, owner in enumerate(owners) if owner == loop.name]
        parts.append(ca.norm_2(numbers[own]) if own else SX(0))
    return ca.vertcat(*parts)
