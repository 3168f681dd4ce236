"""Registry of computer classes (for files) and of ready-made computers by name.

Two tables that one entry fills: the class of each kind by its name in files, and for any number of
processors the computers under the names that a command line gives them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from phalanx.base.errors import InvalidInput, UnknownName
from phalanx.multiprocessor.computers.computer import Computer
from phalanx.multiprocessor.computers.lanes import Lanes
from phalanx.multiprocessor.computers.message_passing import MessagePassing
from phalanx.multiprocessor.computers.ready_made import (
    ethernet_cluster,
    intel_8086,
    multicore,
    transputer_mesh,
    uniform_tasks,
    vector_lanes,
)
from phalanx.multiprocessor.computers.shared_memory import SharedMemory

KINDS: dict[str, type[Computer]] = {}
COMPUTERS: dict[str, Callable[[int], Computer]] = {}


def add_computer(
    made: type[Computer], by_name: Mapping[str, Callable[[int], Computer]] | None = None
) -> None:
    """Make a kind of computer known: plans for it can be saved and loaded, and it can have names.

    Args:
        made: The class; its ``kind`` is the name in files.
        by_name: Functions from a number of processors to a computer, by the names for
            :func:`computer_by_name` and the command line.

    Raises:
        InvalidInput: When the class has no ``kind``, or a name belongs to another computer.
    """
    if not isinstance(getattr(made, "kind", None), str):
        raise InvalidInput(f"{made.__name__} has no 'kind'; give it a name for files.")
    if not _same(KINDS.get(made.kind, made), made):
        raise InvalidInput(
            f"'{made.kind}' is the kind of {KINDS[made.kind].__name__}; {made.__name__} needs one "
            "of its own."
        )
    for name, make in (by_name or {}).items():
        if not _same(COMPUTERS.get(name, make), make):
            raise InvalidInput(f"there is already a computer called '{name}'; take another name.")
    KINDS[made.kind] = made
    COMPUTERS.update(by_name or {})


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
    return computer if synchronization is None else computer.with_agreement(synchronization)


def _same(known: Callable[..., Computer], new: Callable[..., Computer]) -> bool:
    """Whether two are one thing, or it and its newer definition, as in a notebook."""
    origin = "__module__", "__qualname__"
    return known is new or all(getattr(known, x, 0) == getattr(new, x, 1) for x in origin)


def _squarest_mesh(processors: int) -> MessagePassing:
    """Transputers in a rectangle that is as near to a square as their number allows."""
    rows = max(k for k in range(1, math.isqrt(processors) + 1) if processors % k == 0)
    return transputer_mesh(rows, processors // rows)


add_computer(
    SharedMemory,
    {
        "uniform-tasks": uniform_tasks,
        "shared-memory": SharedMemory,
        "8086": intel_8086,
        "multicore": multicore,
    },
)
add_computer(
    MessagePassing,
    {"transputer-mesh": _squarest_mesh, "ethernet-cluster": ethernet_cluster},
)
add_computer(Lanes, {"vector-lanes": vector_lanes})
