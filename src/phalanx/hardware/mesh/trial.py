"""Trial of a mesh: one evaluation with numbers, its accuracy and time by phase."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import NDArray

from phalanx.base.facts import Fact, Facts, TextTable, duration
from phalanx.equations.expression import expression
from phalanx.equations.forward_dynamics.articulated_body import articulated_body
from phalanx.equations.model_of import model_of
from phalanx.equations.quantities.declared_forces import declared_forces
from phalanx.hardware.mesh.mesh_tasks import MeshTasks
from phalanx.hardware.mesh.running import check_pivots
from phalanx.mechanism import Mechanism
from phalanx.multiprocessor import Schedule
from phalanx.multiprocessor.plans.longest_path import exposed

Array = NDArray[np.float64]


@final
@dataclass(frozen=True)
class MeshTrial:
    """One evaluation on a mesh, carried out with numbers.

    Attributes:
        tasks: What the nodes do.
        plan: When they do it.
        inputs: Positions, velocities and torques.
        outputs: What the nodes give.
        error: The largest difference from the serial accelerations, over the largest of these.
        exposed: What its time is made of, by phase and whether it is messages.
    """

    tasks: MeshTasks
    plan: Schedule
    inputs: tuple[Array, ...]
    outputs: tuple[Array, ...]
    error: float
    exposed: dict[tuple[str, bool], float]

    @staticmethod
    def of(tasks: MeshTasks, plan: Schedule, seed: int) -> MeshTrial:
        """Carry an evaluation out at a random state, and compare it with the serial recursion.

        In a step the forces that the machine declares act too: springs, damping, dry friction.

        Raises:
            InvalidInput: The mass matrix is singular there.
        """
        noise = np.random.default_rng(seed)
        mechanism = tasks.machine.mechanism
        q = mechanism.random_positions(1, noise)[0]
        v, tau = noise.standard_normal((2, mechanism.nv))
        outputs = plan.execute(q, v, tau)
        check_pivots(tasks.machine, outputs[3])
        acting = tau + _declared(mechanism, q, v) if tasks.is_step else tau
        serial = np.array(expression(articulated_body, mechanism)(q, v, acting)).ravel()
        error = np.abs(outputs[2] - serial).max() / (np.abs(serial).max() or 1.0)
        return MeshTrial(tasks, plan, (q, v, tau), tuple(outputs), float(error), exposed(plan))

    @property
    def hidden(self) -> float:
        """The part of the time of all messages that nothing waits for."""
        sent = sum(hop.end - hop.start for message in self.plan.messages for hop in message.hops)
        waited = sum(time for (_, is_message), time in self.exposed.items() if is_message)
        return 1.0 - waited / sent if sent else 1.0

    def facts(self, *more: Fact) -> Facts:
        """Return size, time and error, ``more``, then the time by phase."""
        shape, plan = self.tasks.shape, self.plan
        bus = ", a bus along rows 0 and 1" if shape.buses else ""
        nodes, operations = len(shape.nodes) - 1, plan.graph.operations.total
        lines = [
            Fact(
                "mesh",
                f"{shape.columns} columns, {nodes} nodes and the interface, "
                f"{len(shape.links)} links{bus}",
                {
                    "columns": shape.columns,
                    "nodes": nodes,
                    "links": len(shape.links),
                    "buses": shape.buses,
                },
            ),
            Fact(
                "work",
                f"{len(plan.graph):,} tasks, {operations:,} operations",
                {"tasks": len(plan.graph), "operations": operations},
            ),
            Fact(
                "messages",
                f"{len(plan.messages):,} with {plan.words_sent:,} numbers, one link each; "
                f"{100 * self.hidden:.0f} % of their time overlaps with computation",
                {"hidden": self.hidden},
            ),
            Fact(
                "time",
                f"{self._time(plan.makespan)}; on one node {self._time(plan.serial_time)}: speedup "
                f"{plan.speedup:.2f}",
                {"unit": plan.computer.unit, **plan.measures},
            ),
            Fact("utilisation", f"{100 * plan.utilization:.1f} %"),
            Fact(
                "error",
                f"{self.error:.1e} of the largest acceleration, relative to the serial recursion",
                {"error": self.error},
            ),
        ]
        machine = {"machine": self.tasks.machine.mechanism.name, "variant": self.tasks.variant}
        return Facts([*lines, *more, "", self._phases()], machine)

    def _phases(self) -> TextTable:
        def time(phase: str, sent: bool) -> str:
            return self._time(self.exposed.get((phase, sent), 0.0))

        phases = dict.fromkeys(phase for phase, _ in self.exposed)
        return TextTable(
            f"time by phase, {self._time(self.plan.makespan)} in total",
            ["phase"],
            [" computing", " messages"],
            [(phase, time(phase, False), time(phase, True)) for phase in phases],
            values={
                "exposed": [
                    {"phase": phase, "messages": sent, "time": time}
                    for (phase, sent), time in self.exposed.items()
                ]
            },
        )

    def _time(self, time: float) -> str:
        unit = self.plan.computer.unit
        return duration(time) if unit == "s" else f"{time:g} {unit}"


def _declared(mechanism: Mechanism, q: Array, v: Array) -> Array:
    """Joint forces that a machine declares, shape (nv,)."""
    model = model_of(mechanism)
    x, u = SX.sym("q", mechanism.nq), SX.sym("v", mechanism.nv)
    return np.array(ca.Function("declared", [x, u], [declared_forces(model, x, u)])(q, v)).ravel()
