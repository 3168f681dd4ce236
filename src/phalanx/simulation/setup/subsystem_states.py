"""Subsystem states (pressures, controller memory) and their offsets in the state vector."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import final

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import ArrayLike, NDArray

from phalanx.actuators.subsystem import Quantity, SampledControl, Subsystem
from phalanx.base.arguments import numbers
from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.mechanism import Mechanism

Array = NDArray[np.float64]

# names under which recordings and rollouts keep what every run has
TAKEN = ("time", "q", "v", "a", "tau", "energy", "work", "loss", "energy_balance", "command")


@final
class SubsystemStates:
    """The states of subsystems, one after the other.

    Attributes:
        quantities: Of all subsystems, in order.
        size: How many numbers they have.
        stiff: Which of these a linearly implicit method looks ahead along.
    """

    def __init__(
        self,
        mechanism: Mechanism,
        subsystems: Sequence[Subsystem],
        nominal: Mechanism | None = None,
    ) -> None:
        """Lay them out.

        Args:
            mechanism: The machine.
            subsystems: Beside it.
            nominal: The machine as control knows it; ``mechanism`` when not given.

        Raises:
            InvalidInput: When two quantities share a name, or one has the name of what every run
                has.
        """
        self._mechanism, self._nominal = mechanism, nominal or mechanism
        self._parts: list[tuple[Subsystem, slice]] = []
        self._named: dict[str, slice] = {}
        quantities: list[Quantity] = []
        end = 0
        for subsystem in subsystems:
            start = end
            for quantity in subsystem.quantities(mechanism):
                if quantity.name in TAKEN:
                    raise InvalidInput(
                        f"a subsystem has a state '{quantity.name}'; every run has something of "
                        "that name. Give the state another."
                    )
                if quantity.name in self._named:
                    raise InvalidInput(
                        f"two subsystems have a state '{quantity.name}'; give one another name."
                    )
                self._named[quantity.name] = slice(end, end + quantity.size)
                end += quantity.size
                quantities.append(quantity)
            self._parts.append((subsystem, slice(start, end)))
        self.quantities = tuple(quantities)
        self.size = end
        self.stiff = tuple(
            k
            for quantity in quantities
            if quantity.stiff
            for k in range(end)[self._named[quantity.name]]
        )

    def part(self, subsystem: Subsystem, s: SX) -> SX:
        """The numbers of one subsystem."""
        return s[next(where for part, where in self._parts if part is subsystem), 0]

    def split(self, s: Array) -> dict[str, Array]:
        """Numbers (..., size) by the names of the quantities."""
        return {name: s[..., where] for name, where in self._named.items()}

    def initial(self, q: Array, given: Mapping[str, ArrayLike] | None = None) -> Array:
        """States at the begin of a run, shape (..., size) for positions (..., nq).

        Args:
            q: Positions.
            given: Quantities that begin elsewhere, by name.

        Raises:
            UnknownName: When there is no such quantity.
            InvalidInput: When it has another size, or is not finite.
        """
        values = {
            name: numbers(f"the initial '{name}'", value) for name, value in (given or {}).items()
        }
        for name, value in values.items():
            if name not in self._named:
                raise UnknownName("this run", "state to begin with", name, self._named)
            size = self._named[name].stop - self._named[name].start
            if value.shape[-1:] != (size,) or not np.isfinite(value).all():
                raise InvalidInput(
                    f"the initial '{name}' has shape {value.shape}; expected {size} finite numbers."
                )
        parts = [self._first(subsystem, where, q, values) for subsystem, where in self._parts]
        batches = [part.shape[:-1] for part in parts] + [v.shape[:-1] for v in values.values()]
        batch = np.broadcast_shapes(q.shape[:-1], *batches)
        whole = [np.broadcast_to(part, (*batch, part.shape[-1])) for part in parts]
        s = np.concatenate([np.zeros((*batch, 0)), *whole], axis=-1)
        for name, value in values.items():
            s[..., self._named[name]] = value
        return s

    def _first(
        self, subsystem: Subsystem, where: slice, q: Array, given: Mapping[str, Array]
    ) -> Array:
        """Where a subsystem begins; it is not asked for what is given anyway."""
        own = (
            name for name, place in self._named.items() if where.start <= place.start < where.stop
        )
        if all(name in given for name in own):
            return np.zeros((*q.shape[:-1], where.stop - where.start))
        nominal = isinstance(subsystem, SampledControl) and not subsystem.true_model
        return subsystem.initial(self._nominal if nominal else self._mechanism, q)

    def settled(self, s: SX) -> SX:
        """The states as a step leaves them."""
        return ca.vertcat(*(part.settled(s[where, 0]) for part, where in self._parts))
