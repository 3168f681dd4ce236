"""Figures 3.11, 4.8 and 4.9 of the source, drawn from its formulas: the printed ones are lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from phalanx.studies.wong.parallel import ADD, MULTIPLY, Cost, Rival, inertia_cost, whole_cost
from phalanx.studies.wong.published import TABLE_3_1, CountedPart

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAMES = {
    Rival.LEE: "Lee, Chang",
    Rival.WONG: "triangular mesh",
    Rival.FIJANY: "Fijany, Bejczy",
    Rival.HWANG: "Hwang et al.",
}


def serial_times(joints: range = range(3, 13)) -> Figure:
    """Figure 3.11: forward dynamics on one processor, by the totals of Table 3.1."""
    figure, axes = _empty("forward dynamics on one T800 [us]", "Forward dynamics, by counting")
    for method in ("Proposed", "Angeles", "Walker", "Brandl"):
        count = TABLE_3_1[CountedPart.TOTAL][method]
        times = [float(count.multiply(n)) * MULTIPLY + float(count.add(n)) * ADD for n in joints]
        axes.plot(list(joints), times, marker="o", label=method)
    axes.legend()
    return figure


def parallel_times(*, solver: bool = True, joints: range = range(2, 21)) -> Figure:
    """Figures 4.8 (without) and 4.9 (with solver): parallel rivals of Table 4.8.

    Args:
        solver: Whether the solution of M a = b is part of it.
        joints: Of the chains.
    """
    cost: Callable[[Rival, int], Cost] = whole_cost if solver else inertia_cost
    what = "Inertia matrix and solver" if solver else "Inertia matrix"
    figure, axes = _empty("critical processor [us]", f"{what} on many T800, messages left out")
    for rival, name in NAMES.items():
        times = [cost(rival, n).time() for n in joints]
        axes.plot(list(joints), times, marker="o", label=f"{rival.value}  {name}")
    axes.legend()
    return figure


def _empty(what: str, title: str) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.subplots()
    axes.set(xlabel="joints", ylabel=what, title=title)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(color="0.9", linewidth=0.8)
    return figure, axes
