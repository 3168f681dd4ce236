"""Computers of the sources and of today, ready to schedule for.

Each takes the number of processors. Their numbers are what the docstring says, nothing more: times
of operations and messages, no caches, no buses between the lines.
"""

from __future__ import annotations

from phalanx.base.arguments import checked
from phalanx.multiprocessor.computers.lanes import Lanes
from phalanx.multiprocessor.computers.message_passing import MessagePassing
from phalanx.multiprocessor.computers.shared_memory import SharedMemory
from phalanx.multiprocessor.computers.speed import Speed
from phalanx.multiprocessor.computers.topology import Topology

# 21.06 ms for the 468 operations of the Stanford arm, Dhanaraj (1990), table 4.8
_OPERATION_8086 = 45e-6
_OPERATIONS_A_LEVEL = 3


def uniform_tasks(processors: int) -> SharedMemory:
    """Dhanaraj's computer: every task takes one level of time, the shared memory costs nothing."""
    speed = Speed(task=1.0)
    return SharedMemory(processors, speed, unit="levels", name="uniform tasks")


def intel_8086(processors: int) -> SharedMemory:
    """Processors of the class of an Intel 8086: 45 µs an operation, three operations a task.

    Reference:
        Dhanaraj (1990), table 4.8, after Kasahara and Narita (1985).
    """
    speed = Speed(task=_OPERATIONS_A_LEVEL * _OPERATION_8086)
    return SharedMemory(processors, speed, unit="s", name="8086 class")


@checked
def transputer_mesh(rows: int, columns: int) -> MessagePassing:
    """A mesh of transputers of the class of an Inmos T800: an early message-passing computer.

    At 20 MHz: 7 cycles to add, 20 to multiply, 32 to divide. These are estimates, not numbers of a
    data sheet; an equal mix of additions and multiplications then comes to the 1.5 Mflop/s for
    which the T800 was known. Roots, angles, all else and the 5 µs to set a message up are guesses.
    A link of 20 Mbit/s brings 1.75 MB/s, as measured between two T800 (8 bytes in 4.6 µs).

    Reference:
        Inmos technical note 26 (1987); K. Koontz in comp.sys.transputer, 22 January 1991.
    """
    cycle = 50e-9
    speed = Speed(7 * cycle, 20 * cycle, 32 * cycle, sqrt=12e-6, sincos=40e-6, other=20e-6)
    return MessagePassing(
        rows * columns,
        speed,
        "s",
        topology=Topology.mesh(rows, columns),
        start_up=5e-6,
        per_word=8 / 1.75e6,
        name="transputer mesh",
    )


def multicore(processors: int, *, synchronization: float = 1e-7) -> SharedMemory:
    """Cores of today: 0.3 ns an operation in a stream of them, a tenth of a microsecond to agree.

    :func:`measured_multicore` puts the numbers of the machine at hand in their place.
    """
    speed = Speed(3e-10, 3e-10, 2e-9, 2e-9, 6e-9, 1e-8)
    return SharedMemory(processors, speed, "s", synchronization=synchronization, name="multicore")


def ethernet_cluster(computers: int) -> MessagePassing:
    """Computers of today on a switch: 0.3 ns an operation, 20 µs to set a message up.

    Every two have a wire of 10 Gbit/s of their own (8 bytes in 6.4 ns), which a good switch comes
    near; the start-up is what a message through the operating system takes, rounded.
    """
    speed = Speed(3e-10, 3e-10, 2e-9, 2e-9, 6e-9, 1e-8)
    return MessagePassing(
        computers,
        speed,
        "s",
        topology=Topology.complete(computers),
        start_up=20e-6,
        per_word=6.4e-9,
        name="ethernet cluster",
    )


def vector_lanes(lanes: int) -> Lanes:
    """Lanes of a vector unit that work in lock-step, one operation a step; shuffles are free."""
    return Lanes(lanes, Speed(), name="vector lanes")
