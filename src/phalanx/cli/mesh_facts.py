"""What a machine on a triangular mesh is worth, as lines for people and as data for programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from phalanx.cli import console

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from phalanx.distribute.programs.plans import PlanOutcome
    from phalanx.hardware.mesh import MeshTasks
    from phalanx.multiprocessor import Schedule


@dataclass(frozen=True)
class MeshFacts:
    """One evaluation on a mesh, carried out with numbers.

    Attributes:
        tasks: What the nodes do.
        plan: When they do it.
        inputs: Positions, velocities and torques.
        error: The largest difference from the serial accelerations, over the largest of these.
        exposed: What its time is made of, by phase and whether it is messages.
        ranks: What ranks made of it, where there were some.
        same: Whether they have the same bits.
    """

    tasks: MeshTasks
    plan: Schedule
    inputs: tuple[NDArray[np.float64], ...]
    error: float
    exposed: dict[tuple[str, bool], float]
    ranks: PlanOutcome | None
    same: bool

    @staticmethod
    def of(tasks: MeshTasks, plan: Schedule, seed: int, ranks: int | None) -> MeshFacts:
        """Carry an evaluation out at a random state, and compare it with the serial recursion.

        Raises:
            InvalidInput: The mass matrix is singular there, or ranks do not fit.
        """
        from phalanx.distribute.programs.plans import launch
        from phalanx.equations.expression import expression
        from phalanx.equations.forward_dynamics.articulated_body import articulated_body
        from phalanx.hardware.mesh.running import check_pivots
        from phalanx.multiprocessor.plans.longest_path import exposed

        noise = np.random.default_rng(seed)
        mechanism = tasks.machine.mechanism
        q = mechanism.random_positions(1, noise)[0]
        v, tau = noise.standard_normal((2, mechanism.nv))
        outputs = plan.execute(q, v, tau)
        check_pivots(tasks.machine, outputs[3])
        serial = np.array(expression(articulated_body, mechanism)(q, v, tau)).ravel()
        error = np.abs(outputs[2] - serial).max() / (np.abs(serial).max() or 1.0)
        outcome = launch(plan, q, v, tau, ranks=ranks) if ranks else None
        same = outcome is not None and all(
            np.array_equal(one, other) for one, other in zip(outputs, outcome.outputs, strict=True)
        )
        return MeshFacts(
            tasks,
            plan,
            (q, v, tau),
            float(error),
            exposed(plan),
            outcome,
            same,
        )

    @property
    def hidden(self) -> float:
        """The part of the time of all messages that nothing waits for."""
        sent = sum(hop.end - hop.start for message in self.plan.messages for hop in message.hops)
        waited = sum(time for (_, is_message), time in self.exposed.items() if is_message)
        return 1.0 - waited / sent if sent else 1.0

    def show(self) -> None:
        """Write what it is, then what its time is made of."""
        out = console.out()
        for name, value in self._lines():
            out.print(f"{name:<18}{value}", soft_wrap=True, markup=False)
        out.print()
        title = f"what the {self._time(self.plan.makespan)} are made of"
        table = console.table(title, ("phase",), (" computing", " messages"))
        for phase in dict.fromkeys(phase for phase, _ in self.exposed):
            work, sent = (self.exposed.get((phase, kind), 0.0) for kind in (False, True))
            table.add_row(phase, self._time(work), self._time(sent))
        out.print(table)

    def _time(self, time: float) -> str:
        unit = self.plan.computer.unit
        return console.duration(time) if unit == "s" else f"{time:g} {unit}"

    def _lines(self) -> list[tuple[str, str]]:
        shape, plan = self.tasks.shape, self.plan
        bus = ", a bus along rows 0 and 1" if shape.buses else ""
        lines = [
            (
                "mesh",
                f"{shape.columns} columns, {len(shape.nodes) - 1} nodes and the interface, "
                f"{len(shape.links)} links{bus}",
            ),
            ("work", f"{len(plan.graph):,} tasks, {plan.graph.operations.total:,} operations"),
            (
                "messages",
                f"{len(plan.messages):,} of {plan.words_sent:,} numbers, a link each; "
                f"{100 * self.hidden:.0f} % of their time is hidden",
            ),
            (
                "time",
                f"{self._time(plan.makespan)}; one node {self._time(plan.serial_time)}, "
                f"{plan.speedup:.2f} times",
            ),
            ("nodes at work", f"{100 * plan.utilization:.1f} %"),
            (
                "error",
                f"{self.error:.1e} of the largest acceleration, against the serial recursion",
            ),
        ]
        if self.ranks is not None:
            same = "the same bits" if self.same else "other bits"
            lines.append(
                (
                    f"{len(self.ranks.processors)} ranks",
                    f"{same}; {self.ranks.letters:,} of {sum(self.ranks.hops.values()):,} messages "
                    f"from rank to rank, {console.duration(self.ranks.seconds)}",
                )
            )
        return lines

    def to_data(self) -> dict[str, Any]:
        """The same as data; times in the unit of the costs."""
        shape, plan = self.tasks.shape, self.plan
        data: dict[str, Any] = {
            "machine": self.tasks.machine.mechanism.name,
            "variant": self.tasks.variant,
            "columns": shape.columns,
            "nodes": len(shape.nodes) - 1,
            "links": len(shape.links),
            "buses": shape.buses,
            "unit": plan.computer.unit,
            "operations": plan.graph.operations.total,
            "tasks": len(plan.graph),
            **plan.measures,
            "hidden": self.hidden,
            "error": self.error,
            "exposed": [
                {"phase": phase, "messages": sent, "time": time}
                for (phase, sent), time in self.exposed.items()
            ],
        }
        if self.ranks is not None:
            data["ranks"] = {
                "ranks": len(self.ranks.processors),
                "same_bits": self.same,
                "letters": self.ranks.letters,
                "hops": sum(self.ranks.hops.values()),
                "seconds": self.ranks.seconds,
            }
        return data
