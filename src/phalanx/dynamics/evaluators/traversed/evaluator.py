"""Traversal of a machine's bodies as arrays: quantities of trees of any length."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import final

from phalanx.base.errors import InvalidInput
from phalanx.dynamics.evaluators.automatic import Automatic
from phalanx.dynamics.evaluators.evaluator import Evaluator
from phalanx.dynamics.evaluators.method import Method
from phalanx.dynamics.evaluators.quantities.inverse_dynamics import (
    INVERSE_DYNAMICS,
    INVERSE_DYNAMICS_ACTED_ON,
)
from phalanx.dynamics.evaluators.serial import Serial
from phalanx.dynamics.evaluators.traversed.arguments import Arguments
from phalanx.dynamics.evaluators.traversed.machine import TraversedMachine
from phalanx.dynamics.evaluators.traversed.matrices import too_large
from phalanx.dynamics.evaluators.traversed.quantities import TRAVERSED_QUANTITIES
from phalanx.dynamics.quantities import QuantityEquation
from phalanx.equations.expression import (
    POSITIONS,
    acting_inputs,
    identifier,
    identifiers,
    state_inputs,
)
from phalanx.equations.quantities.axes import ALIGNED, Axes
from phalanx.kernel import Kernel, Operations
from phalanx.kernel.build import checked_threads
from phalanx.kernel.call.arrays import Array
from phalanx.kernel.call.plain_call import PlainCall
from phalanx.kernel.graph.graph import Port
from phalanx.kernel.llvm.target import host_target
from phalanx.mechanism import Mechanism
from phalanx.mechanism.inertia import no_accelerations


@final
class Traversed(Evaluator):
    """Code for node types, taken from node to node."""

    def __init__(
        self,
        mechanism: Mechanism,
        method: Method,
        *,
        parameters: tuple[str, ...],
        wrenches: tuple[str, ...],
        moving_base: bool,
        threads: int | None,
        cache: bool,
    ) -> None:
        self._machine = TraversedMachine(
            mechanism, method, checked_threads(threads), wrenches, cache
        )
        self._parameters, self._moving_base = parameters, moving_base

    @property
    def singular_joints(self) -> tuple[str, ...]:
        return self._machine.singular_joints

    def described(self) -> str:
        """The machine in two lines: a line for each of its bodies would be as long as itself."""
        return self._machine.described()

    def lacks(self, name: str, quantity: QuantityEquation) -> InvalidInput | None:
        """Matrices that only unrolled code gives."""
        if name in TRAVERSED_QUANTITIES:
            return None
        return too_large(self._machine.mechanism, name, next(iter(quantity.shapes.values())))

    def check_accelerations(self, quantity: QuantityEquation) -> None:
        """The same for all methods."""
        if self.singular_joints:
            raise no_accelerations(self._machine.mechanism, self.singular_joints)

    def kernel(
        self, name: str, quantity: QuantityEquation, frame: str | None, axes: Axes | None
    ) -> Kernel:
        """A call that runs the traversals of a quantity."""
        machine, traversed = self._machine, TRAVERSED_QUANTITIES[name]
        inputs = self._inputs(quantity)
        (output,) = getattr(quantity.equation, "outputs")  # noqa: B009 - equations have it
        shape = quantity.shapes.get(output)
        if shape is None:
            m, size = machine.mechanism, traversed.size
            assert size is not None
            shape = ({"nq": m.nq, "nv": m.nv}[size] if isinstance(size, str) else size,)
        rows = shape[0] if len(shape) == 1 else 1
        result = Port(output, rows, math.prod(shape) // rows if rows else 0, shape)

        def work(arrays: Sequence[Array]) -> Sequence[Array]:
            given = dict(zip(inputs, arrays, strict=True))
            return [traversed.find(Arguments(machine, given, frame, axes or ALIGNED))]

        ports = tuple(Port(port, math.prod(own), 1, own) for port, own in inputs.items())
        title = identifier(f"{machine.mechanism.name}_{quantity.equation.__name__}")
        call = PlainCall(title, ports, (result,), machine.threads, work)
        counted = self._counted(name) if self._is_counted(name) else Operations()
        return Kernel(call, counted, host_target())

    def _inputs(self, quantity: QuantityEquation) -> dict[str, tuple[int, ...]]:
        """The trailing shape of each input, by name in order."""
        m, equation = self._machine.mechanism, quantity.equation
        states = dict.fromkeys(POSITIONS, m.nq) | {"s": 1}
        sizes = {state: states.get(state, m.nv) for state in state_inputs(equation)}
        sizes |= dict.fromkeys(self._parameters, 3)  # gravity, if any
        if quantity.acted_on:
            sizes |= acting_inputs(self._machine.wrenches, self._moving_base)
        named = zip(identifiers(sizes, equation.__name__), sizes.values(), strict=True)
        return {port: quantity.shapes.get(port, (size,)) for port, size in named}

    def operations(
        self, name: str, quantity: QuantityEquation, frame: str | None, axes: Axes | None
    ) -> Operations:
        """Arithmetic of each node type, as often as there are such nodes."""
        if not self._is_counted(name):
            raise InvalidInput(
                f"operations of forward dynamics by {self._machine.method!r} are not counted; "
                "leave forward= out for those of articulated bodies."
            )
        return self._counted(name)

    def _is_counted(self, name: str) -> bool:
        """Whether the arithmetic of a quantity is known: other methods do as they need.

        Of the default method, it is that of the serial recursion.
        """
        return name != "forward_dynamics" or isinstance(self._machine.method, Serial | Automatic)

    def _counted(self, name: str) -> Operations:
        machine, total = self._machine, Operations()
        for recursion in TRAVERSED_QUANTITIES[name].recursions:
            if recursion is INVERSE_DYNAMICS and machine.wrenches:
                recursion = INVERSE_DYNAMICS_ACTED_ON
            total = total + machine.traversal(recursion).operations
        if name in ("mass_matrix", "mass_matrix_inverse"):
            total = total.times(machine.mechanism.nv)
        return total
