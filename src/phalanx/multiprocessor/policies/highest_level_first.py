"""Highest level first (HLF): critical-path list scheduling.

Policy: a task's level is the time of the longest chain of tasks that starts with it. A free
processor takes the ready task of the highest level, the lowest number among equals. Messages do
not count.

Reference:
    Hu (1961); Adam, Chandy and Dickson (1974).
"""

from __future__ import annotations

from phalanx.multiprocessor.computers.computer import Computer
from phalanx.multiprocessor.plans.critical_path import levels
from phalanx.multiprocessor.plans.schedule import Schedule
from phalanx.multiprocessor.policies.list_scheduling import list_schedule
from phalanx.multiprocessor.tasks.task_graph import TaskGraph


def highest_level_first(graph: TaskGraph, computer: Computer) -> Schedule:
    """A plan that keeps the critical path short."""
    urgency = [-level for level in levels(graph, computer)]
    return list_schedule(graph, computer, urgency, "highest-level-first")
