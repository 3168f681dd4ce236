"""Forward dynamics with loops by the complement of the closed machine.

Velocities that keep the loops closed are v = T z. The complement of the tree, H, then becomes
P = H T: the motions of all centres of mass per unit velocity of the free joints. With P in the
place of H the equation of motion of a tree is that of the closed machine,

    (Pᵀ diag(J, m) P) dz/dt = Tᵀ tau - Pᵀ [dL/dt; m p''],

where the loads are those of the acceleration that the loops demand while z stays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import casadi as ca
from casadi import SX

from phalanx.equations.equation import equation
from phalanx.equations.loops.assembly.independent import independent_rows
from phalanx.equations.loops.closure.equations import constraint
from phalanx.equations.loops.methods.projection import free_directions
from phalanx.equations.mass_matrix.factorization import factorize
from phalanx.equations.model_of import model_of
from phalanx.equations.orthogonal_complement.bodies import CentredBody, centred_bodies
from phalanx.equations.orthogonal_complement.loads import body_loads
from phalanx.equations.orthogonal_complement.recursion import complement, momentum
from phalanx.equations.spatial import Twist
from phalanx.equations.tree.model import Model
from phalanx.equations.tree.motion import BaseMotion
from phalanx.mechanism import Mechanism


@equation("a")
def orthogonal_complement(
    mechanism: Mechanism | Model,
    q: SX,
    v: SX,
    tau: SX,
    *,
    independent: Sequence[str] | None = None,
    wrenches: Mapping[str, SX] | None = None,
    base: BaseMotion | None = None,
) -> SX:
    """Accelerations of a machine with closed loops, by motions of its centres of mass.

    The same as :func:`projection` with the mass matrix Tᵀ M T formed body by body, P_iᵀ P_i, and
    never for the tree.

    Args:
        mechanism: The machine.
        q: Positions that close the loops [m or rad], shape (nq,).
        v: Velocities that keep them closed [m/s or rad/s], shape (nv,).
        tau: Joint forces [N or N·m], shape (nv,).
        independent: Joints whose velocities determine all others; the machine's motors, or what
            pivoting chooses, when not given.
        wrenches: Frame name to external wrench, as for inverse dynamics.
        base: Motion of the root; still when not given.

    Returns:
        Accelerations [m/s² or rad/s²], shape (nv,).

    Raises:
        InvalidInput: The joints do not determine the motion.

    Reference:
        Wong (1991), §6.4.3; Murray and Lovell (1989).
    """
    model = model_of(mechanism)
    equations = constraint(model, q, v, independent_rows(model.mechanism))
    directions = free_directions(model, equations.A, independent)
    T, across = directions.T, -directions.across(equations.b)
    bodies = centred_bodies(model, q)
    loads = body_loads(model, bodies, v, across, wrenches=wrenches, base=base)
    rotors = _rotors(model)
    M = T.T @ (rotors @ T)
    forces = T.T @ (tau - rotors @ across)
    for i, P in closed_complement(bodies, T).items():
        M = M + P.dot(momentum(bodies[i], P))
        forces = forces - P.dot(loads[i])
    return T @ factorize(ca.densify(M)).solve(forces) + across


def closed_complement(bodies: Sequence[CentredBody], T: SX) -> dict[int, Twist]:
    """P = H T of every body: its motion per unit velocity of the free joints, as columns.

    Args:
        bodies: Of the spanning tree at a posture.
        T: Velocities of all joints for unit ones of the free joints, shape (nv, freedoms).
    """
    P = {i: Twist.none(T.shape[1]) for i in range(len(bodies))}
    for (i, j), motion in complement(bodies).items():
        node = bodies[j].node
        rows = T[node.v : node.v + node.freedom.nv, :]
        P[i] += motion @ (node.multiplier * rows if node.is_scaled else rows)
    return P


def _rotors(model: Model) -> SX:
    """Reflected inertias in the coordinates of the machine, shape (nv, nv)."""
    return model.assemble({(i, i): ca.diag(n.armature) for i, n in enumerate(model.nodes)})
