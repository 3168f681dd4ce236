"""Evaluator: how the quantities of one machine are computed."""

from __future__ import annotations

from abc import ABC, abstractmethod

from phalanx.base.errors import InvalidInput
from phalanx.dynamics.quantities import QuantityEquation
from phalanx.equations.quantities.axes import Axes
from phalanx.kernel import Kernel, Operations


class Evaluator(ABC):
    """Makes the kernels of a machine's quantities; `.choice` says which one serves."""

    @property
    @abstractmethod
    def singular_joints(self) -> tuple[str, ...]:
        """Joints that make the mass matrix singular in every posture: () where M⁻¹ exists."""

    @abstractmethod
    def described(self) -> str:
        """The machine as text."""

    @abstractmethod
    def lacks(self, name: str, quantity: QuantityEquation) -> InvalidInput | None:
        """Why there is no code for a quantity; None where there is."""

    @abstractmethod
    def check_accelerations(self, quantity: QuantityEquation) -> None:
        """Raise InvalidModel where a quantity would have to invert a singular matrix."""

    @abstractmethod
    def kernel(
        self, name: str, quantity: QuantityEquation, frame: str | None, axes: Axes | None
    ) -> Kernel:
        """The kernel of a quantity, compiled anew."""

    @abstractmethod
    def operations(
        self, name: str, quantity: QuantityEquation, frame: str | None, axes: Axes | None
    ) -> Operations:
        """Arithmetic of one evaluation."""
