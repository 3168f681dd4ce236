"""Inverse dynamics by recursive Newton-Euler."""

from __future__ import annotations

from collections.abc import Mapping

from casadi import SX

from phalanx.equations.build import model_of
from phalanx.equations.model import Model
from phalanx.equations.motion import BaseMotion, accelerations
from phalanx.equations.quantity import quantity
from phalanx.equations.sweep import inward
from phalanx.mechanism import Mechanism

Wrench = tuple[SX, SX]  # moment, force


@quantity("tau")
def recursive(
    mechanism: Mechanism | Model,
    q: SX,
    v: SX,
    a: SX,
    *,
    wrenches: Mapping[str, SX] | None = None,
    base: BaseMotion | None = None,
) -> SX:
    """Joint forces that produce the accelerations ``a`` (recursive Newton-Euler, RNEA).

    Evaluates tau = M(q) a + c(q, v) - Jᵀ w without forming M, in linear time. Friction, damping and
    joint limits are not part of it; reflected rotor inertia is.

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
        Luh, Walker and Paul (1980); Featherstone, Rigid Body Dynamics Algorithms (2008), ch. 5;
        acceleration matrix after Dhanaraj (1990), table 2.4.
    """
    model = model_of(mechanism).regrouped
    carried = carried_wrenches(model, q, v, a, wrenches=wrenches, base=base)
    return model.gather(
        [
            node.along(n, f) + node.armature * node.rate(a)
            for node, (n, f) in zip(model.nodes, carried, strict=True)
        ]
    )


def carried_wrenches(
    model: Model,
    q: SX,
    v: SX,
    a: SX,
    *,
    wrenches: Mapping[str, SX] | None = None,
    base: BaseMotion | None = None,
) -> list[Wrench]:
    """Moment and force that each node's joint carries, at the node's origin and in its axes."""
    X = model.transforms(q)
    # gravity enters as an upward acceleration of the root
    motion = accelerations(model, X, v, a, base or BaseMotion.still(), -model.gravity)

    # the wrench each body needs by itself, less what the outside supplies
    own = [node.mass.wrench(m.L, m.a) for node, m in zip(model.nodes, motion, strict=True)]
    for frame, wrench in (wrenches or {}).items():
        place = model.place(frame)
        if place.node >= 0:
            n, f = place.pose.wrench_into_parent(wrench[3:], wrench[:3])
            own[place.node] = (own[place.node][0] - n, own[place.node][1] - f)

    # inward: a joint carries its own body and every body beyond it
    def carry(i: int, parent: Wrench, child: Wrench) -> Wrench:
        n, f = X[i].wrench_into_parent(*child)
        return parent[0] + n, parent[1] + f

    return inward(model.parents, own, carry)
