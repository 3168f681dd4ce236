"""Recursive Newton-Euler (RNEA) by two passes: outward for motion, inward for forces.

The root hands outward how it moves (`evaluators.method.Solver`); the inward pass ends there
with the wrench that carries the whole machine.
"""

from __future__ import annotations

import casadi as ca
from casadi import SX

from phalanx.dynamics.evaluators.joint_poses import keep_pose, kept_pose
from phalanx.dynamics.evaluators.recursion import Pass, Recursion, StepResult
from phalanx.equations.spatial import Acceleration, Twist, Wrench
from phalanx.equations.tree.motion import acceleration, velocity
from phalanx.equations.tree.node import Node


def _accelerate(node: Node, parent: SX, q: SX, v: SX, a: SX, external: SX) -> StepResult:
    """How a node accelerates, and the wrench that its joint has to give it for that."""
    X = node.transform(q)
    A = acceleration(node, X, Acceleration(parent[:3], parent[3:6], parent[6:]), v, a)
    needed = node.mass.wrench(A) - Wrench.of(external)
    kept = {"joint": keep_pose(node, X), "needed": needed.numbers}
    return StepResult(ca.vertcat(A.w, A.dw, A.a), kept)


def _accelerate_from_rest(node: Node, parent: SX, q: SX, a: SX) -> StepResult:
    """A machine at rest without gravity accelerates as it would move."""
    X = node.transform(q)
    A = velocity(node, X, Twist.of(parent), a)
    kept = {"joint": keep_pose(node, X), "needed": node.mass.momentum(A).numbers}
    return StepResult(A.numbers, kept)


def _carry(node: Node, beyond: SX, joint: SX, needed: SX, a: SX) -> StepResult:
    """A joint carries its own body, every body beyond it, and its rotor."""
    F = Wrench.of(needed) + Wrench.of(beyond)
    on = F.into_parent(kept_pose(node, joint)).numbers
    return StepResult(on, results={"tau": node.joint_force(F, a)})


# (q, v, a, external) -> tau
INVERSE_DYNAMICS_ACTED_ON = Recursion(
    "inverse_dynamics_acted_on", (Pass("outward", 9, _accelerate), Pass("inward", 6, _carry))
)
# (q, v, a) -> tau
INVERSE_DYNAMICS = INVERSE_DYNAMICS_ACTED_ON.without("external", name="inverse_dynamics")
# (q, v) -> tau
BIAS = INVERSE_DYNAMICS.without("a", name="bias")
# q -> tau
GRAVITY = BIAS.without("v", name="gravity")
# (q, a) -> tau = M a; the root hands on nothing
MASS_TIMES = Recursion(
    "mass_times", (Pass("outward", 6, _accelerate_from_rest), Pass("inward", 6, _carry))
)
