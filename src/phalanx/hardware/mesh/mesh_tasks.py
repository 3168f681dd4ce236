"""Task graph of a triangular mesh: tasks with their nodes, and messages over links."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from phalanx.hardware.mesh.costs import T800, MeshCosts, mesh_computer
from phalanx.hardware.mesh.machine import MeshMachine
from phalanx.hardware.mesh.planning import plan_mesh
from phalanx.hardware.mesh.program import INTEGRATION, MeshPlace, MeshProgram, Relay
from phalanx.hardware.mesh.shape import Node, Shape
from phalanx.kernel.graph.operations import Operations
from phalanx.multiprocessor.plans.schedule import Schedule
from phalanx.multiprocessor.tasks.task_graph import TaskGraph


@dataclass(frozen=True)
class MeshTasks:
    """Tasks of a mesh.

    Attributes:
        machine: What is computed.
        graph: The tasks and their scalar program.
        shape: The mesh.
        places: Node, phase, stage and step of each task, by name.
        relays: What goes over which wire.
        variant: How the moving sums come by their factors.
    """

    machine: MeshMachine
    graph: TaskGraph
    shape: Shape
    places: Mapping[str, MeshPlace]
    relays: tuple[Relay, ...]
    variant: str

    @staticmethod
    def of(program: MeshProgram, graph: TaskGraph) -> MeshTasks:
        """What was written, without what no result needs."""
        return MeshTasks(
            program.machine,
            graph,
            program.shape,
            {task.name: program.places[task.name] for task in graph.tasks},
            _needed(program, graph),
            program.variant,
        )

    @property
    def is_step(self) -> bool:
        """Whether states are integrated, so that the machine's own forces act too."""
        return any(place.phase == INTEGRATION for place in self.places.values())

    def plan(self, costs: MeshCosts = T800) -> Schedule:
        """When every task runs and every message goes, with these costs."""
        computer = mesh_computer(self.shape, costs)
        return plan_mesh(self.graph, computer, self.shape, self.places, self.relays)

    def operations(self, node: Node, phase: str | None = None) -> Operations:
        """The arithmetic of one node, in one phase or in all."""
        total = Operations()
        for task in self.graph.tasks:
            place = self.places[task.name]
            if place.node == node and phase in (None, place.phase):
                total += task.operations
        return total


def _needed(program: MeshProgram, graph: TaskGraph) -> tuple[Relay, ...]:
    """The relays that bring values to who reads them, or on their way there."""
    wanted = program.wanted | {
        (graph.tasks[source].name, program.places[task.name].node)
        for task, before in zip(graph.tasks, graph.predecessors, strict=True)
        for source in before
    }
    kept: list[Relay] = []
    for relay in reversed(program.relays.values()):
        there = tuple(node for node in relay.destinations if (relay.task, node) in wanted)
        if there:
            wanted.add((relay.task, relay.source))
            kept.append(relay._replace(destinations=there))
    return tuple(reversed(kept))
