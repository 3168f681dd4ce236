"""The native loop of a batch: many steps of many runs, compiled once for equal descriptions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, final

from casadi import SX

from phalanx.base.errors import InvalidInput
from phalanx.kernel.build import checked_dtype
from phalanx.kernel.interrupts.repeated_interrupts import repeated_interrupts
from phalanx.kernel.loops.loop import LoopKernel, compile_loop
from phalanx.simulation.integrators.integrators import FixedStep
from phalanx.simulation.long.choice import is_walked, walked_or_written_out
from phalanx.simulation.long.loop import LongLoop
from phalanx.simulation.run.compile_cache import COMPILED
from phalanx.simulation.run.divergence import counted
from phalanx.simulation.run.plant import Acting, Plant, scalar_shapes
from phalanx.simulation.run.plant_step import plant_step
from phalanx.simulation.setup.setup import Setup, fitted

BESIDE = "z_next"  # states of subsystems


@final
@dataclass(frozen=True, eq=False)
class Loop:
    """All that goes into the machine code of a batch.

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

    def kernel(self) -> LoopKernel | LongLoop:
        """The machine code, kept from an earlier call where there was one."""
        walked = is_walked(self.setup, self.integrator, self.dtype)
        return COMPILED.kept(("walked" if walked else "loop", self), self.compiled)

    @repeated_interrupts()
    def compiled(self, cache: bool = True) -> LoopKernel | LongLoop:
        """The same made anew; from object code on the disk where ``cache`` allows it."""
        setup = fitted(self.setup, self.integrator, self.step)

        def written_out() -> LoopKernel | LongLoop:
            return self._written_out(setup, cache)

        def by_walks() -> LoopKernel | LongLoop:
            parts = (setup, self.integrator, self.step, self.objective, self.recorded)
            return LongLoop(*parts, self.threads)

        if is_walked(self.setup, self.integrator, self.dtype):
            return walked_or_written_out(self.setup, by_walks, written_out)
        return written_out()

    def _written_out(self, setup: Setup, cache: bool) -> LoopKernel:
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
