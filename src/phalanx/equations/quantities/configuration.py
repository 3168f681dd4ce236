"""Positions over time: what velocities make of them, also of those that are not vectors."""

from __future__ import annotations

from casadi import SX

from phalanx.equations.assembly.model import model_of
from phalanx.equations.equation import equation
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.positions import positions_after, positions_rate, unit_positions
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
