"""Integration, difference and interpolation of positions, quaternions included."""

from __future__ import annotations

from casadi import SX

from phalanx.equations.equation import equation
from phalanx.equations.model_of import model_of
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.positions import (
    positions_after,
    positions_between,
    positions_rate,
    unit_positions,
)
from phalanx.mechanism import Mechanism


@equation("q_next")
def integrate(mechanism: Mechanism | Model, q: SX, v: SX) -> SX:
    """The position reached from ``q`` by moving at constant ``v`` for one unit of time.

    Positions that are not vectors (quaternions) stay what they are: each joint moves along the
    exponential of its own group. ``integrate(q, v * h)`` is an explicit Euler step of length h.

    Args:
        mechanism: The machine.
        q: Positions, shape (nq,).
        v: Displacements along the velocities, shape (nv,).
    """
    return positions_after(model_of(mechanism), q, v)


@equation("d")
def difference(mechanism: Mechanism | Model, q0: SX, q1: SX) -> SX:
    """The displacement from ``q0`` to ``q1`` along the velocities: what `integrate` takes back.

    Each joint moves along its own group, the shorter way where there are two: quaternions and
    planar joints turn by half a turn at most. Hinges count turns, so theirs is q1 - q0.

    Args:
        mechanism: The machine.
        q0: Positions to start from, shape (nq,).
        q1: Positions to reach, shape (nq,).

    Returns:
        Displacements, shape (nv,).
    """
    return positions_between(model_of(mechanism), q0, q1)


@equation("q")
def interpolate(mechanism: Mechanism | Model, q0: SX, q1: SX, s: SX) -> SX:
    """The positions a part ``s`` of the way from ``q0`` to ``q1``, at constant velocity.

    Args:
        mechanism: The machine.
        q0: Positions at s = 0, shape (nq,).
        q1: Positions at s = 1, shape (nq,).
        s: How much of the way, a number.

    Returns:
        Positions, shape (nq,).
    """
    model = model_of(mechanism)
    return positions_after(model, q0, s * positions_between(model, q0, q1))


@equation("dq")
def position_rate(mechanism: Mechanism | Model, q: SX, v: SX) -> SX:
    """Time derivative of the positions: ``v`` itself, but for quaternions and moving axes.

    Args:
        mechanism: The machine.
        q: Positions, shape (nq,).
        v: Velocities, shape (nv,).
    """
    return positions_rate(model_of(mechanism), q, v)


@equation("q_unit")
def normalized(mechanism: Mechanism | Model, q: SX) -> SX:
    """The positions with every quaternion scaled to length one.

    Args:
        mechanism: The machine.
        q: Positions, shape (nq,).
    """
    return unit_positions(model_of(mechanism), q)
