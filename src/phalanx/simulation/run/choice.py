"""Choice of the evaluator of a setup: unrolled equations, or traversal of bodies."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from phalanx.base.errors import InvalidInput
from phalanx.dynamics.evaluators import choice
from phalanx.dynamics.evaluators.choice import SIZES, TRAVERSED, can_be_unrolled, node_count
from phalanx.simulation.integrators.integrators import (
    OF_ANY_LENGTH,
    Integrator,
    any_length_text,
)
from phalanx.simulation.setup.forces.drive_friction import LoadedFriction
from phalanx.simulation.setup.setup import Setup
from phalanx.simulation.traversed.names_only import NeedsEquations

T = TypeVar("T")


def chosen(setup: Setup, integrator: Integrator, dtype: str = "float64") -> choice.Name:
    """The evaluator that serves a setup.

    Raises:
        InvalidInput: When only unrolled code will do, and the machine is too long for it.
    """
    why = why_unrolled(setup, integrator, dtype)
    if why is not None and not can_be_unrolled(setup.mechanism, "run"):
        raise InvalidInput(_needs(setup, why))
    return choice.chosen(setup.mechanism, "run", why)


def made_by(
    evaluator: choice.Name, setup: Setup, *, unrolled: Callable[[], T], traversed: Callable[[], T]
) -> T:
    """Make what runs a setup; unrolled where its control turns out to ask for equations.

    Raises:
        InvalidInput: When it asks for equations of a machine that is too long for them.
    """
    if evaluator == "unrolled":
        return unrolled()
    try:
        return traversed()
    except NeedsEquations as needs:
        if not can_be_unrolled(setup.mechanism, "run"):
            raise InvalidInput(str(needs)) from None
        return unrolled()


def _needs(setup: Setup, why: str) -> str:
    nodes = node_count(setup.mechanism)
    return (
        f"'{setup.mechanism.name}' has {nodes} elementary joints, and {why}: that needs equations "
        f"of the whole machine, which are written out for up to {SIZES['run'].unrolled_up_to}. "
        f"Machines of any length run with {any_length_text()}, in float64, with joints that move "
        "freely, laws of positions, velocities and time, Damping(), Friction(), Stops(), "
        "FluidDrag() and ModelFluid()."
    )


def why_unrolled(setup: Setup, integrator: Integrator, dtype: str = "float64") -> str | None:
    """Describe what of a setup needs unrolled equations; None where nothing does."""
    set_by_others = setup.surroundings.parameters if setup.surroundings else ()
    why = TRAVERSED.missing(setup.mechanism, (), dtype)
    if why is not None:
        return why
    if setup.parameters:
        return f"'{setup.parameters[0]}' is told to each run"
    if set_by_others:
        return f"its surroundings set '{set_by_others[0]}'"
    loaded = next((force for force in setup.forces if isinstance(force, LoadedFriction)), None)
    if loaded is not None:
        return f"{type(loaded).__name__} depends on the load of every joint"
    if not isinstance(integrator, OF_ANY_LENGTH):
        return f"{type(integrator).__name__} is asked for"
    return None
