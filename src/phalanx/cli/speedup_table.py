"""What more processors buy, as a table for people and as data for programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from phalanx.cli import console

if TYPE_CHECKING:
    from phalanx.multiprocessor import CriticalPath, ParallelismProfile, Schedule


@dataclass(frozen=True)
class SpeedupTable:
    """Plans of one graph for growing numbers of processors.

    Attributes:
        plans: At least one.
        bounds: For each plan the time that no plan can beat.
        path: The longest chain of tasks.
        profile: How many tasks there are to do at a time.
        measured: For each plan its speed-up on threads of this machine, if that was measured.
        intervals: For each plan the smallest time until it can begin again, if that was asked for.
    """

    plans: Sequence[Schedule]
    bounds: Sequence[float]
    path: CriticalPath
    profile: ParallelismProfile
    measured: Sequence[float] | None = None
    intervals: Sequence[float] | None = None

    @staticmethod
    def of(
        plans: Sequence[Schedule],
        measured: Sequence[float] | None = None,
        intervals: Sequence[float] | None = None,
    ) -> SpeedupTable:
        """The table of some plans."""
        from phalanx.multiprocessor import critical_path, lower_bound, parallelism_profile

        bounds = [
            lower_bound(plan.graph, plan.computer) if plan.bound is None else plan.bound
            for plan in plans
        ]
        graph, computer = plans[0].graph, plans[0].computer
        path, profile = critical_path(graph, computer), parallelism_profile(graph, computer)
        return SpeedupTable(plans, bounds, path, profile, measured, intervals)

    def show(self) -> None:
        """Write what the graph allows and what the plans make of it."""
        from phalanx.multiprocessor.pictures.captions import time_axis

        first = self.plans[0]
        axis = time_axis(first.computer.unit, first.serial_time)
        out = console.out()
        out.print(
            f"{first.graph.name}: {len(first.graph):,} tasks, "
            f"{first.graph.operations.total:,} operations, {axis.shown(first.serial_time)} on one "
            f"processor ({first.computer.name}).\n"
            f"Critical path {axis.shown(self.path.length)}; at most {self.profile.widest:,} tasks "
            f"at a time, {self.profile.average:.3g} on average: no plan is more than "
            f"{self.profile.average:.3g} times as fast.\n",
            soft_wrap=True,
            markup=False,
        )
        heads = ["makespan", "at best", "speed-up", "efficiency", "utilisation"]
        with_messages = any(plan.messages for plan in self.plans)
        if with_messages:
            heads.append("messages")
        if self.intervals is not None:
            heads.append("interval")
        if self.measured is not None:
            heads.append("measured")
        title = f"{first.policy}, times in {axis.unit}"
        table = console.table(title, ("processors",), tuple(f" {head}" for head in heads))
        for k, plan in enumerate(self.plans):
            proven = " =" if plan.is_proven_shortest else "  "
            row = [
                f"{plan.makespan / axis.length:.4g}{proven}",
                f"{self.bounds[k] / axis.length:.4g}",
                f"{plan.speedup:.3f}",
                f"{100 * plan.efficiency:.1f} %",
                f"{100 * plan.utilization:.1f} %",
            ]
            if with_messages:
                row.append(f"{len(plan.messages):,}")
            if self.intervals is not None:
                row.append(f"{self.intervals[k] / axis.length:.4g}")
            if self.measured is not None:
                row.append(f"{self.measured[k]:.3f}")
            table.add_row(str(plan.computer.processors), *row)
        if any(plan.is_proven_shortest for plan in self.plans):
            table.caption = "=  proven: no plan is shorter"
        out.print(table)

    def to_data(self) -> dict[str, Any]:
        """The same as JSON values; times in the computer's unit."""
        first = self.plans[0]
        rows = []
        for k, plan in enumerate(self.plans):
            row: dict[str, Any] = {"processors": plan.computer.processors} | plan.measures
            row |= {"lower_bound": self.bounds[k], "proven_shortest": plan.is_proven_shortest}
            if self.intervals is not None:
                row["initiation_interval"] = self.intervals[k]
            if self.measured is not None:
                row["measured_speedup"] = self.measured[k]
            rows.append(row)
        return {
            "graph": first.graph.name,
            "tasks": len(first.graph),
            "operations": first.graph.operations.total,
            "computer": first.computer.name,
            "policy": first.policy,
            "unit": first.computer.unit,
            "critical_path": self.path.length,
            "widest": self.profile.widest,
            "average_parallelism": self.profile.average,
            "plans": rows,
        }
