"""Does a second processor pay for one evaluation? Plans on two threads, promised and measured.

    python benchmarks/second_processor.py [--longest 100] [--turns 40] [--plot out/file.png]

Every row is one evaluation of an equation on one state. ``fine``: a task for each operation,
planned as if memory cost nothing; left out for large graphs, which take long to compile.
``joined``: tasks joined to the size that is fastest on this machine, planned for the times measured
on it. Serial is the same machine code as one program; threads start each evaluation together and
end it with a barrier. All numbers are compared to the last bit before they are timed. The best of
many short turns counts, so that other programs disturb little.
"""

from __future__ import annotations

import argparse
import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import casadi as ca
import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from rich.console import Console
from rich.table import Table

import phalanx as px
from phalanx import multiprocessor as mp
from phalanx.cli.models import find_model

# name, and whether its base moves
ROBOTS = {"ur5_robot": False, "talos_full_v2": True}
MOST_FINE_TASKS = 5000


@dataclass(frozen=True)
class Row:
    """One equation of one machine, measured."""

    name: str
    independent: bool
    operations: int
    serial: float
    fine: mp.Measurement | None
    joined: mp.Measurement | None


def pair(mechanism: px.Mechanism) -> ca.Function:
    """Inverse dynamics of two machines that know nothing of each other, as one function."""
    one = px.expression(px.inverse_dynamics.recursive, mechanism)
    states = [[ca.SX.sym(f"{name}{k}", mechanism.nv) for name in "qva"] for k in "12"]
    return ca.Function("pair", [*states[0], *states[1]], [one(*state) for state in states])


def workloads(longest: int) -> Iterator[tuple[str, bool, mp.TaskGraph]]:
    """Names, whether it is two machines, and tasks, from small to large."""
    inverse, mass = px.inverse_dynamics, px.mass_matrix
    puma = px.library.puma560()
    lengths = [n for n in (6, 12, 25, 50, 100, 200) if n <= longest]
    chains = {n: px.library.chain(n, alternate=True) for n in lengths}
    yield "PUMA 560 inverse dynamics", False, mp.task_graph(inverse.recursive, puma)
    yield "PUMA 560 derivatives", False, mp.task_graph(inverse.derivatives, puma)
    for n, chain in chains.items():
        yield f"chain of {n} inverse dynamics", False, mp.task_graph(inverse.recursive, chain)
    try:
        robots = [find_model(f"robot:{name}", walks) for name, walks in ROBOTS.items()]
    except px.PhalanxError:
        robots = []  # the package of robots is not installed
    for robot in robots:
        name = robot.name
        yield f"{name} mass matrix", False, mp.task_graph(mass.composite_body, robot)
        yield f"{name} inverse dynamics", False, mp.task_graph(inverse.recursive, robot)
        yield f"{name} derivatives", False, mp.task_graph(inverse.derivatives, robot)
    yield "two PUMA 560", True, mp.task_graph(pair(puma))
    for n, chain in chains.items():
        yield f"two chains of {n}", True, mp.task_graph(pair(chain))


def measured(graph: mp.TaskGraph, computer: mp.SharedMemory, turns: int) -> dict[str, Any]:
    """Fine tasks, and joined ones unless a plan for those leaves the second processor idle."""
    fine = joined = None
    if len(graph) <= MOST_FINE_TASKS:
        free = mp.SharedMemory(computer.processors, computer.speed, "s")
        fine = mp.measure(mp.highest_level_first(graph, free), turns=turns)
    with contextlib.suppress(px.InvalidInput):
        joined = mp.fastest_plan(graph, computer, turns=turns)
    serial = min(m.serial for m in (fine, joined) if m)
    return {"serial": serial, "fine": fine, "joined": joined}


def machine() -> str:
    """What can be known of the processors."""
    siblings = Path("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list")
    shared = siblings.read_text().strip() if siblings.exists() else "unknown"
    own = "a core of its own" if shared == "0" else f"a core shared by {shared}"
    return f"{os.cpu_count()} processors, the first has {own} as far as the system knows"


