"""Unrolled code: one expression graph for each quantity of a machine, compiled without loops."""

from __future__ import annotations

from typing import final

import casadi as ca

from phalanx.base.cached import cached_property
from phalanx.base.errors import InvalidInput
from phalanx.dynamics.evaluators.choice import check_accelerations, check_unrolled_size
from phalanx.dynamics.evaluators.evaluator import Evaluator
from phalanx.dynamics.quantities import QuantityEquation
from phalanx.equations.expression import expression, identifier
from phalanx.equations.loops.methods.reduced_inertia import joints_without_inertia_in_loops
from phalanx.equations.model_of import model_of
from phalanx.equations.quantities.axes import ALIGNED, Axes
from phalanx.equations.tree.model import Model
from phalanx.kernel import Kernel, Operations, count_operations
from phalanx.kernel import compile as compile_kernel
from phalanx.kernel.interrupts.interruptible import repeated_interrupts
from phalanx.mechanism import Mechanism
from phalanx.mechanism.describe import describe


@final
class Unrolled(Evaluator):
    """Straight-line code for machines of any kind, as long as they are not too long."""

    def __init__(
        self,
        mechanism: Mechanism,
        *,
        parameters: tuple[str, ...],
        wrenches: tuple[str, ...],
        moving_base: bool,
        dtype: str,
        threads: int | None,
        cache: bool,
    ) -> None:
        self.mechanism, self.parameters = mechanism, parameters
        self.wrenches, self.moving_base = wrenches, moving_base
        self._dtype, self._threads, self._cache = dtype, threads, cache

    @cached_property
    def model(self) -> Model:
        """The node tree all equations share."""
        check_unrolled_size(self.mechanism, "its symbolic model is asked for")
        return model_of(self.mechanism, self.parameters)

    @cached_property
    def singular_joints(self) -> tuple[str, ...]:
        """See `Evaluator`; parameters are not known beforehand, so with them it is ()."""
        if set(self.parameters) - {"gravity"}:
            return ()
        return joints_without_inertia_in_loops(self.mechanism)

    def described(self) -> str:
        """A line for each body."""
        return describe(self.mechanism)

    def lacks(self, name: str, quantity: QuantityEquation) -> InvalidInput | None:
        """Every quantity is there."""
        return None

    def check_accelerations(self, quantity: QuantityEquation) -> None:
        """By the method: loops may hold what has no inertia."""
        check_accelerations(self.model, quantity.equation)

    def expression(
        self,
        quantity: QuantityEquation,
        frame: str | None,
        axes: Axes | None,
        *,
        named: bool = False,
    ) -> ca.Function:
        """The graph, with parameters, wrenches and the motion of the base as inputs."""
        return expression(
            quantity.equation,
            self.model,
            wrenches=self.wrenches if quantity.acted_on else (),
            moving_base=self.moving_base and quantity.acted_on,
            named=named,
            **({"frame": frame} if frame is not None else {}),
            **({"axes": axes or ALIGNED} if quantity.in_axes else {}),
            **quantity.options,
        )

    def shapes(self, quantity: QuantityEquation) -> dict[str, tuple[int, ...]]:
        """Trailing shapes of inputs and outputs that are not columns."""
        scalars = {
            identifier(parameter): ()
            for parameter, symbol in self.model.parameters.symbols.items()
            if symbol.numel() == 1
        }
        return scalars | quantity.shapes

    def kernel(
        self, name: str, quantity: QuantityEquation, frame: str | None, axes: Axes | None
    ) -> Kernel:
        """Trace and compile."""
        with repeated_interrupts():
            return compile_kernel(
                self.expression(quantity, frame, axes),
                shapes=self.shapes(quantity),
                dtype=self._dtype,
                threads=self._threads,
                cache=self._cache,
            )

    def operations(
        self, name: str, quantity: QuantityEquation, frame: str | None, axes: Axes | None
    ) -> Operations:
        """Those of the graph."""
        return count_operations(self.expression(quantity, frame, axes))
