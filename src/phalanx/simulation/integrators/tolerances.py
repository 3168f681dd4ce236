"""Error tolerances of adaptive integrators."""

from __future__ import annotations

import math
from dataclasses import dataclass

from phalanx.base.arguments import check_fields
from phalanx.base.errors import InvalidInput


@dataclass(frozen=True)
class ErrorControlled:
    """A method that chooses its own step to keep the error below tolerances.

    Attributes:
        relative: Relative tolerance.
        absolute: Absolute tolerance [rad, m and their rates].
    """

    relative: float = 1e-9
    absolute: float = 1e-9

    def __post_init__(self) -> None:
        check_fields(self)
        if not (0 < self.relative < math.inf and 0 < self.absolute < math.inf):
            raise InvalidInput(
                f"tolerances must be positive numbers, got {self.relative} and {self.absolute}."
            )