def table(rows: list[Row]) -> Table:
    """All rows, by operations."""
    grid = Table(box=None, title="two threads against one, one evaluation")
    for column in ("", "operations", "one (ns)", "fine: waits", "promised", "measured"):
        grid.add_column(column, justify="right" if column else "left")
    for column in ("joined: tasks", "waits", "promised", "measured"):
        grid.add_column(column, justify="right")
    for row in sorted(rows, key=lambda row: (row.independent, row.operations)):
        fine, joined = row.fine, row.joined
        cells = [row.name, str(row.operations), f"{1e9 * row.serial:.0f}"]
        if fine is None:
            cells += ["", "", ""]
        else:
            cells += [str(fine.waits), f"{fine.predicted:.2f}", f"{fine.speedup:.2f}"]
        if joined is None:
            cells += ["", "", "1 (leaves it idle)", ""]
        else:
            colour = "green" if joined.speedup > 1 else "red"
            cells += [str(len(joined.plan.graph)), str(joined.waits), f"{joined.predicted:.2f}"]
            cells += [f"[{colour}]{joined.speedup:.2f}[/]"]
        grid.add_row(*cells)
    return grid


def break_even(rows: list[Row]) -> str:
    """From which size on all measured rows gain, and the smallest that gains at all."""
    by_size = sorted(rows, key=lambda row: row.operations)
    gains = [row.joined is not None and row.joined.speedup > 1 for row in by_size]
    if not any(gains):
        return f"no gain up to {by_size[-1].operations} operations"
    first = by_size[gains.index(True)]
    losers = [row for row, gain in zip(by_size, gains, strict=True) if not gain]
    last = (
        f"; the largest that does not: {losers[-1].operations} ({losers[-1].name})"
        if losers
        else ""
    )
    return f"the smallest that gains: {first.operations} operations ({first.name}){last}"


def plot(rows: list[Row], computer: mp.SharedMemory, path: Path) -> None:
    """Speed-up over operations."""
    figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
    for independent, marker, label in ((False, "o", "one machine"), (True, "s", "two machines")):
        own = [row for row in rows if row.independent == independent]
        axes.plot(
            [row.operations for row in own if row.fine],
            [row.fine.speedup for row in own if row.fine],
            f"C3{marker}",
            label=f"{label}, a task for each operation",
        )
        shared = [row for row in own if row.joined]
        axes.plot(
            [row.operations for row in shared],
            [row.joined.speedup for row in shared if row.joined],
            f"C0{marker}",
            label=f"{label}, joined tasks",
        )
        axes.plot(
            [row.operations for row in shared],
            [row.joined.predicted for row in shared if row.joined],
            f"C0{marker}",
            mfc="none",
            label=f"{label}, joined tasks, promised",
        )
    axes.axhline(1, color="0.5", lw=1)
    axes.set(xscale="log", yscale="log", xlabel="operations of one evaluation")
    axes.set(ylabel="speed-up of two threads", ylim=(0.01, 3))
    axes.set_title(f"two threads agree in {1e9 * computer.synchronization:.0f} ns on this machine")
    axes.legend(fontsize="small")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)


def main() -> None:
    """Measure, print, draw."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--longest", type=int, default=100, help="links of the longest chain")
    parser.add_argument("--turns", type=int, default=40, help="of each measurement")
    parser.add_argument("--plot", type=Path, default=Path("out/second_processor.png"))
    options = parser.parse_args()
    console = Console(width=150)
    computer = mp.measured_multicore(2)
    console.print(f"{machine()}; load average {os.getloadavg()[0]:.1f} at the start")
    console.print(
        f"an addition {1e9 * computer.speed_of(0).add:.2f} ns, a sine and cosine "
        f"{1e9 * computer.speed_of(0).sincos:.1f} ns, to agree "
        f"{1e9 * computer.synchronization:.0f} ns"
    )
    rows = []
    for name, independent, graph in workloads(options.longest):
        found = measured(graph, computer, options.turns)
        rows.append(Row(name, independent, graph.operations.total, **found))
    console.print(table(rows))
    for independent, label in ((False, "one machine"), (True, "two machines side by side")):
        own = [row for row in rows if row.independent == independent]
        console.print(f"{label}: {break_even(own)}")
    again = mp.measured_multicore(2).synchronization
    console.print(
        f"at the end: to agree {1e9 * again:.0f} ns, load average {os.getloadavg()[0]:.1f}"
    )
    plot(rows, computer, options.plot)
    console.print(f"drawn in {options.plot}")


if __name__ == "__main__":
    main()
