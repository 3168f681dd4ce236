"""M⁻¹ f by articulated bodies, and the pivots of the elimination."""

from __future__ import annotations

import casadi as ca
from casadi import SX

from phalanx.dynamics.evaluators.articulated import INERTIA, packed, unpacked
from phalanx.dynamics.evaluators.joint_poses import keep_pose, kept_pose
from phalanx.dynamics.evaluators.recursion import Pass, Recursion, StepResult
from phalanx.equations.forward_dynamics.articulated_inertia import (
    ArticulatedBody,
    ArticulatedInertia,
    JointElimination,
)
from phalanx.equations.mass_matrix.factorization import factorize
from phalanx.equations.spatial import Twist, Wrench
from phalanx.equations.tree.node import Node


def _yield(node: Node, beyond: SX, q: SX, tau: SX) -> StepResult:
    """A joint passes on what it cannot yield to."""
    X = node.transform(q)
    body = ArticulatedBody.of(node.mass, Wrench.none()) + unpacked(beyond)
    step = JointElimination(node, body, tau)
    kept = {
        "joint": keep_pose(node, X),
        "ratio": ca.vec(step.ratio.numbers),
        "drive": step.drive,
    }
    return StepResult(packed(step.rest.into_parent(X)), kept)


def _accelerate(node: Node, parent: SX, joint: SX, ratio: SX, drive: SX) -> StepResult:
    """A joint accelerates by what its parent's motion leaves of its drive."""
    A = Twist.of(parent).into_child(kept_pose(node, joint))
    own = drive - Wrench.of(ca.reshape(ratio, 6, node.freedom.nv)).dot(A)
    return StepResult((A + node.axes @ own).numbers, results={"a": own})


# (q, tau) -> a = M⁻¹ tau; the root hands on nothing
MASS_SOLVE = Recursion(
    "mass_solve", (Pass("inward", INERTIA + 6, _yield), Pass("outward", 6, _accelerate))
)


def _pivot(node: Node, beyond: SX, q: SX, least: SX) -> StepResult:
    """The inertia of a joint with all beyond it free to move; `least` counts as none."""
    S = node.axes
    I = ArticulatedInertia.of(node.mass) + ArticulatedInertia.from_numbers(beyond)
    U = I @ S
    D = factorize(S.dot(U) + ca.diag(node.armature), ca.vertsplit(least))
    scaled = U.each(lambda part: D.solve(part.T).T)
    on = I.without(U, scaled).into_parent(node.transform(q)).numbers
    return StepResult(on, results={"pivot": ca.vertcat(*D.pivots)})


# (q, least) -> pivot
PIVOTS = Recursion("pivots", (Pass("inward", INERTIA, _pivot),))
