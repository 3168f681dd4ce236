"""Luh and Lin's baseline: one processor for each joint, scheduled by search.

Luh and Lin give every joint a microprocessor, which computes the nine variables of the recursion
for that joint, and look for the order of these subtasks that ends first. Their search is
:func:`phalanx.studies.lathrop.branch_and_bound`; any other policy can take its place, such as
:func:`phalanx.multiprocessor.exact`.

They report a concurrency of 2.64 for the Stanford arm; 24.8 ms on one processor and 9.67 ms on six,
which another source prints for them, are 2.56. Neither source has their operation counts. With
whole vector operations the best order has 2.17. With what this arm's right angles and zero lengths
leave of them (``one_arm``) it has 2.55 where a multiplication takes as long as an addition, and up
to 2.71 where additions take no time: so their programs are for this arm alone.

Reference:
    Lathrop (1983), sec. I, after Luh and Lin (1982). Times: Dhanaraj (1990), table 4.8.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

from phalanx.base.arguments import checked
from phalanx.base.errors import InvalidInput
from phalanx.kernel.graph.operations import Operations
from phalanx.multiprocessor import (
    Operator,
    Schedule,
    SharedMemory,
    Task,
    TaskGraph,
    highest_level_first,
)
from phalanx.multiprocessor.tasks.vector_operators import VectorTasks
from phalanx.studies.lathrop.one_arm import NeededTask, needed_tasks

# the variable of table I.1 that an operation of table III.1 goes into
_VARIABLES = {
    "w": ("T2", "w"),
    "dw": ("T4", "T5", "T6", "dw"),
    "a": ("T7", "T8", "T9", "T10", "T11", "P1", "P2", "P3", "a"),
    "r": ("T12", "T13", "T14", "T15", "rdd"),
    "F": ("F",),
    "N": ("T16", "T17", "T18", "N"),
    "f": ("T19", "f"),
    "n": ("T20", "T21", "T22", "T23", "T24", "n"),
    "tau": ("tau", "rotor"),
}
_VARIABLE = {role: variable for variable, roles in _VARIABLES.items() for role in roles}


@checked
def processor_per_joint(
    tasks: VectorTasks,
    policy: Callable[[TaskGraph, SharedMemory], Schedule] = highest_level_first,
    *,
    fine: bool = False,
    one_arm: bool = False,
    multiply: float = 1.0,
    add: float = 1.0,
) -> Schedule:
    """Variables of each joint on a processor of its own, one scalar operation after the other.

    Its :attr:`Schedule.speedup` is what Luh and Lin call the concurrency factor.

    Args:
        tasks: Of the linear recursion (``vector_tasks(mechanism)``).
        policy: Who decides in which order each processor takes its subtasks.
        fine: Whether each vector operation is a subtask; else each variable of the recursion.
        one_arm: Whether programs are for this arm alone: products with 0 and 1 and sums with 0 are
            left out, and subtasks that are nothing else.
        multiply: Time of a multiplication.
        add: Time of an addition.

    Raises:
        InvalidInput: The tasks are of a tree of segments, or of more than the source's chains.
    """
    if tasks.network is not None:
        raise InvalidInput(
            f"'{tasks.graph.name}' combines segments; a processor for each joint takes the tasks "
            "of the linear recursion, vector_tasks without a network."
        )
    beyond = next((place.role for place in tasks.places if place.role not in _VARIABLE), None)
    if beyond is not None:
        raise InvalidInput(
            f"'{tasks.graph.name}' have an operation {beyond}, which is in no variable of the "
            "source; take a chain of joints that turn or slide."
        )
    names = [
        f"{place.index}.{place.role if fine else _VARIABLE[place.role]}" for place in tasks.places
    ]
    work: dict[str, Operations] = {}
    waits: dict[str, dict[str, None]] = {}
    of_joint: dict[int, dict[str, float]] = defaultdict(dict)
    needed = needed_tasks(tasks.graph) if one_arm else _whole_tasks(tasks.graph)
    for name, place, task in zip(names, tasks.places, needed, strict=True):
        if not task.work.total:
            continue
        work[name] = work.get(name, Operations()) + task.work
        before = (names[p] for p in task.predecessors)
        waits.setdefault(name, {}).update({other: None for other in before if other != name})
        of_joint[place.index][name] = work[name].multiply * multiply + work[name].add * add
    graph = TaskGraph.of(
        f"a processor for each joint, {tasks.graph.name}",
        {name: tuple(before) for name, before in waits.items()},
        [Task(name, operations, words=3, kind=name) for name, operations in work.items()],
    )
    processors = [Operator(f"joint {joint}", times) for joint, times in sorted(of_joint.items())]
    return policy(graph, SharedMemory(len(processors), processors, name="joint processors"))


def _whole_tasks(graph: TaskGraph) -> list[NeededTask]:
    """Tasks that do all of their work, whatever numbers the arm has."""
    pairs = zip(graph.tasks, graph.predecessors, strict=True)
    return [NeededTask(task.operations, before) for task, before in pairs]
