"""Recursive Newton-Euler algorithm (RNEA): inverse dynamics in linear time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from casadi import SX

from phalanx.equations.equation import equation
from phalanx.equations.model_of import model_of
from phalanx.equations.spatial import Acceleration, Transform, Wrench, vector, zero
from phalanx.equations.tree.composites import composites
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.motion import BaseMotion, accelerations
from phalanx.mechanism import Mechanism


@equation("tau")
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
    joint limits are not part of it; reflected rotor inertia is. Of the spanning tree where there
    are loops; see :func:`loops.reduced_inverse_dynamics` and :func:`loops.actuation`.

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
    model = model_of(mechanism)
    # a wrench on a spinning body turns with it, so its frame has to
    model = model.regrouped if wrenches else model.lightest
    X = model.transforms(q)
    motion = _motion(model, X, v, a, base)
    carried = _carried(model, X, motion, v, a, wrenches)
    forces = []
    for node, F, A in zip(model.nodes, carried, motion, strict=True):
        if node.spin is None:
            forces.append(node.joint_force(F, a))
        else:
            forces.append(node.spin * A.dw[2] + (node.spin + node.armature) * node.rate(a))
    return model.gather(forces)


def carried_wrenches(
    model: Model,
    q: SX,
    v: SX,
    a: SX,
    *,
    wrenches: Mapping[str, SX] | None = None,
    base: BaseMotion | None = None,
) -> list[Wrench]:
    """Wrenches carried by each node's joint, at the node's origin and in its axes."""
    X = model.transforms(q)
    return _carried(model, X, _motion(model, X, v, a, base), v, a, wrenches)


def _motion(
    model: Model, X: Sequence[Transform], v: SX, a: SX, base: BaseMotion | None
) -> list[Acceleration]:
    # gravity enters as an upward acceleration of the root
    return accelerations(model, X, v, a, base or BaseMotion.still(), -model.gravity)


def _carried(
    model: Model,
    X: Sequence[Transform],
    motion: Sequence[Acceleration],
    v: SX,
    a: SX,
    wrenches: Mapping[str, SX] | None,
) -> list[Wrench]:
    # the wrench each body needs by itself, less what the outside supplies
    own = []
    for node, A in zip(model.nodes, motion, strict=True):
        if node.spin is None:
            own.append(node.mass.wrench(A))
        else:
            own.append(_spinning(node.spin, node.rate(v), node.rate(a), A.w))
    # a joint carries its own body and every body beyond it
    return composites(model, X, without_outer(model, own, wrenches))


def without_outer(
    model: Model, needed: Sequence[Wrench], wrenches: Mapping[str, SX] | None
) -> list[Wrench]:
    """Subtract external wrenches from the wrenches that nodes need."""
    left = list(needed)
    for frame, wrench in (wrenches or {}).items():
        place = model.place(frame)
        if place.node >= 0:
            left[place.node] = left[place.node] - Wrench.of(wrench).into_parent(place.pose)
    return left


def _spinning(spin: SX, rate: SX, acceleration: SX, w: SX) -> Wrench:
    """Wrench of a body of revolution that spins about z, in a frame that turns at ``w``."""
    momentum = spin * rate
    return Wrench(vector(momentum * w[1], -momentum * w[0], spin * acceleration), zero())
