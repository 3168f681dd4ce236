"""A machine in motion: its equations with everything that acts on it, and one step of them.

Here equations, joint forces, control and integrator become one function over symbols, which
``simulate`` compiles to take a step and ``rollout`` to take thousands in a loop.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import casadi as ca
from casadi import SX

from phalanx.dynamics import default_forward
from phalanx.equations.build import model_of
from phalanx.equations.expression import identifier
from phalanx.equations.loops.manifold import closed
from phalanx.equations.model import Model
from phalanx.errors import InvalidInput
from phalanx.mechanism import Mechanism
from phalanx.simulate.drive_friction import LoadedFriction, Stiction
from phalanx.simulate.forces import Damping, JointForce
from phalanx.simulate.integrators import Field, FixedStep, State
from phalanx.simulate.laws import Law
from phalanx.simulate.stick_slip import Decide, stick_slip_step

# rates of further quantities at (t, q, v, tau, forces of the joints themselves)
Extra = Callable[[Model, SX, SX, SX, SX, SX], SX]


@dataclass(frozen=True)
class Plant:
    """What moves and what acts on it.

    Attributes:
        mechanism: The machine.
        forces: Forces of the joints on themselves.
        law: The control law; None when joint forces are an input.
        wrenches: Frames on which an external wrench is an input.
        parameters: Numbers of the machine that are inputs.
        forward: Method of forward dynamics; chosen by size when not given.
    """

    mechanism: Mechanism
    forces: Sequence[JointForce] = (Damping(),)
    law: Law | None = None
    wrenches: Sequence[str] = ()
    parameters: Sequence[str] = ()
    forward: Callable[..., Any] | None = None
    model: Model = field(init=False)
    friction: LoadedFriction | None = field(init=False)
    _fields: dict[tuple[Extra | None, bool], tuple[ca.Function, dict[str, SX]]] = field(
        init=False, default_factory=dict, repr=False
    )

    def __post_init__(self) -> None:
        """Build the node tree once."""
        if not self.mechanism.nv:
            raise InvalidInput(f"'{self.mechanism.name}' has no joint that moves.")
        object.__setattr__(self, "model", model_of(self.mechanism, self.parameters))
        loaded = [force for force in self.forces if isinstance(force, LoadedFriction)]
        if len(loaded) > 1:
            raise InvalidInput(
                "friction under load can be given once; put all drives into one of "
                + " and ".join(type(force).__name__ for force in loaded)
                + "."
            )
        object.__setattr__(self, "friction", loaded[0] if loaded else None)
        if loaded and self.mechanism.loops:
            raise InvalidInput(
                f"'{self.mechanism.name}' has loops, and friction under load is for trees: use "
                "Damping() or Friction()."
            )

    def inputs(self) -> dict[str, SX]:
        """Symbols that stay constant within a step, by name, in the order of a step's inputs."""
        m = self.mechanism
        symbols = {} if self.law else {"tau": SX.sym("tau", m.nv)}
        symbols |= {f"wrench_{frame}": SX.sym(f"wrench_{frame}", 6) for frame in self.wrenches}
        for name, size in (self.law.inputs if self.law else {}).items():
            symbols[name] = SX.sym(name, {"q": m.nq, "v": m.nv}.get(str(size)) or int(size))
        return symbols | dict(self.model.parameters.symbols)

    def field(self, extra: Extra | None = None) -> tuple[ca.Function, dict[str, SX]]:
        """Rates of the state, ``(t, q, v, inputs...) -> (a, dz, tau_now)``, and input symbols."""
        return self._field(extra, directed=False)

    def _field(self, extra: Extra | None, *, directed: bool) -> tuple[ca.Function, dict[str, SX]]:
        """The same; ``directed`` has the directions of friction as a last input."""
        if (extra, directed) in self._fields:
            return self._fields[extra, directed]
        m = self.mechanism
        t, q, v = SX.sym("t"), SX.sym("q", m.nq), SX.sym("v", m.nv)
        inputs = self.inputs()
        tau, own, wrenches = self._acting(t, q, v, inputs)
        last = {"direction": SX.sym("direction", m.nv)} if directed else {}
        if self.friction is None:
            forward = self.forward or default_forward(self.model)
            a = forward(self.model, q, v, tau + own, wrenches=wrenches)
        else:
            state = self.model, q, v, tau + own, wrenches
            towards = last["direction"] if directed else self.friction.directions(*state)
            a, rubbing = self.friction.respond(*state, towards)
            own = own + rubbing
        dz = extra(self.model, t, q, v, tau, own) if extra else SX(0, 1)
        names = ["t", "q", "v", *(identifier(name) for name in inputs), *last]
        function = ca.Function(
            "field",
            [t, q, v, *inputs.values(), *last.values()],
            ca.cse([ca.densify(a), ca.densify(dz), ca.densify(tau)]),
            names,
            ["a", "dz", "tau_now"],
        )
        self._fields[extra, directed] = function, inputs
        return function, inputs

    def _acting(
        self, t: SX, q: SX, v: SX, inputs: Mapping[str, SX]
    ) -> tuple[SX, SX, dict[str, SX]]:
        """Forces of the motors, of the joints themselves without friction under load, wrenches."""
        m = self.mechanism
        tau = self.law(self.model, t, q, v, inputs) if self.law else inputs["tau"]
        own = SX.zeros(m.nv, 1)
        for force in self.forces:
            if force is not self.friction:
                own += force.force(m, q, v)
        return tau, own, {frame: inputs[f"wrench_{frame}"] for frame in self.wrenches}

    def step(
        self, integrator: FixedStep, length: float, extra: Extra | None = None
    ) -> tuple[ca.Function, dict[str, SX]]:
        """One step: ``(q, v, z, t, inputs...) -> (q, v, z, t, tau)``, and the inputs' symbols.

        The last output is the joint force at the beginning of the step.
        """
        sticks = isinstance(self.friction, Stiction)
        field, inputs = self._field(extra, directed=sticks)
        m = self.mechanism
        q, v = SX.sym("q", m.nq), SX.sym("v", m.nv)
        z, t = SX.sym("z", field.size1_out(1)), SX.sym("t")

        def rates(*directions: SX) -> Field:
            def at(time: SX, position: SX, velocity: SX) -> tuple[SX, SX]:
                a, dz, _ = field(time, position, velocity, *inputs.values(), *directions)
                return a, dz

            return at

        before = State(t, q, v, z)
        if isinstance(self.friction, Stiction):
            decide = self._decision(self.friction, inputs)
            dry = self.friction.dry(m)
            after = stick_slip_step(self.model, integrator, rates, decide, dry, before, length)
        else:
            after = integrator.step(self.model, rates(), before, length)
        if m.loops:
            q_closed, v_closed = closed(self.model, after.q, after.v)
            after = replace(after, q=q_closed, v=v_closed)
        tau, _, _ = self._acting(t, q, v, inputs)
        names = [identifier(name) for name in inputs]
        function = ca.Function(
            identifier(f"{m.name}_step"),
            [q, v, z, t, *inputs.values()],
            ca.cse([after.q, after.v, after.z, after.t, tau]),
            ["q", "v", "z", "t", *names],
            ["q_next", "v_next", "z_next", "t_next", "tau_now"],
        )
        return function, inputs

    def _decision(self, friction: Stiction, inputs: Mapping[str, SX]) -> Decide:
        """Directions of friction at a state, traced once."""
        m = self.mechanism
        t, q, v = SX.sym("t"), SX.sym("q", m.nq), SX.sym("v", m.nv)
        tau, own, wrenches = self._acting(t, q, v, inputs)
        towards = friction.directions(self.model, q, v, tau + own, wrenches)
        function = ca.Function("decision", [t, q, v, *inputs.values()], ca.cse([towards]))
        return lambda state: function(state.t, state.q, state.v, *inputs.values())


def scalar_shapes(function: ca.Function, inputs: Mapping[str, SX]) -> dict[str, tuple[int, ...]]:
    """Trailing shapes for kernels: time, energy and numbers of the machine are plain numbers."""
    plain = {"t", "t_next", "E", *(identifier(name) for name in inputs if "." in name)}
    sizes = {name: function.numel_in(name) for name in function.name_in()}
    sizes |= {name: function.numel_out(name) for name in function.name_out()}
    return {name: () for name, size in sizes.items() if size == 1 and name in plain}
