"""``phalanx bench``: times of all quantities of a model, compared with other libraries."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from phalanx.base.json_file import write_json
from phalanx.cli import console
from phalanx.cli.models import Loading, Model
from phalanx.cli.options import Numerics
from phalanx.cli.outputs import Writes


@dataclass(frozen=True)
class BenchOptions:
    """Quantities and libraries to measure."""

    quick: Annotated[
        bool,
        typer.Option("--quick", help="Main quantities only, fewer repetitions: a few seconds."),
    ] = False
    peers: Annotated[
        bool, typer.Option(help="Also measure Pinocchio and MuJoCo if they are installed.")
    ] = True
    startup: Annotated[
        bool, typer.Option(help="Measure import and first call, in new processes.")
    ] = True
    frame: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Frame of Jacobians and frame poses. Default: the last body.",
            show_default=False,
        ),
    ] = None


@dataclass(frozen=True)
class BenchOutput:
    """Output files."""

    json: Annotated[
        Path | None,
        Writes((".json",)),
        typer.Option(help="Write all results to a .json file.", show_default=False),
    ] = None
    plot: Annotated[
        Path | None,
        Writes(picture=True),
        typer.Option(help="Draw the results: .png, .svg or .pdf.", show_default=False),
    ] = None


def bench(
    model: Model,
    *,
    options: BenchOptions,
    numerics: Numerics,
    output: BenchOutput,
    loading: Loading,
) -> None:
    """Measure the time of all quantities of a model and compare with other libraries.

    Measured are single calls, batches, threads, array layouts and the first call. Libraries take
    turns and the best time of each counts, which reduces the influence of other programs. Results
    are compared with those of the other libraries before anything is timed.

    Examples:
        phalanx bench puma560 --quick
        phalanx bench robot:ur5_robot --json ur5.json --plot ur5.png
    """
    from phalanx.bench.run import BenchProgress
    from phalanx.bench.run import bench as run

    mechanism = loading.find(model)
    if options.frame is not None:
        mechanism.frame(options.frame)
    with console.progress() as bar:
        task = bar.add_task("", total=None)

        def show(step: BenchProgress) -> None:
            bar.update(task, description=step.what, completed=step.done, total=step.total)

        report = run(
            mechanism,
            model=model if options.startup else None,
            floating_base=loading.floating_base,
            frame=options.frame,
            quick=options.quick,
            peers=options.peers,
            progress=show,
            **numerics.options,
        )
    console.print_facts(report.facts())
    if output.json is not None:
        write_json(output.json, report.as_json())
        console.print_written("Results", output.json)
    if output.plot is not None:
        from phalanx.bench.plot import plot_report
        from phalanx.view.plots.draw import save

        save(plot_report(report), output.plot)
        console.print_written("Plot", output.plot)
