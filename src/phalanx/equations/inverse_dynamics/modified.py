"""Inverse dynamics by Dhanaraj's modified Newton-Euler algorithm.

Every step of the source's Table 2.4 is a function of its own, so that its operations can be counted
and its statements generated. Angular velocity and acceleration enter the acceleration of a point
only through the acceleration-difference matrix lambda, made once for a link; where the table is
misprinted or wrong, what is here is right: lambda passes a prismatic joint as Rᵀ lambda R, not
R lambda Rᵀ.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import casadi as ca
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
from phalanx.equations.names import AXES, Names
from phalanx.equations.spatial import Rotation, Wrench, acceleration_matrix, cross, vector
from phalanx.equations.spatial.link import Link
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.motion import BaseMotion
from phalanx.equations.tree.node import Freedom, Node
from phalanx.equations.tree.passes import outward
from phalanx.mechanism import Mechanism


@equation("tau")
def modified(
    mechanism: Mechanism | Model,
    q: SX,
    v: SX,
    a: SX,
    *,
    wrenches: Mapping[str, SX] | None = None,
    base: BaseMotion | None = None,
    names: Names | None = None,
) -> SX:
    """Joint forces by the modified Newton-Euler algorithm (acceleration-difference matrices).

    The same forces as :func:`recursive`, from masses, centres of mass and central inertias as they
    are given. Turning and sliding joints take the source's short forms, others the general ones.

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
        Dhanaraj, M.Eng. thesis, Memorial University (1990), sec. 2.3, table 2.4.
    """
    model = model_of(mechanism)
    names = Names() if names is None else names
    X = model.transforms(q)
    links = [Link.of(node.mass) for node in model.nodes]
    name_turns(names, X)

    still = base or BaseMotion.still()
    root = BodyMotion.of(still.V.angular, still.A.angular, still.A.linear - model.gravity)

    def move(i: int, parent: BodyMotion) -> BodyMotion:
        carried = carried_acceleration(X[i].translation, parent.a, parent.L)
        motion = moved(model.nodes[i], X[i].rotation, parent, carried, v, a)
        names.vector("LAP", i + 1, carried)
        motion.name(names, i + 1)
        return motion

    motions = outward(model.parents, root, move)

    own: list[Wrench] = []
    for i, (link, motion) in enumerate(zip(links, motions, strict=True), start=1):
        a_centre = centre_acceleration(motion.a, motion.L, link.s)
        F = inertial_force(link, a_centre)
        N = inertial_moment(link, motion.dw, motion.k, motion.L)
        names.vector("LC", i, a_centre)
        names.vector("IF", i, F)
        names.vector("IN", i, N)
        own.append(Wrench(own_moment(link, N, F), F))
    return joint_forces(model, X, own, a, wrenches, names)


@dataclass(frozen=True)
class BodyMotion:
    """How a link moves, in its own axes.

    Attributes:
        w: Angular velocity [rad/s].
        dw: Angular acceleration [rad/s²].
        k: Products (w_y w_z, w_z w_x, w_x w_y), shared by lambda and the gyroscopic moment.
        L: Acceleration-difference matrix lambda: the point at r accelerates by a + L r.
        a: Acceleration of the origin, less gravity [m/s²].
    """

    w: SX
    dw: SX
    k: SX
    L: SX
    a: SX

    @staticmethod
    def of(w: SX, dw: SX, a: SX) -> BodyMotion:
        """With lambda made from the angular motion."""
        return BodyMotion(w, dw, velocity_products(w), acceleration_matrix(w, dw), a)

    def name(self, names: Names, i: int) -> None:
        """Record all components under the source's names."""
        names.vector("AV", i, self.w)
        names.vector("AA", i, self.dw)
        for x, (y, z) in enumerate(((1, 2), (2, 0), (0, 1))):
            names.scalar(f"K{AXES[x]}{i}", self.k[x])
            names.scalar(f"R{AXES[x]}{i}", self.w[x] * self.w[x])
            names.scalar(f"RS{AXES[x]}{i}", self.L[x, x])
            names.scalar(f"R{AXES[x]}P{i}", self.L[z, y])
            names.scalar(f"R{AXES[x]}M{i}", self.L[y, z])
        names.vector("LA", i, self.a)


