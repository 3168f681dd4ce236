"""The complement H: how every joint moves the centre of mass of every body beyond it.

Block (i, j) has the motion of body i per unit velocity of joint j, in the axes of body i:

    c_ij = A_i c_pj,    rho_ij = A_i (rho_pj - l_pi) + k_i,    p the parent of i,

from c_jj, the axes of joint j, and rho_jj = k_j. c is the axis as body i sees it and rho points
from the body's centre of mass to hinge j, so that the centre moves by rho × c. Blocks exist where
joint j lies on the path to body i: the pattern of the path matrix. The rows of a body at the end
of a chain are the Jacobian of its centre of mass.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import casadi as ca
from casadi import SX

from phalanx.equations.orthogonal_complement.bodies import CentredBody
from phalanx.equations.spatial import Twist, Wrench, columnwise_cross

Complement = Mapping[tuple[int, int], Twist]


@dataclass(frozen=True)
class Reach:
    """Joint j as body i sees it, in the axes of body i.

    Attributes:
        axes: The joint's axes, those of turns (c) and those of slides, nv columns each.
        rho: From the body's centre of mass to the joint's hinge [m].
    """

    axes: Twist
    rho: SX

    @staticmethod
    def own(body: CentredBody) -> Reach:
        """A body's own joint: constant."""
        return Reach(body.axes, body.k)

    def beyond(self, body: CentredBody) -> Reach:
        """The same joint as the next body outward sees it."""
        return Reach(seen_axes(body, self.axes), seen_hinge(body, self.rho))

    @property
    def motion(self) -> Twist:
        """Of the body's centre of mass: (c, rho × c) for turns, (0, axis) for slides."""
        c = self.axes.angular
        return Twist(c, columnwise_cross(self.rho, c) + self.axes.linear)


def seen_axes(body: CentredBody, axes: Twist) -> Twist:
    """c_ij = A_i c_pj."""
    return axes.in_child_axes(body.rotation)


def seen_hinge(body: CentredBody, rho: SX) -> SX:
    """rho_ij = A_i (rho_pj - l_pi) + k_i."""
    return body.rotation.into_child(rho - body.l_parent) + body.k


def reaches(bodies: Sequence[CentredBody]) -> dict[tuple[int, int], Reach]:
    """Every joint on the path to every body, by (body, joint); within a body the nearest last."""
    found: dict[tuple[int, int], Reach] = {}
    for i, body in enumerate(bodies):
        for j in path(bodies, body.parent):
            found[i, j] = found[body.parent, j].beyond(body)
        found[i, i] = Reach.own(body)
    return found


def path(bodies: Sequence[CentredBody], i: int) -> list[int]:
    """The bodies from the root to body i, with itself; none for the root."""
    found = []
    while i >= 0:
        found.append(i)
        i = bodies[i].parent
    return found[::-1]


def complement(bodies: Sequence[CentredBody]) -> Complement:
    """H: the motion of every body's centre of mass per unit velocity of every joint below it.

    Args:
        bodies: Of a tree at a posture.

    Returns:
        (body, joint) to a twist of nv columns; joints of a body from the root outward.

    Reference:
        Wong (1991), §3.1.2, §3.2 and §6.4.1 (its table of joints).
    """
    return {place: reach.motion for place, reach in reaches(bodies).items()}


def momentum(body: CentredBody, motion: Twist) -> Wrench:
    """[J c; m (rho × c)]: of a body, about its centre of mass, per unit velocity of a joint."""
    return Wrench(body.J @ motion.angular, body.m * motion.linear)


def inertia_blocks(bodies: Sequence[CentredBody], H: Complement) -> dict[tuple[int, int], SX]:
    """M = Hᵀ diag(J, m) H in blocks between joints, each pair computed once; with rotors.

    Args:
        bodies: Of a tree at a posture.
        H: Their complement.

    Returns:
        (joint, joint) to a block, for ``Model.assemble``.
    """
    blocks: dict[tuple[int, int], SX] = {
        (j, j): ca.diag(body.node.armature) for j, body in enumerate(bodies)
    }
    for i, body in enumerate(bodies):
        if not body.has_mass:
            continue
        joints = path(bodies, i)
        for position, j in enumerate(joints):
            # that of the nearer joint: its momentum of its own body is constant
            own = momentum(body, H[i, j])
            for k in joints[: position + 1]:
                part = H[i, k].dot(own)
                blocks[k, j] = blocks[k, j] + part if (k, j) in blocks else part
    symmetric = {(j, k): block.T for (k, j), block in blocks.items() if k != j}
    return blocks | symmetric
