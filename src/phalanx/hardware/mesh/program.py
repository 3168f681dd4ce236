"""Program of a mesh, written task by task: each task at a node, each value sent through ports.

A node reads its own memory and what has been sent to it. Numbers of the machine are kept by the
node that uses them, as many copies as there are nodes that do, and enter as symbols: a node of a
mesh multiplies by them whatever they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import casadi as ca
from casadi import SX

from phalanx.base.errors import InvalidInput
from phalanx.hardware.mesh.machine import MeshMachine
from phalanx.hardware.mesh.shape import EAST, WEST, Node, Shape
from phalanx.multiprocessor.tasks.task_graph import Task
from phalanx.multiprocessor.tasks.writer import TaskWriter

RECOMPUTE, PASS = "recompute", "pass"
VARIANTS = (RECOMPUTE, PASS)
"""How row k comes by the products of axes and arms of rows below: by itself, or from the south."""

LOOPS, ACTUATORS, PIPELINES = "loops", "actuators", "pipelines"
SUMS, SHIFT, SOLVER, RETURN = "moving sums", "shift", "solver", "return"
REACTIONS, INTEGRATION = "reactions", "integration"
PHASES = (LOOPS, ACTUATORS, PIPELINES, SUMS, SHIFT, SOLVER, RETURN, REACTIONS, INTEGRATION)
UNLIMITED = 10**9  # operations in a task of a node


class MeshPlace(NamedTuple):
    """Place of a task: its node, and its rank in the source's order.

    Attributes:
        node: Row and column.
        phase: One of PHASES.
        stage: Of a Runge-Kutta step, from 0.
        step: Cycle of the pipelines, step of the moving sums, cycle of the solver.
    """

    node: Node
    phase: str
    stage: int
    step: int

    @property
    def urgency(self) -> tuple[int, int, int]:
        """The earlier in the source's order, the more urgent."""
        return self.stage, PHASES.index(self.phase), self.step


class Held(NamedTuple):
    """A value and the task that computes it."""

    task: str
    value: SX


class Relay(NamedTuple):
    """Results of a task on one wire: from a node to others that keep them or pass them on.

    ``phase`` is that in which the source sends them; what it sends earlier may be overtaken.
    """

    task: str
    source: Node
    wire: int
    destinations: tuple[Node, ...]
    phase: str


@dataclass
class MeshProgram:
    """The tasks so far, their places, and who sends what over which wire.

    Attributes:
        machine: What is computed.
        shape: The mesh.
        variant: One of VARIANTS.
        balanced: Whether row 1 does J w and J dw/dt for row 0.
        writer: Of the scalar program.
        places: Where each task is done.
        relays: In the order in which values go on.
        wanted: Values that are to come to a node, though no task there reads them.
        stage: Of a Runge-Kutta step, which tasks written now belong to.
        passes: Of friction from reactions, before those written now.
    """

    machine: MeshMachine
    shape: Shape
    variant: str
    balanced: bool
    writer: TaskWriter
    places: dict[str, MeshPlace] = field(default_factory=dict)
    relays: dict[tuple[str, Node, int], Relay] = field(default_factory=dict)
    wanted: set[tuple[str, Node]] = field(default_factory=set)
    stage: int = 0
    passes: int = 0
    _kept: dict[tuple[Node, str], SX] = field(default_factory=dict)

    @staticmethod
    def of(
        machine: MeshMachine,
        name: str,
        variant: str = RECOMPUTE,
        balanced: bool = True,
        *,
        top: bool = False,
    ) -> MeshProgram:
        """An empty program for a machine; ``top`` asks for a row above row 0.

        Raises:
            InvalidInput: There is no such variant, or not for machines with loops.
        """
        if variant not in VARIANTS:
            raise InvalidInput(
                f"variant '{variant}' of the moving sums; take one of {', '.join(VARIANTS)}."
            )
        closed = bool(machine.follows)
        if closed and variant == PASS:
            raise InvalidInput(
                f"variant '{PASS}' of the moving sums is for trees; '{machine.mechanism.name}' has "
                f"loops. Take '{RECOMPUTE}'."
            )
        shape = Shape(machine.size, not machine.is_chain, machine.rows, top=closed or top)
        return MeshProgram(machine, shape, variant, balanced, TaskWriter(name, UNLIMITED))

    def stored(self, node: Node, name: str, values: SX) -> SX:
        """Numbers in the memory of a node, as symbols; the same every time."""
        if (node, name) not in self._kept:
            self._kept[node, name] = self.writer.general(values)
        return self._kept[node, name]

    def task(self, name: str, node: Node, phase: str, step: int, values: SX, label: str) -> Held:
        """Values that a node computes in one task."""
        described = self._described(name, node, phase, step, label)
        return Held(described.name, self.writer.task(described, values))

    def repeated(
        self,
        name: str,
        node: Node,
        phase: str,
        step: int,
        pattern: ca.Function,
        *values: SX,
        label: str,
    ) -> Held:
        """The same by a pattern that many tasks share."""
        described = self._described(name, node, phase, step, label)
        return Held(described.name, self.writer.repeated(described, pattern, ca.vertcat(*values)))

    def load(self, name: str, node: Node, phase: str, step: int, values: SX, label: str) -> Held:
        """Values that a node has in its memory, to be sent to others."""
        described = self._described(name, node, phase, step, label)
        return Held(described.name, self.writer.load(described, values))

    def send(self, held: Held, start: Node, ports: Sequence[str], phase: str) -> None:
        """Let a value go out of a port, and on out of a port of each node that it comes to."""
        node = start
        for port in ports:
            wire, other = self.shape.out_of(node, port)
            relay = Relay(held.task, node, wire, (other,), phase)
            self.relays.setdefault((held.task, node, wire), relay)
            node = other

    def outward(self, held: Held, row: int, i: int, to: Sequence[int] | None = None) -> None:
        """Send a value from the node of body ``i`` in row 0 or 1 to those that it carries.

        Args:
            held: The value.
            row: 0 or 1.
            i: The body.
            to: Some of the bodies that it carries; all of them when not given.
        """
        others = self.machine.children(i) if to is None else to
        if not self.shape.buses:
            self.send(held, (row, i), [EAST] * len(others), PIPELINES)
        elif others:
            wire = self.shape.bus(row)
            there = tuple((row, j) for j in others)
            relay = Relay(held.task, (row, i), wire, there, PIPELINES)
            self.relays[held.task, (row, i), wire] = relay

    def inward(self, held: Held, i: int) -> None:
        """Send a value from the node of body ``i`` in row 0 to that of the body that carries it."""
        parent = self.machine.parent(i)
        if not self.shape.buses:
            self.send(held, (0, i), [WEST] * (i - parent), REACTIONS)
        else:
            wire = self.shape.bus(0)
            relay = Relay(held.task, (0, i), wire, ((0, parent),), REACTIONS)
            self.relays[held.task, (0, i), wire] = relay

    def _described(self, name: str, node: Node, phase: str, step: int, label: str) -> Task:
        own = f"{name} pass {self.passes}" if self.passes else name
        own = f"{own} #{self.stage}" if self.stage else own
        self.places[own] = MeshPlace(node, phase, self.stage, step)
        link = self.machine.name(node[1]) if node[1] else ""
        return Task(own, label=label, link=link, kind=phase)
