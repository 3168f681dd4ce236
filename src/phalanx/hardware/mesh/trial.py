"""Trial of a mesh: one evaluation with numbers, its accuracy and time by phase."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import casadi as ca
import numpy as np
from casadi import SX
from numpy.typing import NDArray

from phalanx.actuators.subsystem import Actuation
from phalanx.base.errors import InvalidInput
from phalanx.base.facts import Fact, Facts, TextTable, duration
from phalanx.equations.expression import expression
from phalanx.equations.forward_dynamics.articulated_body import articulated_body
from phalanx.equations.loops.assembly.assemble import assemble
from phalanx.equations.loops.methods.multipliers import multipliers
from phalanx.equations.model_of import model_of
from phalanx.equations.quantities.declared_forces import declared_forces
from phalanx.hardware.mesh.mesh_tasks import MeshTasks
from phalanx.hardware.mesh.running import check_pivots
from phalanx.mechanism import Mechanism
from phalanx.multiprocessor import Schedule
from phalanx.multiprocessor.plans.longest_path import exposed

Array = NDArray[np.float64]
POSTURES = 64  # tried until hydraulics can have one
OPENING = 0.03  # of spools: cm of rotary actuators, parts of the whole of cylinders


@final
@dataclass(frozen=True)
class MeshTrial:
    """One evaluation on a mesh, carried out with numbers.

    Attributes:
        tasks: What the nodes do.
        plan: When they do it.
        inputs: Positions, velocities and torques; with hydraulics pressures and openings instead.
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
    def of(
        tasks: MeshTasks, plan: Schedule, seed: int, hydraulics: Actuation | None = None
    ) -> MeshTrial:
        """Carry an evaluation out at a random state, and compare it with a serial method.

        That is the recursion of articulated bodies, or multipliers where there are loops. In a
        step the forces that the machine declares act too: springs, damping, dry friction.

        Args:
            tasks: What the nodes do.
            plan: When they do it.
            seed: Of the state; loops are closed.
            hydraulics: What the tasks of a step were made with.

        Raises:
            InvalidInput: The mass matrix is singular there.
        """
        noise = np.random.default_rng(seed)
        mechanism = tasks.machine.mechanism
        q, s = _posture(mechanism, hydraulics, noise)
        v, tau = noise.standard_normal((2, mechanism.nv))
        if mechanism.loops:
            closed = assemble(mechanism, q, v)
            assert closed.v is not None, "velocities were given"
            q, v = closed.q, closed.v
        inputs: tuple[Array, ...] = q, v, tau
        if hydraulics is not None:
            opening = OPENING * noise.uniform(-1, 1, len(hydraulics.commands(mechanism)))
            inputs = q, v, s, opening
            tau = _driven(mechanism, hydraulics, *inputs)
        outputs = plan.execute(*inputs)
        check_pivots(tasks.machine, outputs[3])
        acting = tau + _declared(mechanism, q, v) if tasks.is_step else tau
        method = multipliers if mechanism.loops else articulated_body
        serial = np.array(expression(method, mechanism)(q, v, acting)).ravel()
        error = np.abs(outputs[2] - serial).max() / (np.abs(serial).max() or 1.0)
        return MeshTrial(tasks, plan, inputs, tuple(outputs), float(error), exposed(plan))

    @property
    def hidden(self) -> float:
        """The part of the time of all messages that nothing waits for."""
        sent = sum(hop.end - hop.start for message in self.plan.messages for hop in message.hops)
        waited = sum(time for (_, is_message), time in self.exposed.items() if is_message)
        return 1.0 - waited / sent if sent else 1.0

    def facts(self, *more: Fact) -> Facts:
        """Return size, time and error, ``more``, then the time by phase."""
        shape, plan = self.tasks.shape, self.plan
        top = ", a row above row 0" if shape.top else ""
        rows = f"{shape.freedoms} rows, " if shape.freedoms < shape.columns else ""
        bus = ", a bus along rows 0 and 1" if shape.buses else ""
        nodes, operations = len(shape.nodes) - 1, plan.graph.operations.total
        lines = [
            Fact(
                "mesh",
                f"{shape.columns} columns, {rows}{nodes} nodes and the interface, "
                f"{len(shape.links)} links{bus}{top}",
                {
                    "columns": shape.columns,
                    "nodes": nodes,
                    "rows": shape.freedoms,
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
                f"{self.error:.1e} of the largest acceleration, relative to a serial method",
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


def _posture(
    mechanism: Mechanism, hydraulics: Actuation | None, noise: np.random.Generator
) -> tuple[Array, Array]:
    """A random posture that closes all loops and that hydraulics can have, and their pressures."""
    refused: InvalidInput | None = None
    for q in mechanism.random_positions(POSTURES, noise):
        closed = assemble(mechanism, q).q if mechanism.loops else q
        try:
            s = np.zeros(0) if hydraulics is None else hydraulics.initial(mechanism, closed)
        except InvalidInput as error:  # a cylinder that is too long
            refused = error
            continue
        return closed, s
    assert refused is not None, "some posture was tried"
    raise refused


def _driven(
    mechanism: Mechanism, hydraulics: Actuation, q: Array, v: Array, s: Array, opening: Array
) -> Array:
    """Joint forces of hydraulics at a state, shape (nv,)."""
    model = model_of(mechanism)
    values = q, v, s, opening
    symbols = [SX.sym(f"x{k}", len(value)) for k, value in enumerate(values)]
    tau, _ = hydraulics.act(model, *symbols)
    return np.array(ca.Function("driven", symbols, [tau])(*values)).ravel()


def _declared(mechanism: Mechanism, q: Array, v: Array) -> Array:
    """Joint forces that a machine declares, shape (nv,)."""
    model = model_of(mechanism)
    x, u = SX.sym("q", mechanism.nq), SX.sym("v", mechanism.nv)
    return np.array(ca.Function("declared", [x, u], [declared_forces(model, x, u)])(q, v)).ravel()
