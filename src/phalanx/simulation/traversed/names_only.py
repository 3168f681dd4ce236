"""Placeholder model of a machine that is too long for unrolled equations."""

from __future__ import annotations

from typing import Any, NoReturn, final

from casadi import DM, SX

from phalanx.base.errors import InvalidInput
from phalanx.mechanism import Mechanism


class NeedsEquations(InvalidInput):
    """A law or subsystem that asks for the equations of a whole machine."""


@final
class NamesOnly:
    """A model that knows the machine, its sizes and its gravity, and has no equations.

    Laws of positions, velocities and time need no more. A request for the tree of nodes raises why
    there is none.
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism

    @property
    def nv(self) -> int:
        """Degrees of freedom."""
        return self.mechanism.nv

    @property
    def gravity(self) -> SX:
        """Acceleration of free fall in the root frame."""
        return SX(DM(self.mechanism.gravity))

    @property
    def has_mimics(self) -> bool:
        """Whether some coordinate moves several nodes: not in a long machine."""
        return False

    def __getattr__(self, name: str) -> NoReturn:
        """Say why there is no such thing."""
        if name.startswith("__"):
            raise AttributeError(name)
        raise NeedsEquations(
            f"control or a subsystem asks for '{name}' of the model of '{self.mechanism.name}': "
            f"equations of a machine with {self.mechanism.nv} freedoms are not written out. Use a "
            "law of positions, velocities and time (proportional_derivative, a Law that leaves the "
            "model alone), or a Python control, which may ask px.Dynamics for arrays."
        )


def names_only(mechanism: Mechanism) -> Any:
    """Return the placeholder in the place of a model."""
    return NamesOnly(mechanism)
