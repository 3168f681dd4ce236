"""Operation counts of friction in inverse dynamics, counted as the source does.

Multiplications (and divisions) and additions of the general algorithm, a joint at a time; roots,
sizes, signs and the lookup of a curve's piece are not counted there. Two counts stand beside the
printed one: the equations as the source writes them, every use of a value computed anew, and the
program of :mod:`phalanx.actuators` for given drives. ``count_operations`` of an expression of
``drive_torques`` has what a machine needs in all.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import casadi as ca
from casadi import SX

from phalanx.actuators.drive import Drive, Drives, check_drives
from phalanx.kernel import Operations, count_expanded, count_operations
from phalanx.mechanism import Mechanism, Prismatic
from phalanx.studies.dhanaraj.accounting import TableJoint, modified_steps


@final
@dataclass(frozen=True)
class Flops:
    """Multiplications (and divisions) and additions."""

    multiply: int = 0
    add: int = 0

    @staticmethod
    def of(operations: Operations) -> Flops:
        """Those of them that the source counts."""
        return Flops(operations.multiply + operations.divide, operations.add)

    @property
    def total(self) -> int:
        """Both."""
        return self.multiply + self.add

    def __add__(self, other: Flops) -> Flops:
        """Of two parts together."""
        return Flops(self.multiply + other.multiply, self.add + other.add)


@final
@dataclass(frozen=True)
class JointCost:
    """Operation counts of a joint: motion, bearing friction, transmission friction."""

    dynamics: Flops
    joint_friction: Flops
    transmission: Flops

    @property
    def friction(self) -> Flops:
        """What friction adds."""
        return self.joint_friction + self.transmission

    @property
    def total(self) -> Flops:
        """All of it."""
        return self.dynamics + self.friction


TABLE_3_3 = {
    ("revolute", "spline"): JointCost(Flops(92, 76), Flops(15, 5), Flops(5, 4)),
    ("revolute", "linear"): JointCost(Flops(92, 76), Flops(15, 5), Flops(2, 2)),
    ("prismatic", "spline"): JointCost(Flops(59, 54), Flops(10, 7), Flops(5, 4)),
    ("prismatic", "linear"): JointCost(Flops(59, 54), Flops(10, 7), Flops(2, 2)),
}
"""Table 3.3: what friction costs a joint, by its kind and the interpolation of the efficiency."""


def friction_cost(mechanism: Mechanism, drives: Drives) -> dict[str, JointCost]:
    """The count for each joint that moves, by name, taken from the program that computes it.

    Raises:
        UnknownName: When a drive's joint does not exist.
        InvalidInput: When a joint cannot have its drive.

    Reference:
        Dhanaraj (1990), table 3.3, with the modified Newton-Euler algorithm of table 2.9.
    """
    fitted = check_drives(mechanism, drives)
    costs = {}
    for joint in mechanism.moving_joints:
        slides = isinstance(joint.motion, Prismatic)
        kind = TableJoint.PRISMATIC if slides else TableJoint.REVOLUTE
        drive = fitted[joint.name][1] if joint.name in fitted else Drive()
        f, n, rate, direction, out = (SX.sym(name, k) for name, k in _SYMBOLS.items())
        rubs = drive.joint_friction(f, n, rate, direction)
        lost = drive.transmission_friction(out, direction)
        costs[joint.name] = JointCost(
            _dynamics(kind),
            _counted(count_operations, rubs, f, n, rate, direction),
            _counted(count_operations, lost, out, direction),
        )
    return costs


def table_3_3_as_written() -> dict[tuple[str, str], JointCost]:
    """Table 3.3 counted in the source's equations (tables 3.1, 3.2), without sharing anything.

    The prismatic joint's friction and the spline are as printed. A journal has 7 additions where 5
    are printed: four within the roots' brackets, one in each root, one between them. A line needs 3
    multiplications where 2 are printed, which is the spline's count less two: its load as a share
    of the rated one is left out.
    """
    f, n = SX.sym("f", 3), SX.sym("n", 3)
    mu, r, d = (SX.sym(name) for name in ("mu", "r", "d"))

    def bracket(k: int, sign: int) -> SX:
        return SX(0.5) * d * f[k] + sign * n[1 - k]  # each a computation of its own, as printed

    def root(sign: int) -> SX:
        x, y = (bracket(0, sign), bracket(1, sign))
        return ca.sqrt(x**2 + y**2)

    journal = mu * r / d * (root(-1) + root(1))
    faces = [ca.fabs(bracket(k, sign)) for sign in (-1, 1) for k in (0, 1)]
    slide = mu / d * (faces[0] + faces[1] + faces[2] + faces[3])
    out, rated, away = (SX.sym(name) for name in ("out", "rated", "away"))
    c = SX.sym("c", 4)
    share = ca.fabs(out) / rated
    share_is_known = SX.sym("share")
    cubic = ((c[3] * share_is_known + c[2]) * share_is_known + c[1]) * share_is_known + c[0]
    line = c[1] * share_is_known + c[0]
    symbols = (f, n, mu, r, d)

    def transmission(efficiency: SX) -> Flops:
        passed = out / efficiency + away
        lookup = _counted(count_expanded, share, out, rated)
        return lookup + _counted(count_expanded, passed, out, away, c, share_is_known)

    joints = {
        "revolute": (_dynamics(TableJoint.REVOLUTE), _counted(count_expanded, journal, *symbols)),
        "prismatic": (_dynamics(TableJoint.PRISMATIC), _counted(count_expanded, slide, *symbols)),
    }
    curves = {"spline": transmission(cubic), "linear": transmission(line)}
    return {
        (kind, name): JointCost(dynamics, friction, cost)
        for kind, (dynamics, friction) in joints.items()
        for name, cost in curves.items()
    }


_SYMBOLS = {"f": 3, "n": 3, "rate": 1, "direction": 1, "out": 1}


def _dynamics(kind: TableJoint) -> Flops:
    steps = modified_steps(kind).values()
    return sum((Flops.of(count_operations(step)) for step in steps), Flops())


def _counted(count: Callable[[ca.Function], Operations], result: SX, *symbols: SX) -> Flops:
    return Flops.of(count(ca.Function("part", list(symbols), [result])))
