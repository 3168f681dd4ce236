"""A tree on fewer processors: one for each of its branches, with the tasks of the mesh.

A branch is a row of bodies of which each carries only the next; it begins at the root or at a body
that carries several. Its processor does the tasks of all nodes in the columns of its bodies, in the
source's order, and has a wire to each other.

Policy: a processor that is free takes, of its tasks whose values are found, the first in that
order, and waits for what is still on the way. State: what is found, and until when processors and
wires are busy.
"""

from __future__ import annotations

import heapq

from phalanx.hardware.mesh.costs import T800, MeshCosts
from phalanx.hardware.mesh.machine import MeshMachine
from phalanx.hardware.mesh.mesh_tasks import MeshTasks
from phalanx.multiprocessor.computers.message_passing import MessagePassing
from phalanx.multiprocessor.computers.placement import Placement
from phalanx.multiprocessor.computers.topology import Topology
from phalanx.multiprocessor.plans.schedule import Schedule
from phalanx.multiprocessor.policies.traffic import WireTraffic

POLICY = "a processor a branch"


def mesh_branches(machine: MeshMachine) -> tuple[tuple[int, ...], ...]:
    """Columns by branch, the root's first."""
    found: dict[int, list[int]] = {}  # by the first body
    first: dict[int, int] = {}  # of each body's branch
    for i in range(1, machine.size + 1):
        if not machine.holds(i):
            continue
        parent = machine.parent(i)
        begins = not parent or len(machine.children(parent)) > 1
        first[i] = i if begins else first[parent]
        found.setdefault(first[i], []).extend(machine.of_joint(i))
    return tuple(map(tuple, found.values()))


def plan_branches(tasks: MeshTasks, costs: MeshCosts = T800) -> Schedule:
    """The plan of a mesh's tasks on a processor for each branch.

    The interface and the row above row 0 are with the first branch.

    Args:
        tasks: Of an evaluation or a step.
        costs: Of processors and wires.
    """
    graph, machine = tasks.graph, tasks.machine
    columns = {i: p for p, those in enumerate(mesh_branches(machine)) for i in those}
    count = len(set(columns.values()))
    wires = Topology.complete(count)
    computer = MessagePassing(
        count,
        costs.speed,
        costs.unit,
        f"{costs.name}, a processor a branch",
        topology=wires,
        start_up=costs.start_up,
        per_word=costs.per_word,
        overhead=costs.overhead,
        blocking=costs.blocking,
    )
    places = [tasks.places[task.name] for task in graph.tasks]
    where = [columns.get(place.node[1], 0) if place.node[0] >= 0 else 0 for place in places]
    urgency = [(place.urgency, task) for task, place in enumerate(places)]
    waiting = [len(before) for before in graph.predecessors]
    ready: list[list[tuple[tuple[tuple[int, int, int], int], int]]] = [[] for _ in range(count)]
    for task, missing in enumerate(waiting):
        if not missing:
            heapq.heappush(ready[where[task]], (urgency[task], task))
    traffic = WireTraffic(graph, computer)
    idle, now = set(range(count)), 0.0
    running: list[tuple[float, int, int]] = []  # end, task, processor
    while running or any(ready):
        for p in sorted(idle):
            if not ready[p]:
                continue
            _, task = heapq.heappop(ready[p])
            start, time = traffic.bring(task, p, now), traffic.time(task, p)
            if traffic.timeline is not None:
                start = traffic.timeline.take(p, start, time)
            traffic.place(Placement(task, p, start, start + time))
            heapq.heappush(running, (start + time, task, p))
            idle.discard(p)
        now = running[0][0]
        while running and running[0][0] <= now:
            _, task, p = heapq.heappop(running)
            idle.add(p)
            for after in graph.successors[task]:
                waiting[after] -= 1
                if not waiting[after]:
                    heapq.heappush(ready[where[after]], (urgency[after], after))
    return Schedule(graph, computer, traffic.placements(), tuple(traffic.messages), POLICY)
