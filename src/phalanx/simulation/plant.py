"""A machine in motion: its equations with everything that acts on it, and one step of them.

Here equations, joint forces, control, actuators, surroundings and integrator become one function
over symbols, which ``simulate`` compiles to take a step and ``rollout`` to take thousands in a
loop. Beside positions and velocities there are states of subsystems (pressures, a controller's
memory, a load), and quantities that are only summed up on the way (work).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import casadi as ca
from casadi import SX
from numpy.typing import ArrayLike

from phalanx.actuators.subsystem import Actuation, Quantity, SampledControl, Surroundings
from phalanx.dynamics import check_accelerations, default_forward
from phalanx.equations import energy
from phalanx.equations.assembly.model import model_of
from phalanx.equations.expression import identifier
from phalanx.equations.tree.model import Model
from phalanx.errors import InvalidInput
from phalanx.mechanism import Mechanism
from phalanx.simulation.beside import Beside
from phalanx.simulation.drive_friction import LoadedFriction, Stiction
from phalanx.simulation.forces import Damping, JointForce
from phalanx.simulation.integrators import Field, FixedStep, Rosenbrock2, RungeKutta4, State
from phalanx.simulation.laws import Law
from phalanx.simulation.passage import Passage, landed, passage_size
from phalanx.simulation.stick_slip import Decide, stick_slip_step

# rates of further quantities at (t, q, v, tau, forces of the joints themselves)
Extra = Callable[[Model, SX, SX, SX, SX, SX], SX]


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
    """

    command: SX
    tau: SX
    own: SX
    wrenches: Mapping[str, SX]
    rate: SX
    parameters: Mapping[str, SX]


