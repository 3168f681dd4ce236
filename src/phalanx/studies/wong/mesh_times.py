"""Tables 5.4 and 5.5: the excavator on one T800 and on the mesh, printed, by counting, and planned.

The source counts multiplications and additions of the busiest node and leaves messages out; a plan
has every task and every message. What it measured is 6 to 8 times what it counted, for indexing and
calls; ``T800_MEASURED`` has the times that it measured for vector operations in place of those that
it counts with.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

from phalanx.actuators.hydraulics.rotary import RotaryHydraulics
from phalanx.base.cached import cached_property
from phalanx.hardware.mesh import (
    T800,
    T800_MEASURED,
    MeshCosts,
    MeshTasks,
    mesh_evaluation,
    mesh_step,
)
from phalanx.mechanism import Mechanism
from phalanx.multiprocessor.plans.longest_path import exposed
from phalanx.multiprocessor.plans.schedule import Schedule
from phalanx.simulation.integrators.tableaux import CLASSIC
from phalanx.studies.wong.like_for_like import LikeForLike
from phalanx.studies.wong.parallel import EXCAVATOR_PARALLEL, EXCAVATOR_SERIAL, Cost

STEP = 0.01  # [s]
BUDGET = STEP / 4  # an evaluation may take so long [s]


class Printed(NamedTuple):
    """A row of Table 5.4.

    Attributes:
        measured: On one T800 [ms].
        counted: Multiplications and additions.
    """

    measured: float
    counted: Cost


TABLE_5_4 = {
    "inertia": Printed(3.01, Cost(286, 209)),
    "force": Printed(3.38, Cost(312, 253)),
    "actuator": Printed(0.35, Cost(44, 24)),
    "solver": Printed(0.56, Cost(32, 22)),
}
MEASURED_TOTAL, MEASURED_PARALLEL, MEASURED_WITH_OPERATOR = 7.28, 1.353, 2.1  # [ms]

# by counting and measured [us], of the loop over c, rho, J c and m rho x c
TABLE_5_5 = {
    "vector difference": (1.5, 18),
    "A v": (12, 63),
    "vector sum": (1.5, 18),
    "A v again": (12, 65),
    "J c": (12, 63),
    "cross product": (7.5, 14),
    "number times vector": (3, 34),
}
# what a product A v takes [us], by how the program names its numbers: a variable for each number,
# two fixed indices, indices for arrays of any size; and what a call of a subroutine takes
PRODUCT_COUNTED, CALL = 12.0, 9.0
PRODUCT_MEASURED = {"variables": 14.0, "fixed indices": 21.0, "general indices": 56.0}
H_MEASURED = 2260.0  # all of H with the rotations [us], four bodies
LOOP = 46.5, 275.0  # [us]; as printed, though its rows add to 49.5: A v has a zero, (8 x, 5 +)


def complement_cost(joints: int) -> tuple[Cost, int]:
    """All of H for a chain of hinges: rotations, axes, arms and what bodies make of them.

    Equations 3.18 to 3.22: (4 x) a rotation, (8, 5) an axis beyond the second diagonal, (8, 11) an
    arm, (9, 6) J c and (9, 3) m rho x c.

    Args:
        joints: Of the chain, n.

    Returns:
        Multiplications and additions, and how many sines and cosines.
    """
    pairs, farther = joints * (joints - 1) // 2, (joints - 1) * (joints - 2) // 2
    arms = Cost(8, 11) + Cost(9, 6) + Cost(9, 3)
    return Cost(4 * joints, 0) + Cost(8, 5).times(farther) + arms.times(pairs), 2 * joints


@dataclass(frozen=True)
class MeshTimes:
    """A machine on the mesh beside what the source has of its excavator.

    Attributes:
        evaluation: Tasks of one evaluation.
        step: Tasks of one step.
        costs: Of nodes and links.
        actuators: How many joints have one.
    """

    evaluation: MeshTasks
    step: MeshTasks
    costs: MeshCosts = T800
    actuators: int = 0

    @staticmethod
    def of(
        mechanism: Mechanism,
        hydraulics: RotaryHydraulics | None = None,
        variant: str = "recompute",
        costs: MeshCosts = T800,
    ) -> MeshTimes:
        """Plans for a machine."""
        return MeshTimes(
            mesh_evaluation(mechanism, variant=variant),
            mesh_step(mechanism, CLASSIC, STEP, hydraulics=hydraulics, variant=variant),
            costs,
            0 if hydraulics is None else len(hydraulics.actuators),
        )

    @cached_property
    def evaluation_plan(self) -> Schedule:
        """When an evaluation does what."""
        return self.evaluation.plan(self.costs)

    @cached_property
    def step_plan(self) -> Schedule:
        """When a step of four evaluations does what."""
        return self.step.plan(self.costs)

    @property
    def per_evaluation(self) -> float:
        """A quarter of a step, with actuators and integration [s]."""
        return self.step_plan.makespan / 4

    @property
    def like_for_like(self) -> LikeForLike:
        """A quarter of a step beside the serial count of the source."""
        return LikeForLike(self.step, self.costs, 4, self.actuators)

    def on_one_node(self) -> dict[str, float]:
        """Time of one node for a quarter of all that the mesh does in a step, by part [s]."""
        total = dict.fromkeys((*TABLE_5_4, "integration"), 0.0)
        for task in self.step.graph.tasks:
            total[_part(self.step, task.name)] += self.costs.speed.time(task) / 4
        return total

    def exposed(self) -> dict[tuple[str, bool], float]:
        """What an evaluation's length is made of, by phase and whether it is messages [s]."""
        return exposed(self.evaluation_plan)

    @staticmethod
    def counted_speedup() -> float:
        """The source's own arithmetic: 4.63."""
        return EXCAVATOR_SERIAL.time() / EXCAVATOR_PARALLEL.time()

    def table(self) -> str:
        """Tables 5.4 and 5.5 as text: measured then, counted then, planned here."""
        ours = self.on_one_node()
        lines = [f"{'part':<14}{'measured':>10}{'counted':>10}{'here':>10}   [ms], one T800"]
        for part, (measured, counted) in TABLE_5_4.items():
            lines.append(
                f"{part:<14}{measured:>10.2f}{counted.time() / 1e3:>10.3f}{ours[part] * 1e3:>10.3f}"
            )
        lines += [
            f"{'integration':<14}{'':>10}{'':>10}{ours['integration'] * 1e3:>10.3f}",
            f"{'all':<14}{MEASURED_TOTAL:>10.2f}{EXCAVATOR_SERIAL.time() / 1e3:>10.3f}"
            f"{sum(ours.values()) * 1e3:>10.3f}",
            f"{'mesh':<14}{MEASURED_PARALLEL:>10.3f}{EXCAVATOR_PARALLEL.time() / 1e3:>10.4f}"
            f"{self.per_evaluation * 1e3:>10.4f}",
            f"{'speed-up':<14}{MEASURED_TOTAL / MEASURED_PARALLEL:>10.2f}"
            f"{self.counted_speedup():>10.2f}{self.step_plan.speedup:>10.2f}",
            "",
            *self._like_for_like_lines(),
            "",
            "What one evaluation's time is made of, on the course that ends it [µs]:",
            f"{'phase':<14}{'computing':>10}{'messages':>10}",
        ]
        made = self.exposed()
        for phase in dict.fromkeys(phase for phase, _ in made):
            work, sent = (made.get((phase, kind), 0.0) * 1e6 for kind in (False, True))
            lines.append(f"{phase:<14}{work:>10.1f}{sent:>10.1f}")
        return "\n".join(lines)

    def _like_for_like_lines(self) -> list[str]:
        """Speed-ups against the serial count, as counted, planned and measured."""
        lines = [f"{'like for like':<44}{'serial':>8}{'mesh':>8}{'speed-up':>10}   [ms]"]
        counted = EXCAVATOR_SERIAL.time() / 1e3, EXCAVATOR_PARALLEL.time() / 1e3
        rows = [("counted 1991, without messages", *counted)]
        for costs in (self.costs, T800_MEASURED):
            alike = replace(self.like_for_like, costs=costs)
            rows += [
                (f"{costs.name}: {row.name}", row.serial * 1e3, row.mesh * 1e3)
                for row in alike.rows()
            ]
        rows.append(("measured 1991, messages hold the nodes", MEASURED_TOTAL, MEASURED_PARALLEL))
        for name, serial, mesh in rows:
            lines.append(f"{name:<44}{serial:>8.3f}{mesh:>8.4f}{serial / mesh:>10.2f}")
        return lines


def _part(tasks: MeshTasks, name: str) -> str:
    """The row of Table 5.4 that a task belongs to."""
    place = tasks.places[name]
    if place.phase == "actuators" or name.startswith("flows"):
        return "actuator"
    if place.phase in ("pipelines", "moving sums"):
        helps = name.startswith(("J w", "J dw"))
        return "force" if helps or place.node[0] == 0 else "inertia"
    return "integration" if place.phase == "integration" else "solver"