def moved(node: Node, R: Rotation, parent: BodyMotion, carried: SX, v: SX, a: SX) -> BodyMotion:
    """Steps 1 to 3: how a link moves whose joint its parent moves by ``carried``."""
    V, A = node.motion(v), node.motion(a)
    origin = R.into_child(carried)
    if node.freedom is Freedom.SLIDE:  # attitude follows the parent, and so does lambda
        w, dw = R.into_child(parent.w), R.into_child(parent.dw)
        slid = slid_acceleration(origin, w, V.linear, A.linear)
        return BodyMotion(w, dw, velocity_products(w), slid_matrix(R, parent.L), slid)
    w = angular_velocity(R, parent.w, V.angular)
    if node.freedom is Freedom.TURN:
        dw = turned_acceleration(R, parent.dw, w, node.rate(v), A.angular)
    else:
        dw = R.into_child(parent.dw) + A.angular + cross(w, V.angular)
        # V is in child axes, which turn at w; the parent carries it round at w - V.angular
        origin = origin + A.linear + cross(2 * w - V.angular, V.linear)
    return BodyMotion.of(w, dw, origin)


# The steps in which table 2.4 differs from the conventional algorithm, in its order


def turned_acceleration(R: Rotation, dw_parent: SX, w: SX, rate: SX, dw_joint: SX) -> SX:
    """Step 2 of a revolute joint: Rᵀ dw_{i-1} + z q'' + q' (w_y, -w_x, 0), eq. 2.25.

    w × z q' has two components that are products of the link's own angular velocity.
    """
    return R.into_child(dw_parent) + dw_joint + vector(rate * w[1], -rate * w[0], 0)


def velocity_products(w: SX) -> SX:
    """The products k = (w_y w_z, w_z w_x, w_x w_y)."""
    return vector(w[1] * w[2], w[2] * w[0], w[0] * w[1])


def slid_matrix(R: Rotation, L_parent: SX) -> SX:
    """Lambda through a prismatic joint: Rᵀ lambda R, free where R is made of 0 and ±1."""
    return R.into_child(R.into_child(L_parent).T).T


def carried_acceleration(p: SX, a_parent: SX, L_parent: SX) -> SX:
    """Step 3, in the parent's axes: a_{i-1} + lambda_{i-1} p_{i-1}."""
    return a_parent + L_parent @ p


def slid_acceleration(origin: SX, w: SX, u_joint: SX, a_joint: SX) -> SX:
    """Step 3 of a prismatic joint: z q'' + 2 w × z q'."""
    return origin + a_joint + cross(w, 2 * u_joint)


def centre_acceleration(a: SX, L: SX, s: SX) -> SX:
    """Step 4: a_c = a + lambda s."""
    return a + L @ s


def inertial_moment(link: Link, dw: SX, k: SX, L: SX) -> SX:
    """Step 6: N = I dw + w × I w as I dw + D k, three multiplications for the gyroscopic part.

    Products of inertia, if there are any, multiply entries of lambda, where the terms with dw and
    those with k of the source's full form stand added already.
    """
    N = ca.diag(link.I) * dw + link.differences * k
    if link.is_diagonal:
        return N
    xy, xz, yz = link.I[0, 1], link.I[0, 2], link.I[1, 2]
    return N + vector(
        (L[1, 1] - L[2, 2]) * yz + L[1, 0] * xz - L[2, 0] * xy,
        (L[2, 2] - L[0, 0]) * xz + L[2, 1] * xy - L[0, 1] * yz,
        (L[0, 0] - L[1, 1]) * xy + L[0, 2] * yz - L[1, 2] * xz,
    )
