"""Start postures of searches: quasirandom points (Kronecker sequence), over symbols.

Start 0 is the given posture. The others are points of a Kronecker sequence, multiples of an
irrational vector modulo one, shifted by numbers that a seed stands for: no two are near each other,
any run of them covers everything evenly, and a lane computes the next one by itself.

Reference:
    Roberts, The unreasonable effectiveness of quasirandom sequences (2018): powers of the
    generalised golden ratio as that vector.
"""

from __future__ import annotations

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.equations.spatial import constant
from phalanx.equations.tree.model import Model
from phalanx.mechanism.pose import Array
from phalanx.planning.inverse_kinematics.limits import PositionLimits


def shift_of_seed(seed: int, nv: int) -> Array:
    """The numbers that a seed stands for, within 0 and 1, shape (nv,)."""
    return np.random.default_rng(seed).uniform(size=nv)


def start(model: Model, limits: PositionLimits, number: SX, given: SX, shift: SX) -> SX:
    """Positions to start from, within all limits, shape (nq,); see :func:`spread`."""
    drawn = spread(model, limits, number, given, shift)
    return ca.if_else(number > 0, drawn, within(limits, given))


def spread(model: Model, limits: PositionLimits, number: SX, given: SX, shift: SX) -> SX:
    """The positions of all starts but the first, shape (nq,).

    Args:
        model: The machine.
        limits: Of its positions.
        number: Of the start.
        given: A posture, shape (nq,).
        shift: Numbers of a seed, shape (nv,).
    """
    u = shift + number * constant(_directions(model.nv))
    u = u - ca.floor(u)
    parts = [SX(0, 1)]
    for joint in model.mechanism.moving_joints:
        own, velocities = (
            x[joint.name] for x in (model.mechanism.q_slices, model.mechanism.v_slices)
        )
        turns = joint.motion.nq != joint.motion.nv
        flat = slice(own.start, own.stop - 4) if turns else own
        for k, at in enumerate(range(flat.start, flat.stop)):
            parts.append(_spread(limits, at, given[at], u[velocities.start + k]))
        if turns:
            parts.append(_quaternion(u[velocities.stop - 3 : velocities.stop]))
    return ca.vertcat(*parts)


def within(limits: PositionLimits, q: SX) -> SX:
    """The positions nearest to ``q`` that keep all limits."""
    return ca.fmin(ca.fmax(q, constant_or_none(limits.lower)), constant_or_none(limits.upper))


def constant_or_none(bounds: Array) -> SX:
    """Bounds as symbols; infinite ones as numbers that nothing reaches."""
    return constant(np.clip(bounds, -1e300, 1e300))


def _spread(limits: PositionLimits, at: int, given: SX, u: SX) -> SX:
    """A position between its limits, or about the given one where it has none."""
    lower, upper, span = limits.lower[at], limits.upper[at], limits.span[at]
    low = lower if np.isfinite(lower) else ca.fmin(given, upper) - span
    high = upper if np.isfinite(upper) else ca.fmax(given, lower) + span
    return low + u * (high - low)


def _quaternion(u: SX) -> SX:
    """A rotation; all are as likely where all numbers are (Shoemake 1992)."""
    a, b = ca.sqrt(1 - u[0]), ca.sqrt(u[0])
    first, second = 2 * np.pi * u[1], 2 * np.pi * u[2]
    return ca.vertcat(a * ca.sin(first), a * ca.cos(first), b * ca.sin(second), b * ca.cos(second))


def _directions(nv: int) -> Array:
    """An irrational vector whose multiples spread evenly in a unit cube of nv dimensions."""
    ratio = 2.0
    for _ in range(64):
        ratio = (1 + ratio) ** (1 / (nv + 1))
    return ratio ** -np.arange(1.0, nv + 1)
