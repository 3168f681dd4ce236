"""Layered scheduling with look-ahead: the Task Streamlining Approach of Dhanaraj (1990).

Policy: tasks stand in a list by layer, then by number. A free processor takes the first task of the
list whose predecessors have ended, so that a layer's gaps are filled from the layers after it. No
task is urgent for any other reason: neither the critical path nor messages count.
"""

from __future__ import annotations

from phalanx.multiprocessor.computers.computer import Computer
from phalanx.multiprocessor.plans.schedule import Schedule
from phalanx.multiprocessor.policies.list_scheduling import list_schedule
from phalanx.multiprocessor.tasks.task_graph import TaskGraph


def layered(graph: TaskGraph, computer: Computer) -> Schedule:
    """A plan in the order of the graph's layers.

    Reference:
        Dhanaraj (1990), section 4.3.3.
    """
    return list_schedule(graph, computer, graph.layers, "layered")
