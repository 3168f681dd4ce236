"""Check that the mass matrix of a machine can be inverted.

Joint forces follow from accelerations whatever the masses are. Accelerations follow from forces
only where the mass matrix can be inverted. Whether it can may depend on the posture, or be decided
by the data: a point mass on the axis it turns about, two hinges on one axis with nothing between
them, a root without mass that carries one hinge. The second kind is found here, before anything
is computed with it.

Policy: joints are looked at from the tips to the root, each with all beyond it free to move. What
inertia it then has of its own is compared with what it would have if everything it carries stood
as far out as it can reach. Where every joint moves a body that has inertia along its freedoms, no
posture is singular and none is tried; else a few random ones are, and a joint must be without
inertia in all of them (:func:`always_lacking`).

Two others ask what this module asks, each of machines that it cannot judge:
`dynamics.evaluators.traversed.inertia` of those that are too long for a mass matrix, where bodies
next to a joint are the measure, and `equations.loops.methods.reduced_inertia` whether loops move a
joint that has no inertia of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phalanx.base.errors import InvalidModel
from phalanx.mechanism.joint import Joint, Motion, Screw
from phalanx.mechanism.mechanism import Mechanism
from phalanx.mechanism.motion import joint_axes, joint_pose
from phalanx.mechanism.pose import Array

# Of the inertia a joint could have: less is what rounding leaves of zero after some operations.
NO_INERTIA_LEFT = 1e-14
# Random postures in which a machine must be singular to be called so by its data.
POSTURES = 4
# Freedoms up to which postures are tried: a dense matrix each. Longer chains are judged by bodies.
MOST_FREEDOMS = 1000
# Joints that a message names.
MOST_NAMES = 8
# How far random postures slide at most [m or rad].
FARTHEST_SLIDE = np.pi


def check_invertible(mechanism: Mechanism) -> None:
    """Raise InvalidModel when the mass matrix is singular in every posture, naming joints."""
    lacking = joints_without_inertia(mechanism)
    if lacking:
        raise no_accelerations(mechanism, lacking)


def no_accelerations(mechanism: Mechanism, lacking: Sequence[str]) -> InvalidModel:
    """Build the error for a machine whose mass matrix has no inverse."""
    return InvalidModel(
        f"the mass matrix of mechanism '{mechanism.name}' is {singular(lacking)}. Forces do "
        "not determine its accelerations: give the bodies there mass and moments of inertia, "
        "give a joint a rotor inertia, or make it fixed. Kinematics and inverse dynamics need "
        "none of this."
    )


def singular(joints: Sequence[str]) -> str:
    """In words, what joints without inertia do to a mass matrix."""
    named = ", ".join(f"'{name}'" for name in joints[:MOST_NAMES])
    if len(joints) > MOST_NAMES:
        named += f" and {len(joints) - MOST_NAMES} more"
    subject = f"joint {named} moves" if len(joints) == 1 else f"joints {named} move"
    return (
        f"singular in every posture: {subject} no inertia but what joints further out could move "
        "as well"
    )


def joints_without_inertia(mechanism: Mechanism) -> tuple[str, ...]:
    """Joints that make the mass matrix singular in every posture, root first."""
    most = _most_inertia(mechanism)
    if mechanism.nv > MOST_FREEDOMS:
        return _joints_of(mechanism, most == 0)
    if _each_moves_inertia(mechanism, most):
        return ()
    lacking = []
    for q in mechanism.random_positions(POSTURES, seed=0):
        lacking.append(_without_pivot(mass_matrix(mechanism, q), most))
        if not lacking[-1].any():
            return ()
    return always_lacking(mechanism, np.array(lacking))


def always_lacking(mechanism: Mechanism, lacking: NDArray[np.bool_]) -> tuple[str, ...]:
    """Joints with freedoms that lack inertia in every posture, root first; shape (postures, nv)."""
    if not lacking.any(axis=1).all():
        return ()
    # where each posture has another joint that lacks inertia, those of the first stand for all
    always = np.logical_and.reduce(lacking)
    return _joints_of(mechanism, always if always.any() else lacking[0])


def _joints_of(mechanism: Mechanism, freedoms: NDArray[np.bool_]) -> tuple[str, ...]:
    """The joints to which some freedoms belong, root first."""
    slices = mechanism.v_slices
    return tuple(
        joint.name for joint in mechanism.moving_joints if freedoms[slices[joint.name]].any()
    )


def mass_matrix(mechanism: Mechanism, q: Array) -> Array:
    """M(q) by the sum over bodies of JᵀIJ, shape (nv, nv)."""
    n = mechanism.nv
    M = np.diag(mechanism.per_freedom("reflected_inertia"))
    rotations = [np.eye(3)]
    angular, linear = [np.zeros((3, n))], [np.zeros((3, n))]
    for k, joint in enumerate(mechanism.joints):
        parent = mechanism.parents[k + 1]
        x, where, scale = _own_positions(mechanism, joint, q)
        seat, own = joint.pose, joint_pose(joint.motion, x)
        R_joint = rotations[parent] @ seat.rotation
        shift = rotations[parent] @ seat.translation + R_joint @ own.translation
        W = angular[parent].copy()
        V = linear[parent] - _cross(shift) @ angular[parent]
        turn, slide = joint_axes(joint.motion, x)
        if joint.motion.nv:
            W[:, where] += scale * R_joint @ turn
            V[:, where] += scale * R_joint @ slide
        if joint.mimic is not None:
            # a rotor on a joint that follows turns with it
            M[where, where] += scale**2 * np.diag(joint.reflected_inertia)
        rotations.append(R_joint @ own.rotation)
        angular.append(W)
        linear.append(V)
    for body, R, W, V in zip(mechanism.bodies, rotations, angular, linear, strict=True):
        if body.mass == 0 and not body.inertia.any():
            continue
        V_com = V - _cross(R @ body.com) @ W
        I = R @ ((body.inertia + body.inertia.T) / 2) @ R.T
        M += body.mass * V_com.T @ V_com + W.T @ I @ W
    return M


def _most_inertia(mechanism: Mechanism) -> Array:
    """Inertia along each freedom if all it carries stood as far out as it can [kg or kg·m²]."""
    bodies = _stacked(mechanism)
    # plain numbers: with arrays of one element, long machines would take a hundred times as long
    mass: list[float] = bodies.mass.tolist()
    moments: list[float] = np.abs(bodies.inertia).max(axis=(1, 2)).tolist()
    # the longest way from a body's frame to a centre of mass beyond it
    far: list[float] = np.linalg.norm(bodies.com, axis=1).tolist()
    shifts = np.array([joint.pose.translation for joint in mechanism.joints]).reshape(-1, 3)
    ways: list[float] = np.linalg.norm(shifts, axis=1).tolist()
    most: list[float] = mechanism.per_freedom("reflected_inertia").tolist()
    for i in reversed(range(1, len(mechanism.bodies))):
        parent, joint = mechanism.parents[i], mechanism.joints[i - 1]
        turns = _turns(joint.motion)
        if turns:
            where, scale = _own_velocities(mechanism, joint)
            turned = mass[i] * far[i] ** 2 + moments[i]
            for k, turn in enumerate(turns, where.start):
                most[k] += scale**2 * (turned if turn else mass[i])
        mass[parent] += mass[i]
        moments[parent] += moments[i]
        slide = 0.0 if all(turns) else FARTHEST_SLIDE
        far[parent] = max(far[parent], ways[i - 1] + slide + far[i])
    return np.array(most)


def _each_moves_inertia(mechanism: Mechanism, most: Array) -> bool:
    """Whether every joint, mimics too, moves a body that has inertia along all its freedoms.

    Then no posture is singular: without kinetic energy the first body from the root stands still,
    and with it its joint, and so on outwards.
    """
    bodies = _stacked(mechanism)
    turned = _own_moments(mechanism, bodies)
    needed: list[float] = (NO_INERTIA_LEFT * most).tolist()
    for k, joint in enumerate(mechanism.joints):
        if not joint.motion.nv:
            continue
        where, scale = _own_velocities(mechanism, joint)
        rotors = joint.reflected_inertia.tolist()
        for freedom, turn in enumerate(_turns(joint.motion)):
            own = (turned[k] if turn else mechanism.bodies[k + 1].mass) + rotors[freedom]
            if not scale**2 * own > needed[where.start + freedom]:
                return False
    return True


def _own_moments(mechanism: Mechanism, bodies: _Stacked) -> list[float]:
    """The moment of each joint's child by itself, about any axis it can turn about, or less."""
    least = np.linalg.eigvalsh(bodies.inertia[1:])[:, 0]
    motions = [joint.motion for joint in mechanism.joints]
    hinges = [k for k, motion in enumerate(motions) if _turns(motion) == (True,)]
    if hinges:
        axis = np.array([joint_axes(motions[k], np.zeros(1))[0][:, 0] for k in hinges])
        child = np.array(hinges) + 1
        about = np.einsum("ni,nij,nj->n", axis, bodies.inertia[child], axis)
        lever = np.cross(axis, bodies.com[child])
        least[hinges] = about + bodies.mass[child] * (lever**2).sum(axis=1)
    return least.tolist()


