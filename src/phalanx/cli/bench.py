"""``phalanx bench``: how fast every quantity of a model is, beside other libraries."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from phalanx.cli import console
from phalanx.cli.models import Loading, Model
from phalanx.cli.options import Numerics
from phalanx.cli.outputs import Writes


@dataclass(frozen=True)
class BenchOptions:
    """What is measured."""

    quick: Annotated[
        bool, typer.Option("--quick", help="Main quantities, fewer rounds: some seconds.")
    ] = False
    peers: Annotated[
        bool, typer.Option(help="Measure Pinocchio and MuJoCo in the same run, where installed.")
    ] = True
    startup: Annotated[
        bool, typer.Option(help="Measure import and first call in new processes.")
    ] = True
    frame: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Frame of Jacobians and the like; the last body.",
            show_default=False,
        ),
    ] = None


@dataclass(frozen=True)
class BenchOutput:
    """Where the numbers go."""

    json: Annotated[
        Path | None,
        Writes((".json",)),
        typer.Option(help="Write all numbers to a .json file.", show_default=False),
    ] = None
    plot: Annotated[
        Path | None,
        Writes(picture=True),
        typer.Option(help="Draw them: .png, .svg or .pdf.", show_default=False),
    ] = None


def bench(
    model: Model,
    loading: Loading,
    measured: BenchOptions,
    numerics: Numerics,
    kept: BenchOutput,
) -> None:
    """Time every quantity: one call, batches, threads, layouts, first call; beside other libraries.

    Contestants take turns and the best turn counts, so that a busy machine disturbs the ratios
    little. Before anything is timed, its numbers are compared with the other library's.

    phalanx bench puma560 --quick

    phalanx bench robot:ur5_robot --json ur5.json --plot ur5.png
    """
    from phalanx.bench.run import BenchProgress
    from phalanx.bench.run import bench as run

    mechanism = loading.find(model)
    if measured.frame is not None:
        mechanism.frame(measured.frame)
    with console.progress() as bar:
        task = bar.add_task("", total=None)

        def show(step: BenchProgress) -> None:
            bar.update(task, description=step.what, completed=step.done, total=step.total)

        report = run(
            mechanism,
            model=model if measured.startup else None,
            floating_base=loading.floating_base,
            frame=measured.frame,
            quick=measured.quick,
            peers=measured.peers,
            progress=show,
            **numerics.options,
        )
    console.say(report.facts())
    if kept.json is not None:
        kept.json.write_text(json.dumps(report.as_json(), indent=2) + "\n")
        console.err().print(f"Numbers in {kept.json}.")
    if kept.plot is not None:
        from phalanx.bench.plot import plot_report
        from phalanx.view.plots.draw import save

        save(plot_report(report), kept.plot)
        console.err().print(f"Plot in {kept.plot}.")
