"""Subsystems: parts with states of their own (hydraulics, ground, control memory).

Their states are integrated together with the machine's, by the same method and in the same compiled
step. A subsystem is a value over symbols; the machine's state stays (q, v), and every subsystem
adds its quantities, each with a name, a unit and labels, which recordings keep.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import final

import numpy as np
from casadi import SX
from numpy.typing import ArrayLike, NDArray

from phalanx.base.arguments import check_fields
from phalanx.base.short_repr import short_repr
from phalanx.equations.tree.model import Model
from phalanx.mechanism import Mechanism

Array = NDArray[np.float64]


@short_repr
@final
@dataclass(frozen=True)
class Quantity:
    """A part of a subsystem's state.

    Attributes:
        name: Such as ``pressure``; recordings have it under this name.
        unit: Such as ``Pa``; empty for a pure number.
        labels: One a number, such as ``boom.head``.
        stiff: Whether it may change so fast that a linearly implicit method should look ahead.
    """

    name: str
    unit: str
    labels: tuple[str, ...]
    stiff: bool = False

    def __post_init__(self) -> None:
        check_fields(self)

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return len(self.labels)


class Subsystem(ABC):
    """Part with states of its own, integrated together with the machine's."""

    @abstractmethod
    def quantities(self, mechanism: Mechanism) -> tuple[Quantity, ...]:
        """What its state holds, in order.

        Raises:
            UnknownName: When it names a joint or frame that the machine does not have.
            InvalidInput: When it does not fit the machine.
        """

    @abstractmethod
    def initial(self, mechanism: Mechanism, q: Array) -> Array:
        """Its state at the begin of a run, shape (..., size) for positions (..., nq)."""

    def settled(self, s: SX) -> SX:
        """Its state as a step leaves it: brought back to where it is allowed to be."""
        return s


class Actuation(Subsystem):
    """Actuation: turns commands into joint forces (valves and cylinders, for example)."""

    @property
    def energy_lines(self) -> tuple[str, ...]:
        """Labels of its lines in the energy balance of a run, such as ``lost.valves``.

        With lines, they account for all of the work that it does on the joints: inputs less losses
        less what it stores. Without, this work itself is the line ``input.drives``.
        """
        return ()

    def powers(self, model: Model, q: SX, v: SX, s: SX, command: SX) -> SX:
        """Powers of these lines [W] at a state, as for :meth:`act`."""
        return SX(0, 1)

    @abstractmethod
    def commands(self, mechanism: Mechanism) -> tuple[str, ...]:
        """A label for each command it takes."""

    @abstractmethod
    def act(self, model: Model, q: SX, v: SX, s: SX, command: SX) -> tuple[SX, SX]:
        """What it does at a state.

        Args:
            model: The machine.
            q: Positions, shape (nq,).
            v: Velocities, shape (nv,).
            s: Its own state, shape (size,).
            command: Shape (commands,).

        Returns:
            Joint forces [N or N·m], shape (nv,), and the rate of its state, shape (size,).
        """


@short_repr
@final
@dataclass(frozen=True)
class Response:
    """Response of surroundings to a machine.

    Attributes:
        tau: Joint forces [N or N·m], shape (nv,).
        rate: Of their state, shape (size,).
        parameters: Values of the machine's numbers that depend on their state, such as
            ``payload.mass``.
    """

    tau: SX
    rate: SX
    parameters: Mapping[str, SX] = field(default_factory=dict)


class Surroundings(Subsystem):
    """Surroundings of a machine, such as ground; they may set its parameters (a load's mass)."""

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the machine's numbers that it sets; none by default."""
        return ()

    @property
    def inputs(self) -> Mapping[str, int]:
        """Sizes of their inputs by name, such as ``surface``."""
        return {}

    @property
    def defaults(self) -> Mapping[str, ArrayLike]:
        """Values of inputs that need not be given."""
        return {}

    @abstractmethod
    def act(self, model: Model, q: SX, v: SX, s: SX, inputs: Mapping[str, SX]) -> Response:
        """What they do to the machine, and what becomes of them."""


class SampledControl(Subsystem):
    """Control with a memory, looked at once a period; what it commands is held in between.

    Its memory has no rates: it changes at samples only.
    """

    @property
    @abstractmethod
    def inputs(self) -> Mapping[str, int]:
        """Sizes of its inputs by name, such as ``operator``."""

    @property
    def defaults(self) -> Mapping[str, ArrayLike]:
        """Values of inputs that need not be given."""
        return {}

    @property
    def true_model(self) -> bool:
        """Whether it is shown the plant as it is in each run; the nominal model by default."""
        return False

    @abstractmethod
    def sampled(self, model: Model, t: SX, q: SX, v: SX, s: SX, inputs: Mapping[str, SX]) -> SX:
        """Its memory after a look at the machine, at the begin of every step."""

    @abstractmethod
    def command(self, s: SX) -> SX:
        """What it commands, from its memory: joint forces, or what an actuation takes."""
