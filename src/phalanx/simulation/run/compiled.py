"""From a setup to machine code that moves it, compiled once for all runs of equal setups."""

from __future__ import annotations

from phalanx.kernel.interrupts.repeated_interrupts import repeated_interrupts
from phalanx.simulation.integrators.integrators import Cvodes, DormandPrince, FixedStep, Integrator
from phalanx.simulation.long.advance import LongFixedAdvance, LongSciPyAdvance
from phalanx.simulation.long.choice import is_walked, walked_or_written_out
from phalanx.simulation.long.field import LongField
from phalanx.simulation.run.adaptive import CvodesAdvance, SciPyAdvance
from phalanx.simulation.run.advance import Advance, FixedAdvance
from phalanx.simulation.run.compile_cache import COMPILED
from phalanx.simulation.run.plant import Plant
from phalanx.simulation.setup.setup import Setup, fitted


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
    walked = is_walked(setup, integrator)

    @repeated_interrupts()
    def make() -> Advance:
        fit = fitted(setup, integrator, step)

        def written_out() -> Advance:
            return advance_by(Plant(fit), integrator, step, rates)

        def by_walks() -> Advance:
            return long_advance_by(LongField(fit), integrator, step, rates)

        return walked_or_written_out(setup, by_walks, written_out) if walked else written_out()

    key = ("walked" if walked else "advance", setup, integrator, float(step), bool(rates))
    return COMPILED.kept(key, make)


def advance_by(plant: Plant, integrator: Integrator, step: float, rates: bool = False) -> Advance:
    """The advance that an integrator stands for; ``rates`` are for what it records."""
    match integrator:
        case FixedStep():
            return FixedAdvance(plant, integrator, step, rates)
        case DormandPrince():
            return SciPyAdvance(plant, integrator, rates)
        case Cvodes():
            return CvodesAdvance(plant, integrator, rates)


def long_advance_by(
    field: LongField, integrator: Integrator, step: float, rates: bool = False
) -> Advance:
    """The same for a machine that is walked over."""
    if isinstance(integrator, DormandPrince):
        return LongSciPyAdvance(field, integrator, rates)
    assert isinstance(integrator, FixedStep)  # see `is_walked`
    return LongFixedAdvance(field, integrator, step, rates)
