"""Position of an arm with waist, shoulder and elbow, and its inverse: the first joints of a PUMA.

Closed forms over numbers and symbols alike. Waist turns about z; shoulder and elbow about a
parallel axis, beside it by ``offset``. At zero the upper arm points along x and the forearm along
-z.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import casadi as ca
import numpy as np
from casadi import DM, SX
from numpy.typing import ArrayLike, NDArray

from phalanx.base.errors import InvalidInput

Array = NDArray[np.float64]


@final
@dataclass(frozen=True)
class ElbowArm:
    """Lengths of the arm [m].

    Attributes:
        upper_arm: Shoulder to elbow.
        forearm: Elbow to wrist; negative where it points along +z at zero.
        offset: Of the wrist from the plane through the waist axis.
        height: Of the shoulder above the origin.

    Reference:
        Dhanaraj (1990), program D.1.3, where the lengths are 17, 17, 5 and 0 inches.
    """

    upper_arm: float = 0.4318
    forearm: float = 0.4318
    offset: float = 0.1270
    height: float = 0.0

    def position(self, q: Any) -> Any:
        """Wrist position [m] at joint angles [rad], shape (3,)."""
        c1, s1 = ca.cos(q[0]), ca.sin(q[0])
        reach = self.upper_arm * ca.cos(q[1]) - self.forearm * ca.sin(q[1] + q[2])
        drop = self.upper_arm * ca.sin(q[1]) + self.forearm * ca.cos(q[1] + q[2])
        return ca.vertcat(
            c1 * reach - s1 * self.offset, s1 * reach + c1 * self.offset, self.height - drop
        )

    def joints(self, p: Any, shoulder: int = 1, elbow: int = 1) -> Any:
        """Joint angles [rad] that put the wrist at ``p`` [m]; not a number where it cannot be.

        Args:
            p: Position, shape (3,).
            shoulder: 1 or -1: which of two waist angles.
            elbow: 1 or -1: the sign of the elbow's cosine.
        """
        x, y, z = p[0], p[1], p[2] - self.height
        across = ca.sqrt(x**2 + y**2 - self.offset**2)
        q1 = ca.atan2(-x, y) + ca.atan2(shoulder * across, self.offset)
        e, f, g = self.upper_arm, self.forearm, self.offset
        s3 = (e**2 + f**2 + g**2 - x**2 - y**2 - z**2) / (2 * e * f)
        c3 = elbow * ca.sqrt(1 - s3**2)
        q3 = ca.atan2(s3, c3)
        reach = x * ca.cos(q1) + y * ca.sin(q1)
        along, up = e - f * s3, f * c3
        q2 = ca.atan2(-reach * up - z * along, reach * along - z * up)
        return ca.vertcat(q1, q2, q3)

    def rates(self, q: Any, dp: Any, ddp: Any) -> tuple[Any, Any]:
        """Joint rates and accelerations of a wrist that moves with ``dp`` and ``ddp``.

        v = J⁻¹ dp and a = J⁻¹ (ddp - dJ/dt v); not numbers where the arm is stretched.
        """
        angles, v = SX.sym("q", 3), SX.sym("v", 3)
        J = ca.jacobian(self.position(angles), angles)
        bias = ca.jtimes(J @ v, angles, v)
        derivatives = ca.Function("derivatives", [angles, v], [J, bias])
        J, _ = derivatives(q, DM.zeros(3))
        inverse = ca.inv(J)
        rate = inverse @ dp
        return rate, inverse @ (ddp - derivatives(q, rate)[1])

    def follow(self, points: ArrayLike, shoulder: int = 1, elbow: int = 1) -> Array:
        """Joint angles along a path, shape (T, 3): on one branch, without jumps.

        The first point is taken on the branch given, every further one on the branch and turn
        nearest to the point before.

        Raises:
            InvalidInput: When a point is out of reach.
        """
        path = np.asarray(points, dtype=np.float64)
        if path.ndim != 2 or path.shape[1] != 3:
            raise InvalidInput(f"a path has shape (T, 3), got {path.shape}.")
        branches = [(shoulder, elbow), (shoulder, -elbow), (-shoulder, elbow), (-shoulder, -elbow)]
        way: list[Array] = []
        for k, p in enumerate(path):
            found = [np.array(self.joints(DM(p), s, e)).ravel() for s, e in branches]
            if not np.isfinite(found[0]).all():
                raise InvalidInput(f"point {k} of the path, {p.tolist()} m, is out of reach.")
            if not way:
                way.append(found[0])
                continue
            before = way[-1]
            turned = [before + np.remainder(q - before + np.pi, 2 * np.pi) - np.pi for q in found]
            way.append(min(turned, key=lambda q: float(np.abs(q - before).max())))
        return np.array(way)
