"""Compile a setup to machine code that advances it, once for all runs of equal setups."""

from __future__ import annotations

from phalanx.kernel.interrupts.interruptible import repeated_interrupts
from phalanx.simulation.integrators.integrators import Cvodes, DormandPrince, FixedStep, Integrator
from phalanx.simulation.run.adaptive import CvodesAdvance, SciPyAdvance
from phalanx.simulation.run.advance import Advance, FixedAdvance
from phalanx.simulation.run.choice import chosen, made_by
from phalanx.simulation.run.compile_cache import COMPILED
from phalanx.simulation.run.plant import Plant
from phalanx.simulation.setup.setup import Setup, fitted
from phalanx.simulation.traversed.advance import TraversedFixedAdvance, TraversedSciPyAdvance
from phalanx.simulation.traversed.field import TraversedField


def compiled_advance(
    setup: Setup, integrator: Integrator, step: float, rates: bool = False
) -> Advance:
    """Advance of a setup whose control is compiled in, or an input.

    Args:
        setup: With a Law, a SampledControl or nothing as its control.
        integrator: The method.
        step: Of a method with steps of one length [s].
        rates: Whether what it records has rates.
    """
    evaluator = chosen(setup, integrator)

    @repeated_interrupts()
    def make() -> Advance:
        fit = fitted(setup, integrator, step)
        return made_by(
            evaluator,
            setup,
            unrolled=lambda: unrolled_advance(Plant(fit), integrator, step, rates),
            traversed=lambda: traversed_advance(TraversedField(fit), integrator, step, rates),
        )

    key = (evaluator, setup, integrator, float(step), bool(rates))
    return COMPILED.get_or_make(key, make)


def unrolled_advance(
    plant: Plant, integrator: Integrator, step: float, rates: bool = False
) -> Advance:
    """The advance that an integrator stands for; ``rates`` are for what it records."""
    match integrator:
        case FixedStep():
            return FixedAdvance(plant, integrator, step, rates)
        case DormandPrince():
            return SciPyAdvance(plant, integrator, rates)
        case Cvodes():
            return CvodesAdvance(plant, integrator, rates)


def traversed_advance(
    field: TraversedField, integrator: Integrator, step: float, rates: bool = False
) -> Advance:
    """Advance of a setup by traversal of bodies."""
    if isinstance(integrator, DormandPrince):
        return TraversedSciPyAdvance(field, integrator, rates)
    assert isinstance(integrator, FixedStep)  # see `chosen`
    return TraversedFixedAdvance(field, integrator, step, rates)
