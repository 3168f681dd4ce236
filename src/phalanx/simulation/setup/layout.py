"""Layout of a setup's numbers: commands, inputs, subsystem states.

No symbols: a run has its layout in no time, whether its equations are compiled already or not.
"""

from __future__ import annotations

from typing import final

from numpy.typing import ArrayLike

from phalanx.actuators.subsystem import Quantity, SampledControl, Surroundings
from phalanx.base.errors import InvalidInput
from phalanx.equations.expression import identifiers
from phalanx.simulation.integrators.integrators import FixedStep, Rosenbrock2, RungeKutta4
from phalanx.simulation.run.joint_release import JointRelease, released_joints
from phalanx.simulation.run.joint_release_control import law_after
from phalanx.simulation.run.singularity_handling import singularity_state_size
from phalanx.simulation.setup.forces.drive_friction import LoadedFriction
from phalanx.simulation.setup.laws import Law, as_law
from phalanx.simulation.setup.setup import Setup
from phalanx.simulation.setup.subsystem_states import SubsystemStates


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
        self.beside = SubsystemStates(mechanism, present, setup.nominal)
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
            return self.beside.quantities
        return self.beside.quantities[len(self.law.quantities(self.mechanism)) :]

    @property
    def told(self) -> dict[str, int]:
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
        return commands | {f"wrench_{frame}": 6 for frame in self.setup.wrenches} | self.told

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
        return Rosenbrock2() if self.beside.stiff else RungeKutta4()

    @property
    def has_own_lengths(self) -> bool:
        """Whether lengths are per-run parameters: no posture of the machine holds for all."""
        return any(name.endswith(".position") for name in self.setup.parameters)
