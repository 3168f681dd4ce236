"""Named intermediate scalars of an equation, for generated code and inspection.

An equation that knows names takes a keyword ``names`` and records every intermediate in the order
of computation; ``expression(..., named=True)`` hands them on as outputs of the function, one scalar
each, after the equation's own. They serve readable generated code, a look at
values inside a method, and tasks for several processors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from casadi import SX

from phalanx.base.errors import InvalidInput

AXES = ("X", "Y", "Z")


@dataclass
class Names:
    """Intermediate scalars by name, in the order in which they were recorded."""

    values: dict[str, SX] = field(default_factory=dict)

    def scalar(self, name: str, value: SX) -> None:
        """Record one value.

        Raises:
            InvalidInput: When the name is taken.
        """
        if name in self.values:
            raise InvalidInput(f"an intermediate '{name}' is already there; choose another name.")
        self.values[name] = value

    def vector(self, name: str, number: int, value: SX, axes: Sequence[str] = AXES) -> None:
        """Record the components of a vector of link ``number``: ``AV3X``, ``AV3Y``, ``AV3Z``."""
        for k, axis in enumerate(axes):
            self.scalar(f"{name}{number}{axis}", value[k])
