"""Systolic solver methods, as values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import final

from phalanx.base.errors import UnknownName
from phalanx.hardware.solvers.faddeev import faddeev as _faddeev
from phalanx.hardware.solvers.fed_array import Array, FedArray
from phalanx.hardware.solvers.feed_forward import feed_forward
from phalanx.hardware.solvers.hyperbolic import hyperbolic_cholesky
from phalanx.hardware.solvers.row_operations import (
    LINEAR,
    ORTHOGONAL,
    PAIRWISE,
)
from phalanx.hardware.solvers.substitution import (
    factor_and_substitute as _factor_and_substitute,
)


@final
@dataclass(frozen=True)
class SystolicMethod:
    """A way to solve a system on an array.

    Attributes:
        name: By which it is found.
        title: Display name.
        lay: From matrices and right-hand sides to the array that is fed with them.
        needs_positive: Whether matrices have to be symmetric and positive definite.
        swaps: Whether it finds large pivots by itself; the others need non-zero ones in order.
    """

    name: str
    title: str
    lay: Callable[[str, Array, Array], FedArray] = field(repr=False, compare=False)
    needs_positive: bool = False
    swaps: bool = False


feed_forward_lu = SystolicMethod("lu", "feed-forward LU", partial(feed_forward, LINEAR))
"""Feed-forward elimination without pivots."""
feed_forward_pivoting = SystolicMethod(
    "pivoting", "feed-forward LU, neighbours swap", partial(feed_forward, PAIRWISE), swaps=True
)
"""Feed-forward elimination in which neighbouring rows may swap."""
feed_forward_qr = SystolicMethod(
    "qr", "feed-forward QR", partial(feed_forward, ORTHOGONAL), swaps=True
)
"""Feed-forward elimination by rotations."""
feed_forward_cholesky = SystolicMethod(
    "cholesky", "feed-forward Cholesky", hyperbolic_cholesky, needs_positive=True
)
"""Feed-forward elimination of positive definite systems, by hyperbolic rotations."""
factor_and_substitute = SystolicMethod(
    "substitution", "factor and substitute", _factor_and_substitute
)
"""Factors on one array, then substitution on a second."""
faddeev = SystolicMethod("faddeev", "Faddeev", _faddeev, swaps=True)
"""Faddeev's array, which finds C A⁻¹ B + D in one pass."""

METHODS = {
    method.name: method
    for method in (
        feed_forward_lu,
        feed_forward_pivoting,
        feed_forward_qr,
        feed_forward_cholesky,
        factor_and_substitute,
        faddeev,
    )
}


def systolic_method_by_name(name: str) -> SystolicMethod:
    """A method by its name.

    Raises:
        UnknownName: There is none.
    """
    if name not in METHODS:
        raise UnknownName("a systolic solver", "method", name, METHODS)
    return METHODS[name]
