"""Inertial loads of bodies about their centres of mass, and joint forces from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from casadi import SX

from phalanx.equations.orthogonal_complement.bodies import CentredBody
from phalanx.equations.orthogonal_complement.recursion import Complement
from phalanx.equations.spatial import Acceleration, Twist, Wrench, cross
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.motion import BaseMotion, acceleration, velocity
from phalanx.equations.tree.passes import outward


def body_loads(
    model: Model,
    bodies: Sequence[CentredBody],
    v: SX,
    a: SX,
    *,
    wrenches: Mapping[str, SX] | None = None,
    base: BaseMotion | None = None,
) -> list[Wrench]:
    """[dL/dt; m p'']: the moment and force that each body needs at its centre of mass.

    Less what acts from outside. p'' is the acceleration of the centre less that of free fall, which
    enters at the root.

    Args:
        model: The tree.
        bodies: Its bodies at a posture.
        v: Velocities, shape (nv,).
        a: Accelerations, shape (nv,).
        wrenches: Frame name to external wrench, as for inverse dynamics.
        base: Motion of the root; still when not given.

    Reference:
        Wong (1991), §3.3.1.
    """
    motions = centre_accelerations(model, bodies, v, a, base or BaseMotion.still())
    loads = [inertial_wrench(body, A) for body, A in zip(bodies, motions, strict=True)]
    for frame, wrench in (wrenches or {}).items():
        place = model.place(frame)
        if place.node >= 0:
            at_hinge = Wrench.of(wrench).into_parent(place.pose)
            loads[place.node] -= at_hinge.about(-bodies[place.node].k)
    return loads


def centre_accelerations(
    model: Model, bodies: Sequence[CentredBody], v: SX, a: SX, base: BaseMotion
) -> list[Acceleration]:
    """How every centre of mass accelerates, gravity as an upward acceleration of the root.

    For a hinge: p''_i = A_i (p''_p + W_p l_pi) - W_i k_i, with W = [w']x + [w]x[w]x.
    """

    def move(i: int, parent: Acceleration) -> Acceleration:
        body = bodies[i]
        hinge = acceleration(body.node, body.placement, parent, v, a)
        return Acceleration(hinge.w, hinge.dw, hinge.at(-body.k))

    root = Acceleration(base.V.angular, base.A.angular, base.A.linear - model.gravity)
    return outward(model.parents, root, move)


def centre_velocities(
    model: Model, bodies: Sequence[CentredBody], v: SX, base: BaseMotion
) -> list[Twist]:
    """How every body turns and its centre of mass moves, in body axes."""

    def move(i: int, parent: Twist) -> Twist:
        return velocity(bodies[i].node, bodies[i].placement, parent, v).at(-bodies[i].k)

    return outward(model.parents, base.V, move)


def inertial_wrench(body: CentredBody, A: Acceleration) -> Wrench:
    """[J w' + w × J w; m p'']."""
    return Wrench(body.J @ A.dw + cross(A.w, body.J @ A.w), body.m * A.a)


def felt(bodies: Sequence[CentredBody], H: Complement, loads: Sequence[Wrench]) -> list[SX]:
    """Hᵀ [dL/dt; m p'']: what each joint feels of the loads of all bodies beyond it.

    In the square of the number of bodies, with the blocks that the mass matrix is made of.
    """
    parts = [SX.zeros(body.freedom.nv, 1) for body in bodies]
    for (i, j), motion in H.items():
        parts[j] = parts[j] + motion.dot(loads[i])
    return parts


def carried(bodies: Sequence[CentredBody], loads: Sequence[Wrench]) -> list[Wrench]:
    """The loads of each body and all beyond it, about its hinge, from the leaves to the root.

    Linear in the number of bodies: the moment that a load makes along an axis far below is that of
    the same load carried down, (rho × c)·f = c·(f × rho).
    """
    total = list(loads)
    for i in reversed(range(len(bodies))):
        body = bodies[i]
        at_hinge = total[i].acting_at(-body.k)
        if body.parent >= 0:
            total[body.parent] += at_hinge.into_parent(body.placement)
        total[i] = at_hinge
    return total
