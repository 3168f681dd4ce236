"""Declared forces of a machine: springs, dampers, friction and fluid of its data."""

from __future__ import annotations

import casadi as ca
from casadi import DM, SX

from phalanx.equations.quantities.fluid import fluid_forces
from phalanx.equations.quantities.springs import damping_forces, elastic_forces
from phalanx.equations.tree.model import Model
from phalanx.mechanism import Mimic

SLIP = 1e-2
"""Velocity at which 76 % of the full dry friction is reached [rad/s or m/s]."""


def declared_forces(model: Model, q: SX, v: SX) -> SX:
    """Joint forces of springs, dampers, damping, dry friction and fluid [N or N·m], shape (nv,).

    What ``simulate(forces=(Damping(), Friction(), ModelFluid()))`` lets act: ways of running that
    take joint forces add these to them.
    """
    joints = damping_forces(model, q, v) + friction_forces(model, v)
    return elastic_forces(model, q) + joints + fluid_forces(model, q, v)


def friction_forces(model: Model, v: SX) -> SX:
    """Joint forces of dry friction, smooth through zero velocity, shape (nv,)."""
    m = model.mechanism
    total = SX.zeros(model.nv, 1)
    for joint in m.joints:
        if not joint.motion.nv:
            continue
        follows = joint.mimic or Mimic(joint.name)
        where = m.v_slices[follows.leader]
        forth, back = (SX(DM(size)) for size in joint.dry_friction)
        force = smooth_friction(forth, back, follows.multiplier * v[where])
        total[where] += follows.multiplier * force
    return ca.sparsify(total)


def smooth_friction(forth: SX, back: SX, u: SX, slip: SX | float = SLIP) -> SX:
    """Dry friction at velocities u, of other magnitudes forth (u > 0) than back."""
    size = forth if ca.is_equal(forth, back) else ca.if_else(u < 0, back, forth)
    return -size * ca.tanh(u / slip)
