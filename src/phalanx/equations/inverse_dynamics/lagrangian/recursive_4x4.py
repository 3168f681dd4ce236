"""Inverse dynamics by Hollerbach's recursive Lagrangian with 4×4 matrices."""

from __future__ import annotations

from dataclasses import dataclass

from casadi import SX

from phalanx.equations.equation import equation
from phalanx.equations.inverse_dynamics.lagrangian.tree import Tree, trace_of_product
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.passes import inward, outward
from phalanx.mechanism import Mechanism


@equation("tau")
def recursive_4x4(mechanism: Mechanism | Model, q: SX, v: SX, a: SX) -> SX:
    """Joint forces from Lagrange's equations by two recursions over 4×4 poses, in linear time.

    Args:
        mechanism: The machine; its joints turn or slide.
        q: Positions [m or rad], shape (nq,).
        v: Velocities [m/s or rad/s], shape (nv,).
        a: Accelerations [m/s² or rad/s²], shape (nv,).

    Returns:
        Joint forces [N or N·m], shape (nv,).

    Raises:
        InvalidModel: When a joint neither turns nor slides.

    Reference:
        Hollerbach (1980), A recursive Lagrangian formulation of manipulator dynamics; Dhanaraj
        (1990), app. A.2, with D and c carried by A_{i+1}, as his program D.1.1 does.
    """
    tree = Tree.of(mechanism, q, v, a, "recursive_4x4")
    A, Q, J = tree.A, tree.generators, tree.inertias

    # outward: T and its first two derivatives by time
    def move(i: int, parent: PoseDerivatives) -> PoseDerivatives:
        dA = A[i] @ Q[i]
        ddA = dA @ Q[i]
        rate, acceleration = tree.rates[i], tree.accelerations[i]
        return PoseDerivatives(
            parent.T @ A[i],
            parent.T1 @ A[i] + parent.T @ dA * rate,
            parent.T2 @ A[i]
            + 2 * (parent.T1 @ dA) * rate
            + parent.T @ (ddA * (rate * rate) + dA * acceleration),
        )

    poses = outward(tree.parents, PoseDerivatives(SX.eye(4), SX(4, 4), SX(4, 4)), move)

    # inward: D = Σ A J T''ᵀ and c = Σ A m r over all links that joint i carries, in its axes
    own = [(J_i @ pose.T2.T, J_i[:, 3]) for J_i, pose in zip(J, poses, strict=True)]

    def carry(i: int, parent: tuple[SX, SX], child: tuple[SX, SX]) -> tuple[SX, SX]:
        return parent[0] + A[i] @ child[0], parent[1] + A[i] @ child[1]

    carried = inward(tree.parents, own, carry)
    parts = []
    for pose, Q_i, (D, c) in zip(poses, Q, carried, strict=True):
        U = pose.T @ Q_i  # dT_i/dq_i
        parts.append(trace_of_product(U, D) - tree.gravity.T @ U @ c)
    return tree.forces(parts)


@dataclass(frozen=True)
class PoseDerivatives:
    """Pose T of a link in the root and its derivatives by time, shape (4, 4) each."""

    T: SX
    T1: SX
    T2: SX
