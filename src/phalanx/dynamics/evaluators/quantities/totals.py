"""Mass, energy and momentum of a machine, summed by an inward pass."""

from __future__ import annotations

import casadi as ca
from casadi import SX

from phalanx.dynamics.evaluators.joint_poses import keep_pose, kept_pose
from phalanx.dynamics.evaluators.recursion import Pass, Recursion, StepResult
from phalanx.equations.spatial import FirstMoments, Transform, Twist, Wrench
from phalanx.equations.tree.motion import velocity
from phalanx.equations.tree.node import Node


def _first_moments(node: Node, beyond: SX, X: Transform) -> SX:
    """Mass and first moment of a node and all beyond it, about the parent's origin."""
    own = node.mass.first + FirstMoments(beyond[0], beyond[1:])
    at_parent = own.into_parent(X)
    return ca.vertcat(at_parent.m, at_parent.h)


def _weigh(node: Node, beyond: SX, q: SX) -> StepResult:
    return StepResult(_first_moments(node, beyond, node.transform(q)))


def _move(node: Node, parent: SX, q: SX, v: SX) -> StepResult:
    X = node.transform(q)
    V = velocity(node, X, Twist.of(parent), v)
    kept = {
        "joint": keep_pose(node, X),
        "momentum": node.mass.momentum(V).numbers,
        "kinetic": node.twice_kinetic_energy(V, v) / 2,
    }
    return StepResult(V.numbers, kept)


def _gather_energy(node: Node, beyond: SX, kinetic: SX) -> StepResult:
    return StepResult(beyond + kinetic)


def _gather(node: Node, beyond: SX, joint: SX, momentum: SX, kinetic: SX) -> StepResult:
    X = kept_pose(node, joint)
    P = Wrench.of(beyond[:6] + momentum).into_parent(X)
    return StepResult(
        ca.vertcat(P.numbers, _first_moments(node, beyond[6:10], X), beyond[10] + kinetic)
    )


# q -> at the root: mass, first moment
MASS = Recursion("mass", (Pass("inward", 4, _weigh),))
# (q, v) -> at the root: kinetic energy; the root hands on its velocity
KINETIC_ENERGY = Recursion(
    "kinetic_energy", (Pass("outward", 6, _move), Pass("inward", 1, _gather_energy))
)
# (q, v) -> at the root: momentum about its origin (linear, angular), mass, first moment, kinetic
# energy; the root hands on its velocity
TOTALS = Recursion("totals", (Pass("outward", 6, _move), Pass("inward", 11, _gather)))
