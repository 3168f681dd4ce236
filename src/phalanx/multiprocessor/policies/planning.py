"""Schedule a task graph on a computer by a policy."""

from __future__ import annotations

from phalanx.base.arguments import checked
from phalanx.multiprocessor.computers.computer import Computer
from phalanx.multiprocessor.plans.schedule import Schedule
from phalanx.multiprocessor.policies.by_name import Policy
from phalanx.multiprocessor.policies.highest_level_first import highest_level_first
from phalanx.multiprocessor.tasks.task_graph import TaskGraph


@checked
def schedule(
    graph: TaskGraph, computer: Computer, policy: Policy = highest_level_first
) -> Schedule:
    """Schedule a task graph on a computer.

    Args:
        graph: The tasks, from :func:`task_graph` for one.
        computer: The processors, ``SharedMemory(processors=4)``.
        policy: A function such as ``highest_level_first``; see :mod:`.policies`.
    """
    return policy(graph, computer)
