"""Layout of a setup's numbers: commands, inputs, subsystem states.

No symbols: a run has its layout in no time, whether its equations are compiled already or not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import final

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import ArrayLike, NDArray

from phalanx.actuators.subsystem import Quantity, SampledControl, Subsystem, Surroundings
from phalanx.base.arguments import numbers
from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.equations.expression import identifiers
from phalanx.mechanism import Mechanism
from phalanx.simulation.integrators.integrators import FixedStep, Rosenbrock2, RungeKutta4
from phalanx.simulation.run.joint_release import JointRelease, law_after, released_joints
from phalanx.simulation.run.singularity_handling import singularity_state_size
from phalanx.simulation.setup.forces.drive_friction import LoadedFriction
from phalanx.simulation.setup.laws import Law, as_law
from phalanx.simulation.setup.setup import Setup

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


@final
class Layout:
    """Sizes and names of a setup.

    Attributes:
        setup: What is laid out.
        law: Its control; None when its commands (joint forces) are an input.
        commands: How many numbers the control commands.
        beside: States of subsystems.
        friction: The force among the joints' own that depends on their load.
        singularity_states: Numbers of the state of singularity handling.
    """

    def __init__(self, setup: Setup) -> None:
        """Lay it out.

        Raises:
            InvalidInput: When parts of the setup do not go together, or two inputs are one in C.
        """
        mechanism, control = setup.mechanism, setup.control
        if not mechanism.nv:
            raise InvalidInput(f"'{mechanism.name}' has no joint that moves.")
        self.setup, self.mechanism = setup, mechanism
        sampled = control if isinstance(control, SampledControl) else None
        self.law: Law | SampledControl | None = sampled or self._law()
        actuation = setup.actuation
        self.commands = len(actuation.commands(mechanism)) if actuation else mechanism.nv
        present = [part for part in (sampled, actuation, setup.surroundings) if part]
        self.subsystems = SubsystemStates(mechanism, present, setup.nominal)
        self.friction = self._friction()
        self.singularity_states = singularity_state_size(mechanism)
        identifiers((*self.inputs, *setup.parameters), f"a run of '{mechanism.name}'")

    def _law(self) -> Law | None:
        """The law, in the coordinates of the machine; it is written for those of the nominal one.

        A law that knows the true model is written for the machine itself.
        """
        law, nominal = as_law(self.setup.control), self.setup.nominal
        cut = released_joints(nominal, self.mechanism) if nominal else ()
        if not (law and nominal and cut) or law.true_model:
            return law
        return law_after(law, JointRelease(nominal, self.mechanism))

    def _friction(self) -> LoadedFriction | None:
        loaded = [force for force in self.setup.forces if isinstance(force, LoadedFriction)]
        if len(loaded) > 1:
            raise InvalidInput(
                "friction under load can be given once; put all drives into one of "
                + " and ".join(type(force).__name__ for force in loaded)
                + "."
            )
        if loaded and self.mechanism.loops:
            raise InvalidInput(
                f"'{self.mechanism.name}' has loops, and friction under load is for trees: use "
                "Damping() or Friction()."
            )
        return loaded[0] if loaded else None

    @property
    def commanded(self) -> str:
        """What commands are called where they are an input."""
        return "command" if self.setup.actuation else "tau"

    @property
    def integrated(self) -> tuple[Quantity, ...]:
        """Subsystem states with rates: all but a sampled control's memory, which comes first."""
        if not isinstance(self.law, SampledControl):
            return self.subsystems.quantities
        return self.subsystems.quantities[len(self.law.quantities(self.mechanism)) :]

    @property
    def named_inputs(self) -> dict[str, int]:
        """Sizes of the inputs of control and surroundings, by name."""
        m = self.mechanism
        sizes: dict[str, int] = {}
        for part in (self.law, self.setup.surroundings):
            for name, size in part.inputs.items() if part else ():
                if name in sizes:
                    raise InvalidInput(f"control and surroundings both have an input '{name}'.")
                sizes[name] = {"q": m.nq, "v": m.nv}.get(str(size)) or int(size)
        return sizes

    @property
    def inputs(self) -> dict[str, int]:
        """Sizes of what acts from outside, in order; numbers of the machine come after these."""
        commands = {self.commanded: self.commands} if self.law is None else {}
        return (
            commands | {f"wrench_{frame}": 6 for frame in self.setup.wrenches} | self.named_inputs
        )

    @property
    def defaults(self) -> dict[str, ArrayLike]:
        """Values of those that need not be given."""
        return {
            name: value
            for part in (self.law, self.setup.surroundings)
            if isinstance(part, SampledControl | Surroundings)
            for name, value in part.defaults.items()
        }

    @property
    def default_method(self) -> FixedStep:
        """The default integrator: a linearly implicit one where the setup is stiff."""
        return Rosenbrock2() if self.subsystems.stiff else RungeKutta4()

    @property
    def has_own_lengths(self) -> bool:
        """Whether lengths are per-run parameters: no posture of the machine holds for all."""
        return any(name.endswith(".position") for name in self.setup.parameters)
