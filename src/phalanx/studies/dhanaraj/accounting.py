"""Operation counts of inverse dynamics of a general arm, as in the literature.

Two kinds of numbers. The steps of the Newton-Euler algorithms on dense symbols, as functions whose
operations can be counted: no entry of a rotation or a vector is 0 or 1, as for an arm about which
nothing is known. And counts that were published as polynomials of the number of joints.
"""

from __future__ import annotations

from enum import StrEnum

import casadi as ca
from casadi import SX

from phalanx.equations.inverse_dynamics.conventional import (
    angular_acceleration,
    joint_acceleration,
    origin_acceleration,
    point_acceleration,
)
from phalanx.equations.inverse_dynamics.conventional import (
    inertial_moment as conventional_inertial_moment,
)
from phalanx.equations.inverse_dynamics.modified import (
    carried_acceleration,
    centre_acceleration,
    inertial_moment,
    slid_acceleration,
    slid_matrix,
    turned_acceleration,
)
from phalanx.equations.inverse_dynamics.newton_euler import (
    angular_velocity,
    force_in_parent,
    inertial_force,
    joint_force,
    joint_moment,
    own_moment,
)
from phalanx.equations.spatial import (
    Rotation,
    Transform,
    acceleration_matrix,
    constant,
    vector,
    zero,
)
from phalanx.equations.spatial.link import Link
from phalanx.studies.polynomials import PublishedCount, polynomial

Steps = dict[str, ca.Function]

# any numbers: what is made of them beforehand costs nothing, what they multiply does
PRINCIPAL = constant([[0.13, 0, 0], [0, 0.52, 0], [0, 0, 0.71]])
FULL = constant([[0.13, 0.01, 0.02], [0.01, 0.52, 0.03], [0.02, 0.03, 0.71]])
QUARTER_TURN = constant([[1, 0, 0], [0, 0, -1], [0, 1, 0]])


class TableJoint(StrEnum):
    """The joints of the tables."""

    REVOLUTE = "revolute"
    PRISMATIC = "prismatic"


class LinkAttitude(StrEnum):
    """How a link is turned against the one before."""

    GENERAL = "general"  # a dense rotation matrix
    QUARTER = "quarter"  # by multiples of 90°, and by its joint if that turns


def modified_steps(
    joint: TableJoint = TableJoint.REVOLUTE, attitude: LinkAttitude = LinkAttitude.GENERAL
) -> Steps:
    """The steps of :func:`inverse_dynamics.modified` for one joint, with a principal inertia.

    Args:
        joint: Whether it turns or slides.
        attitude: The rotation between the links.

    Returns:
        Symbol of what a step computes, in the order of the table, to the function that does it.

    Reference:
        Dhanaraj (1990), tables 2.4 and 2.9, method I.
    """
    s = _Symbols(joint, attitude)
    link = Link(s.m, s.s, PRINCIPAL)
    turned = s.R.into_child(carried_acceleration(s.p, s.a_parent, s.L_parent))
    if joint == TableJoint.REVOLUTE:
        w = angular_velocity(s.R, s.w_parent, s.along_z)
        dw = turned_acceleration(s.R, s.dw_parent, s.w, s.rate, s.along_z)
        L, a = acceleration_matrix(s.w, s.dw), turned
    else:
        w, dw = s.R.into_child(s.w_parent), s.R.into_child(s.dw_parent)
        L = slid_matrix(s.R, s.L_parent)
        a = slid_acceleration(turned, s.w, vector(0, 0, s.rate), s.along_z)
    return _functions(
        {
            "w": w,
            "dw": dw,
            "lambda": L,
            "a": a,
            "a_c": centre_acceleration(s.a, s.L, s.s),
            "F": inertial_force(link, s.a_centre),
            "N": inertial_moment(link, s.dw, s.k, s.L),
            "f": joint_force(s.F, s.f_in_parent),
            "f'": force_in_parent(s.R, s.f),
            "n": joint_moment(s.X, own_moment(link, s.N, s.F), s.n, s.f_in_parent),
        }
    )


