"""Inverse dynamics by the recursive Newton-Euler algorithm as textbooks print it.

The nine steps of Table 2.3 of Dhanaraj (1990), after Luh, Walker and Paul, with every cross product
written out: the yardstick for methods that need fewer operations.
"""

from __future__ import annotations

from collections.abc import Mapping

from casadi import SX

from phalanx.equations.equation import equation
from phalanx.equations.inverse_dynamics.newton_euler import (
    angular_velocity,
    inertial_force,
    joint_forces,
    name_turns,
    own_moment,
)
from phalanx.equations.model_of import model_of
from phalanx.equations.names import Names
from phalanx.equations.spatial import Acceleration, Rotation, Transform, Wrench, cross
from phalanx.equations.spatial.link import Link
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.motion import BaseMotion
from phalanx.equations.tree.passes import outward
from phalanx.mechanism import Mechanism


@equation("tau")
def conventional(
    mechanism: Mechanism | Model,
    q: SX,
    v: SX,
    a: SX,
    *,
    wrenches: Mapping[str, SX] | None = None,
    base: BaseMotion | None = None,
    names: Names | None = None,
) -> SX:
    """Joint forces by the conventional recursive Newton-Euler algorithm, in link frames.

    The same forces as :func:`recursive`, from masses, centres of mass and central inertias as they
    are given.

    Args:
        mechanism: The machine.
        q: Positions [m or rad], shape (nq,).
        v: Velocities [m/s or rad/s], shape (nv,).
        a: Accelerations [m/s² or rad/s²], shape (nv,).
        wrenches: Frame name to the wrench (force, moment) [N, N·m] that acts on the machine there,
            in that frame's axes, shape (6,).
        base: Motion of the root; still when not given.
        names: Takes the source's names of all intermediate scalars.

    Returns:
        Joint forces [N or N·m], shape (nv,).

    Reference:
        Luh, Walker and Paul (1980); Dhanaraj (1990), table 2.3.
    """
    model = model_of(mechanism)
    names = Names() if names is None else names
    X = model.transforms(q)
    links = [Link.of(node.mass) for node in model.nodes]
    still = base or BaseMotion.still()
    name_turns(names, X)

    def move(i: int, parent: Acceleration) -> Acceleration:
        node, R = model.nodes[i], X[i].rotation
        V, A = node.motion(v), node.motion(a)
        motion = Acceleration(
            angular_velocity(R, parent.w, V.angular),
            angular_acceleration(R, parent.dw, parent.w, V.angular, A.angular),
            origin_acceleration(X[i], parent.a, parent.w, parent.dw)
            + joint_acceleration(R, parent.w, V.angular, V.linear, A.linear),
        )
        for name, value in (("AV", motion.w), ("AA", motion.dw), ("LA", motion.a)):
            names.vector(name, i + 1, value)
        return motion

    root = Acceleration(still.V.angular, still.A.angular, still.A.linear - model.gravity)
    motions = outward(model.parents, root, move)

    own: list[Wrench] = []
    for i, (link, motion) in enumerate(zip(links, motions, strict=True), start=1):
        a_centre = point_acceleration(motion.a, motion.w, motion.dw, link.s)
        F = inertial_force(link, a_centre)
        N = inertial_moment(link, motion.w, motion.dw)
        names.vector("LC", i, a_centre)
        names.vector("IF", i, F)
        names.vector("IN", i, N)
        own.append(Wrench(own_moment(link, N, F), F))
    return joint_forces(model, X, own, a, wrenches, names)


# The steps in which other methods differ, in the order of table 2.3


def angular_acceleration(R: Rotation, dw_parent: SX, w_parent: SX, w_joint: SX, dw_joint: SX) -> SX:
    """Step 2: dw_i = Rᵀ dw_{i-1} + z q'' + Rᵀ w_{i-1} × z q'."""
    return R.into_child(dw_parent) + dw_joint + cross(R.into_child(w_parent), w_joint)


def origin_acceleration(X: Transform, a_parent: SX, w_parent: SX, dw_parent: SX) -> SX:
    """Step 3: Rᵀ (a_{i-1} + dw_{i-1} × p + w_{i-1} × (w_{i-1} × p))."""
    return X.rotation.into_child(point_acceleration(a_parent, w_parent, dw_parent, X.translation))


def joint_acceleration(R: Rotation, w_parent: SX, w_joint: SX, u_joint: SX, a_joint: SX) -> SX:
    """Step 3 of a prismatic joint: z q'' + 2 Rᵀ w_{i-1} × z q'.

    The slide of a free body is in child axes, which turn by w_joint against the parent's.
    """
    return a_joint + cross(2 * R.into_child(w_parent) + w_joint, u_joint)


def point_acceleration(a: SX, w: SX, dw: SX, r: SX) -> SX:
    """Acceleration of the point at r; step 4 takes it at the centre of mass."""
    return a + cross(dw, r) + cross(w, cross(w, r))


def inertial_moment(link: Link, w: SX, dw: SX) -> SX:
    """Step 6: N = I dw + w × I w."""
    return link.I @ dw + cross(w, link.I @ w)
