"""Figures 4.1 to 4.10 of the thesis, drawn anew, and sweeps of tolerance and energy beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from phalanx.base.facts import Facts, TextTable
from phalanx.simulation.formulations import RungeKutta
from phalanx.studies.khan import as_written
from phalanx.studies.khan.bench import DURATION, bench
from phalanx.studies.khan.plot import COLOURS, SMALLEST
from phalanx.studies.khan.sweeps import (
    TOLERANCES,
    Replay,
    adaptive,
    by_decay,
    by_projector,
    by_stiffness,
    by_tolerance,
    corrections,
    energy_by_decay,
    energy_by_stiffness,
    followed_by_springs,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LARGEST = 30.0  # [rad]: beyond that a run has failed, and is not drawn
MOTORS = ("drive 1", "drive 2", "drive 3")
MOTOR_COLOURS = (COLOURS[0], COLOURS[2], COLOURS[5])


def figure_4_1() -> Figure:
    """The manipulator, where the motion begins and where it ends."""
    figure, (axes,) = _panels(1, 1, "Figure 4.1: the planar 3-RRR", (6, 5))
    for posture, colour, label in ((0, COLOURS[2], "at 0 s"), (-1, COLOURS[0], "at 3 s")):
        x = as_written.coordinates(bench().q[posture])
        corners = x[7:] + as_written.VERTICES @ as_written.R(x[6]).T
        for leg, base in enumerate(as_written.BASE):
            elbow = base + as_written.L1 * as_written.u(x[2 * leg])
            chain = np.array([base, elbow, corners[leg]])
            axes.plot(*chain.T, "o-", color=colour, label=label if leg == 0 else None)
        axes.fill(*corners.T, color=colour, alpha=0.3)
    axes.set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
    axes.legend(frameon=False)
    return figure


def figure_4_2() -> Figure:
    """The desired motion and the torques that it needs."""
    figure, (left, right) = _panels(1, 2, "Figure 4.2: desired motion and torques", (10, 4))
    motion = bench()
    angles = motion.angles(motion.q)
    for k, name in enumerate(MOTORS):
        left.plot(motion.t, angles[:, k], color=MOTOR_COLOURS[k], label=name)
        right.plot(motion.t, motion.tau[:, k], color=MOTOR_COLOURS[k])
    left.set(xlabel="time [s]", ylabel="angle of the motor [rad]")
    right.set(xlabel="time [s]", ylabel="torque [N·m]")
    left.legend(frameon=False)
    return figure


def figure_4_3() -> Figure:
    """Springs, tolerance 1e-3."""
    return _sweep("Figure 4.3: springs, tolerance 1e-3", by_stiffness(adaptive(1e-3)))


def figure_4_4() -> Figure:
    """Springs, tolerance 1e-6."""
    return _sweep("Figure 4.4: springs, tolerance 1e-6", by_stiffness(adaptive(1e-6)))


def figure_4_5() -> Figure:
    """Springs, steps of 10 ms."""
    runs = by_stiffness(RungeKutta(0.01))
    return _sweep("Figure 4.5: springs, steps of 10 ms", runs, counted=False)


def figure_4_6() -> Figure:
    """Springs, steps of 1 ms."""
    runs = by_stiffness(RungeKutta(0.001))
    return _sweep("Figure 4.6: springs, steps of 1 ms", runs, counted=False)


def figure_4_7() -> Figure:
    """Springs with feedback: errors, and what feedback adds."""
    title = "Figure 4.7: springs of 1e5 N/m with feedback, steps of 1 ms"
    figure, (left, right) = _panels(1, 2, title, (10, 4))
    one = followed_by_springs()
    added = corrections(one)
    for k, name in enumerate(MOTORS):
        left.plot(one.history.t, one.error[:, k], color=MOTOR_COLOURS[k], label=name)
        right.plot(one.history.t, added[:, k], color=MOTOR_COLOURS[k])
    left.set(xlabel="time [s]", ylabel="angle error [rad]")
    right.set(xlabel="time [s]", ylabel="correction [% of peak torque]")
    left.legend(frameon=False)
    return figure


def figure_4_8() -> Figure:
    """The basis of Yun and Sarkar: errors and joint rates, as far as a budget goes."""
    one = by_projector()
    ends = f"ended after {one.history.evaluations} evaluations at {one.history.t[-1]:.2g} s"
    title = f"Figure 4.8: basis from the projector, tolerance 1e-3; {ends}"
    figure, (left, right) = _panels(1, 2, title, (10, 4))
    rates = one.history.v[:, list(bench().motors)]
    for k, name in enumerate(MOTORS):
        left.plot(one.history.t, one.error[:, k], color=MOTOR_COLOURS[k], label=name)
        right.plot(one.history.t, rates[:, k], color=MOTOR_COLOURS[k])
    left.set(xlabel="time [s]", ylabel="angle error [rad]")
    right.set(xlabel="time [s]", ylabel="rate of the motor [rad/s]")
    left.legend(frameon=False)
    return figure


def figure_4_9() -> Figure:
    """Elimination, tolerance 1e-6."""
    return _sweep("Figure 4.9: elimination, tolerance 1e-6", by_decay(adaptive(1e-6)))


def figure_4_10() -> Figure:
    """Elimination, steps of 10 ms; those of the thesis broke."""
    title = "Figure 4.10: elimination, steps of 10 ms, with the acceleration that fits"
    return _sweep(title, by_decay(RungeKutta(0.01)), counted=False)


def tolerances() -> Figure:
    """Evaluations and errors by tolerance and method."""
    figure, (left, right) = _panels(1, 2, "Work and error by tolerance", (11, 4.5))
    for (name, runs), colour in zip(by_tolerance().items(), COLOURS, strict=False):
        left.loglog(TOLERANCES, [r.history.evaluations for r in runs], "o-", color=colour)
        errors = [r.largest_error for r in runs]
        right.loglog(TOLERANCES, errors, "o-", color=colour, label=name)
    left.set(xlabel="relative tolerance", ylabel="evaluations for three seconds")
    right.set(xlabel="relative tolerance", ylabel="largest angle error without feedback [rad]")
    right.legend(fontsize=8, frameon=False)
    return figure


def lost_energy() -> Figure:
    """Energy that dampers in the loops take, and that eliminations lose."""
    title = "Energy of machine and springs less the work of the motors; feedback, steps of 1 ms"
    figure, (left, right) = _panels(1, 2, title, (11, 4.5))
    for axes, found in ((left, energy_by_stiffness()), (right, energy_by_decay())):
        for (label, (t, defect)), colour in zip(found.items(), COLOURS[::2], strict=False):
            shown = np.maximum(np.abs(defect), SMALLEST)
            axes.semilogy(t, shown, color=colour, label=label, linewidth=1)
        axes.set(xlabel="time [s]", ylabel="energy that is missing [J]")
        axes.legend(fontsize=8, frameon=False)
    return figure


FIGURES: Mapping[str, Callable[[], Figure]] = {
    function.__name__: function
    for function in (
        *(figure_4_1, figure_4_2, figure_4_3, figure_4_4, figure_4_5),
        *(figure_4_6, figure_4_7, figure_4_8, figure_4_9, figure_4_10),
        *(tolerances, lost_energy),
    )
}
"""What can be drawn, by the name of its file."""


def draw(folder: Path, progress: Callable[[str], None] | None = None) -> list[Path]:
    """Write all figures as PNG files into a folder, which may be new."""
    report = progress or (lambda what: None)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, figure in FIGURES.items():
        report(name.replace("_", " ").replace("4 ", "4.", 1))
        paths.append(folder / f"{name}.png")
        figure().savefig(paths[-1], dpi=150)
    return paths


def figure_facts() -> Facts:
    """The numbers behind the sweeps of figures 4.3 to 4.10, as a table."""
    sweeps = {
        "4.3": by_stiffness(adaptive(1e-3)),
        "4.4": by_stiffness(adaptive(1e-6)),
        "4.5": by_stiffness(RungeKutta(0.01)),
        "4.6": by_stiffness(RungeKutta(0.001)),
        "4.9": by_decay(adaptive(1e-6)),
        "4.10": by_decay(RungeKutta(0.01)),
    }
    rows, values = [], {}
    for number, runs in sweeps.items():
        for one in runs:
            failed = bool(one.history.stopped)
            error = "fails" if failed else f"{one.largest_error:.2g}"
            opening = "" if failed else f"{one.opening:.1g}"
            rows.append((number, one.label, str(one.history.evaluations), error, opening))
            values[f"{number}, {one.label}"] = {
                "evaluations": one.history.evaluations,
                "end_s": float(one.history.t[-1]),
                "stopped": one.history.stopped,
                "largest_error_rad": None if failed else one.largest_error,
                "opening_m": None if failed else one.opening,
            }
    table = TextTable(
        "replays of the motion without feedback",
        ("figure", " value"),
        (" evaluations", " largest error [rad]", " loops [m]"),
        rows,
        "the machine is unstable: errors grow by a factor of 1e6 in three seconds",
        values={"figures": values},
    )
    return Facts([table])


def _sweep(title: str, runs: Sequence[Replay], *, counted: bool = True) -> Figure:
    """Panels (a) to (d) with the errors of each value, and (e) with evaluations."""
    figure, panels = _panels(2, 3 if counted else 2, title, (12 if counted else 9, 6))
    order = (0, 1, 3, 4) if counted else range(4)
    for one, place, letter in zip(runs, order, "abcd", strict=True):
        axes, error = panels[place], one.error
        keep = (np.abs(error) < LARGEST).all(axis=1)
        for k, name in enumerate(MOTORS):
            axes.plot(one.history.t[keep], error[keep, k], color=MOTOR_COLOURS[k], label=name)
        fails = f", fails at {one.history.t[keep][-1]:.2g} s" if one.history.stopped else ""
        axes.set_title(f"({letter}) {one.label}{fails}", fontsize=10, loc="left")
        axes.set(xlabel="time [s]", ylabel="angle error [rad]", xlim=(0, DURATION))
    panels[0].legend(fontsize=8, frameon=False)
    if counted:
        panels[5].remove()
        labels, counts = zip(*((r.label, r.history.evaluations) for r in runs), strict=True)
        bars = panels[2].bar(range(len(runs)), counts, color=COLOURS[2])
        panels[2].bar_label(bars, fontsize=8)
        panels[2].set_xticks(
            range(len(runs)), [text.split(" = ")[1] for text in labels], fontsize=8
        )
        panels[2].set_ylabel("evaluations for three seconds")
        panels[2].set_title("(e) evaluations", fontsize=10, loc="left")
    return figure


def _panels(
    rows: int, columns: int, title: str, size: tuple[float, float]
) -> tuple[Figure, list[Axes]]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=size, layout="constrained")
    axes = np.atleast_1d(figure.subplots(rows, columns)).ravel().tolist()
    for each in axes:
        each.grid(color="0.9", linewidth=0.8)
        each.set_axisbelow(True)
        for side in ("top", "right"):
            each.spines[side].set_visible(False)
    figure.suptitle(title, x=0.01, ha="left", fontsize=11)
    return figure, axes
