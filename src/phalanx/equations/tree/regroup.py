"""Regrouping of inertial parameters (base parameters): fewer numbers, the same dynamics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.equations.spatial import RELATIVE_ZERO, MassMoments, vector, zero
from phalanx.equations.tree.node import Freedom, Node


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
        still = still_part(nodes[i].freedom, masses[i])
        masses[i] = masses[i] - still
        if nodes[i].parent >= 0:
            gained = masses[nodes[i].parent] + still.into_parent(nodes[i].placement)
            masses[nodes[i].parent] = gained.tidy()
    return tuple(replace(node, mass=mass) for node, mass in zip(nodes, masses, strict=True))


def still_part(freedom: Freedom, mass: MassMoments) -> MassMoments:
    """Part of a mass that its joint does not set in motion."""
    match freedom:
        case Freedom.TURN:
            J_zz = SX.zeros(3, 3)
            J_zz[2, 2] = mass.J[2, 2]
            return MassMoments(mass.m, vector(0, 0, mass.h[2]), J_zz)
        case Freedom.SLIDE:
            return MassMoments(SX(0), zero(), mass.J)
        case Freedom.BALL:
            return MassMoments(mass.m, zero(), SX.zeros(3, 3))
        case _:
            return MassMoments.none()


def separate_rotors(nodes: Sequence[Node]) -> tuple[Node, ...]:
    """Let bodies of revolution at the ends of the tree spin in frames that do not turn.

    A wheel, a propeller or the last link of many arms is round about its axis once :func:`regroup`
    has moved the mass on that axis to its parent. What is left, J = diag(j, j, 0), looks the same
    at every angle: it too can go to the parent, and only the angular momentum 2j of each unit of
    speed stays with the joint. Sines and cosines of the angle vanish from the equations.
    """
    carries = {node.parent for node in nodes}
    result = list(nodes)
    for i, node in enumerate(nodes):
        if i in carries or node.freedom is not Freedom.TURN or not _is_round(node.mass):
            continue
        result[i] = replace(node, mass=MassMoments.none(), spin=2 * node.mass.J[0, 0])
        if node.parent >= 0:
            parent = result[node.parent]
            gained = parent.mass + node.mass.into_parent(node.placement)
            result[node.parent] = replace(parent, mass=gained.tidy())
    return tuple(result)


def _is_round(mass: MassMoments) -> bool:
    """Whether nothing but J_xx = J_yy is left of a mass."""
    if not all(x.is_constant() for x in (mass.m, mass.h, mass.J)):
        return False
    J = np.asarray(ca.DM(mass.J))
    rest = J - np.diag([J[0, 0], J[0, 0], 0.0])
    others = np.concatenate([rest.ravel(), np.asarray(ca.DM(mass.h)).ravel(), [float(mass.m)]])
    return bool(np.abs(others).max() <= RELATIVE_ZERO * abs(J[0, 0]))
