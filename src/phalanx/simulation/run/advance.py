"""Fixed-step integration of a run by compiled steps.

The state is one array: positions, velocities, states of subsystems, work done by the drives, loss
in the joints, lines of the energy balance, the state of singularity handling, time.
All advances share one signature, ``advance(x, dt, inputs) -> x``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, final

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import NDArray

from phalanx.base.cached import ForkSafeLock
from phalanx.equations.expression import identifier
from phalanx.kernel import Kernel
from phalanx.kernel import compile as compile_kernel
from phalanx.kernel.interrupts.interruptible import repeated_interrupts
from phalanx.kernel.loops.loop import LoopKernel, compile_loop
from phalanx.mechanism import Mechanism
from phalanx.simulation.integrators.integrators import FixedStep
from phalanx.simulation.record.body_poses import compiled_body_poses
from phalanx.simulation.record.selection import Places
from phalanx.simulation.run import energy_lines
from phalanx.simulation.run.plant import Acting, Plant, scalar_shapes
from phalanx.simulation.run.plant_step import plant_step
from phalanx.simulation.run.singularity_handling import SingularityState

Array = NDArray[np.float64]

EXTRAS = ("work", "loss")


def power_and_loss(plant: Plant, q: SX, v: SX, s: SX, a: SX, acting: Acting) -> SX:
    """Power of the drives, and power that the joints' own forces take out [W]."""
    return ca.vertcat(ca.dot(acting.tau, v), -ca.dot(acting.own, v))


def all_powers(plant: Plant, q: SX, v: SX, s: SX, a: SX, acting: Acting) -> SX:
    """The same, and those of the lines of the energy balance [W]."""
    state = plant, q, v, s, a, acting
    return ca.vertcat(power_and_loss(*state), energy_lines.powers(*state))


class Advance(ABC):
    """Moves a state forward in time.

    It is kept for other runs of equal setups: beyond its construction it asks nothing of the
    objects that it was made of, which may be changed meanwhile.

    Attributes:
        mechanism: The machine.
        takes_single_steps: Whether it takes steps of one length, which are looked at one by one.
        observe: The state as a row of a recording: a function of the state and inputs.
        lines: Labels of the lines of the energy balance that its state has.
    """

    mechanism: Mechanism
    takes_single_steps = False
    lines: tuple[str, ...]
    observe: Callable[..., Array]

    @abstractmethod
    def advance(self, x: Array, dt: float, inputs: Sequence[Any]) -> Array:
        """The state ``dt`` later."""

    @abstractmethod
    def places(self, bodies: tuple[str, ...]) -> Places:
        """What gives the poses of bodies or frames at recorded states."""


