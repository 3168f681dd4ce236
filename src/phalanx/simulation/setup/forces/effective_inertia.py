"""Effective inertia of joints, in the posture where it is least (for stable stops and friction).

A force in joint i accelerates that joint by (M⁻¹)ᵢᵢ times itself. Forces of several joints at once
(stops that are pressed together) couple through M⁻¹. With its entries scaled to a unit diagonal,
Bᵢⱼ = (M⁻¹)ᵢⱼ / √((M⁻¹)ᵢᵢ (M⁻¹)ⱼⱼ), and rᵢ the sum of |Bᵢⱼ| over the joints that make such forces,

    Iᵢ = 1 / ((M⁻¹)ᵢᵢ rᵢ)

is a diagonal matrix with I⁻¹ - M⁻¹ positive semidefinite (Gershgorin): a spring Iᵢ ω² in every one
of these joints has no frequency above ω, whichever of them act.

Postures are drawn within the limits, always the same. Machines with loops are taken in closed
postures, with M⁻¹ of the motions that keep the loops closed. In machines that are too long for a
mass matrix, joints that are far apart in the list are taken as independent of each other.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import islice

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import NDArray

from phalanx.dynamics.evaluators.automatic import Automatic
from phalanx.dynamics.evaluators.bodies import bodies_of
from phalanx.dynamics.evaluators.choice import chosen as evaluator
from phalanx.dynamics.evaluators.method import still_root
from phalanx.equations.loops.assembly.assemble import closed_start
from phalanx.equations.loops.assembly.closed_loops import closed_loops
from phalanx.equations.loops.assembly.numeric_jacobian import numeric_jacobian
from phalanx.equations.mass_matrix.composite_body import composite_body
from phalanx.equations.model_of import model_of
from phalanx.mechanism import Joint, Mechanism
from phalanx.mechanism.pose import Array

POSTURES = 24
# Where no mass matrix is formed, joints so far apart in the list count as independent.
APART = 32
_RANK = 1e-9


def inertia_of_joints(mechanism: Mechanism) -> dict[str, Array]:
    """Effective inertia [kg·m² or kg] that each joint's own stiff force may count on.

    Joints are those with limits or dry friction, by name, with a number for each freedom; one that
    follows another shares the inertia of its leader with it. Where a force meets no inertia, it
    is 0.
    """
    found = effective_inertia(mechanism)
    sharing: dict[str, list[Joint]] = {}
    for joint in mechanism.joints:
        if is_stiff(joint).any():
            sharing.setdefault(joint.mimic.leader if joint.mimic else joint.name, []).append(joint)
    result = {}
    for leader, joints in sharing.items():
        inertia = found[mechanism.v_slices[leader]] / len(joints)
        for joint in joints:
            ratio = joint.mimic.multiplier if joint.mimic else 1.0
            result[joint.name] = inertia / ratio**2 if ratio else np.zeros(joint.motion.nv)
    return result


def is_stiff(joint: Joint) -> NDArray[np.bool_]:
    """Which freedoms of a joint have limits or dry friction, shape (nv,)."""
    nv = joint.motion.nv
    forth, back = joint.dry_friction
    rubbed: NDArray[np.bool_] = (forth > 0) | (back > 0)
    if joint.motion.nq != nv:
        return rubbed
    return rubbed | np.isfinite(np.asarray(joint.lower)) | np.isfinite(np.asarray(joint.upper))


@lru_cache(maxsize=16)
def effective_inertia(mechanism: Mechanism) -> Array:
    """Least effective inertia of each freedom that has limits or dry friction, shape (nv,).

    It is 0 for the others, and where a force meets no inertia at all.
    """
    acting = np.zeros(mechanism.nv, dtype=bool)
    for joint in mechanism.joints:
        if joint.motion.nv:
            acting[mechanism.v_slices[joint.mimic.leader if joint.mimic else joint.name]] |= (
                is_stiff(joint)
            )
    result, chosen = np.zeros(mechanism.nv), np.flatnonzero(acting)
    if not len(chosen):
        return result
    traversed = evaluator(mechanism, "effective inertia") == "traversed"
    mobilities = _by_solves(mechanism, chosen) if traversed else _by_mass_matrix(mechanism, chosen)
    # what a unit force does where it does most
    most = np.max([own * row for own, row in mobilities], axis=0)
    result[chosen] = np.where(most > 0, 1 / np.where(most > 0, most, 1.0), 0.0)
    return result


def _postures(mechanism: Mechanism, count: int) -> list[Array]:
    if mechanism.loops:
        return [closed_start(mechanism), *islice(closed_loops(mechanism).usual_postures(), count)]
    return [mechanism.neutral(), *mechanism.random_positions(count)]


def _by_mass_matrix(mechanism: Mechanism, chosen: NDArray[np.int_]) -> list[tuple[Array, Array]]:
    """(M⁻¹)ᵢᵢ and rᵢ of each posture."""
    model, q = model_of(mechanism), SX.sym("q", mechanism.nq)
    mass_matrix = ca.Function("M", [q], [composite_body(model, q)])
    found = []
    for at in _postures(mechanism, POSTURES):
        M = np.asarray(mass_matrix(at).full())
        if mechanism.loops:
            # motions that keep the loops closed: v = N z
            _, sizes, V = np.linalg.svd(numeric_jacobian(mechanism, at))
            N = V[np.count_nonzero(sizes > _RANK * max(1.0, sizes.max(initial=0.0))) :].T
        else:
            N = np.eye(mechanism.nv)
        inverse = N @ np.linalg.pinv(N.T @ M @ N, hermitian=True) @ N.T
        A = inverse[np.ix_(chosen, chosen)]
        own = np.diag(A)
        scale = np.sqrt(np.where(own > 0, own, np.inf))
        found.append((own, np.abs(A / np.outer(scale, scale)).sum(axis=1)))
    return found


def _by_solves(mechanism: Mechanism, chosen: NDArray[np.int_]) -> list[tuple[Array, Array]]:
    """The same by accelerations under unit forces, in every so many joints at once."""
    solver = Automatic().solver(bodies_of(mechanism), 1)
    q, v, tau = (np.zeros((APART, n)) for n in (mechanism.nq, mechanism.nv, mechanism.nv))
    a, root = np.zeros_like(tau), np.repeat(still_root(mechanism), APART, axis=0)
    solve = solver.bound(q, v, tau, root, None, a)

    def forward(at: Array, forces: Array) -> Array:
        q[...], tau[...] = at, forces
        solve()
        return a.copy()

    colours = np.arange(len(chosen)) % APART
    pushed = np.zeros((APART, mechanism.nv))
    pushed[colours, chosen] = 1.0
    found = []
    for at in _postures(mechanism, 3):
        coasting = forward(at, np.zeros_like(tau))
        own = (forward(at, pushed) - coasting)[colours, chosen]
        scale = np.sqrt(np.abs(own))
        scaled = np.zeros((APART, mechanism.nv))
        scaled[colours, chosen] = 1 / scale
        answers = forward(at, scaled) - coasting
        found.append((own, np.abs(answers[:, chosen] / scale).sum(axis=0)))
    return found
