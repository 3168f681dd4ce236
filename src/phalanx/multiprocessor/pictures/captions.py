"""Captions of a plan's pictures: title, summary, time units."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from phalanx.multiprocessor.plans.schedule import Schedule

_SECONDS = (("ns", 1e-9), ("µs", 1e-6), ("ms", 1e-3), ("s", 1.0))


class TimeAxis(NamedTuple):
    """A unit to show times in, and how long it is in the computer's unit."""

    unit: str
    length: float

    def shown(self, time: float) -> str:
        """A time with its unit, four digits."""
        return f"{time / self.length:.4g} {self.unit}"


def time_axis(unit: str, longest: float) -> TimeAxis:
    """The unit in which ``longest`` has one to three digits before the point, if it is seconds."""
    if unit != "s" or longest <= 0:
        return TimeAxis(unit, 1.0)
    fitting = [entry for entry in _SECONDS if longest >= 0.9995 * entry[1]]
    return TimeAxis(*(fitting[-1] if fitting else _SECONDS[0]))


def facts_in_words(facts: Mapping[str, str | float], axis: TimeAxis) -> dict[str, str]:
    """Facts of which some are times, with their units."""
    return {
        name: fact if isinstance(fact, str) else axis.shown(fact) for name, fact in facts.items()
    }


def title(plan: Schedule) -> str:
    """Title of a plan: graph, computer, policy."""
    computer = plan.computer
    return " · ".join(
        part
        for part in (plan.graph.name, f"{computer.processors} × {computer.name}", plan.policy)
        if part
    )


def summary(plan: Schedule, axis: TimeAxis) -> str:
    """Summary of a plan in a line."""
    parts = [
        f"makespan {axis.shown(plan.makespan)}",
        f"speed-up {plan.speedup:.3g}",
        f"efficiency {100 * plan.efficiency:.3g} %",
        f"utilisation {100 * plan.utilization:.3g} %",
    ]
    if plan.messages:
        parts.append(f"{len(plan.messages)} messages")
    if plan.violations:
        parts.append(f"{len(plan.violations)} rules broken")
    return ", ".join(parts)
