"""Forward kinematics of all nodes by one outward pass: poses, velocities, accelerations."""

from __future__ import annotations

import casadi as ca
from casadi import SX

from phalanx.dynamics.evaluators.recursion import Pass, Recursion, StepResult
from phalanx.equations.spatial import Acceleration, Rotation, Transform, Twist
from phalanx.equations.tree.exponential import move
from phalanx.equations.tree.logarithm import displacement
from phalanx.equations.tree.motion import acceleration, velocity
from phalanx.equations.tree.node import Node

# what the root hands on where it is the world
NO_POSE = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)


def pose_numbers(X: Transform) -> SX:
    """A pose as a column: the rotation row by row, then the translation."""
    return ca.vertcat(ca.vec(X.rotation.full().T), X.translation)


def pose_of(numbers: SX) -> Transform:
    """A pose out of a column."""
    return Transform(Rotation(ca.reshape(numbers[:9], 3, 3).T), numbers[9:])


def _place(node: Node, parent: SX, q: SX) -> StepResult:
    pose = pose_numbers(pose_of(parent).then(node.transform(q)))
    return StepResult(pose, results={"pose": pose})


def _move(node: Node, parent: SX, q: SX, v: SX) -> StepResult:
    X = node.transform(q)
    pose = pose_numbers(pose_of(parent[:12]).then(X))
    V = velocity(node, X, Twist.of(parent[12:]), v).numbers
    return StepResult(ca.vertcat(pose, V), results={"pose": pose, "velocity": V})


def _accelerate(node: Node, parent: SX, q: SX, v: SX, a: SX) -> StepResult:
    X = node.transform(q)
    pose = pose_numbers(pose_of(parent[:12]).then(X))
    w, dw, origin = parent[12:15], parent[15:18], parent[18:]
    A = acceleration(node, X, Acceleration(w, dw, origin), v, a)
    numbers = ca.vertcat(A.w, A.dw, A.a)
    return StepResult(ca.vertcat(pose, numbers), results={"pose": pose, "acceleration": numbers})


def _step(node: Node, parent: SX, q: SX, v: SX) -> StepResult:
    return StepResult(parent, results={"q_next": move(node.freedom, q, v)})


def _between(node: Node, parent: SX, q: SX, q_end: SX) -> StepResult:
    return StepResult(parent, results={"v": displacement(node.freedom, q, q_end)})


# q -> pose; the root hands on its own pose
POSES = Recursion("poses", (Pass("outward", 12, _place),))
# (q, v) -> pose, velocity; the root hands on its pose, then its velocity
VELOCITIES = Recursion("velocities", (Pass("outward", 18, _move),))
# (q, v, a) -> pose, acceleration; the root hands on its pose, then how it moves
ACCELERATIONS = Recursion("accelerations", (Pass("outward", 21, _accelerate),))
# (q, displacements v) -> q_next; nothing is handed on
INTEGRATE = Recursion("integrate", (Pass("outward", 0, _step),))
# (q, q_end) -> displacements v; nothing is handed on
DIFFERENCE = Recursion("difference", (Pass("outward", 0, _between),))
