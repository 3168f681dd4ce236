"""Computers under the names that a command line gives them, for any number of processors."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache

from phalanx.errors import InvalidInput, UnknownName
from phalanx.multiprocessor.computers.computer import Computer, Lanes, MessagePassing, SharedMemory
from phalanx.multiprocessor.computers.ready_made import (
    ethernet_cluster,
    intel_8086,
    multicore,
    transputer_mesh,
    uniform_tasks,
    vector_lanes,
)


def computer_by_name(name: str, processors: int, synchronization: float | None = None) -> Computer:
    """A ready-made computer with so many processors.

    Args:
        name: One of :data:`COMPUTERS`.
        processors: How many.
        synchronization: From the end of a task until others may read its results, in the
            computer's unit; the computer's own when not given.

    Raises:
        UnknownName: When there is no such computer.
        InvalidInput: When it cannot have so many processors, or has wires instead of a delay.
    """
    if name not in COMPUTERS:
        raise UnknownName("the multiprocessor", "computer", name, COMPUTERS)
    if processors < 1:
        raise InvalidInput(f"a computer with {processors} processors; there must be at least one.")
    computer = COMPUTERS[name](processors)
    if synchronization is None:
        return computer
    if isinstance(computer, SharedMemory):
        return replace(computer, synchronization=synchronization)
    if isinstance(computer, Lanes):
        return replace(computer, shuffle=synchronization)
    raise InvalidInput(
        f"a {computer.name} sends messages over wires, so it takes no synchronization time."
    )


def _squarest_mesh(processors: int) -> MessagePassing:
    """Transputers in a rectangle that is as near to a square as their number allows."""
    rows = max(k for k in range(1, math.isqrt(processors) + 1) if processors % k == 0)
    return transputer_mesh(rows, processors // rows)


def _this_machine(processors: int) -> SharedMemory:
    """This machine, measured once: all numbers of processors have the same times."""
    return replace(_measured(), processors=processors)


@cache
def _measured() -> SharedMemory:
    from phalanx.multiprocessor.threads.measured import measured_multicore

    return measured_multicore(2)


COMPUTERS: dict[str, Callable[[int], Computer]] = {
    "uniform-tasks": uniform_tasks,
    "shared-memory": SharedMemory,
    "8086": intel_8086,
    "transputer-mesh": _squarest_mesh,
    "multicore": multicore,
    "this-machine": _this_machine,
    "ethernet-cluster": ethernet_cluster,
    "vector-lanes": vector_lanes,
}
