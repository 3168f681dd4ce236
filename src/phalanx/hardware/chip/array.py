"""Inverse dynamics on chips: a board for its tasks, and torques from motions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from phalanx.base.arguments import checked
from phalanx.base.cached import cached_property
from phalanx.base.errors import InvalidInput
from phalanx.base.scans import PrefixNetwork
from phalanx.hardware.chip.board import Board
from phalanx.hardware.chip.bus import MostlyLocalBus, Routing, route
from phalanx.hardware.chip.by_numpy import Array
from phalanx.hardware.chip.compile import compile_program
from phalanx.hardware.chip.host import run_on_chips
from phalanx.hardware.chip.number_format import NumberFormat, number_format
from phalanx.hardware.chip.read_tasks import ChipTasks, read_tasks
from phalanx.hardware.chip.serial import SerialPorts
from phalanx.mechanism import Mechanism
from phalanx.multiprocessor.tasks.vector_operators import vector_tasks


@dataclass(frozen=True)
class ChipArray:
    """Chips for the inverse dynamics of a machine, one for each vector operation.

    Attributes:
        mechanism: The machine.
        tasks: Its inverse dynamics as a program of vector operations.
        board: Sockets, wires and programs of the chips.
        routing: How results travel on shared buses; None for wires of their own.
    """

    mechanism: Mechanism
    tasks: ChipTasks
    board: Board
    routing: Routing | None = None

    @checked
    def host_values(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Array:
        """What the host writes for some motions, shape (samples, ports, 3).

        Args:
            q: Joint positions [m or rad], shape (samples, nq).
            v: Joint velocities [m/s or rad/s], shape (samples, nv).
            a: Joint accelerations [m/s² or rad/s²], shape (samples, nv).
        """
        sizes = self.mechanism.nq, self.mechanism.nv, self.mechanism.nv
        motions = [np.asarray(x, dtype=np.float64) for x in (q, v, a)]
        for name, x, n in zip("qva", motions, sizes, strict=True):
            if x.ndim != 2 or x.shape != (len(motions[0]), n):
                raise InvalidInput(
                    f"{name} has shape {x.shape}; expected (sets, {n}), as many sets in q, v and a."
                )
        return self.tasks.host_values(*motions)

    def number_format(self, name: str, values: Array) -> NumberFormat:
        """A number format; ``fixed:24`` gets a fraction that leaves room for what occurs.

        Args:
            name: ``double``, ``single``, ``fixed:32.16`` or ``fixed:24``.
            values: What the host writes, shape (samples, ports, 3).
        """
        return number_format(name, self.board.program.largest(values))

    @checked
    def inverse_dynamics(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, words: str = "double"
    ) -> Array:
        """Joint forces [N or N·m] that chips compute, shape (samples, nv).

        New chips are programmed over their data wires, and motions are sent through, one a cycle.

        Args:
            q: Joint positions [m or rad], shape (samples, nq).
            v: Joint velocities [m/s or rad/s], shape (samples, nv).
            a: Joint accelerations [m/s² or rad/s²], shape (samples, nv).
            words: How chips keep numbers, as in :meth:`number_format`.

        Raises:
            TooNarrow: A value fits into no word; says which, in which chip and sample.
        """
        values = self.host_values(q, v, a)
        outputs = run_on_chips(self.board, self.number_format(words, values), values)
        return self.joint_forces(outputs)

    def joint_forces(self, outputs: Array) -> Array:
        """Those outputs of the board that are joint forces."""
        return outputs[:, self._columns]

    @cached_property
    def _columns(self) -> list[int]:
        names = [output.name for output in self.board.program.outputs]
        return [k for k, name in enumerate(names) if name.startswith("tau[")]


@checked
def chip_array(
    mechanism: Mechanism,
    network: PrefixNetwork | None = None,
    *,
    grounded: bool = True,
    lean: bool = False,
    spares: int = 0,
    cycle: int | None = None,
    period: int | None = 1,
    transfer: int = 0,
    ports: SerialPorts | None = None,
    bus: MostlyLocalBus | bool = False,
    needed_only: bool = True,
) -> ChipArray:
    """Chips for the inverse dynamics of a machine.

    Args:
        mechanism: A tree of any joints.
        network: How segments are combined, such as :data:`phalanx.base.scans.sklansky`; joints one
            after the other when not given.
        grounded: Whether a tree begins at joint 1 instead of the base, which saves chips.
        lean: Whether a tree combines loads by fewer operators than the source's.
        spares: Chains in which chips check each other, a spare each (see
            :mod:`phalanx.hardware.chip.rolling_check`).
        cycle: Flops in which a chip does its work once; 4, or what the bus or serial ports need,
            when not given.
        period: Cycles from one sample to the next; with more than 1, chips are shared. None is one
            sample at a time, the source's single device.
        transfer: Flops that a result needs from chip to chip.
        ports: Serial ports, over which vectors are shifted; they are there at once when not given.
        bus: A mostly-local bus that carries results, or True for one that is long enough; wires of
            their own when not given.
        needed_only: Whether operations that no joint force needs get no chip. The source's nodes
            are all alike, and have chips for them.

    Raises:
        InvalidModel: A loop or joint stands in the way; with its name and what to do.
        InvalidInput: Numbers that do not fit together.
    """
    linear = network is None
    work = vector_tasks(
        mechanism, network, grounded=grounded and not linear, lean=lean, matrix_products=False
    )
    tasks = read_tasks(work.graph, needed_only=needed_only)
    routing = None
    if bus:
        segments = bus if isinstance(bus, MostlyLocalBus) else None
        routing = route(tasks.program, segments, cycle=4 if cycle is None else cycle)
    board = compile_program(
        tasks.program,
        cycle=cycle,
        period=period,
        spares=spares,
        transfer=transfer,
        ports=ports,
        routing=routing,
    )
    return ChipArray(mechanism, tasks, board, routing)
