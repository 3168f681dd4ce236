"""Terms of a run's energy balance: their names, and their powers over symbols.

Policy: powers are integrated along with the state, in the stages of the run's own integrator. So
a line has the method's order, sums of lines whose powers add up at every state add up to rounding,
and what remains between them and the stored energy is the error of the integration alone. Whatever
is recorded (each step or every tenth) has the whole of it.

A label is ``kind.name``. The kinds, and their signs:

- ``input`` and ``exchanged``: positive where the machine gains energy;
- ``lost``: positive where it loses some;
- ``stored``: what is there at a moment.

The balance is Σ input + Σ exchanged - Σ lost = change of Σ stored - integration error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import casadi as ca
from casadi import SX

from phalanx.equations import jacobian, kinetic_energy, position_rate, potential_energy
from phalanx.equations.quantities.springs import elastic_energy
from phalanx.simulation.setup.layout import Layout

if TYPE_CHECKING:
    from phalanx.simulation.run.plant import Acting, Plant

DRIVES, WRENCHES, EVENTS = "input.drives", "input.wrenches", "exchanged.events"
STORED = ("stored.kinetic", "stored.gravity", "stored.springs")


def force_names(layout: Layout) -> tuple[str, ...]:
    """A name for each force of the setup: its class, with a number where there are several."""
    names = [type(force).__name__ for force in layout.setup.forces]
    return tuple(
        name if names.count(name) == 1 else f"{name} {names[: k + 1].count(name)}"
        for k, name in enumerate(names)
    )


def integrated_lines(layout: Layout) -> tuple[str, ...]:
    """Labels of the lines that are integrated, in the order of the state; events come last."""
    setup = layout.setup
    oil = setup.actuation.energy_lines if setup.actuation else ()
    lines = [*(oil or (DRIVES,))]
    if setup.wrenches:
        lines.append(WRENCHES)
    named = zip(setup.forces, force_names(layout), strict=True)
    lines += [f"lost.{name}" for force, name in named if force.acts]
    if setup.surroundings:
        met = type(setup.surroundings).__name__
        lines.append(f"exchanged.{met}")
        if setup.surroundings.parameters:
            lines.append(load_line(layout))
    return (*lines, EVENTS)


def load_line(layout: Layout) -> str:
    """The line of what the surroundings put into the machine and take out, such as soil."""
    return f"exchanged.load from {type(layout.setup.surroundings).__name__}"


def friction_line(layout: Layout) -> str:
    """The line of friction under load."""
    return f"lost.{force_names(layout)[layout.setup.forces.index(layout.friction)]}"


def stored_lines(layout: Layout) -> tuple[str, ...]:
    """Labels of what is stored in a state, in the order of :func:`stored_energies`."""
    named = zip(layout.setup.forces, force_names(layout), strict=True)
    return (*STORED, *(f"stored.{name}" for force, name in named if force.stores_energy))


def balance_labels(layout: Layout) -> tuple[str, ...]:
    """Labels of the recorded signal."""
    return integrated_lines(layout) + stored_lines(layout)


def powers(plant: Plant, q: SX, v: SX, s: SX, a: SX, acting: Acting) -> SX:
    """Rates of the integrated lines at a state [W], in their order.

    Args:
        plant: The equations.
        q: Positions, shape (nq,).
        v: Velocities, shape (nv,).
        s: States of subsystems.
        a: Accelerations, shape (nv,).
        acting: What acts, friction under load included.
    """
    setup, model = plant.setup, plant.model
    drives = acting.powers if acting.powers.numel() else ca.dot(acting.tau, v)
    rows = [drives]
    if setup.wrenches:
        rows.append(
            sum(
                (
                    ca.dot(wrench, jacobian(model, q, frame=frame, axes="local") @ v)
                    for frame, wrench in acting.wrenches.items()
                ),
                SX(0),
            )
        )
    for force, push in zip(setup.forces, acting.forces, strict=True):
        if not force.acts:
            continue
        taken = -ca.dot(push, v)
        if force.stores_energy:
            held = force.stored_energy(model, q, plant.parameter_symbols)
            taken -= ca.jtimes(held, q, position_rate(model, q, v))
        rows.append(taken)
    if setup.surroundings:
        rows.append(ca.dot(acting.met, v))
        if setup.surroundings.parameters:
            rows.append(_carried(plant, q, v, s, a, acting))
    return ca.densify(ca.vertcat(*rows, 0))


def _carried(plant: Plant, q: SX, v: SX, s: SX, a: SX, acting: Acting) -> SX:
    """Power of a changing machine: its energy's derivative by its numbers, times their rates."""
    model = plant.model
    numbers = ca.vertcat(*acting.parameters.values())
    symbols = ca.vertcat(*(model.parameters.symbols[name] for name in acting.parameters))
    E = kinetic_energy(model, q, v) + potential_energy(model, q)
    rates = ca.jtimes(numbers, s, acting.rate)
    rates += ca.jtimes(numbers, q, position_rate(model, q, v)) + ca.jtimes(numbers, v, a)
    return ca.jtimes(E, symbols, rates)


def stored_energies(plant: Plant, q: SX, v: SX) -> SX:
    """Stored energies of a state [J], in the order of :func:`stored_lines`."""
    model = plant.model
    springs = elastic_energy(model, q)
    rows = [kinetic_energy(model, q, v), potential_energy(model, q) - springs, springs]
    forces = [force for force in plant.setup.forces if force.stores_energy]
    rows += [force.stored_energy(model, q, plant.parameter_symbols) for force in forces]
    return ca.densify(ca.vertcat(*rows))
