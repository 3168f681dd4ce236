"""Native loop of a batch: many steps of many runs, compiled once for equal descriptions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, final

from casadi import SX

from phalanx.base.errors import InvalidInput
from phalanx.dynamics.evaluators.choice import Name
from phalanx.kernel.build import checked_dtype
from phalanx.kernel.interrupts.interruptible import repeated_interrupts
from phalanx.kernel.loops.loop import LoopKernel, compile_loop
from phalanx.simulation.integrators.integrators import FixedStep
from phalanx.simulation.run.choice import chosen, made_by
from phalanx.simulation.run.compile_cache import COMPILED
from phalanx.simulation.run.divergence import counted
from phalanx.simulation.run.plant import Acting, Plant, scalar_shapes
from phalanx.simulation.run.plant_step import plant_step
from phalanx.simulation.setup.setup import Setup, fitted
from phalanx.simulation.traversed.loop import TraversedLoop

SUBSYSTEM_STATES = "z_next"  # states of subsystems


@final
@dataclass(frozen=True, eq=False)
class BatchLoop:
    """Description of a batch's machine code: setup, integrator, recorded signals.

    Attributes:
        setup: What runs.
        integrator: The method.
        step: Its length [s].
        objective: ``rate(q, v, tau)``, integrated along.
        recorded: What a step leaves that is kept.
        dtype: Of the numbers.
        threads: How many.
    """

    setup: Setup
    integrator: FixedStep
    step: float
    objective: Callable[..., SX] | None
    recorded: tuple[str, ...]
    dtype: Literal["float64", "float32"]
    threads: int

    def kernel(self) -> LoopKernel | TraversedLoop:
        """Return the machine code, cached from an earlier call where there was one."""
        return COMPILED.get_or_make((self._evaluator(), self), self.compiled)

    def _evaluator(self) -> Name:
        return chosen(self.setup, self.integrator, self.dtype)

    @repeated_interrupts()
    def compiled(self, cache: bool = True) -> LoopKernel | TraversedLoop:
        """Compile it; from object code in the disk cache where ``cache`` allows it."""
        setup = fitted(self.setup, self.integrator, self.step)
        parts = (setup, self.integrator, self.step, self.objective, self.recorded)

        def traversed() -> LoopKernel | TraversedLoop:
            return TraversedLoop(*parts, self.threads)

        return made_by(
            self._evaluator(),
            self.setup,
            unrolled=lambda: self._unrolled(setup, cache),
            traversed=traversed,
        )

    def _unrolled(self, setup: Setup, cache: bool) -> LoopKernel:
        """By equations of the whole machine."""
        plant = Plant(setup)
        function, symbols = plant_step(plant, self.integrator, self.step, _extra(self.objective))
        layout = plant.layout
        return compile_loop(
            counted(function, 5, checked_dtype(self.dtype)),
            6,
            streamed=[] if layout.law else [layout.commanded],
            recorded=self.recorded,
            shapes=scalar_shapes(function, symbols) | {"good": (), "good_next": ()},
            dtype=self.dtype,
            threads=self.threads,
            cache=cache,
        )


def _extra(objective: Callable[..., SX] | None) -> Any:
    """The objective's rate as a further quantity to integrate."""
    if objective is None:
        return None

    def extra(plant: Plant, q: SX, v: SX, s: SX, a: SX, acting: Acting) -> SX:
        value = SX(objective(q, v, acting.tau))
        if value.numel() != 1:
            raise InvalidInput(f"an objective is one number, got shape {value.shape}.")
        return value

    return extra
