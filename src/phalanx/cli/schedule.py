"""``phalanx schedule``: what would more processors buy?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from phalanx.cli import console
from phalanx.cli.choices import OneOf
from phalanx.cli.extras import need
from phalanx.cli.models import Loading, Model
from phalanx.cli.outputs import Overwrite, Writes, check_output
from phalanx.cli.plan_on_ranks import check_ranks, show_on_ranks
from phalanx.cli.processors import processor_counts
from phalanx.cli.tasks import TaskOptions

if TYPE_CHECKING:
    from phalanx.multiprocessor import Computer, Schedule, TaskGraph
    from phalanx.multiprocessor.pictures.speedup_table import SpeedupTable
    from phalanx.multiprocessor.policies.by_name import Policy

ONE_EACH = "{p}"
STANDARD_OUTPUT = Path("-")


@dataclass(frozen=True)
class ComputerOptions:
    """Who plans for which computer."""

    processors: Annotated[
        str, typer.Option(help="How many: 4, 1-13, or 1,2,4.", metavar="1-13")
    ] = "1-8"
    policy: Annotated[
        str,
        OneOf("phalanx.multiprocessor.policies.by_name:POLICIES", checked=False),
        typer.Option(help="Who decides what runs when and where: {either}.", metavar="POLICY"),
    ] = "highest-level-first"
    computer: Annotated[
        str,
        OneOf(
            "phalanx.multiprocessor.computers.catalogue:COMPUTERS",
            words={"this-machine": "measured"},
            checked=False,
        ),
        typer.Option(help="{names}.", metavar="COMPUTER"),
    ] = "shared-memory"
    synchronization: Annotated[
        float | None,
        typer.Option(
            help="Time until others see a task's results, in the computer's unit.",
            show_default=False,
        ),
    ] = None

    def computers(self) -> list[Computer]:
        """A computer for each number of processors.

        Raises:
            UnknownName: When there is no such computer.
            InvalidInput: When it cannot have so many processors.
        """
        from phalanx.multiprocessor import computer_by_name

        counts = processor_counts(self.processors)
        return [computer_by_name(self.computer, p, self.synchronization) for p in counts]

    def planner(self, time_limit: float) -> Policy:
        """The policy that a user means; the exact one gives up in time."""
        from phalanx.multiprocessor.policies import exact, policy_by_name

        found = policy_by_name(self.policy)
        return partial(exact, time_limit=time_limit) if found is exact else found


@dataclass(frozen=True)
class ScheduleOutput:
    """What is drawn and written."""

    gantt: Annotated[
        Path | None,
        Writes(later=True),
        typer.Option(
            help="Draw the last plan: .html to zoom and search in, .svg, .png, .pdf. With {p} in "
            "its name, every plan.",
            show_default=False,
        ),
    ] = None
    color_by: Annotated[
        str | None,
        OneOf("phalanx.multiprocessor.pictures.colouring:WAYS"),
        typer.Option(help="Colours of the chart.", show_default=False),
    ] = None
    plot: Annotated[
        Path | None,
        Writes(picture=True),
        typer.Option(help="Draw speed-up and efficiency: .png, .svg, .pdf.", show_default=False),
    ] = None
    save: Annotated[
        Path | None,
        Writes(later=True),
        typer.Option(
            help="Write the last plan as .json, for Schedule.load; every plan with {p}.",
            show_default=False,
        ),
    ] = None
    json_file: Annotated[
        Path | None,
        Writes(later=True),
        typer.Option(
            "--json", help="Write the table for programs; - is standard output.", show_default=False
        ),
    ] = None
    force: Overwrite = False

    def check(self, counts: Sequence[int]) -> None:
        """Fail before the work, not after it.

        Raises:
            InvalidInput: When a file cannot be written.
        """
        from phalanx.view.plots.draw import SUFFIXES

        for file in files_of(self.gantt, counts).values():
            check_output(file, [".html", *SUFFIXES], force=self.force)
        for file in files_of(self.save, counts).values():
            check_output(file, [".json"], force=self.force)
        if self.json_file is not None and self.json_file != STANDARD_OUTPUT:
            check_output(self.json_file, force=self.force)

    def write(self, plans: Sequence[Schedule], table: SpeedupTable) -> None:
        """Draw and write all of it."""
        from phalanx.multiprocessor import speedup_figure

        if self.json_file is not None:
            write_json(self.json_file, table.facts().data)
        if self.plot is not None:
            speedup_figure(plans, table.bounds, table.measured).savefig(self.plot, dpi=150)
        counts = [plan.computer.processors for plan in plans]
        charts, saved = (files_of(path, counts) for path in (self.gantt, self.save))
        for p, plan in zip(counts, plans, strict=True):
            if p in charts:
                with console.err().status(f"Drawing {charts[p].name} …"):
                    plan.gantt(charts[p], color_by=self.color_by)
            if p in saved:
                plan.save(saved[p])
        for file in (self.gantt, self.save, self.plot):
            if file is not None:
                console.err().print(f"Written: {file}", soft_wrap=True, markup=False)


@dataclass(frozen=True)
class ExecutionOptions:
    """On what plans are carried out."""

    measure: Annotated[
        bool,
        typer.Option(
            "--measure", help="Also run the plans on threads of this machine, and time them."
        ),
    ] = False
    ranks: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Also carry the last plan out on so many MPI ranks, message for message; it must "
            "be for a computer with wires.",
            show_default=False,
        ),
    ] = None


def schedule(
    model: Model,
    *,
    parallel: ComputerOptions,
    work: TaskOptions,
    time_limit: Annotated[
        float, typer.Option(help="When the exact policy gives up, for each plan [s].")
    ] = 10.0,
    kept: ScheduleOutput,
    interval: Annotated[
        bool,
        typer.Option("--interval", help="Also say how soon each plan can begin with new inputs."),
    ] = False,
    carried: ExecutionOptions,
    loading: Loading,
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

    phalanx schedule puma560 --computer transputer-mesh --processors 4 --ranks 2

    phalanx schedule arm.urdf --processors 1,2,4,8 --gantt 'plan_{p}.svg' --save 'plan_{p}.json'
    """
    need("--policy exact", "exact", wanted=parallel.policy == "exact")
    need("--ranks", "mpi", wanted=carried.ranks is not None)
    from phalanx.multiprocessor import initiation_interval
    from phalanx.multiprocessor.pictures.speedup_table import SpeedupTable

    policy, counts = parallel.planner(time_limit), processor_counts(parallel.processors)
    kept.check(counts)
    computers = parallel.computers()
    mechanism = loading.find(model)
    with console.err().status("Cutting the equations into tasks …"):
        graph = work.graph(mechanism)

    if carried.ranks is not None:
        check_ranks(computers[-1], carried.ranks)
    plans = make_plans(graph, computers, policy)
    intervals = [initiation_interval(plan) for plan in plans] if interval else None
    speedups = measure_plans(plans) if carried.measure else None
    with console.err().status("Looking for what is possible at best …"):
        table = SpeedupTable.of(plans, speedups, intervals)
    if kept.json_file != STANDARD_OUTPUT:
        console.say(table.facts())
    kept.write(plans, table)
    if carried.ranks is not None:
        show_on_ranks(plans[-1], carried.ranks)


def files_of(path: Path | None, counts: Sequence[int]) -> dict[int, Path]:
    """Files to write, by number of processors: of the last plan, or of all with {p} in the name."""
    if path is None:
        return {}
    if ONE_EACH in str(path):
        return {p: Path(str(path).replace(ONE_EACH, str(p))) for p in counts}
    return {counts[-1]: path}


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
