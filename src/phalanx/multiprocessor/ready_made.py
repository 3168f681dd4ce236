"""Computers of the sources and of today, ready to schedule for.

Each takes the number of processors. Their numbers are what the docstring says, nothing more: times
of operations and messages, no caches, no buses between the lines.
"""

from __future__ import annotations

from phalanx.multiprocessor.computers import Lanes, MessagePassing, SharedMemory, Speed
from phalanx.multiprocessor.topology import mesh

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


def transputer_mesh(rows: int, columns: int) -> MessagePassing:
    """A mesh of transputers of the class of an Inmos T800: an early message-passing computer.

    Add 350 ns, multiply 550 ns, divide 850 ns (64-bit numbers at 20 MHz, from the maker's data
    sheet of 1987, rounded), links of 20 Mbit/s: 8 bytes in about 5 µs, 5 µs to set a message up.
    """
    speed = Speed(350e-9, 550e-9, 850e-9, 1.4e-6, 15e-6, 5e-6)
    return MessagePassing(
        rows * columns,
        speed,
        "s",
        topology=mesh(rows, columns),
        start_up=5e-6,
        per_word=5e-6,
        name="transputer mesh",
    )


def multicore(processors: int, *, synchronization: float = 1e-7) -> SharedMemory:
    """Cores of today: 0.3 ns an operation in a stream of them, a tenth of a microsecond to agree.

    :func:`measured_multicore` puts the numbers of the machine at hand in their place.
    """
    speed = Speed(3e-10, 3e-10, 2e-9, 2e-9, 6e-9, 1e-8)
    return SharedMemory(processors, speed, "s", synchronization=synchronization, name="multicore")


def vector_lanes(lanes: int) -> Lanes:
    """Lanes of a vector unit that work in lock-step, one operation a step; shuffles are free."""
    return Lanes(lanes, Speed(), name="vector lanes")
