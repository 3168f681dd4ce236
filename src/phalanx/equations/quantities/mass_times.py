"""Products with the mass matrix, M x, without forming it."""

from __future__ import annotations

from casadi import SX

from phalanx.equations.equation import equation
from phalanx.equations.model_of import model_of
from phalanx.equations.tree.composites import composites
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.motion import BaseMotion, velocities
from phalanx.mechanism import Mechanism


@equation("f")
def mass_times(mechanism: Mechanism | Model, q: SX, x: SX) -> SX:
    """M(q) x in linear time: the joint forces that accelerate a resting machine by ``x``.

    Momentum of all bodies when the joints move at x, carried by the joints; likewise the impulses
    that set the machine in motion. Of the spanning tree where there are loops.

    Args:
        mechanism: The machine.
        q: Positions [m or rad], shape (nq,).
        x: Accelerations or velocities, shape (nv,).

    Returns:
        Shape (nv,).
    """
    model = model_of(mechanism).regrouped
    X = model.transforms(q)
    motion = velocities(model, X, x, BaseMotion.still())
    own = [node.mass.momentum(V) for node, V in zip(model.nodes, motion, strict=True)]
    return model.gather(
        [
            node.joint_force(F, x)
            for node, F in zip(model.nodes, composites(model, X, own), strict=True)
        ]
    )