def conventional_steps(
    joint: TableJoint = TableJoint.REVOLUTE, attitude: LinkAttitude = LinkAttitude.GENERAL
) -> Steps:
    """The steps of :func:`inverse_dynamics.conventional` for one joint, with a full inertia.

    Cross products are general ones, as the source counts them: that with the joint's velocity
    does not use that it lies along z. Arguments and result are as for :func:`modified_steps`.

    Reference:
        Dhanaraj (1990), tables 2.3 and 2.9, method II.
    """
    s = _Symbols(joint, attitude)
    link = Link(s.m, s.s, FULL)
    w = angular_velocity(s.R, s.w_parent, s.along_z)
    a = origin_acceleration(s.X, s.a_parent, s.w_parent, s.dw_parent)
    if joint == TableJoint.REVOLUTE:
        dw = angular_acceleration(s.R, s.dw_parent, s.w_parent, s.joint_velocity, s.along_z)
    else:
        w, dw = s.R.into_child(s.w_parent), s.R.into_child(s.dw_parent)
        # the link turns as its parent, so that its own angular velocity is there already
        here = Rotation(SX.eye(3))
        a += joint_acceleration(here, s.w, zero(), s.joint_velocity, s.along_z)
    return _functions(
        {
            "w": w,
            "dw": dw,
            "a": a,
            "a_c": point_acceleration(s.a, s.w, s.dw, s.s),
            "F": inertial_force(link, s.a_centre),
            "N": conventional_inertial_moment(link, s.w, s.dw),
            "f": joint_force(s.F, force_in_parent(s.R, s.f)),
            "n": joint_moment(s.X, own_moment(link, s.N, s.F), s.n, s.f_in_parent),
        }
    )


class _Symbols:
    """What a step may read: every entry of every vector a symbol."""

    def __init__(self, joint: TableJoint, attitude: LinkAttitude) -> None:
        def three(name: str) -> SX:
            return SX.sym(name, 3)

        self.m, self.rate = SX.sym("m"), SX.sym("rate")
        self.s, self.p, self.k = three("s"), three("p"), three("k")
        self.w, self.dw, self.a, self.a_centre = map(three, ("w", "dw", "a", "a_centre"))
        self.w_parent, self.dw_parent, self.a_parent = map(three, ("wp", "dwp", "ap"))
        self.L, self.L_parent = SX.sym("L", 3, 3), SX.sym("Lp", 3, 3)
        self.F, self.N, self.f, self.n, self.f_in_parent = map(three, ("F", "N", "f", "n", "fp"))
        self.along_z = vector(0, 0, SX.sym("z"))
        self.joint_velocity = three("joint_velocity")
        turn = (SX.sym("c"), SX.sym("s")) if joint == TableJoint.REVOLUTE else None
        if attitude == LinkAttitude.GENERAL:
            self.R = Rotation(SX.sym("R", 3, 3))
        else:
            self.R = Rotation(QUARTER_TURN, turn)
        self.X = Transform(self.R, self.p)


def _functions(results: dict[str, SX]) -> Steps:
    """Each result as a function of the symbols in it."""
    return {
        name: ca.Function("step", [ca.vertcat(*ca.symvar(ca.densify(y)))], [y])
        for name, y in results.items()
    }


# Dhanaraj (1990), table 1.1, by the name of the method here. The table prints 66 271
# multiplications for the closed form of six joints; its polynomial gives 67 143.
PUBLISHED = {
    "closed_form": PublishedCount(
        "Uicker, Kahn",
        polynomial(-128, "160/3", "685/4", "1037/12", "65/2"),
        polynomial(-96, "127/3", "259/2", "199/3", 25),
    ),
    "recursive_4x4": PublishedCount(
        "Hollerbach, 4×4", polynomial(-592, 830), polynomial(-464, 675)
    ),
    "recursive_3x3": PublishedCount(
        "Hollerbach, 3×3", polynomial(-277, 412), polynomial(-201, 320)
    ),
    "conventional": PublishedCount("Newton-Euler", polynomial(-48, 150), polynomial(-48, 131)),
}