@dataclass(frozen=True)
class Plant:
    """What moves and what acts on it.

    Attributes:
        mechanism: The machine.
        forces: Forces of the joints on themselves.
        law: The control; None when its commands (joint forces) are an input.
        wrenches: Frames on which an external wrench is an input.
        parameters: Numbers of the machine that are inputs.
        forward: Method of forward dynamics; chosen by size when not given.
        actuation: What turns commands into joint forces; nothing when they are joint forces.
        surroundings: What the machine meets.
    """

    mechanism: Mechanism
    forces: Sequence[JointForce] = (Damping(),)
    law: Law | SampledControl | None = None
    wrenches: Sequence[str] = ()
    parameters: Sequence[str] = ()
    forward: Callable[..., Any] | None = None
    actuation: Actuation | None = None
    surroundings: Surroundings | None = None
    model: Model = field(init=False)
    friction: LoadedFriction | None = field(init=False)
    beside: Beside = field(init=False)
    passage: int = field(init=False)
    _fields: dict[tuple[Extra | None, bool, bool], tuple[ca.Function, dict[str, SX]]] = field(
        init=False, default_factory=dict, repr=False
    )

    def __post_init__(self) -> None:
        """Build the node tree once."""
        if not self.mechanism.nv:
            raise InvalidInput(f"'{self.mechanism.name}' has no joint that moves.")
        set_by_surroundings = self.surroundings.parameters if self.surroundings else ()
        opened = (*self.parameters, *set_by_surroundings)
        object.__setattr__(self, "model", model_of(self.mechanism, opened))
        control = self.law if isinstance(self.law, SampledControl) else None
        present = [part for part in (control, self.actuation, self.surroundings) if part]
        object.__setattr__(self, "beside", Beside(self.mechanism, present))
        loaded = [force for force in self.forces if isinstance(force, LoadedFriction)]
        if len(loaded) > 1:
            raise InvalidInput(
                "friction under load can be given once; put all drives into one of "
                + " and ".join(type(force).__name__ for force in loaded)
                + "."
            )
        object.__setattr__(self, "friction", loaded[0] if loaded else None)
        object.__setattr__(self, "passage", passage_size(self.mechanism))
        if loaded and self.mechanism.loops:
            raise InvalidInput(
                f"'{self.mechanism.name}' has loops, and friction under load is for trees: use "
                "Damping() or Friction()."
            )

    @property
    def commands(self) -> int:
        """How many numbers the control commands."""
        return len(self.actuation.commands(self.mechanism)) if self.actuation else self.model.nv

    @property
    def integrated(self) -> tuple[Quantity, ...]:
        """States beside that have rates: all but a sampled control's memory, which comes first."""
        if not isinstance(self.law, SampledControl):
            return self.beside.quantities
        return self.beside.quantities[len(self.law.quantities(self.mechanism)) :]

    def told(self) -> dict[str, int]:
        """Sizes of what control and surroundings are told from outside, by name."""
        m = self.mechanism
        sizes: dict[str, int] = {}
        for part in (self.law, self.surroundings):
            for name, size in part.inputs.items() if part else ():
                if name in sizes:
                    raise InvalidInput(f"control and surroundings both have an input '{name}'.")
                sizes[name] = {"q": m.nq, "v": m.nv}.get(str(size)) or int(size)
        return sizes

    def defaults(self) -> dict[str, ArrayLike]:
        """Values of those that need not be given."""
        parts = (self.law, self.surroundings)
        return {
            name: value
            for part in parts
            if isinstance(part, SampledControl | Surroundings)
            for name, value in part.defaults.items()
        }

    def inputs(self) -> dict[str, SX]:
        """Symbols that stay constant within a step, by name, in the order of a step's inputs."""
        commanded = "command" if self.actuation else "tau"
        symbols = {} if self.law else {commanded: SX.sym(commanded, self.commands)}
        symbols |= {f"wrench_{frame}": SX.sym(f"wrench_{frame}", 6) for frame in self.wrenches}
        symbols |= {name: SX.sym(name, size) for name, size in self.told().items()}
        return symbols | {name: self.model.parameters.symbols[name] for name in self.parameters}

    def field(self, extra: Extra | None = None) -> tuple[ca.Function, dict[str, SX]]:
        """Rates of the state and what makes it move, and symbols of the inputs.

        ``(t, q, v, s, inputs...) -> (a, dz, tau_now, commanded)``, where s are states beside and
        dz their rates, followed by those of further quantities.
        """
        return self._field(extra, directed=False)

    def passing_field(self, extra: Extra | None = None) -> tuple[ca.Function, dict[str, SX]]:
        """The same with a last input where there are loops: accelerations before."""
        return self._field(extra, directed=False, passing=True)

    def _field(
        self, extra: Extra | None, *, directed: bool, passing: bool = False
    ) -> tuple[ca.Function, dict[str, SX]]:
        """The same; ``directed`` has the directions of friction as a last input."""
        passing = passing and bool(self.passage)
        if (extra, directed, passing) in self._fields:
            return self._fields[extra, directed, passing]
        m = self.mechanism
        t, q, v = SX.sym("t"), SX.sym("q", m.nq), SX.sym("v", m.nv)
        s = SX.sym("s", self.beside.size)
        inputs = self.inputs()
        acting = self._acting(t, q, v, s, inputs)
        tau, own = acting.tau, acting.own
        last = {"direction": SX.sym("direction", m.nv)} if directed else {}
        last |= {"before": SX.sym("before", m.nv)} if passing else {}
        forward = self.forward or default_forward(self.model)
        check_accelerations(self.model, forward)
        if self.friction is None:
            known = {"before": last["before"]} if passing else {}
            a = forward(self.model, q, v, tau + own, wrenches=acting.wrenches, **known)
        else:
            state = self.model, q, v, tau + own, acting.wrenches
            towards = last["direction"] if directed else self.friction.directions(*state)
            a, rubbing = self.friction.respond(*state, towards)
            own = own + rubbing
        dz = extra(self.model, t, q, v, tau, own) if extra else SX(0, 1)
        outputs = [a, ca.vertcat(acting.rate, dz), tau, acting.command]
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
        """Kinetic and potential energy [J], with what the surroundings make of the machine."""
        return self.bound([energy(self.model, q, v)], t, q, v, s, inputs)[0]

    def bound(
        self, outputs: Sequence[SX], t: SX, q: SX, v: SX, s: SX, inputs: Mapping[str, SX]
    ) -> list[SX]:
        """Expressions with the numbers of the machine that the surroundings set at a state."""
        if not self.surroundings or not self.surroundings.parameters:
            return list(outputs)
        parameters = self._acting(t, q, v, s, inputs).parameters
        symbols = [self.model.parameters.symbols[name] for name in parameters]
        return list(ca.substitute(list(outputs), symbols, list(parameters.values())))

    def _acting(self, t: SX, q: SX, v: SX, s: SX, inputs: Mapping[str, SX]) -> Acting:
        """What acts at a state."""
        m, beside = self.mechanism, self.beside
        rates: list[SX] = []
        if isinstance(self.law, SampledControl):
            memory = beside.part(self.law, s)
            command = _sized(self.law.command(memory), self.commands)
            rates.append(SX.zeros(memory.numel(), 1))
        elif self.law:
            command = _sized(self.law(self.model, t, q, v, inputs), self.commands)
        else:
            command = inputs["command" if self.actuation else "tau"]
        tau = command
        if self.actuation:
            tau, rate = self.actuation.act(
                self.model, q, v, beside.part(self.actuation, s), command
            )
            rates.append(rate)
        own = SX.zeros(m.nv, 1)
        for force in self.forces:
            if force is not self.friction:
                own += force.force(m, q, v)
        parameters: Mapping[str, SX] = {}
        if self.surroundings:
            told = {name: inputs[name] for name in self.surroundings.inputs}
            met = self.surroundings.act(self.model, q, v, beside.part(self.surroundings, s), told)
            own = own + met.tau
            rates.append(met.rate)
            parameters = met.parameters
        wrenches = {frame: inputs[f"wrench_{frame}"] for frame in self.wrenches}
        return Acting(command, tau, own, wrenches, ca.vertcat(SX(0, 1), *rates), parameters)

    def sampled(self, t: SX, q: SX, v: SX, s: SX, inputs: Mapping[str, SX]) -> SX:
        """The states beside as a step begins with them: control has looked at the machine."""
        if not isinstance(self.law, SampledControl):
            return s
        told = {name: inputs[name] for name in self.law.inputs}
        memory = self.law.sampled(self.model, t, q, v, self.beside.part(self.law, s), told)
        # its memory comes first of all states beside
        return ca.vertcat(memory, s[memory.numel() :])

    def step(
        self, integrator: FixedStep, length: float, extra: Extra | None = None
    ) -> tuple[ca.Function, dict[str, SX]]:
        """One step: ``(q, v, z, t, p, inputs...) -> (q, v, z, t, p, tau)``, and symbols of inputs.

        z has the states beside and then further quantities, p what is known of the passage of
        singular postures (nothing without loops). The last output is the joint force at the
        beginning of the step.
        """
        sticks = isinstance(self.friction, Stiction)
        field, inputs = self._field(extra, directed=sticks, passing=True)
        m, count = self.mechanism, self.beside.size
        q, v = SX.sym("q", m.nq), SX.sym("v", m.nv)
        z, t = SX.sym("z", field.size1_out(1)), SX.sym("t")
        p = SX.sym("p", self.passage)
        known = (Passage.of(p).before,) if self.passage else ()

        def rates(*directions: SX) -> Field:
            def at(time: SX, position: SX, velocity: SX, along: SX) -> tuple[SX, SX]:
                outside = (*inputs.values(), *directions, *known)
                a, dz, *_ = field(time, position, velocity, along[:count, 0], *outside)
                return a, dz

            return at

        begin = self.sampled(t, q, v, z[:count, 0], inputs)
        before = State(t, q, v, ca.vertcat(begin, z[count:, 0]), self.beside.stiff)
        if isinstance(self.friction, Stiction):
            decide = self._decision(self.friction, inputs)
            dry = self.friction.dry(m)
            after = stick_slip_step(self.model, integrator, rates, decide, dry, before, length)
        else:
            after = integrator.step(self.model, rates(), before, length)
        p_next = p
        if self.passage:
            past, moved = Passage.of(p), (v, after.q, after.v)
            q_next, v_next, now = landed(self.model, *moved, past, after.t, length)
            after, p_next = replace(after, q=q_next, v=v_next), now.packed()
        if count:
            settled = self.beside.settled(after.z[:count, 0])
            after = replace(after, z=ca.vertcat(settled, after.z[count:, 0]))
        tau = self._acting(t, q, v, begin, inputs).tau
        names = [identifier(name) for name in inputs]
        end = [after.q, after.v, after.z, after.t, p_next]
        outputs = self.bound([*end, tau], t, q, v, begin, inputs)
        function = ca.Function(
            identifier(f"{m.name}_step"),
            [q, v, z, t, p, *inputs.values()],
            ca.cse(outputs),
            ["q", "v", "z", "t", "passage", *names],
            ["q_next", "v_next", "z_next", "t_next", "passage_next", "tau_now"],
        )
        return function, inputs

    def _decision(self, friction: Stiction, inputs: Mapping[str, SX]) -> Decide:
        """Directions of friction at a state, traced once."""
        m = self.mechanism
        t, q, v = SX.sym("t"), SX.sym("q", m.nq), SX.sym("v", m.nv)
        s = SX.sym("s", self.beside.size)
        acting = self._acting(t, q, v, s, inputs)
        load = acting.tau + acting.own
        towards = friction.directions(self.model, q, v, load, acting.wrenches)
        bound = self.bound([towards], t, q, v, s, inputs)
        function = ca.Function("decision", [t, q, v, s, *inputs.values()], ca.cse(bound))
        count = self.beside.size
        return lambda x: function(x.t, x.q, x.v, x.z[:count, 0], *inputs.values())


def default_method(plant: Plant) -> FixedStep:
    """The integrator for a plant when nobody chooses: one that looks ahead where it is stiff."""
    return Rosenbrock2() if plant.beside.stiff else RungeKutta4()


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
