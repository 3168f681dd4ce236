"""Inverse dynamics by an orthogonal complement."""

from __future__ import annotations

from collections.abc import Mapping

from casadi import SX

from phalanx.equations.equation import equation
from phalanx.equations.model_of import model_of
from phalanx.equations.orthogonal_complement.bodies import centred_bodies
from phalanx.equations.orthogonal_complement.loads import body_loads, felt
from phalanx.equations.orthogonal_complement.recursion import complement
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.motion import BaseMotion
from phalanx.mechanism import Mechanism


@equation("tau")
def orthogonal_complement(
    mechanism: Mechanism | Model,
    q: SX,
    v: SX,
    a: SX,
    *,
    wrenches: Mapping[str, SX] | None = None,
    base: BaseMotion | None = None,
) -> SX:
    """Joint forces tau = Hᵀ [dL/dt; m p''], H the motions of all centres of mass (NESS).

    Quadratic in the number of bodies; worth it where H is there already, for the mass matrix.

    Args:
        mechanism: The machine.
        q: Positions [m or rad], shape (nq,).
        v: Velocities [m/s or rad/s], shape (nv,).
        a: Accelerations [m/s² or rad/s²], shape (nv,).
        wrenches: Frame name to the wrench (force, moment) [N, N·m] that acts on the machine there,
            in that frame's axes, shape (6,).
        base: Motion of the root; still when not given.

    Returns:
        Joint forces [N or N·m], shape (nv,).

    Reference:
        Wong (1991), §3.3.1.
    """
    model = model_of(mechanism)
    bodies = centred_bodies(model, q)
    loads = body_loads(model, bodies, v, a, wrenches=wrenches, base=base)
    parts = felt(bodies, complement(bodies), loads)
    return model.gather(
        [part + b.node.armature * b.node.rate(a) for part, b in zip(parts, bodies, strict=True)]
    )
