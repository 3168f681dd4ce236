"""``phalanx schedule``: schedules of one evaluation on several processors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

import typer

from phalanx.base.json_file import write_json
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
    """Processors, scheduling policy and computer."""

    processors: Annotated[
        str, typer.Option(help="Numbers of processors: 4, 1-13, or 1,2,4.", metavar="1-13")
    ] = "1-8"
    policy: Annotated[
        str,
        OneOf("phalanx.multiprocessor.policies.by_name:POLICIES", checked=False),
        typer.Option(help="Scheduling policy: {either}.", metavar="POLICY"),
    ] = "highest-level-first"
    computer: Annotated[
        str,
        OneOf(
            "phalanx.multiprocessor.computers.catalogue:COMPUTERS",
            words={"this-machine": "measured"},
            checked=False,
        ),
        typer.Option(help="Computer: {names}.", metavar="COMPUTER"),
    ] = "shared-memory"
    synchronization: Annotated[
        float | None,
        typer.Option(
            help="Synchronization time before another processor sees a result, in the unit of the "
            "computer.",
            show_default=False,
        ),
    ] = None

    pipelined: Annotated[
        float | None,
        typer.Option(
            help="Pipelined processors: initiation interval, the time from the start of an "
            "operation to the next, in the unit of the computer. Results take as long as before, "
            "but a processor has several operations on their way. Default: not pipelined.",
            metavar="TIME",
            show_default=False,
        ),
    ] = None

    def computers(self) -> list[Computer]:
        """Return a computer for each number of processors.

        Raises:
            UnknownName: When there is no such computer.
            InvalidInput: When it cannot have so many processors.
        """
        from phalanx.multiprocessor import computer_by_name

        counts = processor_counts(self.processors)
        made = [computer_by_name(self.computer, p, self.synchronization) for p in counts]
        if self.pipelined is None:
            return made
        return [computer.pipelined(self.pipelined) for computer in made]

    def planner(self, time_limit: float) -> Policy:
        """Return the policy; the exact one with its time limit."""
        from phalanx.multiprocessor.policies import exact, policy_by_name

        found = policy_by_name(self.policy)
        return partial(exact, time_limit=time_limit) if found is exact else found


@dataclass(frozen=True)
class ScheduleOutput:
    """Output files."""

    panel: ClassVar = "Output"

    gantt: Annotated[
        Path | None,
        Writes(later=True),
        typer.Option(
            help="Draw a Gantt chart of the last schedule: .html (interactive), .svg, .png or "
            ".pdf. With {p} in the name, of every schedule.",
            show_default=False,
        ),
    ] = None
    color_by: Annotated[
        str | None,
        OneOf("phalanx.multiprocessor.pictures.colouring:WAYS"),
        typer.Option(help="Colouring of the Gantt chart.", show_default=False),
    ] = None
    plot: Annotated[
        Path | None,
        Writes(picture=True),
        typer.Option(help="Plot speedup and efficiency: .png, .svg or .pdf.", show_default=False),
    ] = None
    save: Annotated[
        Path | None,
        Writes(later=True),
        typer.Option(
            help="Write the last schedule to a .json file, for Schedule.load. With {p} in the "
            "name, every schedule.",
            show_default=False,
        ),
    ] = None
    json_file: Annotated[
        Path | None,
        Writes(later=True),
        typer.Option(
            "--json",
            help="Write the table as JSON to this file; - for standard output.",
            show_default=False,
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
        """Write all output files."""
        from phalanx.multiprocessor import speedup_figure

        if self.json_file is not None:
            data = table.facts().data
            if self.json_file == STANDARD_OUTPUT:
                console.print_json(data)
            else:
                write_json(self.json_file, data)
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
        files = {"Gantt chart": self.gantt, "Schedule": self.save, "Plot": self.plot}
        for what, file in files.items():
            if file is not None:
                console.print_written(what, file)


@dataclass(frozen=True)
class ExecutionOptions:
    """Execution of schedules."""

    measure: Annotated[
        bool,
        typer.Option(
            "--measure", help="Also run the schedules on threads of this machine and measure them."
        ),
    ] = False
    ranks: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Also run the last schedule on N MPI ranks, with the same messages; needs a "
            "computer that passes messages.",
            show_default=False,
        ),
    ] = None


def schedule(
    model: Model,
    *,
    parallel: ComputerOptions,
    task_options: TaskOptions,
    time_limit: Annotated[
        float, typer.Option(help="Time limit of the exact policy for each schedule [s].")
    ] = 10.0,
    output: ScheduleOutput,
    interval: Annotated[
        bool,
        typer.Option("--interval", help="Also print the initiation interval of each schedule."),
    ] = False,
    execution: ExecutionOptions,
    loading: Loading,
) -> None:
    r"""Schedule one evaluation on several processors; print makespan and speedup.

    The operations of a quantity are cut into tasks, and a scheduling policy places them on a
    parallel computer. The table compares the makespan of each schedule with a lower bound.

    Examples:
        phalanx schedule puma560 --processors 1-13
        phalanx schedule puma560 --processors 4 --gantt plan.html
        phalanx schedule puma560 --quantity mass-matrix --plot speedup.png

        # tasks, policy and processor of Dhanaraj; the exact optimum
        phalanx schedule puma560 --tasks streamlined --policy layered --computer 8086
        phalanx schedule stanford --tasks streamlined --computer uniform-tasks \
            --policy exact

        # pipelined processors: an operation every 0.25 of its time
        phalanx schedule puma560 --processors 1,2 --pipelined 0.25 --interval

        # run the schedule: on threads, on MPI ranks
        phalanx schedule puma560 --computer multicore --processors 2 --coarsen 60 \
            --measure
        phalanx schedule puma560 --computer transputer-mesh --processors 4 --ranks 2

        # a file for each number of processors
        phalanx schedule arm.urdf --processors 1,2,4,8 --save 'plan_{p}.json'
    """
    need("--policy exact", "exact", wanted=parallel.policy == "exact")
    need("--ranks", "mpi", wanted=execution.ranks is not None)
    from phalanx.multiprocessor import initiation_interval
    from phalanx.multiprocessor.pictures.speedup_table import SpeedupTable

    policy, counts = parallel.planner(time_limit), processor_counts(parallel.processors)
    output.check(counts)
    computers = parallel.computers()
    mechanism = loading.find(model)
    with console.err().status("Cutting the equations into tasks …"):
        graph = task_options.graph(mechanism)

    if execution.ranks is not None:
        check_ranks(computers[-1], execution.ranks)
    plans = make_plans(graph, computers, policy)
    intervals = [initiation_interval(plan) for plan in plans] if interval else None
    speedups = measure_plans(plans) if execution.measure else None
    with console.err().status("Computing lower bounds …"):
        table = SpeedupTable.of(plans, speedups, intervals)
    if output.json_file != STANDARD_OUTPUT:
        console.print_facts(table.facts())
    output.write(plans, table)
    if execution.ranks is not None:
        show_on_ranks(plans[-1], execution.ranks)


def files_of(path: Path | None, counts: Sequence[int]) -> dict[int, Path]:
    """Return files by number of processors: of the last plan, or of all with {p} in the name."""
    if path is None:
        return {}
    if ONE_EACH in str(path):
        return {p: Path(str(path).replace(ONE_EACH, str(p))) for p in counts}
    return {counts[-1]: path}


def make_plans(graph: TaskGraph, computers: Sequence[Computer], policy: Policy) -> list[Schedule]:
    """Return a schedule for each computer, with a progress bar."""
    plans = []
    with console.progress() as bar:
        task = bar.add_task("scheduling", total=len(computers))
        for computer in computers:
            bar.update(task, description=f"scheduling on {computer.processors}")
            plans.append(policy(graph, computer))
            bar.advance(task)
    return plans


def measure_plans(plans: Sequence[Schedule]) -> list[float]:
    """Return measured speedups of schedules on threads of this machine."""
    from phalanx.multiprocessor import measure

    speedups = []
    with console.progress() as bar:
        for plan in bar.track(plans, description="measuring"):
            speedups.append(measure(plan).speedup)
    return speedups