class CompiledAdvance(Advance):
    """Compiled part of an advance that all methods share, for unrolled equations."""

    def __init__(self, plant: Plant, rates: bool = False) -> None:
        """Compile what every method needs: a state as a row of a recording, with rates if asked."""
        layout = plant.layout
        self.mechanism, self.count = plant.mechanism, layout.subsystems.size
        self.field, self.symbols = plant.passing_field(all_powers)
        m, count = self.mechanism, self.count
        self.lines = energy_lines.integrated_lines(layout)
        end = m.nq + m.nv + count + len(EXTRAS) + len(self.lines)
        self.x = SX.sym("x", end + layout.singularity_states + 1)
        self.q, self.v = self.x[: m.nq], self.x[m.nq : m.nq + m.nv]
        self.z, self.p, self.t = self.x[m.nq + m.nv : end], self.x[end:-1, 0], self.x[-1]
        self.s = self.z[:count, 0]
        # the field's input from the step before, where there are loops
        self.known = (SingularityState.of(self.p).before,) if layout.singularity_states else ()
        self.row = self._row(plant, rates)
        self.observe = self.compiled("observe", row=self.row).call

    def places(self, bodies: tuple[str, ...]) -> Places:
        return compiled_body_poses(self.mechanism, bodies)

    def _row(self, plant: Plant, rates: bool) -> SX:
        """The state as a recording keeps it, in the order of ``channels.run_channels``."""
        layout = plant.layout
        state = self.t, self.q, self.v
        s = plant.sampled(*state, self.s, self.symbols)
        a, dz, tau, command = self.field(*state, s, *self.symbols.values(), *self.known)
        E = plant.energy(*state, s, self.symbols)
        commanded = command if layout.setup.actuation else SX(0, 1)
        (stored,) = plant.bound(
            [energy_lines.stored_energies(plant, self.q, self.v)], *state, s, self.symbols
        )
        row = ca.vertcat(*state, tau, E, self.z[self.s.numel() :, 0], stored, commanded, s)
        if not rates:
            return row
        count = self.count
        memory = count - sum(quantity.size for quantity in layout.integrated)
        return ca.vertcat(row, a, dz[memory:count, 0])

    def compiled(self, name: str, more: Mapping[str, SX] | None = None, **outputs: SX) -> Kernel:
        """Machine code for expressions of the state, more symbols, what acts from outside."""
        more = more or {}
        function = ca.Function(
            identifier(name),
            [self.x, *more.values(), *self.symbols.values()],
            ca.cse(list(outputs.values())),
            ["x", *more, *(identifier(symbol) for symbol in self.symbols)],
            list(outputs),
        )
        return compile_kernel(function, shapes=scalar_shapes(function, self.symbols))


@final
class FixedAdvance(CompiledAdvance):
    """Steps of one length, each one call of machine code."""

    takes_single_steps = True

    def __init__(
        self, plant: Plant, integrator: FixedStep, step: float, rates: bool = False
    ) -> None:
        super().__init__(plant, rates)
        function, _ = plant_step(plant, integrator, step, all_powers, self.lines)
        after = function(self.q, self.v, self.z, self.t, self.p, *self.symbols.values())
        self.step = step
        q, v, z, t, p, *_ = after
        x_next = SX(ca.vertcat(q, v, z, p, t))
        self.name = f"{plant.mechanism.name}_step"
        self.x_next = x_next
        self.kernel = self.compiled(self.name, x_next=x_next)
        self.take = self.kernel.call
        self.loops: dict[tuple[bool, ...], LoopKernel] = {}
        self._compiling = ForkSafeLock()

    def advance(self, x: Array, dt: float, inputs: Sequence[Any]) -> Array:
        for _ in range(round(dt / self.step)):
            x = self.take(x, *inputs)
        return x

    def many_steps(self, x: Array, steps: int, inputs: Sequence[Array]) -> tuple[Array, Array]:
        """Many steps in one native loop.

        Args:
            x: The state.
            steps: How many.
            inputs: What acts from outside: one row a step, shape (steps, n), or (n,) for all.

        Returns:
            The state afterwards, and a row of a recording for the begin of each step.
        """
        moving = tuple(value.ndim == 2 for value in inputs)
        result = self.loop(moving)(steps, x, *inputs)
        return result.final.x_next, result.recorded.row

    def loop(self, moving: tuple[bool, ...]) -> LoopKernel:
        """The native loop over steps in which these inputs are read anew in each."""
        with self._compiling:
            if moving not in self.loops:
                self.loops[moving] = self._compiled_loop(moving)
            return self.loops[moving]

    @repeated_interrupts()
    def _compiled_loop(self, moving: tuple[bool, ...]) -> LoopKernel:
        names = [identifier(symbol) for symbol in self.symbols]
        function = ca.Function(
            identifier(self.name),
            [self.x, *self.symbols.values()],
            ca.cse([self.x_next, self.row]),
            ["x", *names],
            ["x_next", "row"],
        )
        streamed = [name for name, moves in zip(names, moving, strict=True) if moves]
        return compile_loop(
            function,
            1,
            streamed=streamed,
            recorded=["row"],
            shapes=scalar_shapes(function, self.symbols),
            threads=1,
        )
