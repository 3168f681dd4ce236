"""Mass, energy and momentum of a whole machine: what an inward walk adds up at the root."""

from __future__ import annotations

import casadi as ca
from casadi import SX

from phalanx.dynamics.evaluators.joint_poses import keep_pose, kept_pose
from phalanx.dynamics.evaluators.recursion import Handed, Recursion, Walk
from phalanx.equations.spatial import Transform, Twist, Wrench
from phalanx.equations.tree.motion import velocity
from phalanx.equations.tree.node import Node


def _moment(node: Node, beyond: SX, X: Transform) -> SX:
    """Mass and first moment of a node and all beyond it, about the parent's origin."""
    m, h = node.mass.m + beyond[0], node.mass.h + beyond[1:]
    return ca.vertcat(m, X.rotation.into_parent(h) + m * X.translation)


def _weigh(node: Node, beyond: SX, q: SX) -> Handed:
    return Handed(_moment(node, beyond, node.transform(q)))


def _move(node: Node, parent: SX, q: SX, v: SX) -> Handed:
    X = node.transform(q)
    V = velocity(node, X, Twist.of(parent), v)
    P = node.mass.momentum(V)
    energy = (V.dot(P) + ca.dot(node.armature, v * v)) / 2
    kept = {"joint": keep_pose(node, X), "momentum": P.numbers, "kinetic": energy}
    return Handed(V.numbers, kept)


def _gather_energy(node: Node, beyond: SX, kinetic: SX) -> Handed:
    return Handed(beyond + kinetic)


def _gather(node: Node, beyond: SX, joint: SX, momentum: SX, kinetic: SX) -> Handed:
    X = kept_pose(node, joint)
    P = Wrench.of(beyond[:6] + momentum).into_parent(X)
    return Handed(ca.vertcat(P.numbers, _moment(node, beyond[6:10], X), beyond[10] + kinetic))


# q -> at the root: mass, first moment
MASS = Recursion("mass", (Walk("inward", 4, _weigh),))
# (q, v) -> at the root: kinetic energy; the root hands on its velocity
KINETIC_ENERGY = Recursion(
    "kinetic_energy", (Walk("outward", 6, _move), Walk("inward", 1, _gather_energy))
)
# (q, v) -> at the root: momentum about its origin (linear, angular), mass, first moment, kinetic
# energy; the root hands on its velocity
TOTALS = Recursion("totals", (Walk("outward", 6, _move), Walk("inward", 11, _gather)))
