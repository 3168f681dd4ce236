"""What a Dynamics is, whatever it has compiled: its machine, and what was asked for."""

from __future__ import annotations

from typing import Any

from phalanx.dynamics.compiled import CompiledQuantities
from phalanx.mechanism import Mechanism


class ByDescription(CompiledQuantities):
    """Compared and pickled by machine and options, never by machine code."""

    @property
    def options(self) -> dict[str, Any]:
        """What was asked for: with these and its machine, another object like this one is made."""
        return {
            "inverse": self.inverse,
            "forward": self._asked_forward,
            "mass_matrix": self._inertia,
            "parameters": self.parameters,
            "wrenches": self.wrenches,
            "moving_base": self.moving_base,
            "actuated": self.actuated,
            "independent": self.independent,
            "threads": self.threads,
            "dtype": self.dtype,
            "cache": self._cache,
        }

    def __reduce__(self) -> tuple[Any, ...]:
        """A pickle has the description, and machine code is made or found again where it is read.

        Functions that were given (``inverse=``) go by reference, as pickle does it.
        """
        return _made, (type(self), self.mechanism, self.options)

    def __eq__(self, other: object) -> bool:
        """Whether machine and options are equal; what is compiled so far does not count."""
        if not isinstance(other, ByDescription):
            return NotImplemented
        return self.mechanism == other.mechanism and self.options == other.options

    def __hash__(self) -> int:
        """Equal for equal ones."""
        return hash((self.mechanism, *self.options.values()))


def _made(kind: type[ByDescription], mechanism: Mechanism, options: dict[str, Any]) -> Any:
    """An object from its description."""
    return kind(mechanism, **options)
