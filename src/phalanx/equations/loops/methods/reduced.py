"""Reduced dynamics: a machine with loops in its free coordinates.

With v = T z, loops do no work, and the equation of motion of the machine is

    M_r dz/dt + c_r = tau_r,    M_r = Tᵀ M T,    c_r = Tᵀ (c + M g),

in as many numbers as the machine has freedoms; g is the acceleration of all joints while z keeps
its value. M and c are those of the spanning tree, which knows no loops. Without loops T is 1 and
both are the same. Springs are in c_r, as they are in energy; damping is not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import casadi as ca
from casadi import SX

from phalanx.equations.equation import equation
from phalanx.equations.inverse_dynamics.recursive import recursive
from phalanx.equations.loops.assembly.free_joints import independent_velocities
from phalanx.equations.loops.methods.free_motion import FreeMotion, free_motion
from phalanx.equations.mass_matrix.composite_body import composite_body
from phalanx.equations.model_of import model_of
from phalanx.equations.quantities.bias import gravity
from phalanx.equations.quantities.springs import elastic_forces
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.motion import BaseMotion
from phalanx.mechanism import Mechanism


@equation("tau_free")
def reduced_inverse_dynamics(
    mechanism: Mechanism | Model,
    q: SX,
    v_free: SX,
    a_free: SX,
    *,
    independent: Sequence[str] | None = None,
    wrenches: Mapping[str, SX] | None = None,
    base: BaseMotion | None = None,
) -> SX:
    """Forces of the free joints, and of no others, that produce a motion with closed loops.

    tau_free = Tᵀ (f(q, v, a) - s(q)), where f are the joint forces of the tree, s those of its
    springs and v, a the motion of all joints that follows from the free ones.

    Args:
        mechanism: The machine.
        q: Positions that close the loops [m or rad], shape (nq,).
        v_free: Velocities of the free joints [m/s or rad/s], shape (freedoms,).
        a_free: Their accelerations [m/s² or rad/s²], shape (freedoms,).
        independent: The free joints, in the order of ``v_free``; those of
            :func:`independent_velocities` when not given.
        wrenches: Frame name to external wrench, as for inverse dynamics.
        base: Motion of the root; still when not given.

    Returns:
        Forces of the free joints [N or N·m], shape (freedoms,).

    Raises:
        InvalidInput: The free joints do not determine the motion, or are too many.
    """
    model = model_of(mechanism)
    motion = _motion(model, q, v_free, independent)
    a = motion.T @ a_free + motion.across
    f = recursive(model, q, motion.v, a, wrenches=wrenches, base=base)
    return motion.T.T @ (f - elastic_forces(model, q))


@equation("M_free")
def reduced_mass_matrix(
    mechanism: Mechanism | Model, q: SX, *, independent: Sequence[str] | None = None
) -> SX:
    """Inertia that the free joints feel: Tᵀ M T, with v_freeᵀ M_free v_free / 2 the energy.

    Args:
        mechanism: The machine.
        q: Positions that close the loops [m or rad], shape (nq,).
        independent: The free joints, as for :func:`reduced_inverse_dynamics`.

    Returns:
        Shape (freedoms, freedoms), symmetric.
    """
    model = model_of(mechanism)
    T = _motion(model, q, None, independent).T
    return ca.densify(T.T @ composite_body(model, q) @ T)


@equation("c_free")
def reduced_bias(
    mechanism: Mechanism | Model, q: SX, v_free: SX, *, independent: Sequence[str] | None = None
) -> SX:
    """Forces of the free joints that keep their velocities: gyroscopic, gravity and spring forces.

    Args:
        mechanism: The machine.
        q: Positions that close the loops [m or rad], shape (nq,).
        v_free: Velocities of the free joints [m/s or rad/s], shape (freedoms,).
        independent: The free joints, as for :func:`reduced_inverse_dynamics`.

    Returns:
        Shape (freedoms,), [N or N·m].
    """
    still = SX(v_free.numel(), 1)
    return reduced_inverse_dynamics(mechanism, q, v_free, still, independent=independent)


@equation("g_free")
def reduced_gravity(
    mechanism: Mechanism | Model, q: SX, *, independent: Sequence[str] | None = None
) -> SX:
    """Forces of the free joints that hold the machine still against gravity and springs.

    Args:
        mechanism: The machine.
        q: Positions that close the loops [m or rad], shape (nq,).
        independent: The free joints, as for :func:`reduced_inverse_dynamics`.

    Returns:
        Shape (freedoms,), [N or N·m].
    """
    model = model_of(mechanism)
    held = gravity(model, q) - elastic_forces(model, q)
    return ca.densify(_motion(model, q, None, independent).T.T @ held)


def _motion(
    model: Model, q: SX, v_free: SX | None, independent: Sequence[str] | None
) -> FreeMotion:
    picked = independent_velocities(model.mechanism, independent)
    return free_motion(model, q, SX(len(picked), 1) if v_free is None else v_free, picked)
