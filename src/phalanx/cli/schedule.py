"""``phalanx schedule``: what would more processors buy?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from phalanx.cli import console
from phalanx.cli.methods import MethodName
from phalanx.cli.models import FloatingBase, Model, PackagePath, find_model
from phalanx.cli.options import check_writable
from phalanx.cli.processors import processor_counts
from phalanx.cli.quantities import Frame
from phalanx.cli.speedup_table import SpeedupTable
from phalanx.cli.tasks import Customization, Cut, find_tasks

if TYPE_CHECKING:
    from phalanx.multiprocessor import Computer, Schedule, TaskGraph
    from phalanx.multiprocessor.policies.by_name import Policy

ONE_EACH = "{p}"
STANDARD_OUTPUT = Path("-")
PICTURES = (".png", ".svg", ".pdf")


class ColorBy(StrEnum):
    """What decides the colour of a task."""

    link = "link"
    kind = "kind"


def schedule(
    model: Model,
    processors: Annotated[
        str, typer.Option(help="How many: 4, 1-13, or 1,2,4.", metavar="NUMBERS")
    ] = "1-8",
    policy: Annotated[
        str,
        typer.Option(
            help="Who decides what runs when and where: layered, highest-level-first, "
            "earliest-finish or exact.",
            metavar="POLICY",
        ),
    ] = "highest-level-first",
    computer: Annotated[
        str,
        typer.Option(
            help="uniform-tasks, shared-memory, 8086, transputer-mesh, multicore, this-machine "
            "(measured), ethernet-cluster, vector-lanes.",
            metavar="COMPUTER",
        ),
    ] = "shared-memory",
    synchronization: Annotated[
        float | None,
        typer.Option(
            help="Time until others see a task's results, in the computer's unit.",
            show_default=False,
        ),
    ] = None,
    tasks: Annotated[
        Cut,
        typer.Option(
            help="A task for every operation, or Dhanaraj's tasks of three (inverse dynamics "
            "of a serial arm)."
        ),
    ] = Cut.operations,
    customization: Annotated[
        Customization | None,
        typer.Option(
            help="Of streamlined tasks: those of every such arm, those that zeros of its offsets "
            "leave, or that all its zeros leave (full).",
            show_default=False,
        ),
    ] = None,
    quantity: Annotated[
        str,
        typer.Option(help="What is computed: any quantity of the machine.", metavar="QUANTITY"),
    ] = "inverse-dynamics",
    method: MethodName = None,
    frame: Frame = None,
    angles_given: Annotated[
        bool,
        typer.Option(
            "--angles-given", help="Sines and cosines of joints are there before the work starts."
        ),
    ] = False,
    coarsen: Annotated[
        int | None,
        typer.Option(
            min=1, help="Join tasks into larger ones, up to so many operations.", show_default=False
        ),
    ] = None,
    time_limit: Annotated[
        float, typer.Option(help="When the exact policy gives up, for each plan [s].")
    ] = 10.0,
    gantt: Annotated[
        Path | None,
        typer.Option(
            help="Draw the last plan: .html to zoom and search in, .svg, .png, .pdf. With {p} in "
            "its name, every plan.",
            show_default=False,
        ),
    ] = None,
    color_by: Annotated[
        ColorBy | None, typer.Option(help="Colours of the chart.", show_default=False)
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(help="Draw speed-up and efficiency: .png, .svg, .pdf.", show_default=False),
    ] = None,
    save: Annotated[
        Path | None,
        typer.Option(
            help="Write the last plan as .json, for Schedule.load; every plan with {p}.",
            show_default=False,
        ),
    ] = None,
    json_file: Annotated[
        Path | None,
        typer.Option(
            "--json", help="Write the table for programs; - is standard output.", show_default=False
        ),
    ] = None,
    measure: Annotated[
        bool,
        typer.Option(
            "--measure", help="Also run the plans on threads of this machine, and time them."
        ),
    ] = False,
    floating_base: FloatingBase = False,
    package_path: PackagePath = None,
) -> None:
    """Spread one evaluation over processors; say what each of them buys.

    The arithmetic of a quantity is cut into tasks, and a policy plans when and where each of them
    runs on a parallel computer. The table has the time of each plan beside the least that any
    plan can take.

    phalanx schedule puma560 --processors 1-13

    phalanx schedule puma560 --tasks streamlined --policy layered --computer 8086 --gantt plan.html

    phalanx schedule stanford --tasks streamlined --computer uniform-tasks --policy exact

    phalanx schedule puma560 --computer multicore --processors 2 --coarsen 60 --measure

    phalanx schedule puma560 --quantity mass-matrix --computer vector-lanes --plot speedup.png

    phalanx schedule arm.urdf --processors 1,2,4,8 --gantt 'plan_{p}.svg' --save 'plan_{p}.json'
    """
    from phalanx.multiprocessor import coarsen as join_tasks
    from phalanx.multiprocessor import computer_by_name, speedup_figure

    counts = processor_counts(processors)
    chosen = find_policy(policy, time_limit)
    charts = files_of(gantt, counts, ".html", *PICTURES)
    saved = files_of(save, counts, ".json")
    if plot is not None:
        check_writable(plot, *PICTURES)
    if json_file is not None and json_file != STANDARD_OUTPUT:
        check_writable(json_file)
    computers = [computer_by_name(computer, p, synchronization) for p in counts]
    mechanism = find_model(model, floating_base, package_path)
    with console.err().status("Cutting the equations into tasks …"):
        graph = find_tasks(mechanism, tasks, customization, quantity, method, frame, angles_given)
        if coarsen is not None:
            graph = join_tasks(graph, coarsen)

    plans = make_plans(graph, computers, chosen)
    speedups = measure_plans(plans) if measure else None
    with console.err().status("Looking for what is possible at best …"):
        table = SpeedupTable.of(plans, speedups)
    if json_file != STANDARD_OUTPUT:
        table.show()
    if json_file is not None:
        write_json(json_file, table.to_data())
    if plot is not None:
        speedup_figure(plans, table.bounds, table.measured).savefig(plot, dpi=150)
    for plan in plans:
        p = plan.computer.processors
        if p in charts:
            with console.err().status(f"Drawing {charts[p].name} …"):
                plan.gantt(charts[p], color_by=None if color_by is None else color_by.value)
        if p in saved:
            plan.save(saved[p])
    for file in (gantt, save, plot):
        if file is not None:
            console.err().print(f"Written: {file}", soft_wrap=True, markup=False)


def find_policy(name: str, time_limit: float) -> Policy:
    """The policy that a user means; the exact one gives up in time."""
    from phalanx.multiprocessor.policies import exact, policy_by_name

    found = policy_by_name(name)
    return partial(exact, time_limit=time_limit) if found is exact else found


def files_of(path: Path | None, counts: Sequence[int], *suffixes: str) -> dict[int, Path]:
    """Files to write, by number of processors: of the last plan, or of all with {p} in the name.

    Raises:
        InvalidInput: When one of them cannot be written.
    """
    if path is None:
        return {}
    if ONE_EACH in str(path):
        files = {p: Path(str(path).replace(ONE_EACH, str(p))) for p in counts}
    else:
        files = {counts[-1]: path}
    for file in files.values():
        check_writable(file, *suffixes)
    return files


def make_plans(graph: TaskGraph, computers: Sequence[Computer], policy: Policy) -> list[Schedule]:
    """A plan for each computer, with a bar where that takes its time."""
    plans = []
    with console.progress() as bar:
        task = bar.add_task("planning", total=len(computers))
        for computer in computers:
            bar.update(task, description=f"planning for {computer.processors}")
            plans.append(policy(graph, computer))
            bar.advance(task)
    return plans


def measure_plans(plans: Sequence[Schedule]) -> list[float]:
    """Speed-ups of plans on threads of this machine."""
    from phalanx.multiprocessor import measure

    speedups = []
    with console.progress() as bar:
        for plan in bar.track(plans, description="measuring"):
            speedups.append(measure(plan).speedup)
    return speedups


def write_json(path: Path, data: dict[str, Any]) -> None:
    """The table in a file, or on standard output."""
    if path == STANDARD_OUTPUT:
        console.say_json(data)
    else:
        path.write_text(json.dumps(data, indent=2, allow_nan=False) + "\n", encoding="utf-8")
