"""One step of a plant: its field of rates and an integrator as one function over symbols.

``simulate`` compiles it to take a step, ``rollout`` to take thousands in a loop.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import casadi as ca
from casadi import SX

from phalanx.equations.expression import identifier
from phalanx.simulation.integrators.integrators import Field, FixedStep, State
from phalanx.simulation.run.energy_lines import friction_line, load_line
from phalanx.simulation.run.plant import Extra, Plant
from phalanx.simulation.run.singularity_handling import SingularityState, landed
from phalanx.simulation.run.stick_slip import Decide, stick_slip_step
from phalanx.simulation.setup.forces.drive_friction import Stiction


def plant_step(
    plant: Plant,
    integrator: FixedStep,
    length: float,
    extra: Extra | None = None,
    lines: Sequence[str] = (),
) -> tuple[ca.Function, dict[str, SX]]:
    """One step: ``(q, v, z, t, p, inputs...) -> (q, v, z, t, p, tau)``, and symbols of inputs.

    z has the subsystem states and then further quantities, p the state of singularity handling
    (nothing without loops). The last output is the joint force at the
    beginning of the step. ``lines`` are labels of the last of the further quantities: lines of
    the energy balance, which also have what changes at once (a joint that sticks, a full bucket).
    """
    layout, friction = plant.layout, plant.layout.friction
    sticks = isinstance(friction, Stiction)
    field, inputs = plant.directed_field(extra, directed=sticks, passing=True)
    m, count = plant.mechanism, layout.subsystems.size
    q, v = SX.sym("q", m.nq), SX.sym("v", m.nv)
    z, t = SX.sym("z", field.size1_out(1)), SX.sym("t")
    p = SX.sym("p", layout.singularity_states)
    known = (SingularityState.of(p).before,) if layout.singularity_states else ()

    def rates(*directions: SX) -> Field:
        def at(time: SX, position: SX, velocity: SX, along: SX) -> tuple[SX, SX]:
            arguments = (*inputs.values(), *directions, *known)
            a, dz, *_ = field(time, position, velocity, along[:count, 0], *arguments)
            return a, dz

        return at

    begin = plant.sampled(t, q, v, z[:count, 0], inputs)
    before = State(t, q, v, ca.vertcat(begin, z[count:, 0]), layout.subsystems.stiff)
    if isinstance(friction, Stiction):
        decide = _decision(plant, friction, inputs)
        dry = friction.dry(m)
        line = friction_line(layout)
        book = z.numel() - len(lines) + lines.index(line) if lines else None
        parts = dry, before, length, book
        after = stick_slip_step(plant.model, integrator, rates, decide, *parts)
    else:
        after = integrator.step(plant.model, rates(), before, length)
    p_next = p
    if layout.singularity_states:
        past, moved = SingularityState.of(p), (v, after.q, after.v)
        q_next, v_next, now = landed(plant.model, *moved, past, after.t, length)
        after, p_next = replace(after, q=q_next, v=v_next), now.packed()
    if count:
        settled = layout.subsystems.settled(after.z[:count, 0])
        further = SX(after.z[count:, 0])
        if lines and layout.setup.surroundings and layout.setup.surroundings.parameters:
            reached = after.t, after.q, after.v, after.z[:count, 0]
            gain = plant.settling_gain()(*reached, *inputs.values())
            further[further.numel() - len(lines) + lines.index(load_line(layout))] += gain
        after = replace(after, z=ca.vertcat(settled, further))
    tau = plant.acting(t, q, v, begin, inputs).tau
    names = [identifier(name) for name in inputs]
    end = [after.q, after.v, after.z, after.t, p_next]
    outputs = plant.bound([*end, tau], t, q, v, begin, inputs)
    function = ca.Function(
        identifier(f"{m.name}_step"),
        [q, v, z, t, p, *inputs.values()],
        ca.cse(outputs),
        ["q", "v", "z", "t", "singularity_state", *names],
        ["q_next", "v_next", "z_next", "t_next", "passage_next", "tau_now"],
    )
    return function, inputs


def _decision(plant: Plant, friction: Stiction, inputs: Mapping[str, SX]) -> Decide:
    """Directions of friction at a state, traced once."""
    m, count = plant.mechanism, plant.layout.subsystems.size
    t, q, v = SX.sym("t"), SX.sym("q", m.nq), SX.sym("v", m.nv)
    s = SX.sym("s", count)
    acting = plant.acting(t, q, v, s, inputs)
    load = plant.pushed(acting, q)
    towards = friction.directions(plant.model, q, v, load, acting.wrenches)
    bound = plant.bound([towards], t, q, v, s, inputs)
    function = ca.Function("decision", [t, q, v, s, *inputs.values()], ca.cse(bound))
    return lambda x: function(x.t, x.q, x.v, x.z[:count, 0], *inputs.values())
