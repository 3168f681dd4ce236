"""Repeated operations of mesh nodes, each traced once when tasks are written."""

from __future__ import annotations

from collections.abc import Callable

import casadi as ca
from casadi import SX


def _pattern(name: str, size: int, of: Callable[[SX], SX]) -> ca.Function:
    x = SX.sym("x", size)
    return ca.Function(name, [x], [of(x)])


CROSS = _pattern("cross", 6, lambda x: ca.cross(x[:3], x[3:]))
"""a x b."""

PRODUCT = _pattern("product", 12, lambda x: ca.dot(x[:6], x[6:]))
"""a · b of six numbers each."""

PRODUCT_3 = _pattern("product_3", 6, lambda x: ca.dot(x[:3], x[3:]))
"""a · b of three numbers each."""

SUM = _pattern("sum", 2, lambda x: x[0] + x[1])
"""a + b."""

QUOTIENT = _pattern("quotient", 2, lambda x: x[0] / x[1])
"""y / x."""

CELL = _pattern("cell", 3, lambda x: x[0] - x[1] * x[2])
"""y - quotient x."""

INERTIA = _pattern("inertia", 12, lambda x: ca.reshape(x[:9], 3, 3) @ x[9:])
"""J c."""

MOMENTUM = _pattern(
    "momentum",
    7,
    lambda x: ca.vertcat(ca.cross(x[:3], x[3:6]), x[6] * ca.cross(x[:3], x[3:6])),
)
"""rho x c and m rho x c."""
