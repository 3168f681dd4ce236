"""Which setups are run by walks over bodies, and which by equations of the whole machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from phalanx.base.errors import InvalidInput
from phalanx.dynamics.evaluators.choice import (
    SIZES,
    TRAVERSED,
    can_be_unrolled,
    is_long,
    node_count,
)
from phalanx.simulation.integrators.integrators import (
    DormandPrince,
    Integrator,
    RungeKutta4,
    RungeKuttaGill,
    SemiImplicitEuler,
)
from phalanx.simulation.long.names_only import NeedsEquations
from phalanx.simulation.setup.forces.drive_friction import LoadedFriction
from phalanx.simulation.setup.setup import Setup

T = TypeVar("T")


def is_walked(setup: Setup, integrator: Integrator, dtype: str = "float64") -> bool:
    """Whether a setup is run by walks.

    Raises:
        InvalidInput: When it has to be, and something of it needs equations of the whole machine.
    """
    why = why_written_out(setup, integrator, dtype)
    if why is not None and not can_be_unrolled(setup.mechanism, "run"):
        raise InvalidInput(_needs(setup, why))
    return why is None and is_long(setup.mechanism, "run")


def walked_or_written_out(setup: Setup, walked: Callable[[], T], written: Callable[[], T]) -> T:
    """What walks make of a setup; where control asks for equations, what these make of it.

    Raises:
        InvalidInput: When it asks for equations of a machine that is too long for them.
    """
    try:
        return walked()
    except NeedsEquations as needs:
        if not can_be_unrolled(setup.mechanism, "run"):
            raise InvalidInput(str(needs)) from None
        return written()


def _needs(setup: Setup, why: str) -> str:
    nodes = node_count(setup.mechanism)
    return (
        f"'{setup.mechanism.name}' has {nodes} elementary joints, and {why}: that needs equations "
        f"of the whole machine, which are written out for up to {SIZES['run'].unrolled_up_to}. "
        "Machines of any length run with RungeKutta4(), RungeKuttaGill(), SemiImplicitEuler() or "
        "DormandPrince(), in float64, with joints that move freely, laws of positions, velocities "
        "and time, Damping(), Friction(), Stops(), FluidDrag() and ModelFluid()."
    )


def why_written_out(setup: Setup, integrator: Integrator, dtype: str = "float64") -> str | None:
    """What of a setup needs the equations of the whole machine; None where nothing does."""
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
    plain = RungeKutta4 | RungeKuttaGill | SemiImplicitEuler | DormandPrince
    if not isinstance(integrator, plain):
        return f"{type(integrator).__name__} is asked for"
    return None
