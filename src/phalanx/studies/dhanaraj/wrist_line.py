"""Straight-line motion of the wrist, as in the source."""

from __future__ import annotations

from typing import Any

import numpy as np
from casadi import DM
from numpy.typing import ArrayLike

from phalanx.base.arguments import checked, finite_numbers
from phalanx.planning.motions import Trajectory, quintic
from phalanx.studies.dhanaraj.elbow_arm import ElbowArm


@checked
def straight_line(
    period: float,
    start: ArrayLike,
    end: ArrayLike,
    arm: ElbowArm | None = None,
    shoulder: int = 1,
    elbow: int = 1,
) -> Trajectory:
    """Joint motion of an elbow arm whose wrist goes straight from one point to another.

    Args:
        period: Duration of the motion [s].
        start: Wrist position at its begin [m], shape (3,).
        end: Wrist position at its end.
        arm: Its lengths; a PUMA's by default.
        shoulder: Branch of the waist angle, 1 or -1.
        elbow: Branch of the elbow angle, 1 or -1.

    Raises:
        InvalidInput: When the line leaves the reach of the arm.
    """
    arm = arm or ElbowArm()
    p0, p1 = finite_numbers("start", start, (3,)), finite_numbers("end", end, (3,))
    shares = np.linspace(0, 1, 101)[:, None]
    arm.follow(p0 + shares * (p1 - p0), shoulder, elbow)
    begin, way = DM(p0), DM(p1 - p0)

    def function(t: Any) -> tuple[Any, Any, Any]:
        s, ds, dds = quintic(period, t)
        q = arm.joints(begin + way * s, shoulder, elbow)
        return (q, *arm.rates(q, way * ds, way * dds))

    return Trajectory(function)
