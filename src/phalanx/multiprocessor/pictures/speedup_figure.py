"""Plot of speed-up and efficiency against the number of processors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from phalanx.base.errors import InvalidInput
from phalanx.multiprocessor.plans.bounds import lower_bound
from phalanx.multiprocessor.plans.schedule import Schedule

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLAN, MEASURED, BOUND = "#0072b2", "#d55e00", "#5c6a79"


def speedup_figure(
    plans: Sequence[Schedule],
    bounds: Sequence[float] | None = None,
    measured: Sequence[float] | None = None,
) -> Figure:
    """Speed-up S = T1 / Tp and efficiency S / p of plans for growing numbers of processors.

    Args:
        plans: Of the same graph, for computers of one kind.
        bounds: The least makespan any plan can have, for each plan; computed when not given.
        measured: Speed-up on real processors for each plan; NaN where there is none.
    """
    from matplotlib.figure import Figure

    if not plans:
        raise InvalidInput("there is no plan to draw the speed-up of.")
    if bounds is None:
        bounds = [lower_bound(plan.graph, plan.computer) for plan in plans]
    count = [plan.computer.processors for plan in plans]
    best = [
        plan.serial_time / bound if bound else 1.0
        for plan, bound in zip(plans, bounds, strict=True)
    ]
    curves = [("no plan is faster", best, BOUND, "--", "")]
    curves.append(("planned", [plan.speedup for plan in plans], PLAN, "-", "o"))
    if measured is not None:
        curves.append(("measured", list(measured), MEASURED, "-", "s"))
    figure = Figure(figsize=(9.6, 3.9), layout="constrained")
    left, right = figure.subplots(1, 2)
    for label, speedups, colour, line, marker in curves:
        style: dict[str, Any] = {"color": colour, "linestyle": line, "marker": marker}
        left.plot(count, speedups, label=label, markersize=4, **style)
        efficiency = [100 * s / p for s, p in zip(speedups, count, strict=True)]
        right.plot(count, efficiency, markersize=4, **style)
    for axes in (left, right):
        axes.set_xlabel("processors")
        axes.set_ylim(bottom=0)
        axes.locator_params(axis="x", integer=True)
        axes.grid(color="0.92")
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
    left.set_ylabel("speed-up T$_1$ / T$_p$")
    right.set_ylabel("efficiency [%]")
    left.legend(frameon=False, loc="upper left")
    name = plans[0].graph.name.replace("$", r"\$")
    title = f"{name} · {plans[0].computer.name} · {plans[0].policy}"
    figure.suptitle(title, x=0.01, ha="left", fontsize=10)
    return figure