@dataclass(frozen=True, eq=False)
class _Stacked:
    """Numbers of all bodies side by side: masses (n,), centres (n, 3), inertias (n, 3, 3)."""

    mass: Array
    com: Array
    inertia: Array


def _stacked(mechanism: Mechanism) -> _Stacked:
    bodies = mechanism.bodies
    I = np.array([body.inertia for body in bodies])
    return _Stacked(
        np.array([body.mass for body in bodies]),
        np.array([body.com for body in bodies]),
        (I + I.transpose(0, 2, 1)) / 2,
    )


def _turns(motion: Motion) -> tuple[bool, ...]:
    """Which freedoms of a joint turn; the others slide."""
    kind: Any = type(motion)
    return _turns_of(kind)


@cache
def _turns_of(kind: Any) -> tuple[bool, ...]:
    motion: Motion = Screw(pitch=1.0) if kind is Screw else kind()  # whatever its axes
    turn, _ = joint_axes(motion, motion.neutral())
    return tuple(np.any(turn, axis=0).tolist())


def _without_pivot(M: Array, most: Array) -> NDArray[np.bool_]:
    """Freedoms without inertia of their own, eliminating from the last freedom to the first."""
    M = M.copy()
    lacking = np.zeros(len(M), bool)
    for k in reversed(range(len(M))):
        pivot = M[k, k]
        if not abs(pivot) > NO_INERTIA_LEFT * most[k]:
            lacking[k] = True
            continue
        column = M[:k, k] / pivot
        M[:k, :k] -= np.outer(column, M[k, :k])
    return lacking


def _own_velocities(mechanism: Mechanism, joint: Joint) -> tuple[slice, float]:
    """Where the velocities of a joint that moves are, and by how much they count."""
    if joint.mimic is None:
        return mechanism.v_slices[joint.name], 1.0
    return mechanism.v_slices[joint.mimic.leader], joint.mimic.multiplier


def _own_positions(mechanism: Mechanism, joint: Joint, q: Array) -> tuple[Array, slice, float]:
    """A joint's position, where its velocities are, and by how much they count."""
    if not joint.motion.nv:
        return np.zeros(0), slice(0, 0), 1.0
    where, scale = _own_velocities(mechanism, joint)
    if joint.mimic is None:
        return q[mechanism.q_slices[joint.name]], where, scale
    return scale * q[mechanism.q_slices[joint.mimic.leader]] + joint.mimic.offset, where, scale


def _cross(a: Array) -> Array:
    """The matrix of the cross product with ``a``."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])
