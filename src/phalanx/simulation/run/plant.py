"""Plant model: equations of motion with everything that acts, over symbols.

Here equations, joint forces, control, actuators and surroundings become one function, the field of
rates, which ``plant_step`` steps along. Beside positions and velocities there are states of
subsystems (pressures, a controller's memory, a load), and quantities that are only summed up on the
way (work).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import casadi as ca
from casadi import SX

from phalanx.actuators.subsystem import SampledControl
from phalanx.base.cached import cached_property
from phalanx.base.casadi_operators import symbol
from phalanx.base.errors import InvalidInput
from phalanx.dynamics import check_accelerations, default_forward
from phalanx.equations import energy
from phalanx.equations.expression import identifier
from phalanx.equations.model_of import model_of
from phalanx.equations.quantities.springs import elastic_forces
from phalanx.equations.tree.model import Model
from phalanx.simulation.setup.laws import Law
from phalanx.simulation.setup.layout import Layout
from phalanx.simulation.setup.parameters import CONTROL, parameter_symbols
from phalanx.simulation.setup.setup import Setup

# rates of further quantities at (plant, q, v, states of subsystems, a, what acts)
Extra = Callable[["Plant", SX, SX, SX, SX, "Acting"], SX]


@dataclass(frozen=True)
class Acting:
    """Everything that acts on the machine at a state.

    Attributes:
        command: What the control commands; the joint forces where nothing stands in between.
        tau: Joint forces of the drives, shape (nv,).
        own: Forces of the joints on themselves and of the surroundings, without friction under
            load.
        wrenches: Frame to external wrench.
        rate: Of the subsystems' states.
        parameters: Numbers of the machine that depend on these.
        powers: Of the lines that the actuation has in the energy balance [W]; none without any.
        forces: That of each of the setup's forces; zero for friction under load.
        met: What the surroundings do along the joints.
    """

    command: SX
    tau: SX
    own: SX
    wrenches: Mapping[str, SX]
    rate: SX
    parameters: Mapping[str, SX]
    powers: SX
    forces: tuple[SX, ...]
    met: SX


class Plant:
    """The equations of a setup.

    Attributes:
        setup: What moves and what acts on it.
        layout: The same in numbers.
        model: The node tree, with symbols for numbers of the machine that are inputs: the true
            model.
        parameter_symbols: Symbols for numbers of forces and control that are inputs.
    """

    def __init__(self, setup: Setup, model: Model | None = None) -> None:
        """Build the node tree once, unless there is one, or something in its place."""
        self.setup, self.layout, self.mechanism = setup, Layout(setup), setup.mechanism
        surroundings = setup.surroundings
        set_by_surroundings = surroundings.parameters if surroundings else ()
        self.parameter_symbols = parameter_symbols(setup)
        of_machine = [name for name in setup.parameters if name not in self.parameter_symbols]
        self._parameters = (*of_machine, *set_by_surroundings)
        self.model = model_of(setup.mechanism, self._parameters) if model is None else model
        self._fields: dict[tuple[Extra | None, bool, bool], tuple[ca.Function, dict[str, SX]]] = {}

    @cached_property
    def nominal(self) -> Model:
        """The nominal model of control laws: the machine's numbers as the setup has them."""
        known = self.setup.nominal or self.mechanism
        if known is self.mechanism and not self._parameters:
            return self.model
        # long machines have a model without equations, of a type of its own
        return model_of(known) if isinstance(self.model, Model) else type(self.model)(known)

    def model_of_law(self, law: Law | SampledControl) -> Model:
        """The model that a law is built on."""
        return self.model if law.true_model else self.nominal

    def inputs(self) -> dict[str, SX]:
        """Symbols that stay constant within a step, by name, in the order of a step's inputs."""
        symbols = {name: symbol(name, size) for name, size in self.layout.inputs.items()}
        if not self.setup.parameters:
            return symbols
        parameters = self.model.parameters.symbols | self.parameter_symbols
        return symbols | {name: parameters[name] for name in self.setup.parameters}

    def field(self, extra: Extra | None = None) -> tuple[ca.Function, dict[str, SX]]:
        """Rates of the state and what makes it move, and symbols of the inputs.

        ``(t, q, v, s, inputs...) -> (a, dz, tau_now, commanded)``, where s are subsystem states and
        dz their rates, followed by those of further quantities.
        """
        return self.directed_field(extra, directed=False)

    def passing_field(self, extra: Extra | None = None) -> tuple[ca.Function, dict[str, SX]]:
        """The same with a last input where there are loops: accelerations before."""
        return self.directed_field(extra, directed=False, passing=True)

    def directed_field(
        self, extra: Extra | None, *, directed: bool, passing: bool = False
    ) -> tuple[ca.Function, dict[str, SX]]:
        """The same; ``directed`` has the directions of friction as a last input."""
        passing = passing and bool(self.layout.singularity_states)
        if (extra, directed, passing) in self._fields:
            return self._fields[extra, directed, passing]
        m = self.mechanism
        t, q, v = SX.sym("t"), SX.sym("q", m.nq), SX.sym("v", m.nv)
        s = SX.sym("s", self.layout.subsystems.size)
        inputs = self.inputs()
        acting = self.acting(t, q, v, s, inputs)
        pushed = self.pushed(acting, q)
        last = {"direction": SX.sym("direction", m.nv)} if directed else {}
        last |= {"before": SX.sym("before", m.nv)} if passing else {}
        forward, friction = default_forward(self.model), self.layout.friction
        check_accelerations(self.model, forward)
        if friction is None:
            known = {"before": last["before"]} if passing else {}
            a = forward(self.model, q, v, pushed, wrenches=acting.wrenches, **known)
        else:
            state = self.model, q, v, pushed, acting.wrenches
            towards = last["direction"] if directed else friction.directions(*state)
            a, rubbing = friction.respond(*state, towards)
            forces = zip(self.setup.forces, acting.forces, strict=True)
            each = tuple(rubbing if force is friction else own for force, own in forces)
            acting = replace(acting, own=acting.own + rubbing, forces=each)
        dz = extra(self, q, v, s, a, acting) if extra else SX(0, 1)
        outputs = [a, ca.vertcat(acting.rate, dz), acting.tau, acting.command]
        names = ["t", "q", "v", "s", *(identifier(name) for name in inputs), *last]
        function = ca.Function(
            "field",
            [t, q, v, s, *inputs.values(), *last.values()],
            ca.cse([ca.densify(x) for x in self.bound(outputs, t, q, v, s, inputs)]),
            names,
            ["a", "dz", "tau_now", "commanded"],
        )
        self._fields[extra, directed, passing] = function, inputs
        return function, inputs

    def energy(self, t: SX, q: SX, v: SX, s: SX, inputs: Mapping[str, SX]) -> SX:
        """Energy [J], also in springs, with what the surroundings make of the machine."""
        return self.bound([energy(self.model, q, v)], t, q, v, s, inputs)[0]

    def settling_gain(self) -> ca.Function:
        """Energy that the machine gains [J] when a step's end is settled, as a bucket is full.

        ``(t, q, v, s, inputs...) -> gain``.
        """
        m, inputs = self.mechanism, self.inputs()
        t, q, v = SX.sym("t"), SX.sym("q", m.nq), SX.sym("v", m.nv)
        s = SX.sym("s", self.layout.subsystems.size)
        E = self.energy(t, q, v, s, inputs)
        settled = ca.substitute(E, s, self.layout.subsystems.settled(s))
        return ca.Function("gain", [t, q, v, s, *inputs.values()], [settled - E])

    def bound(
        self, outputs: Sequence[SX], t: SX, q: SX, v: SX, s: SX, inputs: Mapping[str, SX]
    ) -> list[SX]:
        """Expressions with the numbers of the machine that the surroundings set at a state."""
        surroundings = self.setup.surroundings
        if not surroundings or not surroundings.parameters:
            return list(outputs)
        parameters = self.acting(t, q, v, s, inputs).parameters
        symbols = [self.model.parameters.symbols[name] for name in parameters]
        return list(ca.substitute(list(outputs), symbols, list(parameters.values())))

    def acting(self, t: SX, q: SX, v: SX, s: SX, inputs: Mapping[str, SX]) -> Acting:
        """What acts at a state."""
        m, layout, setup = self.mechanism, self.layout, self.setup
        law, actuation, surroundings = layout.law, setup.actuation, setup.surroundings
        rates: list[SX] = []
        if isinstance(law, SampledControl):
            memory = layout.subsystems.part(law, s)
            command = _sized(law.command(memory), layout.commands)
            rates.append(SX.zeros(memory.numel(), 1))
        elif law:
            gains = {
                name.removeprefix(CONTROL): symbol
                for name, symbol in self.parameter_symbols.items()
                if name.startswith(CONTROL)
            }
            command = _sized(law(self.model_of_law(law), t, q, v, inputs, gains), layout.commands)
        else:
            command = inputs[layout.commanded]
        tau, powers = command, SX(0, 1)
        if actuation:
            part = layout.subsystems.part(actuation, s)
            tau, rate = actuation.act(self.model, q, v, part, command)
            rates.append(rate)
            powers = actuation.powers(self.model, q, v, part, command)
        else:
            for force in setup.forces:
                tau = force.limited(m, tau)
        own, met = SX.zeros(m.nv, 1), SX.zeros(m.nv, 1)
        forces = tuple(
            SX.zeros(m.nv, 1)
            if force is layout.friction
            else force.on_with_symbols(self.model, q, v, self.parameter_symbols)
            for force in setup.forces
        )
        for push in forces:
            own += push
        parameters: Mapping[str, SX] = {}
        if surroundings:
            surrounding_inputs = {name: inputs[name] for name in surroundings.inputs}
            beside = layout.subsystems.part(surroundings, s)
            response = surroundings.act(self.model, q, v, beside, surrounding_inputs)
            met = response.tau
            own = own + met
            rates.append(response.rate)
            parameters = response.parameters
        wrenches = {frame: inputs[f"wrench_{frame}"] for frame in setup.wrenches}
        rate = ca.vertcat(SX(0, 1), *rates)
        return Acting(command, tau, own, wrenches, rate, parameters, powers, forces, met)

    def pushed(self, acting: Acting, q: SX) -> SX:
        """All joint forces without load-dependent friction, shape (nv,).

        Springs are in none of the others: energy accounts for what they take and give back.
        """
        return acting.tau + acting.own + elastic_forces(self.model, q)

    def sampled(self, t: SX, q: SX, v: SX, s: SX, inputs: Mapping[str, SX]) -> SX:
        """Subsystem states at the begin of a step, after sampled control has been evaluated."""
        law = self.layout.law
        if not isinstance(law, SampledControl):
            return s
        law_inputs = {name: inputs[name] for name in law.inputs}
        memory = law.sampled(
            self.model_of_law(law), t, q, v, self.layout.subsystems.part(law, s), law_inputs
        )
        # its memory comes first of all subsystem states
        return ca.vertcat(memory, s[memory.numel() :])


def _sized(command: SX, size: int) -> SX:
    """Commands, when there are as many as are taken."""
    if command.shape != (size, 1):
        raise InvalidInput(
            f"the control must give {size} numbers (joint forces, or commands of the actuation), "
            f"got shape {command.shape}."
        )
    return command


def scalar_shapes(function: ca.Function, inputs: Mapping[str, SX]) -> dict[str, tuple[int, ...]]:
    """Trailing shapes for kernels: time, energy and numbers of the machine are plain numbers."""
    plain = {"t", "t_next", "E", *(identifier(name) for name in inputs if "." in name)}
    sizes = {name: function.numel_in(name) for name in function.name_in()}
    sizes |= {name: function.numel_out(name) for name in function.name_out()}
    return {name: () for name, size in sizes.items() if size == 1 and name in plain}
