"""Closed-form loops of library machines: four-bar, slider-crank, planar 3-RRR.

Each function gives all joints of a machine of the library as a function of its independent ones,
on the branch on which the library puts it together, for `EliminatedLoops`.
"""

from __future__ import annotations

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.equations.loops.methods.closed_form import ClosedForm
from phalanx.mechanism.library.planar_3rrr import DISTAL, DRIVES, PLATFORM_AT_START, PROXIMAL
from phalanx.studies.khan.as_written import BASE, VERTICES, R


def four_bar(
    lengths: tuple[float, float, float, float] = (0.7, 0.2, 0.6, 0.5),
    *,
    angle: float = 0.0,
    crossed: bool = False,
) -> ClosedForm:
    """Crank, coupler and rocker of `library.four_bar` from the crank; arguments as there."""
    ground, crank, coupler, rocker = lengths

    def angles(turn: SX) -> SX:
        """Relative angle of the coupler and absolute one of the rocker."""
        knee = crank * _unit(turn)
        reach = SX([ground, 0.0]) - knee
        bend = _corner(coupler, ca.norm_2(reach), rocker)
        along = ca.atan2(reach[1], reach[0]) + (-bend if crossed else bend)
        pin = knee + coupler * _unit(along) - SX([ground, 0.0])
        return ca.vertcat(along - turn, ca.atan2(pin[1], pin[0]))

    def positions(z: SX) -> SX:
        return ca.vertcat(z, _wrapped(angles(z + angle) - _numbers(angles(SX(angle)))))

    return positions


def slider_crank(crank: float = 0.15, rod: float = 0.5, *, offset: float = 0.0) -> ClosedForm:
    """Crank, rod and slider of `library.slider_crank` from the crank; arguments as there."""
    slope = np.arcsin(offset / rod)

    def positions(z: SX) -> SX:
        rise = offset - crank * ca.sin(z)
        incline = ca.asin(rise / rod)
        reach = crank * ca.cos(z) + rod * ca.cos(incline)
        return ca.vertcat(z, incline - z - slope, reach - crank - rod * np.cos(slope))

    return positions


def planar_3rrr() -> ClosedForm:
    """Legs of `library.planar_3rrr` from the pose of its platform, (x, y, angle).

    From the angles of the motors there is no such form: the platform then is a root of a
    polynomial of degree six.
    """
    l1, l2 = PROXIMAL[0], DISTAL[0]
    vertices = VERTICES @ R(PLATFORM_AT_START[2]).T
    place = np.array(PLATFORM_AT_START[:2])

    def leg(i: int, z: SX) -> SX:
        """Absolute angle of the proximal link, and how far the distal one bends from it."""
        turn = ca.vertcat(
            ca.horzcat(ca.cos(z[2]), -ca.sin(z[2])), ca.horzcat(ca.sin(z[2]), ca.cos(z[2]))
        )
        reach = place + z[:2] + turn @ SX(vertices[i]) - BASE[i]
        first = ca.atan2(reach[1], reach[0]) + _corner(l1, ca.norm_2(reach), l2)
        rest = reach - l1 * _unit(first)
        return ca.vertcat(first, ca.atan2(rest[1], rest[0]) - first)

    def positions(z: SX) -> SX:
        bends = [
            _wrapped(leg(i, z) - ca.vertcat(DRIVES[i], _numbers(leg(i, SX.zeros(3)))[1]))
            for i in range(3)
        ]
        return ca.vertcat(*bends, z)

    return positions


def _unit(angle: SX) -> SX:
    return ca.vertcat(ca.cos(angle), ca.sin(angle))


def _corner(a: float, b: SX, opposite: float) -> SX:
    """The angle between two sides of a triangle, from the third."""
    return ca.acos((a**2 + b**2 - opposite**2) / (2 * a * b))


def _wrapped(angle: SX) -> SX:
    """Between -π and π."""
    return ca.atan2(ca.sin(angle), ca.cos(angle))


def _numbers(x: SX) -> SX:
    return SX(ca.evalf(x))
