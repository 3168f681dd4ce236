"""Joint forces of a motion by two walks: outward for the motion, inward for what it needs.

The root hands outward how it moves (`evaluators.method.Solver`); the inward walk ends there
with the wrench that carries the whole machine.
"""

from __future__ import annotations

import casadi as ca
from casadi import SX

from phalanx.dynamics.evaluators.joint_poses import keep_pose, kept_pose
from phalanx.dynamics.evaluators.recursion import Handed, Recursion, Walk
from phalanx.equations.spatial import Acceleration, Twist, Wrench
from phalanx.equations.tree.motion import acceleration, velocity
from phalanx.equations.tree.node import Node


def _moved(node: Node, root: SX, q: SX, v: SX, a: SX, external: SX | None = None) -> Handed:
    """How a node accelerates, and the wrench that it needs by itself for that."""
    X = node.transform(q)
    A = acceleration(node, X, Acceleration(root[:3], root[3:6], root[6:]), v, a)
    needed = node.mass.wrench(A)
    if external is not None:
        needed = needed - Wrench.of(external)
    kept = {"joint": keep_pose(node, X), "needed": needed.numbers}
    return Handed(ca.vertcat(A.w, A.dw, A.a), kept)


def _accelerate(node: Node, parent: SX, q: SX, v: SX, a: SX) -> Handed:
    return _moved(node, parent, q, v, a)


def _accelerate_acted_on(node: Node, parent: SX, q: SX, v: SX, a: SX, external: SX) -> Handed:
    return _moved(node, parent, q, v, a, external)


def _keep_velocity(node: Node, parent: SX, q: SX, v: SX) -> Handed:
    return _moved(node, parent, q, v, SX(node.freedom.nv, 1))


def _hold(node: Node, parent: SX, q: SX) -> Handed:
    still = SX(node.freedom.nv, 1)
    return _moved(node, parent, q, still, still)


def _from_rest(node: Node, parent: SX, q: SX, a: SX) -> Handed:
    """A machine at rest without gravity accelerates as it would move."""
    X = node.transform(q)
    A = velocity(node, X, Twist.of(parent), a)
    return Handed(A.numbers, {"joint": keep_pose(node, X), "needed": node.mass.momentum(A).numbers})


def _loaded(node: Node, beyond: SX, joint: SX, needed: SX) -> tuple[Handed, SX]:
    """What a joint carries, its own body and every body beyond it, and the force along it."""
    F = Wrench.of(needed) + Wrench.of(beyond)
    return Handed(F.into_parent(kept_pose(node, joint)).numbers), node.along(F)


def _carry(node: Node, beyond: SX, joint: SX, needed: SX) -> Handed:
    handed, force = _loaded(node, beyond, joint, needed)
    return Handed(handed.on, results={"tau": force})


def _carry_rotors(node: Node, beyond: SX, joint: SX, needed: SX, a: SX) -> Handed:
    handed, force = _loaded(node, beyond, joint, needed)
    return Handed(handed.on, results={"tau": force + node.armature * a})


# (q, v, a) -> tau
INVERSE_DYNAMICS = Recursion(
    "inverse_dynamics", (Walk("outward", 9, _accelerate), Walk("inward", 6, _carry_rotors))
)
# the same with wrenches from outside
INVERSE_DYNAMICS_ACTED_ON = Recursion(
    "inverse_dynamics_acted_on",
    (Walk("outward", 9, _accelerate_acted_on), Walk("inward", 6, _carry_rotors)),
)
# (q, v) -> tau
BIAS = Recursion("bias", (Walk("outward", 9, _keep_velocity), Walk("inward", 6, _carry)))
# q -> tau
GRAVITY = Recursion("gravity", (Walk("outward", 9, _hold), Walk("inward", 6, _carry)))
# (q, a) -> tau = M a; the root hands on nothing
MASS_TIMES = Recursion(
    "mass_times", (Walk("outward", 6, _from_rest), Walk("inward", 6, _carry_rotors))
)
