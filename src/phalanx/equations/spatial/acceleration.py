"""Acceleration of a body, in the form that needs fewest operations.

The angular velocity w, the matrix L = [dw]x + [w]x[w]x, so that the point at r accelerates by
``a + L r``, and the acceleration a of the body's origin. With mass properties as moments of mass
the wrench that a body needs is linear in L and a, and no linear velocity is ever formed.
"""

from __future__ import annotations

from dataclasses import dataclass

import casadi as ca
from casadi import SX

from phalanx.base.cached import cached_property


@dataclass(frozen=True, eq=False)
class Acceleration:
    """Acceleration of a body, in its own axes.

    Attributes:
        w: Angular velocity [rad/s].
        dw: Angular acceleration [rad/s²].
        a: Acceleration of the origin [m/s²].
    """

    w: SX
    dw: SX
    a: SX

    @cached_property
    def L(self) -> SX:
        """[dw]x + [w]x[w]x, shape (3, 3)."""
        return acceleration_matrix(self.w, self.dw)

    def at(self, r: SX) -> SX:
        """Acceleration of the point at r."""
        return self.a + self.L @ r


def acceleration_matrix(w: SX, dw: SX) -> SX:
    """L = [dw]x + [w]x[w]x in 6 multiplications and 9 additions."""
    x, y, z = w[0], w[1], w[2]
    xx, yy, zz = x * x, y * y, z * z
    xy, yz, zx = x * y, y * z, z * x
    return ca.vertcat(
        ca.horzcat(-(yy + zz), xy - dw[2], zx + dw[1]),
        ca.horzcat(xy + dw[2], -(zz + xx), yz - dw[0]),
        ca.horzcat(zx - dw[1], yz + dw[0], -(xx + yy)),
    )
