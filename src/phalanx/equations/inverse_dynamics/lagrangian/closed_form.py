"""Inverse dynamics in closed form, by Uicker and Kahn."""

from __future__ import annotations

from casadi import SX

from phalanx.equations.equation import equation
from phalanx.equations.inverse_dynamics.lagrangian.tree import Tree, trace_of_product
from phalanx.equations.tree.model import Model
from phalanx.mechanism import Mechanism


@equation("tau")
def closed_form(mechanism: Mechanism | Model, q: SX, v: SX, a: SX) -> SX:
    """Joint forces from Lagrange's equations written out (Uicker 1965, Kahn 1969).

    tau_i = Σ_j Σ_k Tr(U_jk J_j U_jiᵀ) q''_k + Σ_j Σ_k Σ_m Tr(U_jkm J_j U_jiᵀ) q'_k q'_m
    - Σ_j m_j gᵀ U_ji r_j, with U_jk = dT_j/dq_k, over the links j that joint i carries and the
    joints k, m that carry link j. The work grows with the fourth power of the number of joints.

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
        Dhanaraj (1990), app. A.1, with the indices of eq. A.1 put right.
    """
    tree = Tree.of(mechanism, q, v, a, "closed_form")
    rates, accelerations = tree.rates, tree.accelerations
    parts = [SX(0)] * len(tree.nodes)
    for j, J in enumerate(tree.inertias):
        carriers = [*reversed(tree.model.path(j)), j]
        first, second = pose_derivatives(tree, carriers)
        for i in carriers:
            JU = J @ first[i].T
            for k in carriers:
                parts[i] += trace_of_product(first[k], JU) * accelerations[k]
            for (k, m), U_jkm in second.items():
                both = 1 if k == m else 2  # U_jkm = U_jmk
                parts[i] += trace_of_product(U_jkm, JU) * (both * rates[k] * rates[m])
            parts[i] -= tree.gravity.T @ first[i] @ J[:, 3]
    return tree.forces(parts)


def pose_derivatives(
    tree: Tree, carriers: list[int]
) -> tuple[dict[int, SX], dict[tuple[int, int], SX]]:
    """U_jk and, for k not beyond m, U_jkm of the link j at the end of a path of joints.

    A derivative by q_k puts Q_k into the chain of poses behind A_k.
    """
    n = len(carriers)
    # product of the poses from link x to link y of the path; 0 is the root
    chain = {(x, x): SX.eye(4) for x in range(n + 1)}
    for x in range(n):
        for y in range(x, n):
            chain[x, y + 1] = chain[x, y] @ tree.A[carriers[y]]
    Q = [tree.generators[k] for k in carriers]

    first, second = {}, {}
    for x, k in enumerate(carriers, start=1):
        bent = chain[0, x] @ Q[x - 1]
        first[k] = bent @ chain[x, n]
        for y, m in enumerate(carriers[x - 1 :], start=x):
            second[k, m] = bent @ chain[x, y] @ Q[y - 1] @ chain[y, n]
    return first, second
