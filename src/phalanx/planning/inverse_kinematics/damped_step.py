"""Damped least squares step within limits, over symbols.

The step x makes |J x - e|² + damping |x|² smallest. The damping is in proportion to the squared
error (Sugihara; Chan and Lawrence): far away it keeps steps short where the machine is nearly
singular, near the target it vanishes, and steps are Newton's. Joints that stand at a limit and
would go beyond are left out; what the others overshoot is cut off.

Reference:
    Sugihara, Solvability-unconcerned inverse kinematics by the Levenberg-Marquardt method, IEEE
    Transactions on Robotics 27 (2011).
"""

from __future__ import annotations

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.equations.mass_matrix.factorization import factorize
from phalanx.equations.tree.model import Model
from phalanx.planning.inverse_kinematics.limits import PositionLimits
from phalanx.planning.inverse_kinematics.problem import TaskRows

DAMPING = 0.1  # of the squared error
LEAST_DAMPING = 1e-12  # so that a singular machine divides by no zero


def damping_of(rows: TaskRows, caution: SX) -> SX:
    """How much steps are damped at a posture.

    Args:
        rows: The problem there.
        caution: Damping in proportion to the error itself, for targets out of reach: there the
            curvature that the linear equations leave out is as large, and it keeps steps short
            enough to settle in a stretched arm.
    """
    return DAMPING * rows.cost + caution * ca.sqrt(rows.cost) + LEAST_DAMPING


def damped_step(rows: TaskRows, damping: SX, free: SX, null_space_step: SX | None = None) -> SX:
    """The displacement along the scaled velocities, shape (nv,).

    Args:
        rows: The problem at a posture.
        damping: See :func:`damping_of`.
        free: Which velocities may be used, one or zero each.
        null_space_step: A preferred displacement: what of it the problem leaves free is taken
            (its projection onto the null space).
    """
    J = rows.J @ ca.diag(free)
    m, n = J.shape
    if null_space_step is None:
        return _solved(J, rows.e, damping, m <= n)
    preferred = free * null_space_step
    return preferred + _solved(J, rows.e - J @ preferred, damping, m <= n)


def _solved(J: SX, e: SX, damping: SX, few_rows: bool) -> SX:
    """By the smaller of the two systems, J Jᵀ and Jᵀ J, which give the same."""
    if few_rows:
        return J.T @ factorize(_damped(J @ J.T, damping)).solve(e)
    return factorize(_damped(J.T @ J, damping)).solve(J.T @ e)


def _damped(A: SX, damping: SX) -> SX:
    return A + damping * SX.eye(A.shape[0])


def free_velocities(model: Model, limits: PositionLimits, q: SX, way: SX) -> SX:
    """One for each velocity along which the machine may move, zero where a limit is in the way.

    Of joints with one freedom, or whose freedoms follow each other; the positions of others are
    held by cutting off alone.

    Args:
        model: The machine.
        limits: Of its positions.
        q: Where it is, shape (nq,).
        way: Where it would go, along the velocities, shape (nv,).
    """
    stopped = SX.zeros(model.nv, 1)
    leaders = {joint.name for joint in model.mechanism.moving_joints}
    for node in model.nodes:
        if node.joint not in leaders or node.freedom.nq != 1:
            continue
        for bound, sign in ((limits.lower[node.q], -1), (limits.upper[node.q], 1)):
            if np.isfinite(bound):
                at_limit = sign * q[node.q] >= sign * bound
                beyond = ca.logic_and(at_limit, sign * way[node.v] > 0)
                stopped[node.v] = ca.logic_or(stopped[node.v], beyond)
    return ca.vertcat(*(ca.logic_not(stopped[k]) for k in range(model.nv)))
