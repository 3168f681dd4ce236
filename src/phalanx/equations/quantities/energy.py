"""Energy and momentum."""

from __future__ import annotations

import casadi as ca
from casadi import SX

from phalanx.equations.equation import equation
from phalanx.equations.model_of import model_of
from phalanx.equations.quantities.kinematics import center_of_mass, weight
from phalanx.equations.quantities.springs import elastic_energy
from phalanx.equations.spatial import Wrench
from phalanx.equations.tree.composites import total
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.motion import BaseMotion, velocities
from phalanx.mechanism import Mechanism


@equation("T")
def kinetic_energy(mechanism: Mechanism | Model, q: SX, v: SX) -> SX:
    """Kinetic energy [J], that of geared rotors about their own axes included.

    Args:
        mechanism: The machine.
        q: Positions, shape (nq,).
        v: Velocities, shape (nv,).
    """
    model = model_of(mechanism)
    twice = SX(0)
    motion = velocities(model, model.transforms(q), v, BaseMotion.still())
    for node, V in zip(model.nodes, motion, strict=True):
        twice += node.twice_kinetic_energy(V, v)
    return twice / 2


@equation("U")
def potential_energy(mechanism: Mechanism | Model, q: SX) -> SX:
    """Energy [J] in gravity of everything that can move, zero at the root's origin, and in springs.

    Springs hold none where they are relaxed.
    """
    model = model_of(mechanism)
    return elastic_energy(model, q) - ca.dot(model.gravity, weight(model, q).h)


@equation("E")
def energy(mechanism: Mechanism | Model, q: SX, v: SX) -> SX:
    """Mechanical energy [J]: kinetic, in gravity and in springs."""
    return kinetic_energy(mechanism, q, v) + potential_energy(mechanism, q)


@equation("momentum")
def momentum(mechanism: Mechanism | Model, q: SX, v: SX) -> SX:
    """Linear momentum [N·s] and angular momentum about the centre of mass [N·m·s], world axes.

    Args:
        mechanism: The machine.
        q: Positions, shape (nq,).
        v: Velocities, shape (nv,).

    Returns:
        Shape (6,), linear part first.
    """
    model = model_of(mechanism)
    X = model.transforms(q)
    motion = velocities(model, X, v, BaseMotion.still())
    own = [node.mass.momentum(V) for node, V in zip(model.nodes, motion, strict=True)]
    return total(model, X, own, Wrench.none()).about(center_of_mass(model, q)).numbers
