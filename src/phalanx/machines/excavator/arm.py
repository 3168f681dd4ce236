"""Planar kinematics of an excavator's boom and stick: tip position, resolved-rate control."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import casadi as ca
import numpy as np
from casadi import SX

from phalanx.base.errors import InvalidInput
from phalanx.mechanism import Mechanism

# closer to straight or folded than this sine of the stick's angle, motion is slowed down
NEAR_SINGULAR = 0.15
SMALLEST_RADIUS = 0.5  # [m]; nearer to the swing's axis an arc is not followed


AT_LIMIT = 1e-6  # [rad]

Limits = tuple[Sequence[float], Sequence[float]]


@final
@dataclass(frozen=True)
class ExcavatorArm:
    """Boom and stick in the plane that the swing turns.

    Attributes:
        offset: Of the boom's hinge from the axis of the swing [m].
        height: Of the boom's hinge [m].
        boom: Hinge to hinge [m].
        stick: Hinge to the bucket's hinge [m].
    """

    offset: float = 1.4
    height: float = 1.0
    boom: float = 5.2
    stick: float = 1.8

    @staticmethod
    def of(mechanism: Mechanism) -> ExcavatorArm:
        """The lengths of a machine with joints as :func:`~phalanx.library.cat215b` has them.

        The boom stands a little beside the axis of the swing; that is left out.
        """
        boom, stick, bucket = (
            mechanism.joint(f"{name}_hinge").pose.translation
            for name in ("boom", "stick", "bucket")
        )
        return ExcavatorArm(
            offset=float(boom[0]),
            height=float(boom[2]),
            boom=float(np.hypot(*stick[:2])),
            stick=float(np.hypot(*bucket[:2])),
        )

    def tip(self, angles: Any) -> tuple[Any, Any]:
        """Radius and height of the stick's end [m] at angles of swing, boom, stick, bucket."""
        inner, outer = angles[1], angles[1] + angles[2]
        r = self.offset + self.boom * ca.cos(inner) + self.stick * ca.cos(outer)
        z = self.height + self.boom * ca.sin(inner) + self.stick * ca.sin(outer)
        return r, z

    def rates(self, angles: SX, wanted: SX, limits: Limits | None = None) -> SX:
        """Joint rates of swing, boom, stick and bucket [rad/s].

        Where the arm is nearly straight or folded, the solution is damped: joint rates stay
        bounded, and the tip moves slower than wanted or not at all. Where boom or stick would leave
        its limits, it stays, and the other comes as near to the wanted motion as it can alone.

        Args:
            angles: Of the four joints [rad].
            wanted: Speeds along the radius, the arc and upwards [m/s], and of the bucket against
                the ground [rad/s].
            limits: Lowest and highest angles of the four joints [rad]; none when not given.
        """
        along, arc, up, turn = ca.vertsplit(wanted)
        inner, outer = angles[1], angles[1] + angles[2]
        r, _ = self.tip(angles)
        a, b = self.boom, self.stick
        J = ca.blockcat(
            [
                [-a * ca.sin(inner) - b * ca.sin(outer), -b * ca.sin(outer)],
                [a * ca.cos(inner) + b * ca.cos(outer), b * ca.cos(outer)],
            ]
        )
        # J is singular with sin(stick) = 0; damping is zero, and the inverse exact, away from there
        missing = ca.fmax(0, 1 - (ca.sin(angles[2]) / NEAR_SINGULAR) ** 2)
        damping = (NEAR_SINGULAR * b * missing) ** 2
        A = J @ J.T + damping * SX.eye(2)
        determinant = A[0, 0] * A[1, 1] - A[0, 1] * A[1, 0]
        inverse = ca.blockcat([[A[1, 1], -A[0, 1]], [-A[1, 0], A[0, 0]]]) / determinant
        tip = ca.vertcat(along, up)
        boom, stick = ca.vertsplit(J.T @ (inverse @ tip))
        if limits is not None:
            boom_stays, stick_stays = (
                _blocked(angles, limits, k, x) for k, x in enumerate((boom, stick), 1)
            )
            boom_alone, stick_alone = (_alone(J[:, k], tip) for k in range(2))
            boom, stick = (
                ca.if_else(boom_stays, 0, ca.if_else(stick_stays, boom_alone, boom)),
                ca.if_else(stick_stays, 0, ca.if_else(boom_stays, stick_alone, stick)),
            )
        swing = arc / ca.fmax(r, SMALLEST_RADIUS)
        return ca.vertcat(swing, boom, stick, turn - boom - stick)

    def posture(
        self, radius: float, height: float, swing: float = 0.0, ground_angle: float = 0.0
    ) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Angles of the four joints [rad] at which the stick ends there, elbow up.

        Args:
            radius: Of the stick's end from the axis of the swing [m].
            height: Of the stick's end [m].
            swing: Angle of the swing [rad].
            ground_angle: Of the bucket against the horizontal [rad].

        Raises:
            InvalidInput: When it is out of reach.
        """
        x, z = radius - self.offset, height - self.height
        reach = float(np.hypot(x, z))
        if not abs(self.boom - self.stick) < reach < self.boom + self.stick:
            raise InvalidInput(
                f"the stick's end cannot be at radius {radius:g} m and height {height:g} m; it "
                f"reaches from {abs(self.boom - self.stick):g} to {self.boom + self.stick:g} m "
                "from the boom's hinge."
            )
        squares = self.boom**2 + self.stick**2
        fold = np.arccos((reach**2 - squares) / (2 * self.boom * self.stick))
        lift = np.arctan2(z, x)
        lift += np.arctan2(self.stick * np.sin(fold), self.boom + self.stick * np.cos(fold))
        return np.array([swing, lift, -fold, ground_angle - lift + fold])


def _blocked(angles: SX, limits: Limits, joint: int, rate: SX) -> SX:
    """Whether a joint stands at a limit and its rate would carry it further."""
    low, high = limits
    below = ca.logic_and(angles[joint] <= low[joint] + AT_LIMIT, rate < 0)
    above = ca.logic_and(angles[joint] >= high[joint] - AT_LIMIT, rate > 0)
    return ca.logic_or(below, above)


def _alone(column: SX, wanted: SX) -> SX:
    """The rate of one joint that comes nearest to a motion of the tip."""
    return ca.dot(column, wanted) / ca.fmax(ca.dot(column, column), 1e-6)
