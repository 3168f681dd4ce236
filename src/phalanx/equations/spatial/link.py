"""Link with mass properties about its centre of mass (Newton-Euler)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import casadi as ca
from casadi import SX

from phalanx.base.errors import InvalidModel
from phalanx.equations.spatial.mass import MassMoments
from phalanx.equations.spatial.vectors import without_rounding, zero

DIGITS = 15  # of the largest entry: beyond it stands what shifting moments left of given numbers


@dataclass(frozen=True)
class Link:
    """Mass properties about the centre of mass, in link axes.

    Attributes:
        m: Mass [kg].
        s: Centre of mass from the link's origin [m], shape (3,).
        I: Inertia tensor about the centre of mass [kg·m²], shape (3, 3).
    """

    m: SX
    s: SX
    I: SX

    @staticmethod
    def of(mass: MassMoments) -> Link:
        """From moments about the origin; a mass that stays open as a symbol must not be zero.

        Raises:
            InvalidModel: When there is a first moment without a mass, as after regrouping.
        """
        if mass.m.is_zero() and not mass.h.is_zero():
            raise InvalidModel(
                "a node has a first moment of mass but no mass, so no centre of mass; "
                "give the mechanism, or its model before regrouping."
            )
        if mass.m.is_zero():
            s, J = zero(), mass.J
        else:
            s = rounded(mass.h / mass.m)
            J = without_rounding(mass.J - mass.h @ mass.h.T / mass.m)
        return Link(mass.m, s, rounded(MassMoments(mass.m, s, J).inertia))

    @property
    def differences(self) -> SX:
        """D = (I_zz - I_yy, I_xx - I_zz, I_yy - I_xx), what a gyroscope feels of its inertia."""
        I = self.I
        return rounded(
            ca.vertcat(I[2, 2] - I[1, 1], I[0, 0] - I[2, 2], I[1, 1] - I[0, 0]),
            largest(ca.diag(I)),
        )

    @property
    def is_diagonal(self) -> bool:
        """Whether the axes are principal."""
        return all(self.I[i, j].is_zero() for i, j in ((0, 1), (0, 2), (1, 2)))


def largest(x: SX) -> float:
    """The largest size of a constant in ``x``."""
    return max((abs(float(x[k])) for k in range(x.numel()) if x[k].is_constant()), default=0.0)


def rounded(x: SX, against: float | None = None) -> SX:
    """``x`` with its constants to 15 decimal digits of the largest of them (or of ``against``).

    So that 0.0021 stays 0.0021 in generated code after it was moved to a joint and back, and a
    difference of equal moments is zero.
    """
    size = against if against is not None else largest(x)
    if size == 0.0:
        return x
    decimals = DIGITS - 1 - math.floor(math.log10(size))
    x = SX(ca.densify(x))
    for k in range(x.numel()):
        if x[k].is_constant():
            x[k] = round(float(x[k]), decimals)
    return x
