"""Motion of all joints of a machine with loops, from that of its free joints or of a frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import casadi as ca
from casadi import SX

from phalanx.equations.equation import equation
from phalanx.equations.loops.assembly.free_joints import (
    dependent_velocities,
    independent_velocities,
)
from phalanx.equations.loops.assembly.independent import independent_rows
from phalanx.equations.loops.closure.equations import constraint
from phalanx.equations.loops.methods.elimination import least_squares
from phalanx.equations.loops.methods.projection import partitioned
from phalanx.equations.loops.numbers.frame_freedoms import check_frame_determines
from phalanx.equations.model_of import model_of
from phalanx.equations.quantities.kinematics import jacobian, jacobian_rate
from phalanx.equations.tree.model import Model
from phalanx.mechanism import Mechanism


@dataclass(frozen=True)
class FreeMotion:
    """How a machine with closed loops can move at a posture: v = T z, a = T dz/dt + across.

    Attributes:
        T: Velocities of all joints for unit ones of the free joints, shape (nv, freedoms).
        v: Velocities of all joints, shape (nv,).
        across: Accelerations of all joints while the free joints keep their velocities, (nv,).
    """

    T: SX
    v: SX
    across: SX


def free_motion(model: Model, q: SX, v_free: SX, picked: Sequence[int]) -> FreeMotion:
    """The motions that the loops allow, with picked velocities as coordinates."""
    rows = independent_rows(model.mechanism)
    if not rows:
        T = SX(model.nv, len(picked))
        for column, k in enumerate(picked):
            T[k, column] = 1
        return FreeMotion(T, T @ v_free, SX(model.nv, 1))
    directions = partitioned(model, constraint(model, q, SX(model.nv, 1), rows).A, picked)
    v = directions.T @ v_free
    return FreeMotion(directions.T, v, -directions.across(constraint(model, q, v, rows).b))


@equation("v", "a")
def complete_motion(
    mechanism: Mechanism | Model,
    q: SX,
    v_free: SX,
    a_free: SX,
    *,
    independent: Sequence[str] | None = None,
) -> tuple[SX, SX]:
    """Velocities and accelerations of all joints from those of the free ones.

    v = T v_free obeys A v = 0, and a = T a_free + g obeys A a + b = 0, where g is what the loops
    make of the velocities alone.

    Args:
        mechanism: The machine.
        q: Positions that close the loops [m or rad], shape (nq,).
        v_free: Velocities of the free joints [m/s or rad/s], shape (freedoms,).
        a_free: Their accelerations [m/s² or rad/s²], shape (freedoms,).
        independent: The free joints, in the order of ``v_free``; those of
            :func:`independent_velocities` when not given.

    Returns:
        Velocities and accelerations that keep the loops closed, shape (nv,) each.

    Raises:
        InvalidInput: The free joints do not determine the motion, or are too many.
    """
    model = model_of(mechanism)
    motion = free_motion(model, q, v_free, independent_velocities(model.mechanism, independent))
    return motion.v, motion.T @ a_free + motion.across


@equation("amplification")
def free_amplification(
    mechanism: Mechanism | Model, q: SX, *, independent: Sequence[str] | None = None
) -> SX:
    """The length of T: how fast joints move, in total, for unit velocities of the free ones.

    It grows without bound towards postures where the free joints do not determine the others.

    Args:
        mechanism: The machine.
        q: Positions that close the loops [m or rad], shape (nq,).
        independent: The free joints, as for :func:`complete_motion`.
    """
    model = model_of(mechanism)
    picked = independent_velocities(model.mechanism, independent)
    return ca.norm_fro(free_motion(model, q, SX(len(picked), 1), picked).T)


@equation("v", "a", "residual", "amplification")
def complete_motion_of_frame(
    mechanism: Mechanism | Model, q: SX, V: SX, A: SX, *, frame: str
) -> tuple[SX, SX, SX, SX]:
    """Velocities and accelerations of all joints from those of a frame.

    Solves J v = V and J a + dJ/dt v = A for motions that the loops allow. Where a frame has fewer
    freedoms than six, that is six equations for fewer unknowns: the nearest motion is taken,
    and the residual says how far from it the frame's wanted motion is.

    Args:
        mechanism: The machine.
        q: Positions that close the loops [m or rad], shape (nq,).
        V: Velocity of the frame's origin and angular velocity, world axes, shape (6,).
        A: Their rates, world axes, shape (6,), as ``frame_acceleration`` counts them.
        frame: Name of a frame or body whose motion determines that of the machine.

    Returns:
        Velocities and accelerations that keep the loops closed, shape (nv,) each; the residuals
        |J v - V| and |J a + dJ/dt v - A|, shape (2,); and how fast joints move, in total, for unit
        velocities of the frame, which grows without bound towards postures where the frame
        does not determine the machine's motion.

    Raises:
        InvalidInput: The machine can move while the frame stands still.
    """
    model = model_of(mechanism)
    check_frame_determines(model, frame)
    # coordinates on the way to the frame, so that no other joint can be a bad choice for it
    dependent = dependent_velocities(model.mechanism, velocities_on_the_way(model, frame))
    picked = [k for k in range(model.nv) if k not in dependent]
    J = jacobian(model, q, frame=frame)
    still = free_motion(model, q, SX(len(picked), 1), picked)
    K = J @ still.T
    back = least_squares(K, SX.eye(6))
    v_free = back @ V
    motion = free_motion(model, q, v_free, picked)
    carried = J @ motion.across + jacobian_rate(model, q, motion.v, frame=frame) @ motion.v
    a_free = back @ (A - carried)
    residual = ca.vertcat(ca.norm_2(K @ v_free - V), ca.norm_2(K @ a_free + carried - A))
    amplification = ca.norm_fro(motion.T @ back)
    return motion.v, motion.T @ a_free + motion.across, residual, amplification


def velocities_on_the_way(model: Model, frame: str) -> tuple[int, ...]:
    """Numbers of the velocities of joints between the root and a frame, in order."""
    node = model.place(frame).node
    on_the_way = [] if node < 0 else [node, *model.path(node)]
    used = {model.nodes[i].v + k for i in on_the_way for k in range(model.nodes[i].freedom.nv)}
    return tuple(sorted(used))
