"""From a setup to machine code that moves it, compiled once for all runs of equal setups."""

from __future__ import annotations

from phalanx.kernel.interrupts.insistent import insistent
from phalanx.simulation.adaptive import CvodesAdvance, SciPyAdvance
from phalanx.simulation.advance import Advance, FixedAdvance
from phalanx.simulation.integrators import Cvodes, DormandPrince, FixedStep, Integrator
from phalanx.simulation.plant import Plant
from phalanx.simulation.setup import Setup
from phalanx.simulation.store import COMPILED


def compiled_advance(
    setup: Setup, integrator: Integrator, step: float, rates: bool = False
) -> Advance:
    """What moves a setup whose control is compiled in, or comes from outside.

    Args:
        setup: With a Law, a SampledControl or nothing as its control.
        integrator: The method.
        step: Of a method with steps of one length [s].
        rates: Whether what it records has rates.
    """

    @insistent()
    def make() -> Advance:
        return advance_by(Plant(setup), integrator, step, rates)

    return COMPILED.kept(("advance", setup, integrator, float(step), bool(rates)), make)


def advance_by(plant: Plant, integrator: Integrator, step: float, rates: bool = False) -> Advance:
    """The advance that an integrator stands for; ``rates`` are for what it records."""
    match integrator:
        case FixedStep():
            return FixedAdvance(plant, integrator, step, rates)
        case DormandPrince():
            return SciPyAdvance(plant, integrator, rates)
        case Cvodes():
            return CvodesAdvance(plant, integrator, rates)
