"""Stopping criteria of iterations for constraint forces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from phalanx.base.arguments import check_fields
from phalanx.base.errors import InvalidInput
from phalanx.mechanism.pose import Array


@final
@dataclass(frozen=True)
class Stopping:
    """Tests that all have to be met, and the largest number of steps.

    The change of a step says little where an iteration is slow: with a spectral radius r, what is
    left is up to r / (1 - r) times as large. The residual measures the equations themselves, in
    a norm in which forces and moments do not mix.

    Attributes:
        change: Largest |f - f_before| / |f|, or None for any.
        residual: Largest |b - A f| / |b| in the norm of D⁻¹, or None for any.
        most: Largest number of steps; None leaves it to the iteration.

    Reference:
        Sharf and D'Eleuterio (1993), section 5: change <= a tenth of the integrator's tolerance.
    """

    change: float | None = 1e-7
    residual: float | None = None
    most: int | None = None

    def __post_init__(self) -> None:
        """Refuse tests that no iteration meets, or all do."""
        check_fields(self)
        if self.change is None and self.residual is None:
            raise InvalidInput("an iteration stops by change, by residual or both; none is given.")
        for name in ("change", "residual"):
            value = getattr(self, name)
            if value is not None and not 0 < value < 1:
                raise InvalidInput(f"{name} of Stopping is {value}; expected between 0 and 1.")
        if self.most is not None and self.most < 1:
            raise InvalidInput(f"most of Stopping is {self.most}; expected a positive number.")

    def met(self, change: Array, norm: Array, residual: Array, scale: Array) -> NDArray[np.bool_]:
        """Whether samples may stop, from |f - f_before|, |f|, |b - A f| and |b|.

        Written without quotients, so that f = 0 and b = 0 may stop.
        """
        result = np.ones(len(change), bool)
        if self.change is not None:
            result &= change <= self.change * norm
        if self.residual is not None:
            result &= residual <= self.residual * scale
        return result
