"""Partitions into tasks, by name."""

from __future__ import annotations

from collections.abc import Callable

from phalanx.multiprocessor.tasks.cut import task_graph
from phalanx.multiprocessor.tasks.streamlined import streamlined_tasks
from phalanx.multiprocessor.tasks.task_graph import TaskGraph

CUTS: dict[str, Callable[..., TaskGraph]] = {
    "operations": task_graph,
    "streamlined": streamlined_tasks,
}
