"""Kernels whose work is a walk over a long machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from phalanx.base.errors import InvalidInput
from phalanx.dynamics.evaluators.automatic import Automatic
from phalanx.dynamics.evaluators.quantities.inverse_dynamics import (
    INVERSE_DYNAMICS,
    INVERSE_DYNAMICS_ACTED_ON,
)
from phalanx.dynamics.evaluators.serial import Serial
from phalanx.dynamics.long.given import Given
from phalanx.dynamics.long.machine import LongMachine
from phalanx.dynamics.long.quantities import WALKED
from phalanx.equations.quantities.axes import Axes
from phalanx.kernel import Kernel, Operations
from phalanx.kernel.call.arrays import Array
from phalanx.kernel.call.plain_call import PlainCall
from phalanx.kernel.graph.graph import Port
from phalanx.kernel.llvm.target import host_target


def walked_kernel(
    machine: LongMachine,
    quantity: str,
    name: str,
    inputs: Mapping[str, tuple[int, ...]],
    output: str,
    shape: tuple[int, ...] | None,
    frame: str | None,
    axes: Axes,
) -> Kernel:
    """The kernel of a quantity by walks.

    Args:
        machine: The machine.
        quantity: Its name in the table.
        name: Of the kernel.
        inputs: The trailing shape of each input, by name in order.
        output: Name of the result.
        shape: Its trailing shape, where it is not a column.
        frame: The frame, for those of frames.
        axes: In which these are told.
    """
    walked = WALKED[quantity]
    if shape is None:
        m, size = machine.mechanism, walked.size
        assert size is not None
        shape = ({"nq": m.nq, "nv": m.nv}[size] if isinstance(size, str) else size,)
    rows = shape[0] if len(shape) == 1 else 1
    result = Port(output, rows, _product(shape) // rows if rows else 0, shape)

    def work(arrays: Sequence[Array]) -> Sequence[Array]:
        given = dict(zip(inputs, arrays, strict=True))
        return [walked.find(Given(machine, given, frame, axes))]

    ports = tuple(Port(port, _product(own), 1, own) for port, own in inputs.items())
    door = PlainCall(name, ports, (result,), machine.threads, work)
    counted = (
        walked_operations(machine, quantity) if _is_counted(machine, quantity) else Operations()
    )
    return Kernel(door, counted, host_target())


def _is_counted(machine: LongMachine, quantity: str) -> bool:
    """Whether the arithmetic of a quantity is known: other methods than walks do as they need.

    Of the method that is taken when nobody chooses, it is that of the serial sweep.
    """
    return quantity != "forward_dynamics" or isinstance(machine.method, Serial | Automatic)


def walked_operations(machine: LongMachine, quantity: str) -> Operations:
    """Arithmetic of one evaluation: that of each kind of node, as often as there are such nodes."""
    if not _is_counted(machine, quantity):
        raise InvalidInput(
            f"operations of forward dynamics by {machine.method!r} are not counted; leave forward= "
            "out for those of articulated bodies."
        )
    total = Operations()
    for program in WALKED[quantity].programs:
        if program is INVERSE_DYNAMICS and machine.wrenches:
            program = INVERSE_DYNAMICS_ACTED_ON
        total = total + machine.swept(program).operations
    if quantity in ("mass_matrix", "mass_matrix_inverse"):
        total = total.times(machine.mechanism.nv)
    return total


def _product(shape: tuple[int, ...]) -> int:
    total = 1
    for n in shape:
        total *= n
    return total
