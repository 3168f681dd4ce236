"""Speed-up of a mesh against the cost of a message in operations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from phalanx.equations.expression import expression
from phalanx.equations.forward_dynamics.articulated_body import articulated_body
from phalanx.hardware.mesh import MeshCosts, MeshTasks, mesh_evaluation
from phalanx.hardware.mesh.costs import CLUSTER, CORES, ON_CHIP, T800
from phalanx.kernel.graph.operations import count_operations
from phalanx.mechanism import Mechanism
from phalanx.multiprocessor.computers.speed import Speed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RATIOS = (0.0, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0)
SHOWN: Mapping[str, MeshCosts] = {
    "T800, 1991": T800,
    "links between registers": ON_CHIP,
    "cores of one chip": CORES,
    "network cards": CLUSTER,
}


@dataclass(frozen=True)
class Payoff:
    """Speed-up of a mesh with messages of some cost.

    Attributes:
        tasks: Of an evaluation.
        serial: Operations of the least that one processor needs: articulated bodies, with frames
            and inertias chosen for few operations.
    """

    tasks: MeshTasks
    serial: int

    @staticmethod
    def of(mechanism: Mechanism) -> Payoff:
        """Of a machine."""
        best = count_operations(expression(articulated_body, mechanism))
        return Payoff(mesh_evaluation(mechanism), best.total)

    def speedup(self, ratio: float) -> tuple[float, float]:
        """Where a message costs so many operations.

        Returns:
            Against the best that one processor can do, and against one that does the same work.
        """
        plan = self.tasks.plan(MeshCosts("one each", Speed(), ratio, 0.0, "operations"))
        return self.serial / plan.makespan, plan.speedup


def message_ratio(costs: MeshCosts) -> float:
    """Cost of a message of three numbers, in multiplications."""
    return (costs.start_up + 3 * costs.per_word) / costs.speed.multiply


def where_a_mesh_pays(mechanisms: Sequence[Mechanism], ratios: Sequence[float] = RATIOS) -> Figure:
    """A line for each machine, and where some computers stand."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.5, 4.5), layout="constrained")
    axes = figure.subplots()
    for mechanism in mechanisms:
        payoff = Payoff.of(mechanism)
        against_best, own = zip(*(payoff.speedup(ratio) for ratio in ratios), strict=True)
        label = f"{mechanism.name}, {payoff.tasks.machine.size}"
        (line,) = axes.plot(ratios, against_best, marker="o", label=label)
        axes.plot(ratios, own, linestyle=":", color=line.get_color())
    axes.axhline(1.0, color="0.4", linewidth=1)
    for name, costs in SHOWN.items():
        ratio = message_ratio(costs)
        axes.axvline(ratio, color="0.75", linestyle="--", linewidth=1)
        axes.annotate(
            name,
            (ratio, 0.02),
            xycoords=("data", "axes fraction"),
            rotation=90,
            fontsize=8,
            va="bottom",
        )
    axes.set_xscale("symlog", linthresh=0.1)
    axes.set_yscale("log")
    axes.set(
        xlabel="a message on a link [multiplications]",
        ylabel="speed-up",
        title="Forward dynamics on a triangular mesh, against the best on one processor\n"
        "(dotted: against one processor that does the same work)",
    )
    axes.grid(color="0.9", linewidth=0.8)
    axes.legend(title="machine, joints")
    return figure
