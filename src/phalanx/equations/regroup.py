"""Fewer inertial numbers for the same dynamics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import casadi as ca
from casadi import SX

from phalanx.equations.node import Freedom, Node
from phalanx.equations.spatial import MassMoments, vector, zero


def regroup(nodes: Sequence[Node]) -> tuple[Node, ...]:
    """Move to each parent the part of a body's mass that the joint does not set in motion.

    Mass strung along a joint's axis does not notice a turn about it: moments m, h_z and J_zz of a
    turning node act as if they sat on the parent. A slide does not change its body's attitude, so
    all of J can go; a ball joint leaves the mass at its centre in place. Joint forces are equal to
    the last digit but one; reactions inside the joints are not, so energy, momentum and constraint
    forces read the original nodes.

    Reference:
        Khalil and Dombre, Modeling, Identification and Control of Robots (2002), ch. 9.4.
    """
    masses = [node.mass for node in nodes]
    for i in reversed(range(len(nodes))):
        node, (m, h, J) = nodes[i], (masses[i].m, masses[i].h, masses[i].J)
        match node.freedom:
            case Freedom.TURN:
                J_zz = SX(3, 3)
                J_zz[2, 2] = J[2, 2]
                still = MassMoments(m, vector(0, 0, h[2]), ca.densify(J_zz))
            case Freedom.SLIDE:
                still = MassMoments(SX(0), zero(), J)
            case Freedom.BALL:
                still = MassMoments(m, zero(), SX.zeros(3, 3))
            case _:
                continue
        masses[i] = MassMoments(m - still.m, h - still.h, J - still.J)
        if node.parent >= 0:
            gained = masses[node.parent] + still.into_parent(node.seat)
            masses[node.parent] = gained.tidy()
    return tuple(replace(node, mass=mass) for node, mass in zip(nodes, masses, strict=True))
