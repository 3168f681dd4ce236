"""Speed-up of the mesh like for like: against the serial count of the source, not its own work.

The nodes of a mesh repeat each other's work and multiply by zeros, so that one node would take
longer for all of it than for the source's serial method. Both times are given: the serial method by
the count of table 3.1, and the work of all nodes on one of them. Plans differ in what messages do:
they cost nothing, they overlap with work as the source proposes, or they hold the nodes at both
ends as on the machine that it built.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from phalanx.base.errors import InvalidInput, InvalidModel
from phalanx.base.facts import TextTable, duration
from phalanx.hardware.mesh import MeshCosts, MeshTasks
from phalanx.hardware.mesh.machine import MeshMachine
from phalanx.kernel.graph.operations import Operations
from phalanx.multiprocessor.plans.longest_path import exposed
from phalanx.studies.wong.parallel import Cost
from phalanx.studies.wong.published import TABLE_3_1, CountedPart

ACTUATOR = Cost(11, 6)  # table 5.4: (44 x, 24 +) for four


class Compared(NamedTuple):
    """Times of one evaluation.

    Attributes:
        name: What messages do.
        serial: The source's serial method on one node [s].
        own: All that the mesh does, on one node [s].
        mesh: The mesh [s].
    """

    name: str
    serial: float
    own: float
    mesh: float

    @property
    def speedup(self) -> float:
        """Like for like: the serial method over the mesh."""
        return self.serial / self.mesh


def serial_count(machine: MeshMachine, actuators: int = 0) -> Cost:
    """Multiplications and additions of the source's serial forward dynamics.

    Sines and cosines are left out, as in the source.

    Raises:
        InvalidModel: The count is for chains of hinges; the machine has branches or slides.
    """
    if not machine.is_chain or any(machine.slides(i) for i in range(1, machine.size + 1)):
        raise InvalidModel(
            f"'{machine.mechanism.name}' is no chain of hinges; the serial count of Wong (1991), "
            "table 3.1, is for these alone."
        )
    count = TABLE_3_1[CountedPart.TOTAL]["Proposed"]
    own = Cost(int(count.multiply(machine.size)), int(count.add(machine.size)))
    return own + ACTUATOR.times(actuators)


@dataclass(frozen=True)
class LikeForLike:
    """Plans of one program with messages of three kinds.

    Attributes:
        tasks: Of an evaluation or a step.
        costs: Of nodes and links.
        evaluations: In the program: 1, or as many as a step has stages.
        actuators: How many joints have one.
    """

    tasks: MeshTasks
    costs: MeshCosts
    evaluations: int = 1
    actuators: int = 0

    @property
    def serial(self) -> float:
        """The source's serial method on one node, for one evaluation [s].

        Raises:
            InvalidInput: A task takes one time, whatever is in it.
            InvalidModel: The machine is no chain of hinges.
        """
        if self.costs.speed.task is not None:
            raise InvalidInput(
                f"costs '{self.costs.name}' give every task one time, so that a count of "
                "operations has none; take costs of operations, such as t800."
            )
        count = serial_count(self.tasks.machine, self.actuators)
        return self.costs.speed.of(Operations(multiply=count.multiply, add=count.add))

    def rows(self) -> list[Compared]:
        """Messages for nothing, beside the work, and in its way."""
        kinds = {
            "messages for nothing": replace(self.costs, start_up=0.0, per_word=0.0, overhead=0.0),
            "messages beside the work": self.costs,
            "messages hold the nodes": self.costs.without_overlap,
        }
        rows = []
        for name, costs in kinds.items():
            plan = self.tasks.plan(costs)
            own, mesh = plan.serial_time / self.evaluations, plan.makespan / self.evaluations
            rows.append(Compared(name, self.serial, own, mesh))
        return rows

    def arithmetic(self) -> float:
        """Work on the critical chain of the plan with messages beside it [s]."""
        parts = exposed(self.tasks.plan(self.costs))
        return sum(time for (_, sent), time in parts.items() if not sent) / self.evaluations

    def table(self) -> TextTable:
        """The rows as text, with values for JSON."""
        rows = self.rows()
        return TextTable(
            f"an evaluation, like for like: {duration(self.serial)} by the serial count of Wong "
            f"(1991), {duration(rows[0].own)} for the work of all nodes on one",
            ["messages"],
            [" time", " speedup", " on the same work"],
            [
                (
                    row.name,
                    duration(row.mesh),
                    f"{row.speedup:.2f}",
                    f"{row.own / row.mesh:.2f}",
                )
                for row in rows
            ],
            values={"like_for_like": [row._asdict() | {"speedup": row.speedup} for row in rows]},
        )
