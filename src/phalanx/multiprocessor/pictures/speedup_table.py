"""Speed-up table: plans of one graph for growing numbers of processors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

from phalanx.base.facts import Facts, TextTable
from phalanx.multiprocessor.pictures.captions import TimeAxis, time_axis
from phalanx.multiprocessor.plans.bounds import lower_bound
from phalanx.multiprocessor.plans.critical_path import (
    CriticalPath,
    ParallelismProfile,
    critical_path,
    parallelism_profile,
)
from phalanx.multiprocessor.plans.schedule import Schedule


@final
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
        bounds = [
            lower_bound(plan.graph, plan.computer) if plan.bound is None else plan.bound
            for plan in plans
        ]
        graph, computer = plans[0].graph, plans[0].computer
        path, profile = critical_path(graph, computer), parallelism_profile(graph, computer)
        return SpeedupTable(plans, bounds, path, profile, measured, intervals)

    def facts(self) -> Facts:
        """What the graph allows and what the plans make of it; times in the computer's unit."""
        first, profile = self.plans[0], self.profile
        axis = time_axis(first.computer.unit, first.serial_time)
        return Facts(
            [
                f"{first.graph.name}: {len(first.graph):,} tasks, "
                f"{first.graph.operations.total:,} operations, {axis.shown(first.serial_time)} on "
                f"one processor ({first.computer.name}).\n"
                f"Critical path {axis.shown(self.path.length)}; at most {profile.widest:,} tasks "
                f"in parallel, {profile.average:.3g} on average, which limits the speedup.\n",
                self._table(axis),
            ],
            {
                "graph": first.graph.name,
                "tasks": len(first.graph),
                "operations": first.graph.operations.total,
                "computer": first.computer.name,
                "policy": first.policy,
                "unit": first.computer.unit,
                "critical_path": self.path.length,
                "widest": profile.widest,
                "average_parallelism": profile.average,
            },
        )

    def _table(self, axis: TimeAxis) -> TextTable:
        """Return a row for each schedule, with the requested columns."""
        heads = [" makespan", " bound", " speedup", " efficiency", " utilisation"]
        with_messages = any(plan.messages for plan in self.plans)
        heads += [" messages"] if with_messages else []
        heads += [" interval"] if self.intervals is not None else []
        heads += [" measured"] if self.measured is not None else []
        rows, data = [], []
        for k, plan in enumerate(self.plans):
            row = [
                str(plan.computer.processors),
                f"{plan.makespan / axis.length:.4g}{' =' if plan.is_proven_shortest else '  '}",
                f"{self.bounds[k] / axis.length:.4g}",
                f"{plan.speedup:.3f}",
                f"{100 * plan.efficiency:.1f} %",
                f"{100 * plan.utilization:.1f} %",
            ]
            values: dict[str, Any] = {"processors": plan.computer.processors} | plan.measures
            values |= {"lower_bound": self.bounds[k], "proven_shortest": plan.is_proven_shortest}
            if with_messages:
                row.append(f"{len(plan.messages):,}")
            if self.intervals is not None:
                row.append(f"{self.intervals[k] / axis.length:.4g}")
                values["initiation_interval"] = self.intervals[k]
            if self.measured is not None:
                row.append(f"{self.measured[k]:.3f}")
                values["measured_speedup"] = self.measured[k]
            rows.append(row)
            data.append(values)
        is_proven = any(plan.is_proven_shortest for plan in self.plans)
        return TextTable(
            f"{self.plans[0].policy}, times in {axis.unit}",
            ["processors"],
            heads,
            rows,
            "=: proven optimal" if is_proven else "",
            values={"plans": data},
        )
