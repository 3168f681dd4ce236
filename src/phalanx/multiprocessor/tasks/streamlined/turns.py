"""Rotations of vectors between the axes of neighbouring links, as subtasks.

Between axes that are parallel or square to each other a turn changes two components, by three
operations each, and the third is free: two subtasks. Any other twist is multiplied out in tasks of
its own before (outward) or after (inward), with an ``r`` in their names.
"""

from __future__ import annotations

from dataclasses import replace

import casadi as ca
from casadi import SX

from phalanx.multiprocessor.tasks.streamlined.chain import ChainLink
from phalanx.multiprocessor.tasks.task_graph import Task
from phalanx.multiprocessor.tasks.writer import TaskWriter


def into_link(writer: TaskWriter, link: ChainLink, v: SX, subtasks: tuple[int, int]) -> SX:
    """Rᵀ v, from the axes of the link before into the link's own."""
    tasks = link.subtasks.all(*subtasks)
    u = _twisted(writer, link.twist.T, v, tasks[0])
    if link.turn is None:
        return u
    c, s = link.turn
    turned = writer.each(tasks, ca.vertcat(c * u[0] + s * u[1], c * u[1] - s * u[0]))
    return ca.vertcat(turned, u[2])


def out_of_link(writer: TaskWriter, link: ChainLink, v: SX, tasks: list[Task]) -> SX:
    """R v, from the link's own axes into those of the link before, whose tasks do it."""
    if link.turn is not None:
        c, s = link.turn
        turned = writer.each(tasks, ca.vertcat(c * v[0] - s * v[1], s * v[0] + c * v[1]))
        v = ca.vertcat(turned, v[2])
    return _twisted(writer, link.twist, v, tasks[0])


def _twisted(writer: TaskWriter, twist: SX, v: SX, task: Task) -> SX:
    return writer.task(replace(task, name=f"{task.name}r"), twist @ v)
