"""Inverse dynamics as the thesis's generated programs have it, with the errors of their generator.

For who compares with the printed listings (appendix D.3): the modified Newton-Euler algorithm on
the arm's own frames, with any of three errors. Without errors it is inverse dynamics.
"""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.base.errors import InvalidInput, InvalidModel
from phalanx.equations.inverse_dynamics.modified import (
    carried_acceleration,
    centre_acceleration,
    inertial_moment,
    slid_acceleration,
    slid_matrix,
    turned_acceleration,
    velocity_products,
)
from phalanx.equations.inverse_dynamics.newton_euler import (
    angular_velocity,
    force_in_parent,
    inertial_force,
    joint_force,
    joint_moment,
    own_moment,
)
from phalanx.equations.model_of import model_of
from phalanx.equations.spatial import (
    Rotation,
    Transform,
    Wrench,
    acceleration_matrix,
    constant,
    vector,
)
from phalanx.equations.spatial.link import Link
from phalanx.equations.tree.model import Model
from phalanx.mechanism import Continuous, Joint, Mechanism, Prismatic, Revolute


class Defect(StrEnum):
    """An error that all printed programs share."""

    SHOULDER = "shoulder"  # lambda_1 is diag(0, 0, q'² - q''): the shoulder offset is carried along
    SLIDE = "slide"  # lambda passes a prismatic joint as R lambda Rᵀ
    OFFSET = "offset"  # what a joint slides shifts the next link instead of its own


ALL_DEFECTS = frozenset(Defect)
"""Every defect of the printed listings."""


def as_listed(
    mechanism: Mechanism | Model,
    q: SX,
    v: SX,
    a: SX,
    *,
    defects: Collection[Defect | str] = ALL_DEFECTS,
) -> SX:
    """Joint forces as the printed programs compute them.

    Args:
        mechanism: A serial arm whose joints turn about or slide along their z, without rotors.
        q: Joint positions [rad or m], shape (n,).
        v: Joint velocities [rad/s or m/s], shape (n,).
        a: Joint accelerations [rad/s² or m/s²], shape (n,).
        defects: Which of the programs' errors to make; none gives inverse dynamics.

    Returns:
        Joint forces [N·m or N], shape (n,).

    Raises:
        InvalidModel: When the machine is no such arm.
        InvalidInput: When there is no such defect.

    Reference:
        Dhanaraj (1990), table 2.4 and programs D.2, D.3.
    """
    made = frozenset(_defect(name) for name in defects)
    arm = model_of(mechanism).mechanism
    joints = _chain(arm)
    R, p = _placed(joints, q, late_offset=Defect.OFFSET in made)
    bodies = [arm.body(joint.child) for joint in joints]
    links = [Link(SX(b.mass), constant(b.com), constant(b.inertia)) for b in bodies]

    # outward: angular motion, lambda and the acceleration of each link, then what it needs itself
    w = dw = SX.zeros(3, 1)
    L, origin = SX.zeros(3, 3), constant(-arm.gravity)
    own = []
    for i, (joint, link) in enumerate(zip(joints, links, strict=True)):
        origin = R[i].into_child(carried_acceleration(p[i], origin, L))
        if isinstance(joint.motion, Prismatic):
            w, dw = R[i].into_child(w), R[i].into_child(dw)
            turned_back = R[i].into_parent(R[i].into_parent(L).T).T
            L = turned_back if Defect.SLIDE in made else slid_matrix(R[i], L)
            origin = slid_acceleration(origin, w, vector(0, 0, v[i]), vector(0, 0, a[i]))
        else:
            w = angular_velocity(R[i], w, vector(0, 0, v[i]))
            dw = turned_acceleration(R[i], dw, w, v[i], vector(0, 0, a[i]))
            L = acceleration_matrix(w, dw)
        if i == 0 and Defect.SHOULDER in made:
            L = ca.diag(vector(0, 0, v[0] ** 2 - a[0]))
        F = inertial_force(link, centre_acceleration(origin, L, link.s))
        N = inertial_moment(link, dw, velocity_products(w), L)
        own.append(Wrench(own_moment(link, N, F), F))

    # inward: a joint carries its own link and every link beyond it
    carried = [own[-1]]
    for i in range(len(own) - 1, 0, -1):
        before, child = own[i - 1], carried[0]
        f = force_in_parent(R[i], child.force)
        n = joint_moment(Transform(R[i], p[i]), before.moment, child.moment, f)
        carried.insert(0, Wrench(n, joint_force(before.force, f)))
    return ca.vertcat(
        *(
            F.force[2] if isinstance(joint.motion, Prismatic) else F.moment[2]
            for joint, F in zip(joints, carried, strict=True)
        )
    )


as_listed.outputs = ["tau"]  # type: ignore[attr-defined]


def _defect(name: Defect | str) -> Defect:
    if name not in list(Defect):
        raise InvalidInput(f"no defect {name!r}; the programs have {', '.join(Defect)}.")
    return Defect(name)


def _chain(arm: Mechanism) -> list[Joint]:
    """The joints from the base out."""
    joints = list(arm.moving_joints)
    where = arm.bodies[0].name
    for joint in joints:
        along_z = isinstance(joint.motion, Revolute | Continuous | Prismatic) and (
            joint.motion.axis[2] == 1.0
        )
        rotor = bool(np.any(joint.rotor_inertia))
        if joint.parent != where or not along_z or joint.mimic is not None or rotor:
            raise InvalidModel(
                f"'{arm.name}' is no arm of the listings: joint '{joint.name}' has to follow "
                f"'{where}', turn about or slide along its z, and have no rotor."
            )
        where = joint.child
    if len(joints) != len(arm.joints) or arm.loops:
        what = "closed loops" if arm.loops else "joints that do not move by themselves"
        raise InvalidModel(f"'{arm.name}' is no arm of the listings: it has {what}.")
    return joints


def _placed(joints: list[Joint], q: SX, *, late_offset: bool) -> tuple[list[Rotation], list[SX]]:
    """Rotation of each link in the one before, and where its origin stands there."""
    R, p, waiting = [], [], SX(0)
    for joint, x in zip(joints, ca.vertsplit(q), strict=True):
        tilt = constant(joint.pose.rotation)
        offset, waiting = waiting, SX(0)
        turn = None
        if not isinstance(joint.motion, Prismatic):
            turn = (ca.cos(x), ca.sin(x))
        elif late_offset:
            waiting = x
        else:
            offset = offset + x
        R.append(Rotation(tilt, turn))
        p.append(constant(joint.pose.translation) + tilt @ vector(0, 0, offset))
    return R, p
