"""Whether a machine has an equation for every acceleration: its mass matrix, in numbers.

Joint forces follow from accelerations whatever the masses are. Accelerations follow from forces
only where the mass matrix can be inverted. Whether it can may depend on the posture, or be decided
by the data: a point mass on the axis it turns about, two hinges on one axis with nothing between
them, a root without mass that carries one hinge. The second kind is found here, before anything
is computed with it.

Policy: joints are looked at from the tips to the root, each with all beyond it free to move. What
inertia it then has of its own is compared with what it would have if everything it carries stood
as far out as it can reach. Where every joint moves a body that has inertia along its freedoms, no
posture is singular and none is tried; else a few random ones are, and a joint must be without
inertia in all of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from phalanx.errors import InvalidModel
from phalanx.mechanism.body import Body
from phalanx.mechanism.joint import Joint
from phalanx.mechanism.mechanism import Mechanism
from phalanx.mechanism.motion import joint_axes, joint_pose
from phalanx.mechanism.pose import Array

# Of the inertia a joint could have: less is what rounding leaves of zero after some operations.
NO_INERTIA_LEFT = 1e-14
# Random postures in which a machine must be singular to be called so by its data.
POSTURES = 4
# Freedoms up to which postures are tried: a dense matrix each. Longer chains are judged by bodies.
MOST_FREEDOMS = 1000
# How far random postures slide at most [m or rad].
FARTHEST_SLIDE = np.pi


def check_invertible(mechanism: Mechanism) -> None:
    """Raise InvalidModel when the mass matrix is singular in every posture, naming joints."""
    lacking = joints_without_inertia(mechanism)
    if lacking:
        raise InvalidModel(
            f"the mass matrix of mechanism '{mechanism.name}' is {singular(lacking)}. Forces do "
            "not determine its accelerations: give the bodies there mass and moments of inertia, "
            "give a joint a rotor inertia, or make it fixed. Kinematics and inverse dynamics need "
            "none of this."
        )


def singular(joints: Sequence[str]) -> str:
    """In words, what joints without inertia do to a mass matrix."""
    named = ", ".join(f"'{name}'" for name in joints)
    subject = f"joint {named} moves" if len(joints) == 1 else f"joints {named} move"
    return (
        f"singular in every posture: {subject} no inertia but what joints further out could move "
        "as well"
    )


def joints_without_inertia(mechanism: Mechanism) -> tuple[str, ...]:
    """Joints that make the mass matrix singular in every posture, root first."""
    most = _most_inertia(mechanism)
    if mechanism.nv > MOST_FREEDOMS or _each_moves_inertia(mechanism, most):
        return ()
    always = set(range(mechanism.nv))
    first: set[int] = set()
    for q in mechanism.random_positions(POSTURES, seed=0):
        lacking = _without_pivot(mass_matrix(mechanism, q), most)
        if not lacking:
            return ()
        always &= lacking
        first = first or lacking
    # where each posture has another joint that lacks inertia, those of the first stand for all
    found = always or first
    return tuple(
        joint.name
        for joint in mechanism.moving_joints
        if found & set(range(mechanism.nv)[mechanism.v_slices[joint.name]])
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
    mass = np.array([body.mass for body in mechanism.bodies])
    moments = np.array([np.abs(body.inertia).max() for body in mechanism.bodies])
    # the longest way from a body's frame to a centre of mass beyond it
    far = np.array([np.linalg.norm(body.com) for body in mechanism.bodies])
    most = mechanism.per_freedom("reflected_inertia").copy()
    for i in reversed(range(1, len(mechanism.bodies))):
        parent, joint = mechanism.parents[i], mechanism.joints[i - 1]
        turns, slides = _turns_and_slides(joint)
        if joint.motion.nv:
            _, where, scale = _own_positions(mechanism, joint, mechanism.neutral())
            most[where] += scale**2 * np.where(turns, mass[i] * far[i] ** 2 + moments[i], mass[i])
        mass[parent] += mass[i]
        moments[parent] += moments[i]
        way = np.linalg.norm(joint.pose.translation) + (FARTHEST_SLIDE if slides.any() else 0.0)
        far[parent] = max(far[parent], way + far[i])
    return most


def _each_moves_inertia(mechanism: Mechanism, most: Array) -> bool:
    """Whether every joint, mimics too, moves a body that has inertia along all its freedoms.

    Then no posture is singular: without kinetic energy the first body from the root stands still,
    and with it its joint, and so on outwards.
    """
    for k, joint in enumerate(mechanism.joints):
        if not joint.motion.nv:
            continue
        _, where, scale = _own_positions(mechanism, joint, mechanism.neutral())
        own = _own_inertia(joint, mechanism.bodies[k + 1]) + joint.reflected_inertia
        if not (scale**2 * own > NO_INERTIA_LEFT * most[where]).all():
            return False
    return True


def _own_inertia(joint: Joint, body: Body) -> Array:
    """The inertia of a joint's child by itself along each freedom, or less; shape (nv,)."""
    turns, _ = _turns_and_slides(joint)
    I = (body.inertia + body.inertia.T) / 2
    if joint.motion.nv == 1 and turns.all():
        axis = joint_axes(joint.motion, joint.motion.neutral())[0][:, 0]
        lever = np.cross(axis, body.com)
        return np.array([axis @ I @ axis + body.mass * lever @ lever])
    least = np.linalg.eigvalsh(I)[0] if turns.any() else 0.0
    return np.where(turns, least, body.mass)


def _turns_and_slides(joint: Joint) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which freedoms of a joint turn, and which slide."""
    turn, slide = joint_axes(joint.motion, joint.motion.neutral())
    return np.any(turn, axis=0), np.any(slide, axis=0)


def _without_pivot(M: Array, most: Array) -> set[int]:
    """Freedoms without inertia of their own, eliminating from the last freedom to the first."""
    M = M.copy()
    lacking = set()
    for k in reversed(range(len(M))):
        pivot = M[k, k]
        if not abs(pivot) > NO_INERTIA_LEFT * most[k]:
            lacking.add(k)
            continue
        column = M[:k, k] / pivot
        M[:k, :k] -= np.outer(column, M[k, :k])
    return lacking


def _own_positions(mechanism: Mechanism, joint: Joint, q: Array) -> tuple[Array, slice, float]:
    """A joint's position, where its velocities are, and by how much they count."""
    if not joint.motion.nv:
        return np.zeros(0), slice(0, 0), 1.0
    if joint.mimic is None:
        return q[mechanism.q_slices[joint.name]], mechanism.v_slices[joint.name], 1.0
    leader = joint.mimic.leader
    x = joint.mimic.multiplier * q[mechanism.q_slices[leader]] + joint.mimic.offset
    return x, mechanism.v_slices[leader], joint.mimic.multiplier


def _cross(a: Array) -> Array:
    """The matrix of the cross product with ``a``."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])
